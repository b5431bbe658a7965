"""What kafka-dump-log itself reports of the files that it checked, as rows of PROPERTIES: name `kafka-dump-log`, value JSON.

    "Mismatches in :" F           "  Index offset: " n ", log offset: " n
    "Found timestamp mismatch in :" F      "  Index timestamp: " t ", log timestamp: " t
    "Found out of order timestamp in :" F  "  Index timestamp: " t ", Previously indexed timestamp: " t
    "The following indexed offsets are not found in the log."    "Indexed offset: " n ", found log offset: " n
    "Non-consecutive offsets in " F        "  " n " is followed by " n            ("Non-secutive" up to 0.10)
    F " passed sanity check."   |   F " is empty."   |   nothing: `--verify-index-only` of a file that is as it should be

Source: Kafka `DumpLogSegments` (`printErrors`, `--verify-index-only`, `--index-sanity-check`), 0.10 to 4.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa

from spark.sources._rows import RowOrigin, properties

NAME = "kafka-dump-log"
MAX_PAIRS = 20  # kept of each report
MAX_REPORTS = 1_000
INDEX, TIME, TIME_ORDER, NOT_FOUND, GAPS = "index", "time", "time-order", "not-found", "gaps"
PASSED, EMPTY, SILENT = "passed", "empty", "silent"
NUMBER = r"(-?\d{1,19})"
HEADINGS = (
    (INDEX, re.compile(r"^\s*Mismatches in ?:? ?(.*?)\s*$")),
    (TIME, re.compile(r"^\s*Found timestamp mismatch in ?:? ?(.*?)\s*$")),
    (TIME_ORDER, re.compile(r"^\s*Found out of order timestamp in ?:? ?(.*?)\s*$")),
    (NOT_FOUND, re.compile(r"^\s*The following indexed offsets are not found in the log()\.?\s*$")),
    (GAPS, re.compile(r"^\s*Non-(?:con)?secutive offsets in ?:? ?(.*?)\s*$")),
)
PAIRS = (
    (INDEX, re.compile(rf"^\s*Index offset: {NUMBER}, log offset: {NUMBER}")),
    (TIME, re.compile(rf"^\s*Index timestamp: {NUMBER}, log timestamp: {NUMBER}")),
    (TIME_ORDER, re.compile(rf"^\s*Index timestamp: {NUMBER}, Previously indexed timestamp: {NUMBER}")),
    (NOT_FOUND, re.compile(rf"^\s*Indexed offset: {NUMBER}, found log offset: {NUMBER}")),
    (GAPS, re.compile(rf"^\s*{NUMBER} is followed by {NUMBER}\s*$")),
)
VERDICTS = (
    (PASSED, re.compile(r"^(\S.*) passed sanity check\.\s*$")),
    (EMPTY, re.compile(r"^(\S.*) is empty\.\s*$")),
)
CHECKED = re.compile(r"\.(index|timeindex)$")


@dataclass
class PrintedReport:
    """One report: its file, and the pairs of numbers that it lists."""

    kind: str
    file: str
    count: int = 0
    pairs: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class PrintedReports:
    reports: list[PrintedReport] = field(default_factory=list)
    dumped: str = ""  # the file whose lines follow
    has_lines: bool = True  # whether any line of the print followed it

    def enter(self, name: str) -> None:
        """Another file follows; the tool prints nothing for a file without problems."""
        self.leave()
        self.dumped, self.has_lines = name, False

    def leave(self) -> None:
        if not self.has_lines and self.dumped:
            self.add(PrintedReport(SILENT if CHECKED.search(self.dumped) else EMPTY, self.dumped))
        self.has_lines = True

    def add(self, report: PrintedReport) -> None:
        if len(self.reports) < MAX_REPORTS:
            self.reports.append(report)

    def take(self, line: str) -> bool:
        for kind, pattern in PAIRS:
            if match := pattern.match(line):
                self.pair(kind, int(match[1]), int(match[2]))
                return True
        for kind, pattern in (*HEADINGS, *VERDICTS):
            if match := pattern.match(line):
                self.has_lines = True
                self.add(PrintedReport(kind, match[1] or self.dumped))
                return True
        return False

    def pair(self, kind: str, first: int, second: int) -> None:
        """A pair of the current report, or of one whose heading is missing."""
        if not self.reports or self.reports[-1].kind != kind:
            self.add(PrintedReport(kind, self.dumped))
        last = self.reports[-1]
        last.count += 1
        if len(last.pairs) < MAX_PAIRS:
            last.pairs.append((first, second))

    def table(self, origin_of: Callable[[str], RowOrigin]) -> pa.Table | None:
        spoken = {report.file for report in self.reports if report.kind != SILENT}
        rows = [
            properties(origin_of(report.file), {NAME: json.dumps(vars(report))})
            for report in self.reports
            if report.kind != SILENT or report.file not in spoken
        ]
        return pa.concat_tables(rows) if rows else None
