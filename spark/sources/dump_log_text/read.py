"""Reads a split of kafka-dump-log's output: log lines and lines of companion files into tables, other lines into damage and
notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa

from spark.sources import Chunk, Split
from spark.sources._fitting import fitting
from spark.sources._rows import RowOrigin, damage_table
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.columns import Marks, log_tables, masked
from spark.sources.dump_log_text.decoded import Decoder
from spark.sources.dump_log_text.fields import Rows
from spark.sources.dump_log_text.odd import PrintedReports, odd_stretches
from spark.sources.dump_log_text.unnumbered import Numbering
from spark.sources.dump_log_text.windows import WINDOW_BYTES, PrintWindow, is_segment, windows
from spark.storage.files import file_size
from spark.tables import ABORTED_TXNS, INDEX_ENTRIES, PRODUCER_STATES, PROPERTIES
from spark.terms.marked import UNNAMED
from spark.terms.wording import plural

PARTITION_FOLDER = re.compile(r"^(?P<topic>.+?)-(?P<partition>\d+)(\.[0-9A-Za-z_-]+-(delete|future|stray))?$")
FILE_NAME = re.compile(r"^(\d{20})")
MAX_PARTITION = 2**31 - 1
# A print may hold several segments: positions of the second are raised by this, of the third by twice this, so that
# they rise along the print. What Kafka calls a position is smaller.
SEGMENT_ROOM = 2**31
MAX_NUMBER = 8  # bytes of a long or a double, which a decoder prints as digits
MAX_TRIMMED = 2  # blanks and line feeds that a page takes off a value's end
PRINTED = (f.BATCH, f.OLD_BATCH, f.DEEP, f.RECORD, f.INDEX, f.TIME, f.TXN, f.PRODUCER, f.CUT)
HAS_POSITION = (f.BATCH, f.OLD_BATCH, f.DEEP, f.RECORD)


@dataclass
class PrintReader:
    """The state of reading a split: the dumped file, its last batch."""

    split: Split
    is_bare: bool
    origin: RowOrigin = field(init=False)
    base_offset: int = 0
    segments: int = 0  # that the print has begun so far
    batch: Rows | None = None  # the last batch line, for record lines of the next window
    marks: Marks = field(default_factory=Marks)
    shortened: int = 0  # lines of which somebody left members out
    wrappers: int = 0  # compressed messages whose records were not printed
    remarks: dict[str, int] = field(default_factory=dict)
    decoder: Decoder = field(default_factory=Decoder)
    reports: PrintedReports = field(default_factory=PrintedReports)
    numbering: Numbering = field(default_factory=Numbering)

    def __post_init__(self) -> None:
        self.origin = RowOrigin.of_split(self.split)
        detail = self.split.detail
        self.enter(str(detail.get("dumped") or ""))
        self.segments = int(str(detail.get("segments") or 0))

    def enter(self, dumped: str) -> None:
        self.segments += is_segment(dumped)
        if dumped:
            self.reports.enter(dumped)
            self.origin, self.base_offset = place_of(dumped, self.split)
        self.batch = None

    def window(self, window: PrintWindow) -> Iterator[Chunk]:
        """The tables of a window, one dumped file after another."""
        kinds = window.rows[:, f.KIND]
        again = set(self.begun_again(window.rows).tolist())
        starts = sorted(again.union(np.flatnonzero(kinds == f.DUMPING).tolist()))
        for first, end in zip([0, *starts], [*starts, len(kinds)], strict=True):
            if first < end:
                if first in again:
                    self.segments, self.batch = max(1, self.segments) + 1, None
                yield from self.dumped_file(
                    window, window.rows[first:end], window.is_last and end == len(kinds)
                )

    def begun_again(self, rows: Rows) -> Rows:
        """Rows of batches with a lower position and a higher offset than the batch above: the tool prints a file in order of positions,
        so the output of the next segment begins there, and its `Dumping` line was left out. In a split of a text that has several, the
        segments before it are unknown."""
        if self.split.start or self.split.end < file_size(self.split.path):
            return np.empty(0, np.int64)
        placed = np.flatnonzero(
            np.isin(rows[:, f.KIND], (f.BATCH, f.OLD_BATCH, f.DEEP)) & (rows[:, f.POSITION] != f.NONE)
        )
        above = rows[placed[:-1]] if self.batch is None else np.r_[self.batch[None], rows[placed[:-1]]]
        own = placed[1:] if self.batch is None else placed
        places, offsets = above[: len(own), f.POSITION] % SEGMENT_ROOM, first_offsets(above[: len(own)])
        dumped = np.cumsum(rows[:, f.KIND] == f.DUMPING)
        files = np.r_[np.zeros(len(own) - len(placed[:-1]), np.int64), dumped[placed[:-1]]][: len(own)]
        is_back = (rows[own, f.POSITION] < places) & (first_offsets(rows[own]) > offsets)
        return own[is_back & (files == dumped[own])]

    def dumped_file(self, window: PrintWindow, rows: Rows, is_end: bool) -> Iterator[Chunk]:
        if rows[0, f.KIND] == f.DUMPING:
            line = window.buffer[rows[0, f.START] : rows[0, f.END]].tobytes()
            self.enter(line.partition(b"Dumping ")[2].strip().decode(errors="replace"))
        self.shortened += int(((rows[:, f.FLAGS] & f.SHORTENED) != 0).sum())
        if self.segments > 1:
            has_position = np.isin(rows[:, f.KIND], HAS_POSITION) & (rows[:, f.POSITION] != f.NONE)
            rows[has_position, f.POSITION] += (self.segments - 1) * SEGMENT_ROOM
        place_shortened(rows, self.batch, max(0, self.segments - 1) * SEGMENT_ROOM)
        self.numbering.apply(rows)
        self.wrappers += int(((rows[:, f.KIND] == f.OLD_BATCH) & (rows[:, f.VALUE_AT] != f.NONE)).sum())
        window = replace(window, buffer=self.decoder.apply(window.buffer, rows, self.origin.topic))
        if self.origin.topic == UNNAMED and self.decoder.topic:
            self.origin = replace(self.origin, topic=self.decoder.topic)
        if is_end:
            self.cut_last(window, rows)
        yield from self.log(window, rows, is_end)
        if others := companion_tables(self.origin, rows, self.base_offset):
            yield Chunk(others=others)
        yield from self.odd(window, rows, is_end)
        named = np.flatnonzero(np.isin(rows[:, f.KIND], (f.BATCH, f.OLD_BATCH, f.DEEP)))
        if len(named):
            self.batch = rows[named[-1]].copy()

    def cut_last(self, window: PrintWindow, rows: Rows) -> None:
        """A last record much shorter than its printed size was truncated in a paste, if all before it had theirs."""
        filled = np.flatnonzero(np.isin(rows[:, f.KIND], (f.RECORD, f.DEEP)))
        misfits = (rows[filled, f.FLAGS] & (f.MISFIT | f.DECODED)) != 0
        if self.marks.misfits or misfits.sum() != 1 or not misfits[-1] or filled[-1] != len(rows) - 1:
            return
        last = rows[-1]
        if last[f.VALUE_AT] < 0 or last[f.FLAGS] & f.DECODED:
            return
        printed = window.buffer[last[f.VALUE_AT] : last[f.VALUE_END]].tobytes()
        lacking = last[f.VALUE_SIZE] - len(printed.rstrip())
        if last[f.VALUE_SIZE] > MAX_NUMBER and lacking > MAX_TRIMMED:
            last[f.KIND] = f.CUT

    def log(self, window: PrintWindow, rows: Rows, is_end: bool) -> Iterator[Chunk]:
        log_rows = rows[np.isin(rows[:, f.KIND], (f.BATCH, f.OLD_BATCH, f.RECORD, f.DEEP, *f.NO_ROW))]
        named = log_rows[~np.isin(log_rows[:, f.KIND], f.NO_ROW), f.KIND]
        is_carried = self.batch is not None and len(named) > 0 and named[0] == f.RECORD
        if is_carried and self.batch is not None:
            log_rows = np.concatenate([self.batch[None], log_rows])
        if not len(log_rows):
            return
        broken = np.flatnonzero(np.isin(log_rows[:, f.KIND], f.NO_ROW))
        is_file_end = is_end and self.split.end >= file_size(self.split.path)
        if is_file_end or window.is_parted:
            broken = np.r_[broken, unfinished(log_rows)]
        records, batches = log_tables(
            self.origin, log_rows, window.buffer, window.base, is_carried, broken, self.is_bare, self.marks
        )
        if records is not None or batches is not None:
            yield Chunk(records=records, batches=batches)

    def odd(self, window: PrintWindow, rows: Rows, is_end: bool) -> Iterator[Chunk]:
        """Lines that are not the output's, and what the tool reports about the log."""
        self.reports.has_lines |= bool(np.isin(rows[:, f.KIND], PRINTED).any())
        odd_lines = odd_stretches(window.buffer, rows, window.base, self.last_end(rows), is_end, self.reports)
        for text in odd_lines.remarks:
            self.remarks[text] = self.remarks.get(text, 0) + 1
        if odd_lines.stretches:
            yield Chunk(damage=damage_table(self.origin, odd_lines.stretches))

    def last_end(self, rows: Rows) -> int:
        named = rows[np.isin(rows[:, f.KIND], (f.BATCH, f.OLD_BATCH))]
        last = named[-1] if len(named) else self.batch
        return 0 if last is None else int(last[f.POSITION] + max(0, last[f.SIZE]))

    def note(self) -> str:
        marks = self.marks
        counted = [
            (marks.agreed, "{} rebuilt from the output; the checksum matches.", "batch", "batches"),
            (marks.differed, "{} rebuilt from the output; the checksum differs.", "batch", "batches"),
            (marks.replaced, "{} with U+FFFD: the tool replaced bytes there, and the original bytes are lost.", "record", None),
            (marks.misfits, "{} whose text differs in size from the bytes, because a decoder printed it.", "record", None),
            (self.wrappers, "{} printed without --deep-iteration: their records were not printed.", "compressed message", None),
            (self.shortened, "{} with members left out (`...`): these members are unknown.", "line", None),
            (marks.without_key, "{} printed without key or value, as old versions do for tombstones.", "record", None),
        ]  # fmt: skip
        texts = [text.format(plural(count, noun, many)) for count, text, noun, many in counted if count]
        texts += [*self.decoder.sentences(), *self.numbering.sentences()]
        texts += [text if n == 1 else f"{text} ({n} times)" for text, n in self.remarks.items()]
        return " ".join(texts)


