"""`manage.py repair PATH... --out FOLDER`: what mends a journal, as files to produce and steps. The JSON is docs/repair.md.

Nothing is written to a broker. Exit code: 0 a way holds for every partition that needs one, 1 something is still wanted
or no way holds, 2 could not be read.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spark.errors import UnreadableInput
from workers.headless import Job, Report
from workers.management.headless import HeadlessCommand, Options, add_dialect

if TYPE_CHECKING:
    from spark.repair.result import Input

MENDED, WANTING = 0, 1


class Command(HeadlessCommand):
    """A broken journal in, the records that mend it out."""

    help = "Build the records, or the whole journal, that bring back what was lost; all PATHs together are one input."
    name_a_path = "Name a journal: manage.py repair PATH... --out FOLDER [--older PATH] [--file SCHEMA]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_dialect(parser)
        parser.add_argument(
            "--older",
            type=Path,
            action="append",
            default=[],
            metavar="PATH",
            help="an older dump of the same topic",
        )
        parser.add_argument(
            "--file",
            type=Path,
            action="append",
            default=[],
            metavar="SCHEMA",
            help="a schema's text as it was registered (from git); its hash tells whether it is the one",
        )
        parser.add_argument("--out", type=Path, metavar="FOLDER", help="takes the files; new or empty")

    def prepare(self, options: Options) -> None:
        """A journal, and a folder for the files."""
        if not options["out"]:
            raise UnreadableInput(self.name_a_path)
        super().prepare(options)

    def document(self, job: Job, options: Options) -> Report:
        """Inspect all inputs, mend what can be mended."""
        from spark.repair import SchemaFile
        from spark.repair.result import repair
        from spark.repair.words import as_text
        from workers.produced import keep_what_is_produced

        out = options["out"]
        broken = inspected(job, options["paths"], "broken", "this journal")
        older = [
            inspected(job, [path], f"older-{number}", f"the older dump {path.name or path}")
            for number, path in enumerate(options["older"], start=1)
        ]
        files = [SchemaFile(path.name, readable(path)) for path in options["file"]]
        found = repair(broken, older, files, job.inspect_files, out)
        keep_what_is_produced(found, out)
        return {"partitions": [one.as_json() for one in found], "text": as_text(found, out)}

    def exit_code(self, document: Report) -> int:
        """Whether every partition that needs it can be mended."""
        is_mended = all(one["recommended"] and not one["missing"] for one in document["partitions"])
        return MENDED if is_mended else WANTING


def inspected(job: Job, paths: Sequence[Path], folder: str, name: str) -> Input:
    """One input, inspected; `name` as the answer calls it."""
    from spark.repair.result import Input

    results = job.scratch / folder
    return Input(job.inspect(paths, results), results, name)


def readable(path: Path) -> Path:
    """The path. Raises UnreadableInput when no file is there."""
    if not path.is_file():
        raise UnreadableInput(f"{path} is no file. Name the schema's text with --file, one file each.")
    return path
