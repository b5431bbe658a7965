"""`manage.py inspect PATH...`: the pipeline without web, queue and database. The JSON is docs/report.md.

The path `-` is standard input: a text that was pasted. A file of rules has the language of the pages, without a project.
"""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from spark.report.report_text import filled, plain_text
from spark.rules.evaluation import PREFIX, PinnedRule
from spark.rules.language import texts_of
from spark.rules.yaml_nodes import RuleError
from spark.storage.stored_path import ResultPath, remove_tree
from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from spark.terms.visible import one_line
from spark.terms.wording import plural
from workers.management.base import (
    ALARMING,
    GOOD,
    HeadlessCommand,
    Options,
    add_dialect,
    answer,
    path_or_address,
)
from workers.management.inspecting import CommandContext, Report
from workers.management.pipeline import FORMS, written
from workers.management.pipeline.counted import FAIL_ON, CountedFindings, baseline, counted
from workers.management.pipeline.settings_file import NAME, settings_file

if TYPE_CHECKING:
    from workers.management.pipeline.masked import ReportMasks

STANDARD_INPUT = Path("-")
STANDARD_INPUT_NAME = "standard-input.txt"
NO_PROJECT = "file"  # in ids of rules, in place of the project's name
FIRST_VERSION = 1


class Command(HeadlessCommand):
    help = "Inspect journal dumps and log segments: all PATHs together are one journal, or each its own (--each)."
    masks: ReportMasks | None = None
    sorted_out: CountedFindings  # of the report that was yielded last
    name_a_path = f"Name what to inspect: {COMMAND_NAME} inspect PATH... (dumps, log segments, partition folders, archives; - is standard input)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_dialect(parser)
        parser.add_argument(
            "--each", action="store_true", help="every PATH is a separate journal; one line each"
        )
        parser.add_argument(
            "--rules",
            type=Path,
            metavar="FILE",
            help="also apply these rules (docs/rules.md)",
        )
        parser.add_argument(
            "--older",
            type=path_or_address,
            action="append",
            default=[],
            metavar="PATH",
            help="an older dump of the same journal; the report names what only the older dump contains",
        )
        parser.add_argument(
            "--format",
            choices=("text", "json", *FORMS),
            help="what is printed (default: text); markdown is the text for a ticket",
        )
        parser.add_argument(
            "--fail-on",
            choices=FAIL_ON,
            help="the least severity with exit code 1 (default: high); never: exit code 0 whatever is found",
        )
        parser.add_argument(
            "--baseline",
            type=Path,
            metavar="REPORT",
            help="a report printed with --json: its findings no longer count",
        )
        parser.add_argument("--quiet", action="store_true", help="print nothing if nothing counts")
        parser.add_argument(
            "--config",
            type=Path,
            metavar="FILE",
            help=f"options, ignored findings and masks (default: {NAME} in this folder)",
        )
        parser.add_argument(
            "--verbose", action="store_true", help="list the checks that did not run, and why"
        )
        parser.add_argument(
            "--out",
            type=path_or_address,
            metavar="FOLDER",
            help="write report.json and the tables to this folder, or to an address such as s3://BUCKET/PREFIX",
        )

    def prepare(self, options: Options) -> None:
        """The file of settings, rules and the baseline are read before anything starts."""
        self.counted = self.counting(options)
        self.is_quiet = options["quiet"]
        options["given"] = read_rules(options["rules"]) if options["rules"] else ()
        if options["older"] and options["each"]:
            raise UnreadableInput("--older belongs to one journal: leave --each out.")
        super().prepare(options)

    def documents(self, job: CommandContext, options: Options) -> Iterator[Report]:
        """One report or error per input, in order."""
        paths, out = [as_file(path, job.scratch) for path in options["paths"]], options["out"]
        if not options["each"]:
            report = self.reported(job, paths, out, options["older"])
            yield report if "error" in report else report | {"text": self.text(report, options)}
            return
        for number, path in enumerate(paths, start=1):
            report = self.reported(job, [path], out and out / str(number))
            text = f"{report['error']}\n" if "error" in report else self.text(report, options)
            name = f"input {number}" if self.masks else one_line(str(options["paths"][number - 1]))
            yield report | {"text": f"== {name}\n{text}" if options["format"] == "text" else text}

    def reported(
        self,
        job: CommandContext,
        paths: list[Path | str],
        out: ResultPath | None,
        older: Sequence[Path | str] = (),
    ) -> Report:
        """The report on one input with the folder where its tables are kept, or the error."""
        if self.masks:
            hidden = partial(self.masked, self.masks, job, paths, out, older)
            return self.masks.answer(hidden)
        report = reported(with_older(job, older), paths, out)
        if "error" not in report:
            self.sorted_out = self.counted(report)
        return report

    def masked(
        self,
        masks: ReportMasks,
        job: CommandContext,
        paths: list[Path | str],
        out: ResultPath | None,
        older: Sequence[Path | str],
    ) -> Report:
        """Findings are sorted by what they say before it is hidden."""
        for path in (*paths, *older):
            if isinstance(path, Path) and not path.exists():
                return {"error": f"{path} does not exist."}
        whole, report = masks.hidden(
            lambda folder: with_older(job, older).inspect(paths, folder), job.scratch, out
        )
        self.sorted_out = self.counted(masks.with_masked_ids(whole))
        return report | {"tables": str(out) if out else None}

    def exit_code(self, document: Report) -> int:
        """0 nothing that counts, 1 something does: by default what is critical or high."""
        return ALARMING if self.sorted_out.failing else GOOD

    def counting(self, options: Options) -> Callable[[Report], CountedFindings]:
        """Complete the options from the file of settings; which findings count by them."""
        file = settings_file(options["config"])
        for name, value in file.options.items():
            argument = "text_format" if name == "columns" else name
            options[argument] = options.get(argument) or value
        options["format"] = "json" if options["json"] else options["format"] or "text"
        options["json"] = options["format"] == "json"
        today = datetime.now(tz=UTC).date()
        for ignored in file.ignored:
            if ignored.is_over(today):
                self.stderr.write(
                    f"{ignored.detector} is no longer ignored: {ignored.until} has passed ({ignored.reason})."
                )
        self.masks = file.masks
        if self.masks:
            self.masks.require_possible(options["format"], options["out"])
        in_baseline = baseline(options["baseline"], self.masks) if options["baseline"] else None
        return partial(
            counted,
            fail_on=options["fail_on"] or "high",
            ignored=file.ignored,
            in_baseline=in_baseline,
            today=today,
        )

    def text(self, report: Report, options: Options) -> str:
        """The report in the form that was asked for."""
        if options["format"] in FORMS:
            return written(options["format"], report, self.sorted_out)
        text = plain_text(report, options["verbose"]) + "".join(not_counted(report, self.sorted_out))
        return f"{text}\n{filled(self.masks.sentence)}\n" if self.masks else text

    def show(self, document: Report, results: IO[str], as_json: bool) -> int:
        if self.is_quiet and "error" not in document and not self.sorted_out.failing:
            return GOOD
        return super().show(document, results, as_json)


