"""Lines of kafka-dump-log's output that are not lines of the log: what the tool reports about files, messages, and the rest.

Reports become rows of PROPERTIES, name `kafka-dump-log`, value JSON:

    "Mismatches in :" F           "  Index offset: " n ", log offset: " n
    "Found timestamp mismatch in :" F      "  Index timestamp: " t ", log timestamp: " t
    "Found out of order timestamp in :" F  "  Index timestamp: " t ", Previously indexed timestamp: " t
    "The following indexed offsets are not found in the log."    "Indexed offset: " n ", found log offset: " n
    "Non-consecutive offsets in " F        "  " n " is followed by " n            ("Non-secutive" up to 0.10)
    F " passed sanity check."   |   F " is empty."   |   nothing: `--verify-index-only` of a file without problems

`Found N invalid bytes at the end of F` is damage of the segment after its last batch; an exception says that the tool
stopped before the segment's end. Unknown lines are damage of the output itself.
Source: Kafka `DumpLogSegments` (`printErrors`, `--verify-index-only`, `--index-sanity-check`), 0.10 to 4.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from spark.sources._rows import DamagedRange, Reason, RowOrigin, properties
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Bytes, Rows

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


QUOTED_BYTES = 200
MAX_QUOTED = 20  # different remarks kept
FOUND_BYTES = re.compile(r"Found (\d{1,18}) invalid bytes at the end of (\S+)")
STOPPED = re.compile(
    r"^(Exception in thread|Caused by:|(org|java|kafka)\.[\w.$]+(Exception|Error)\b|Exiting due to)"
)
BEGUN = re.compile(
    r"\s*(baseOffset: |[|-] offset: |offset: \d+ (position|[A-Z]\w+): )"
)  # as the tool's lines do
TRACE = re.compile(r"^\s+(at [\w.$/<>]+\(|\.\.\. \d+ more)")
MESSAGE = re.compile(
    r"^\s*$"
    r"|^(SLF4J|log4j|Picked up|OpenJDK|Java HotSpot|WARNING|DEPRECATED|The `)|^\[\d{4}-\d\d-\d\d "
)


def is_message(line: str) -> bool:
    """Whether the tool, or the JVM under it, prints such a line besides those of the log."""
    reports = (pattern for _, pattern in (*HEADINGS, *PAIRS, *VERDICTS))
    return any(pattern.match(line) for pattern in (STOPPED, BEGUN, TRACE, MESSAGE, FOUND_BYTES, *reports))


@dataclass
class OddLines:
    """What a window's other lines mean."""

    stretches: list[DamagedRange] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def odd_stretches(
    buffer: Bytes, rows: Rows, base: int, last_end: int, is_end: bool, reports: PrintedReports
) -> OddLines:
    """Damage and remarks of lines in file order; adjacent odd lines are one range. `is_end`: nothing follows."""
    odd_lines = OddLines()
    chosen = np.flatnonzero(np.isin(rows[:, f.KIND], (f.REMARK, *f.NO_ROW)))
    before = -2
    for number in chosen.tolist():
        row = rows[number]
        kind, start, end = int(row[f.KIND]), int(row[f.START]), int(row[f.END])
        line = buffer[start : min(end, start + QUOTED_BYTES)].tobytes().decode(errors="replace").rstrip()
        is_read_on = not (is_end and number == len(rows) - 1)
        if kind == f.CUT:
            odd_lines.stretches.append(cut(row, base, is_read_on))
        elif kind == f.UNDECODED:
            odd_lines.stretches.append(undecoded(row, base, line, is_read_on))
        elif STOPPED.match(line):
            odd_lines.stretches.append(stopped(line, last_end))
        elif reports.take(line):
            continue
        elif kind == f.REMARK and (match := FOUND_BYTES.match(line)):
            odd_lines.stretches.append(invalid(int(match[1]), match[2], last_end))
        elif kind == f.REMARK:
            remark(odd_lines, f"kafka-dump-log says: {line.strip()}.")
        elif not MESSAGE.search(line) and not TRACE.match(line):
            add(odd_lines, row, base, line, is_read_on, number == before + 1)
            before = number
    return odd_lines


def remark(odd_lines: OddLines, text: str) -> None:
    if len(odd_lines.remarks) < MAX_QUOTED:
        odd_lines.remarks.append(text)


def cut(row: Rows, base: int, is_read_on: bool) -> DamagedRange:
    """The last record of a file, which ends within it."""
    offset = int(row[f.OFFSET]) if row[f.OFFSET] >= 0 else None
    start, size = base + int(row[f.START]), int(row[f.END] - row[f.START])
    detail = "The output ends within this line: its key or value is shorter than the printed size."
    return DamagedRange(start, size, "truncated", detail, offset, offset, is_read_on)


def undecoded(row: Rows, base: int, line: str, is_read_on: bool) -> DamagedRange:
    """A record that a decoder printed and that cannot be rebuilt."""
    offset = int(row[f.OFFSET])
    text = line.partition("headerKeys: ")[2] or line
    detail = f"The decoder that printed the record at offset {offset} could not read it, or its output cannot be rebuilt: {text[:120]}"
    return DamagedRange(
        base + int(row[f.START]),
        int(row[f.END] - row[f.START]),
        "bad_line",
        detail,
        offset,
        offset,
        is_read_on,
    )


def invalid(size: int, name: str, last_end: int) -> DamagedRange:
    """Bytes at the end of a segment that the tool could not read."""
    detail = f"kafka-dump-log found {size} invalid bytes at the end of {name}: no later batch is readable."
    return DamagedRange(last_end, size, "truncated", detail, None, None, False)


def stopped(line: str, last_end: int) -> DamagedRange:
    """The tool stopped: what follows in the log was not printed."""
    reason: Reason = "zeros" if "record size 0 " in line else "not_a_batch"
    detail = f"kafka-dump-log stopped here and printed no later records: {line}"
    return DamagedRange(last_end, 0, reason, detail, None, None, False)


def add(odd_lines: OddLines, row: Rows, base: int, line: str, is_read_on: bool, is_next: bool) -> None:
    """A range of odd lines, or one more line of the last range."""
    start, size = base + int(row[f.START]), int(row[f.END] - row[f.START])
    offset = int(row[f.OFFSET]) if row[f.OFFSET] >= 0 else None
    if is_next and odd_lines.stretches:
        last = odd_lines.stretches.pop()
        offsets = [number for number in (last.first_offset, last.last_offset, offset) if number is not None]
        low, high = min(offsets, default=None), max(offsets, default=None)
        longer = replace(last, size_bytes=last.size_bytes + size, first_offset=low, last_offset=high)
        odd_lines.stretches.append(replace(longer, batches_after=is_read_on))
        return
    is_ours = BEGUN.match(line) is not None
    why = (
        "A line of kafka-dump-log that is truncated or changed"
        if is_ours
        else "Not a line of kafka-dump-log's output"
    )
    detail = f"{why}: {line[:80]}"
    odd_lines.stretches.append(DamagedRange(start, size, "bad_line", detail, offset, offset, is_read_on))
