"""`manage.py repair PATH... --out FOLDER`: what mends a journal, as files to produce and steps. The JSON is docs/repair.md.

Nothing is written to a broker. Exit code: 0 a way holds for every partition that needs one, 1 something is still missing
or no way holds, 2 could not be read, 3 a journal's dialect cannot be repaired (of several the first of 2, 1, 3, 0). With `--check`: 0 the repair fits the dump, 1 it does not.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from spark.terms.topic_commands import LEGAL_NAME
from workers.management.base import HeadlessCommand, Options, add_dialect, path_or_address
from workers.management.inspecting import CommandContext, Report

if TYPE_CHECKING:
    from spark.repair import AddedSchemaFile, RequestedSchema
    from spark.repair.inputs import Input

REPAIRED, INCOMPLETE, UNSUPPORTED = 0, 1, 3
WANTED = re.compile(r"(\d{1,10})(?:=(.+)/(\d{1,10}))?")


class Command(HeadlessCommand):
    """A broken journal in, the records that mend it out."""

    help = "Build repair records, or a repaired copy of the journal, to recover lost data; all PATHs together are one input."
    name_a_path = (
        f"Name a journal: {COMMAND_NAME} repair PATH... --out FOLDER [--older PATH] [--file SCHEMA] [--id ID], or a newer dump and a repair: "
        f"{COMMAND_NAME} repair DUMP --check FOLDER."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_dialect(parser)
        parser.add_argument(
            "--older",
            type=path_or_address,
            action="append",
            default=[],
            metavar="PATH",
            help="an older dump of the same topic",
        )
        parser.add_argument(
            "--file",
            dest="schemas",
            type=Path,
            action="append",
            default=[],
            metavar="SCHEMA",
            help="a schema's text as it was registered (from git); the repair checks it by its hash. In a journal of a schema "
            "registry: the text of the --id behind it",
        )
        parser.add_argument(
            "--id",
            dest="schemas",
            type=requested_schema,
            action="append",
            metavar="ID[=SUBJECT/VERSION]",
            help="a schema ID of a schema registry to bring back, also a deleted one; behind a --file: the ID of that text",
        )
        parser.add_argument("--out", type=Path, metavar="FOLDER", help="output folder; must be new or empty")
        parser.add_argument(
            "--topic", default="", metavar="NAME", help="the topic's name, if the dump does not contain it"
        )
        parser.add_argument(
            "--new-topic",
            default="",
            metavar="NAME",
            help="the topic for a repaired copy (default: TOPIC-repaired)",
        )
        parser.add_argument(
            "--applied",
            type=Path,
            metavar="REPAIR",
            help="the folder of a repair that was interrupted, where PATH has no record headers: its records are recognized",
        )
        parser.add_argument(
            "--check",
            type=Path,
            metavar="REPAIR",
            help="check whether the repair in this folder still matches the dumps at PATH; build nothing",
        )

    def prepare(self, options: Options) -> None:
        """A journal, and a folder for the files or one with a repair."""
        if options["check"]:
            from spark.repair.built import read_manifest

            options["manifest"] = read_manifest(options["check"])
        elif not options["out"]:
            raise UnreadableInput(self.name_a_path)
        for name in (options["topic"], options["new_topic"]):
            if name and not LEGAL_NAME.fullmatch(name):
                raise UnreadableInput(
                    f"{name!r} is not a topic name. Kafka allows letters, digits, dots, underscores and hyphens."
                )
        super().prepare(options)

    def document(self, job: CommandContext, options: Options) -> Report:
        if options["check"]:
            return checked(job, options)
        from spark.repair.inputs import Input
        from spark.repair.offered import keep_what_is_produced
        from spark.repair.result import repair
        from spark.repair.words import as_text

        out = options["out"]
        broken = inspected(job, options["paths"], "broken", "this journal")
        broken = Input(broken.report, broken.folder, broken.name, options["applied"])
        older = [
            inspected(job, [path], f"older-{number}", f"the older dump {Path(path).name or path}")
            for number, path in enumerate(options["older"], start=1)
        ]
        files, requested = sorted_out(options["schemas"])
        answer = repair(
            broken, older, files, job.inspect_files, out, options["topic"], options["new_topic"], requested
        )
        keep_what_is_produced(answer.partitions, out)
        return {**answer.as_json(), "text": as_text(answer, out)}

    def exit_code(self, document: Report) -> int:
        """Whether every partition that needs it can be repaired; of a check, whether the repair fits."""
        if "fits" in document:
            return REPAIRED if document["fits"] else INCOMPLETE
        if not all(partition["is_complete"] for partition in document["partitions"]):
            return INCOMPLETE
        return UNSUPPORTED if document["unsupported"] else REPAIRED


def checked(job: CommandContext, options: Options) -> Report:
    """Whether a repair still applies to a dump."""
    from spark.repair.built import compared
    from spark.terms.wording import at_offsets

    manifest = options["manifest"]
    broken = inspected(job, options["paths"], "checked", "this dump")
    journals = [journal for journal in broken.journals() if journal.replica[1] == manifest["partition"]]
    same = [journal for journal in journals if journal.replica[0] in (manifest["topic"], "?")]
    if not same:
        raise UnreadableInput(
            f"The dump has no partition {manifest['partition']} of {manifest['topic']}, which the repair is for. Dump that topic."
        )
    comparison = compared(options["check"], manifest, same[0])
    fits = f"The repair still matches {manifest['topic']}-{manifest['partition']}: the dump is unchanged."
    if comparison.cleaned:
        fits = (
            f"The repair still matches {manifest['topic']}-{manifest['partition']}. The log cleaner has removed the records at "
            f"{at_offsets(comparison.cleaned)} since. A later record with the same key is in both dumps."
        )
    differences = list(comparison.differences)
    return {
        "fits": not differences, "differences": differences, "cleaned": list(comparison.cleaned),
        "applied": list(comparison.applied), "text": "\n".join(differences or [fits]),
    }  # fmt: skip


def inspected(job: CommandContext, paths: Sequence[Path | str], folder: str, name: str) -> Input:
    """One input, inspected; `name` as the answer calls it."""
    from spark.repair.inputs import Input

    results = job.scratch / folder
    return Input(job.inspect(paths, results), results, name)


def requested_schema(text: str) -> tuple[int, str, int]:
    """`14` or `14=orders-value/2` as id, subject and version. Raises ArgumentTypeError."""
    match = WANTED.fullmatch(text)
    if match is None:
        raise ArgumentTypeError(f"{text!r} is no schema ID. Write --id 14, or --id 14=SUBJECT/VERSION.")
    return int(match[1]), match[2] or "", int(match[3] or 0)


def sorted_out(
    arguments: Sequence[Path | tuple[int, str, int]],
) -> tuple[list[AddedSchemaFile], list[RequestedSchema]]:
    """Files, and ids with the file in front of each, in the order in which they were given."""
    from spark.repair import AddedSchemaFile, RequestedSchema

    files: list[AddedSchemaFile] = []
    requested: list[RequestedSchema] = []
    before: AddedSchemaFile | None = None
    for argument in arguments:
        if isinstance(argument, Path):
            before = AddedSchemaFile(argument.name, readable(argument))
            files.append(before)
        else:
            requested.append(RequestedSchema(*argument, file=before))
            before = None
    return files, requested


def readable(path: Path) -> Path:
    """The path. Raises UnreadableInput when no file is there."""
    if not path.is_file():
        raise UnreadableInput(f"{path} is not a file. Name each schema's text with one --file.")
    return path
