"""`manage.py state PATH...`: what the service holds that reads this journal, at its end or at an offset."""

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management.base import BaseCommand

from spark.errors import UnreadableInput
from workers.headless import (
    SIGTERM_EXIT,
    UNREADABLE,
    Bounds,
    Spark,
    answer,
    chosen_dialects,
    inspect_paths,
    own_stdout,
    scratch_folder,
)

NO_PATH = "Name a journal: manage.py state PATH... (dumps, log segments, partition folders, archives)."


class Command(BaseCommand):
    """A journal in, its entities out."""

    help = "Print what the service holds after reading the journal: all PATHs together are one input."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="file, folder or archive")
        parser.add_argument("--at", type=int, metavar="OFFSET", help="as of this offset instead of the end")
        cleaned = parser.add_mutually_exclusive_group()
        cleaned.add_argument(
            "--after-compaction",
            dest="view",
            action="store_const",
            const="full",
            help="of the log when compaction has done all it can: the newest value of each key, no tombstones",
        )
        cleaned.add_argument(
            "--after-next-cleaning",
            dest="view",
            action="store_const",
            const="next",
            help="of the log as the next cleaning leaves it: the newest record of each key",
        )
        parser.add_argument(
            "--dialect",
            action="append",
            default=[],
            metavar="[TOPIC=]NAME",
            help="read a topic as this dialect instead of as it looks, such as schema-registry",
        )
        parser.add_argument("--profile", metavar="NAME", help="as this service reads it, such as confluent")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def handle(self, *_: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(SIGTERM_EXIT))
        try:
            if not options["paths"]:
                raise UnreadableInput(NO_PATH)
            with own_stdout() as results:
                sys.exit(self._state(options["paths"], results, options))
        except UnreadableInput as problem:
            self.stderr.write(str(problem))
            sys.exit(UNREADABLE)
        except BrokenPipeError:  # whoever read our results has left
            sys.exit(UNREADABLE)

    def _state(self, paths: Sequence[Path], results: IO[str], options: dict[str, Any]) -> int:
        with scratch_folder() as scratch:
            spark = Spark(settings.SPARK_MASTER, scratch)
            try:
                document = answer(lambda: _document(spark, paths, scratch, options))
            finally:
                spark.end()
        if "error" in document:
            self.stderr.write(document["error"])
            return UNREADABLE
        if options["json"]:
            print(json.dumps(document, ensure_ascii=False), file=results, flush=True)
        else:
            print("\n".join(_lines(document["entities"])), file=results, flush=True)
        return 0


def _document(spark: Spark, paths: Sequence[Path], scratch: Path, options: dict[str, Any]) -> dict[str, Any]:
    """The entities of the inspected input."""
    from spark.stages.state_at import state_at
    from spark.tables import Manifest

    folder = scratch / "results"
    read_as = chosen_dialects(options["dialect"])
    inspect_paths(spark, paths, folder, scratch, Bounds.of_settings(), read_as)
    manifest = Manifest.load(folder)
    return {"entities": state_at(manifest, options["at"], options["profile"], options["view"] or "log")}


def _lines(entities: list[dict[str, Any]]) -> list[str]:
    """One entity a line: what it is, its name, what it is like, the record that set it."""
    if not entities:
        return ["Nothing: a service that reads this journal holds no entity."]
    return [
        f"{row['entity_type']}  {row['entity_id']}  "
        + " ".join(f"{name}={value}" for name, value in row["attributes"].items())
        + f"  (offset {row['origin_offset']})"
        for row in entities
    ]
