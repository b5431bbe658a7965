"""`manage.py inspect PATH...`: the pipeline without web, queue and database. The JSON is docs/report.md."""

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management.base import BaseCommand

from spark.errors import UnreadableInput
from workers.headless import (
    SIGTERM_EXIT,
    UNREADABLE,
    Bounds,
    Report,
    Spark,
    answer,
    chosen_dialects,
    empty_folder,
    exit_code,
    inspect_paths,
    own_stdout,
    scratch_folder,
)

NO_PATH = (
    "Name what to inspect: manage.py inspect PATH... (dumps, log segments, partition folders, archives)."
)


class Command(BaseCommand):
    """Arguments in, documents out, worst exit code of all."""

    help = "Inspect journal dumps and log segments: all PATHs together are one journal, or each its own (--each)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="file, folder or archive")
        parser.add_argument("--json", action="store_true", help="print the report as JSON instead of text")
        parser.add_argument(
            "--each", action="store_true", help="every PATH is a journal of its own; one line each"
        )
        parser.add_argument(
            "--dialect",
            action="append",
            default=[],
            metavar="[TOPIC=]NAME",
            help="read a topic as this dialect instead of as it looks, such as schema-registry",
        )
        parser.add_argument(
            "--out", type=Path, metavar="FOLDER", help="keep report.json and the tables there"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(SIGTERM_EXIT))
        try:
            out = _checked(options["paths"], options["out"])
            with own_stdout() as results:
                sys.exit(self._inspect_all(out, results, options))
        except UnreadableInput as problem:
            self.stderr.write(str(problem))
            sys.exit(UNREADABLE)
        except BrokenPipeError:  # whoever read our results has left
            sys.exit(UNREADABLE)

    def _inspect_all(self, out: Path | None, results: IO[str], options: dict[str, Any]) -> int:
        """Inspect one input after the other; the worst exit code."""
        worst = 0
        inputs = [[path] for path in options["paths"]] if options["each"] else [options["paths"]]
        with scratch_folder() as scratch:
            spark = Spark(settings.SPARK_MASTER, scratch)
            try:
                read_as = chosen_dialects(options["dialect"])
                for number, report in enumerate(
                    _reports(spark, inputs, scratch, out, options["each"], read_as)
                ):
                    worst = max(worst, exit_code(report))
                    self._print(results, inputs[number], report, options)
            finally:
                spark.end()
        return worst

    def _print(self, results: IO[str], paths: list[Path], report: Report, options: dict[str, Any]) -> None:
        if "error" in report and not options["each"]:
            self.stderr.write(report["error"])
        if options["json"]:
            print(json.dumps(report, ensure_ascii=False), file=results, flush=True)
        elif "error" not in report:
            from spark.stages.report_text import plain_text

            heading = f"== {paths[0]}\n" if options["each"] else ""
            print(heading + plain_text(report), file=results, flush=True)
        elif options["each"]:
            print(f"== {paths[0]}\n{report['error']}\n", file=results, flush=True)


def _checked(paths: list[Path], out: Path | None) -> Path | None:
    if not paths:
        raise UnreadableInput(NO_PATH)
    return empty_folder(out) if out else None


def _reports(
    spark: Spark,
    inputs: list[list[Path]],
    scratch: Path,
    out: Path | None,
    numbered: bool,
    read_as: dict[str, str],
) -> Iterator[Report]:
    """One report or error per input, in order."""
    bounds = Bounds.of_settings()
    for number, paths in enumerate(inputs, start=1):
        own = scratch / f"input-{number}"
        folder = (out / str(number) if numbered else out) if out else own / "results"
        report = answer(lambda p=paths, f=folder, o=own: inspect_paths(spark, p, f, o, bounds, read_as))  # type: ignore[misc]
        if "error" not in report:
            report["tables"] = str(folder) if out else None
        yield report
        _remove(own)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
