"""Lines of a print that are no line of the log: messages of the tool and of the JVM, and what does not fit.

`Found N invalid bytes at the end of F` is damage of the segment, at the place behind its last batch; an exception
says that the tool stopped before the segment's end. What nobody knows becomes damage of the print itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np

from spark.sources._rows import DamagedRange, Reason
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Bytes, Rows
from spark.sources.dump_log_text.reports import PrintedReports

QUOTED_BYTES = 200
MAX_QUOTED = 20  # different remarks kept
FOUND_BYTES = re.compile(r"Found (\d{1,18}) invalid bytes at the end of (\S+)")
STOPPED = re.compile(
    r"^(Exception in thread|Caused by:|(org|java|kafka)\.[\w.$]+(Exception|Error)\b|Exiting due to)"
)
TRACE = re.compile(r"^\s+(at [\w.$/<>]+\(|\.\.\. \d+ more)")
MESSAGE = re.compile(
    r"^\s*$"
    r"|^(SLF4J|log4j|Picked up|OpenJDK|Java HotSpot|WARNING|DEPRECATED|The `)|^\[\d{4}-\d\d-\d\d "
)


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
    detail = f"Not a line of kafka-dump-log's output: {line[:80]}"
    odd_lines.stretches.append(DamagedRange(start, size, "bad_line", detail, offset, offset, is_read_on))
