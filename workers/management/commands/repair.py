"""`manage.py repair PATH... --out FOLDER`: what mends a journal, as files to produce and steps. The JSON is docs/repair.md.

Nothing is written to a broker. Exit code: 0 a way holds for every partition that needs one, 1 something is still wanted
or no way holds, 2 could not be read.
"""

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand

from spark.errors import UnreadableInput
from workers.headless import (
    SIGTERM_EXIT,
    UNREADABLE,
    Bounds,
    Spark,
    answer,
    empty_folder,
    inspect_files,
    inspect_paths,
    own_stdout,
    scratch_folder,
)

if TYPE_CHECKING:
    from spark.repair.result import Input

NO_PATH = "Name a journal: manage.py repair PATH... --out FOLDER [--older PATH] [--file SCHEMA]."
MENDED, WANTING = 0, 1


class Command(BaseCommand):
    """A broken journal in, the records that mend it out."""

    help = "Build the records, or the whole journal, that bring back what was lost; all PATHs together are one input."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="file, folder or archive")
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
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def handle(self, *_: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(SIGTERM_EXIT))
        try:
            if not options["paths"] or not options["out"]:
                raise UnreadableInput(NO_PATH)
            out = empty_folder(options["out"])
            with own_stdout() as results:
                sys.exit(self._repair(out, results, options))
        except UnreadableInput as problem:
            self.stderr.write(str(problem))
            sys.exit(UNREADABLE)
        except BrokenPipeError:  # whoever read our results has left
            sys.exit(UNREADABLE)

    def _repair(self, out: Path, results: IO[str], options: dict[str, Any]) -> int:
        with scratch_folder() as scratch:
            spark = Spark(settings.SPARK_MASTER, scratch)
            try:
                document = answer(lambda: _document(spark, scratch, out, options))
            finally:
                spark.end()
        if "error" in document:
            self.stderr.write(document["error"])
            return UNREADABLE
        text = document.pop("text")
        print(json.dumps(document, ensure_ascii=False) if options["json"] else text, file=results, flush=True)
        is_mended = all(one["recommended"] and not one["missing"] for one in document["partitions"])
        return MENDED if is_mended else WANTING


def _document(spark: Spark, scratch: Path, out: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Inspect all inputs, mend what can be mended."""
    from spark.repair import SchemaFile
    from spark.repair.result import repair
    from spark.repair.words import as_text
    from workers.produced import keep_what_is_produced

    broken = _inspected(spark, options["paths"], scratch / "broken", "this journal")
    older = [
        _inspected(spark, [path], scratch / f"older-{number}", f"the older dump {path.name or path}")
        for number, path in enumerate(options["older"], start=1)
    ]
    files = [SchemaFile(path.name, _readable(path)) for path in options["file"]]
    found = repair(broken, older, files, lambda inputs, folder: inspect_files(spark, inputs, folder), out)
    keep_what_is_produced(found, out)
    return {"partitions": [one.as_json() for one in found], "text": as_text(found, out)}


def _inspected(spark: Spark, paths: Sequence[Path], scratch: Path, name: str) -> Input:
    """One input, inspected; `name` as the answer calls it."""
    from spark.repair.result import Input

    report = inspect_paths(spark, paths, scratch / "results", scratch, Bounds.of_settings())
    return Input(report, scratch / "results", name)


def _readable(path: Path) -> Path:
    if not path.is_file():
        raise UnreadableInput(f"{path} is no file. Name the schema's text with --file, one file each.")
    return path
