"""Recognises output of kafka-dump-log, whether it has keys and values, and the kind of a single line of it.

    Dumping /data/orders-0/00000000000000000000.log      heading
    baseOffset: 0 lastOffset: 0 count: 1 ...             batch
    | offset: 0 CreateTime: ... endTxnMarker: COMMIT     commit marker, else record

Source: Kafka `DumpLogSegments.scala`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

import numpy as np

from spark.sources import InputFile, Recognition
from spark.sources._lines.lines import UTF_16, UTF_16_MARKS
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.odd import PrintedReports
from spark.sources.dump_log_text.walk import walk
from spark.sources.dump_log_text.windows import windows

DUMPED = re.compile(
    r"Dumping .+\.(log|index|timeindex|txnindex|snapshot|checkpoint)\s*$|(Log s|S)tarting offset: \d+"
)
MARK = (
    b"passed sanity check.",
    b"offsets in ",
    b"Mismatches in ",
    b"Found ",
    b"offset: ",
    b"Offset: ",
    b"producerId: ",
    b"Dumping ",
)
MIN_SHARE = 0.1  # of the head's lines; the rest may be messages of the tool
MAX_WINDOWS = 32  # looked at when the head holds no record
LOG_KINDS = (f.BATCH, f.RECORD, f.DEEP, f.OLD_BATCH)
PRINTED = (*LOG_KINDS, f.INDEX, f.TIME, f.TXN, f.PRODUCER)


@lru_cache(maxsize=1)
def look(head: bytes) -> tuple[int, int, int, int]:
    """Lines in the head, those of the tool, those of records, those with key or value."""
    buffer = np.frombuffer(bytearray(head), np.uint8)
    rows = np.empty((len(head) // 16 + 16, f.FIELDS), np.int64)
    count, _ = walk(buffer, len(buffer), True, rows)
    return counts(rows[:count])


def counts(rows: f.Rows) -> tuple[int, int, int, int]:
    """Lines, lines of the print, lines of records, lines with key or value."""
    kinds = rows[:, f.KIND]
    is_record = np.isin(kinds, (f.RECORD, f.DEEP))
    shows = is_record & (rows[:, f.CONTENT] == 1)
    return len(rows), int(np.isin(kinds, PRINTED).sum()), int(is_record.sum()), int(shows.sum())


def recognise(file: InputFile, head: bytes, wants_contents: bool) -> Recognition:
    """By lines of `name: value`; outputs with and without keys and values are two layouts."""
    if head.startswith(UTF_16_MARKS):
        return Recognition(False, UTF_16)
    if not any(mark in head for mark in MARK) or head.lstrip()[:1] in (b"{", b"["):
        return Recognition(
            False,
            "no line begins with `baseOffset:`, `offset:` or `| offset:`, as those of kafka-dump-log do",
        )
    lines, printed, _, has_contents = look(head)
    if not printed and only_reports(head):
        why = "messages of kafka-dump-log about files that it checked"
        return Recognition(not wants_contents, why if not wants_contents else f"nothing but {why}", 85)
    if not printed or printed < MIN_SHARE * lines:
        return Recognition(False, f"{printed} of its first {lines} lines are lines of kafka-dump-log")
    if not has_contents:
        has_contents = contents_later(file)
    if wants_contents != bool(has_contents):
        has = (
            "has keys and values"
            if has_contents
            else "was made without --print-data-log: no keys and values in it"
        )
        return Recognition(False, f"the print {has}")
    description = (
        "batches and records with keys and values"
        if has_contents
        else "batches or index entries, no keys and values"
    )
    return Recognition(True, f"lines of kafka-dump-log: {description}", 85)


@lru_cache(maxsize=1)
def only_reports(head: bytes) -> bool:
    """Whether every line names a file that the tool checked or what it found there."""
    reports, has_file = PrintedReports(), False
    for line in head.decode("utf-8", "replace").splitlines():
        is_file = DUMPED.match(line) is not None
        has_file |= is_file
        if line.strip() and not is_file and not reports.take(line):
            return False
    return has_file or bool(reports.reports)


@lru_cache(maxsize=64)
def contents_later(file: InputFile) -> bool:
    """Whether a record with key or value follows the head: the first dumped files may be indexes."""
    for window in islice(windows(file.path, 0, file.size_bytes), MAX_WINDOWS):
        _, _, _, contents = counts(window.rows)
        if contents:
            return True
    return False


HEADING, BATCH, RECORD, COMMIT, ABORT, DAMAGE = (
    "heading", "batch", "record", "commit marker", "abort marker", "cannot be read",
)  # fmt: skip
SHAPES = (
    (HEADING, re.compile(rb"\W*(?:Dumping |(?:Log )?[Ss]tarting offset: |Snapshot end offset)")),
    (BATCH, re.compile(rb"\W*(?:baseOffset: |offset: \d+ position: \d+ [^|]*\bsize: )")),
    (COMMIT, re.compile(rb"[^{]*\bendTxnMarker: COMMIT\b")),
    (ABORT, re.compile(rb"[^{]*\bendTxnMarker: ABORT\b")),
    (RECORD, re.compile(rb"\W*offset: \d+ ")),
)
MAX_BYTES = 4096  # of a line that are looked at


def kind_in_dump(text: bytes) -> str:
    """The kind of a line of kafka-dump-log; empty for one that continues the record before it."""
    head = text[:MAX_BYTES]
    return next((kind for kind, shape in SHAPES if shape.match(head)), "")
