"""`manage.py compare A B` or `manage.py compare --replicas PATH`: inspect both, then set record beside record.

The JSON is docs/compare.md. Exit code: 0 equal, 1 different, 2 could not be read.
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
    inspect_paths,
    own_stdout,
    scratch_folder,
)

if TYPE_CHECKING:
    from spark.compare import Comparison

NAME_TWO = (
    "Name two inputs: manage.py compare A B (dumps, log segments, partition folders, archives); "
    "or one that holds several copies of its partitions: manage.py compare --replicas PATH."
)
NO_COPIES = "{path} holds one replica of each partition only. Name two inputs instead: manage.py compare A B."
EQUAL, DIFFERENT = 0, 1


class Command(BaseCommand):
    """Two inputs in, one document out."""

    help = "Compare two inputs, or the copies of partitions within one (--replicas), record by record."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "paths", nargs="*", type=Path, metavar="PATH", help="A B: file, folder or archive"
        )
        parser.add_argument(
            "--replicas", type=Path, metavar="PATH", help="compare the copies of each partition in there"
        )
        parser.add_argument("--json", action="store_true", help="print JSON instead of text")

    def handle(self, *_: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(SIGTERM_EXIT))
        try:
            paths = _checked(options["paths"], options["replicas"])
            with own_stdout() as results:
                sys.exit(self._compare(paths, results, options["json"]))
        except UnreadableInput as problem:
            self.stderr.write(str(problem))
            sys.exit(UNREADABLE)
        except BrokenPipeError:  # whoever read our results has left
            sys.exit(UNREADABLE)

    def _compare(self, paths: Sequence[Path], results: IO[str], as_json: bool) -> int:
        """Inspect, compare, print."""
        with scratch_folder() as scratch:
            spark = Spark(settings.SPARK_MASTER, scratch)
            try:
                document = answer(lambda: _document(spark, paths, scratch))
            finally:
                spark.end()
        if "error" in document:
            self.stderr.write(document["error"])
        text = document.pop("text", "")
        if as_json:
            print(json.dumps(document, ensure_ascii=False), file=results, flush=True)
        elif text:
            print(text, file=results, flush=True)
        return UNREADABLE if "error" in document else EQUAL if document["equal"] else DIFFERENT


def _checked(paths: list[Path], replicas: Path | None) -> list[Path]:
    if replicas is not None and not paths:
        return [replicas]
    if replicas is not None or len(paths) != 2:
        raise UnreadableInput(NAME_TWO)
    return paths


def _document(spark: Spark, paths: Sequence[Path], scratch: Path) -> dict[str, Any]:
    """The comparison as JSON, with `text` for a terminal."""
    from spark.compare import Side, compare, compare_copies
    from spark.tables import Manifest

    sides = []
    for number, (path, label) in enumerate(zip(paths, labels(paths), strict=True)):
        folder = scratch / f"results-{number}"
        inspect_paths(spark, [path], folder, scratch / f"input-{number}", Bounds.of_settings())
        sides.append(Side(Manifest.load(folder), label))
    found: Comparison = (
        compare(spark.session(), *sides) if len(sides) == 2 else compare_copies(spark.session(), sides[0])
    )
    if len(sides) == 1 and not found.pairs:
        raise UnreadableInput(NO_COPIES.format(path=paths[0]))
    return {**found.as_json(), "text": found.as_text()}


def labels(paths: Sequence[Path]) -> list[str]:
    """Names for the sides: the last part of the path, the whole path where that is the same."""
    names = [path.name or str(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]