def first_offsets(rows: Rows) -> Rows:
    return np.where(rows[:, f.BASE_OFFSET] == f.NONE, rows[:, f.OFFSET], rows[:, f.BASE_OFFSET])


def place_shortened(rows: Rows, before: Rows | None, start: int) -> None:
    """Gives batches whose position was left out the place behind the batch before them."""
    is_batch = np.isin(rows[:, f.KIND], (f.BATCH, f.OLD_BATCH, f.DEEP))
    if not (is_batch & (rows[:, f.POSITION] == f.NONE)).any():
        return
    end = start if before is None else int(before[f.POSITION]) + max(1, int(before[f.SIZE]))
    for number in np.flatnonzero(is_batch).tolist():
        if rows[number, f.POSITION] == f.NONE:
            rows[number, f.POSITION] = end
        end = int(rows[number, f.POSITION]) + max(1, int(rows[number, f.SIZE]))


def unfinished(rows: Rows) -> Rows:
    """The row of the last batch if fewer records follow than it states: the output may end within it."""
    heads = np.flatnonzero(rows[:, f.KIND] == f.BATCH)
    if not len(heads):
        return np.empty(0, np.int64)
    return heads[-1:] if len(rows) - 1 - heads[-1] < rows[heads[-1], f.COUNT] else heads[:0]