def not_counted(report: Report, sorted_out: CountedFindings) -> Iterator[str]:
    """What the exit code does not say, so that nobody takes it for nothing."""
    in_baseline = [
        finding for finding in report["findings"] if finding["id"] in (sorted_out.in_baseline or ())
    ]
    if in_baseline:
        yield f"\n{plural(len(in_baseline), 'finding is', 'findings are')} in the baseline and do not count.\n"
    for finding in report["findings"]:
        if why := sorted_out.ignored.get(finding["id"]):
            until = f" until {why.until}" if why.until else ""
            yield f"\nIgnored{until}: {one_line(finding['title'])} ({one_line(why.reason)})\n"


def with_older(job: CommandContext, older: Sequence[Path | str]) -> CommandContext:
    """Inspects the older dumps, too."""
    if not older:
        return job
    from spark.stages.older import OlderDump

    dumps = []
    for number, path in enumerate(older, start=1):
        folder = job.scratch / f"older-{number}"
        job.inspect([path], folder)
        dumps.append(OlderDump(Path(path).name or str(path), folder))
    return replace(job, older=dumps)


def as_file(path: Path | str, scratch: Path) -> Path | str:
    """The path itself; for `-` a file with what standard input has."""
    if path != STANDARD_INPUT:
        return path
    file = scratch / STANDARD_INPUT_NAME
    with file.open("wb") as stream:
        shutil.copyfileobj(sys.stdin.buffer, stream)
    return file


def reported(job: CommandContext, paths: list[Path | str], out: ResultPath | None) -> Report:
    """The report on one input, with the folder where its tables are kept, or the error."""
    folder = out or job.scratch / "results"
    report = answer(partial(job.inspect, paths, folder))
    if out is None:
        remove_tree(folder)
    return report if "error" in report else report | {"tables": str(out) if out else None}


def read_rules(path: Path) -> list[PinnedRule]:
    """The rules of a YAML file. Raises UnreadableInput with the line of what is wrong."""
    try:
        texts = texts_of(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UnreadableInput(f"{path} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise UnreadableInput(f"{path} is not UTF-8 text.") from problem
    except RuleError as problem:
        raise UnreadableInput(f"{path}: {problem}") from problem
    return [PinnedRule(f"{PREFIX}{NO_PROJECT}/{name}", FIRST_VERSION, text) for name, text in texts]
