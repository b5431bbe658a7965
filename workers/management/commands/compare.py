"""`manage.py compare A B` or `manage.py compare --replicas PATH`: inspect both, then set record beside record.

The JSON is docs/compare.md. Exit code: 0 equal, 1 different, 2 could not be read.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from workers.management.base import HeadlessCommand, Options, path_or_address
from workers.management.inspecting import CommandContext, Report

NO_COPIES = f"{{path}} contains only one replica of each partition. Name two inputs instead: {COMMAND_NAME} compare A B."
EQUAL, DIFFERENT = 0, 1


class Command(HeadlessCommand):
    help = "Compare two inputs (PATH PATH), or the replicas of the partitions in one input (--replicas), record by record."
    name_a_path = (
        f"Name two inputs: {COMMAND_NAME} compare A B (dumps, log segments, partition folders, archives); "
        f"or one that contains several replicas of its partitions: {COMMAND_NAME} compare --replicas PATH."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--replicas",
            type=path_or_address,
            metavar="PATH",
            help="compare the replicas of each partition in this input",
        )

    def prepare(self, options: Options) -> None:
        """Two inputs, or one with replicas."""
        if len(options["paths"]) != (0 if options["replicas"] else 2):
            raise UnreadableInput(self.name_a_path)
        options["paths"] = options["paths"] or [options["replicas"]]

    def document(self, job: CommandContext, options: Options) -> Report:
        from spark.compare import ComparedInput, compare, compare_copies
        from spark.tables import Manifest

        sides = []
        for number, (path, label) in enumerate(zip(options["paths"], labels(options["paths"]), strict=True)):
            folder = job.scratch / f"results-{number}"
            job.inspect([path], folder)
            sides.append(ComparedInput(Manifest.load(folder), label))
        context = job.spark.engine()
        comparison = compare(context, *sides) if len(sides) == 2 else compare_copies(context, sides[0])
        if len(sides) == 1 and not comparison.pairs:
            raise UnreadableInput(NO_COPIES.format(path=options["replicas"], command=COMMAND_NAME))
        return {**comparison.as_json(), "text": comparison.as_text()}

    def exit_code(self, document: Report) -> int:
        return EQUAL if document["equal"] else DIFFERENT


def labels(paths: Sequence[Path | str]) -> list[str]:
    """Names for the sides: the last part of the path, the whole path where that is the same."""
    names = [Path(path).name or str(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]