def names_its_partition(dumped: str) -> bool:
    """Whether the folder of a dumped file is that of a partition."""
    folder = PARTITION_FOLDER.match(PurePosixPath(dumped.replace("\\", "/")).parent.name)
    return folder is not None and int(folder["partition"]) <= MAX_PARTITION


def place_of(dumped: str, split: Split) -> tuple[RowOrigin, int]:
    """Topic and partition from the dumped file's folder; the offset in its name."""
    path = PurePosixPath(dumped.replace("\\", "/"))
    folder = PARTITION_FOLDER.match(path.parent.name)
    name = FILE_NAME.match(path.name)
    topic, partition = split.topic, split.partition
    if folder and int(folder["partition"]) <= MAX_PARTITION:
        topic, partition = folder["topic"], int(folder["partition"])
    offset = int(name[1]) if name else 0
    return RowOrigin(topic, partition, split.replica, split.file), offset if offset < 2**63 else 0


def companion_tables(origin: RowOrigin, rows: Rows, base_offset: int) -> dict[str, pa.Table]:
    tables = {}
    kinds = rows[:, f.KIND]
    entries = rows[(kinds == f.INDEX) | (kinds == f.TIME)]
    if len(entries):
        is_offset = entries[:, f.KIND] == f.INDEX
        names = pa.array(["time", "offset"]).take(pa.array(is_offset.astype(np.int8)))
        columns = [names, *(masked(entries[:, c]) for c in (f.OFFSET, f.POSITION, f.TIMESTAMP))]
        tables[INDEX_ENTRIES.name] = table(origin, len(entries), base_offset, columns, INDEX_ENTRIES.schema)
    for kind, schema, shown_columns in (
        (f.TXN, ABORTED_TXNS, (f.PRODUCER_ID, f.FIRST_OFFSET, f.LAST_OFFSET, f.LAST_STABLE)),
        (
            f.PRODUCER,
            PRODUCER_STATES,
            (
                f.PRODUCER_ID,
                f.PRODUCER_EPOCH,
                f.LAST_SEQUENCE,
                f.LAST_OFFSET,
                f.OFFSET_DELTA,
                f.TIMESTAMP,
                f.COORDINATOR_EPOCH,
                f.TXN_FIRST,
            ),
        ),
    ):
        chosen = rows[kinds == kind]
        if len(chosen):
            columns = [masked(chosen[:, column]) for column in shown_columns]
            tables[schema.name] = table(origin, len(chosen), base_offset, columns, schema.schema)
    return tables


def table(
    origin: RowOrigin, rows: int, base_offset: int, columns: list[pa.Array], schema: pa.Schema
) -> pa.Table:
    """A companion's table: position, offset in the file's name, columns."""
    lead = [*origin.columns(rows), pa.repeat(pa.scalar(base_offset, pa.int64()), rows)]
    fitted = [
        fitting(column, field.type) for column, field in zip(columns, [*schema][len(lead) :], strict=True)
    ]
    return pa.table([*lead, *fitted], names=schema.names).cast(schema)


def read(split: Split, is_bare: bool, window_bytes: int = WINDOW_BYTES) -> Iterator[Chunk]:
    """All rows of a split. `is_bare`: printed without keys and values, so that only batches are read."""
    reader = PrintReader(split, is_bare)
    for window in windows(split.path, split.start, split.end, window_bytes):
        yield from reader.window(window)
    reader.reports.leave()
    printed_reports = reader.reports.table(lambda name: place_of(name, split)[0])
    if printed_reports is not None:
        yield Chunk(others={PROPERTIES.name: printed_reports})
    if note := reader.note():
        yield Chunk(note=note)
