"""Reads a split: its batches, a bounded number at a time, without the damaged ranges that the plan found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.sources import Chunk, Split
from spark.sources._rows import DamagedRange, RowOrigin, damage_table
from spark.sources.log_segment import batches as b
from spark.sources.log_segment import records as r
from spark.sources.log_segment.checksums import checksums
from spark.sources.log_segment.codecs import CODECS, Broken, DecompressionArena, TargetTooSmall
from spark.sources.log_segment.columns import batches_table, header_lists, records_table
from spark.sources.log_segment.mapped import MappedFile
from spark.sources.log_segment.recognise import base_offset
from spark.sources.log_segment.unpack import Wrapped, is_packed, unpack, wrapped

CHUNK_BYTES = 6 * 1024 * 1024  # decoded; one larger batch makes a chunk of its own
CHUNK_RECORDS = 500_000
CHUNK_HEADERS = 2_000_000
BATCHES_AT_ONCE = 200_000
MAX_BATCH_BYTES = 512 * 1024 * 1024  # decompressed; `Split.detail["max_batch_bytes"]` overrides it
OffsetRange = tuple[int, int]  # first and last, both included; `Split.detail["offsets"]`


INNER_CHECKSUM = (
    "Messages inside compressed messages are corrupt (checksum mismatch). Their batches are marked."
)
CAPTURE_CUT = (
    "The last batch is truncated. The file name is not that of a segment. This is normal for the content of a "
    "fetch response: brokers truncate it at the requested size."
)


@dataclass
class ParsedBatches:
    """Batches ready to parse: where their records lie, and what is known to be wrong with them."""

    sources: b.Numbers
    agree: NDArray[np.bool_]
    errors: dict[int, str] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)  # could not be decompressed

    @classmethod
    def in_file(cls, headers: b.Numbers) -> ParsedBatches:
        sources = np.zeros((len(headers), r.SOURCE_FIELDS), np.int64)
        sources[:, r.NEXT] = headers[:, b.PAYLOAD_AT]
        sources[:, r.END] = headers[:, b.POSITION] + headers[:, b.SIZE]
        sources[:, [r.BROKEN_AT, r.LAST_DELTA]] = -1
        return cls(sources, np.ones(len(headers), bool))

    def first(self, rows: int) -> ParsedBatches:
        return ParsedBatches(self.sources[:rows], self.agree[:rows], self.errors, self.closed)

    def fail(self, row: int, error: str) -> None:
        self.sources[row, [r.NEXT, r.END]] = 0
        self.errors[row] = error
        self.closed.add(row)

    def take_over(self, row: int, header: b.Numbers, inner: Wrapped) -> None:
        """Takes over a wrapper's contents. Offsets relative to an unreadable last message are not shown."""
        self.agree[row] = inner.agree
        if inner.fault:
            self.errors[row] = f"{inner.fault}"
        if inner.fault and (header[b.MAGIC] or not inner.messages):
            self.sources[row, [r.NEXT, r.END]] = 0
            return
        header[b.COUNT] = inner.messages
        header[b.BASE_OFFSET], header[b.LAST_OFFSET_DELTA] = (
            inner.first_offset,
            inner.last_offset - inner.first_offset,
        )
        header[b.BASE_TIMESTAMP] = inner.first_timestamp_ms
        self.sources[row, r.SHIFT] = inner.shift


@dataclass
class BatchReader:
    file: MappedFile
    origin: RowOrigin
    arena: DecompressionArena
    headers: b.Numbers = field(default_factory=lambda: np.empty((BATCHES_AT_ONCE, b.FIELDS), np.int64))
    offsets: OffsetRange | None = None

    def between(self, start: int, stop: int) -> Iterator[Chunk]:
        position = start
        while position < stop:
            self.load(position, stop)
            rows, after = b.read_headers(self.file.data, position, stop, CHUNK_BYTES, self.headers)
            if not rows:
                yield self.lost(position, stop)
                return
            yield from self.batches(within(self.headers[:rows], self.offsets))
            self.file.forget(position, after)
            position = after

    def load(self, position: int, stop: int) -> None:
        """Ensures that the next batches of a file in a store are present: as many as are read together, and all of the first."""
        if self.file.stored is not None:
            self.file.load(position, min(position + CHUNK_BYTES, stop))
            self.file.load(position, position + b.entry_size(self.file.data, position))

    def lost(self, position: int, stop: int) -> Chunk:
        """A position where the plan saw a batch and now there is none."""
        detail = f"No batch starts at position {position}, where one was when the file was planned."
        damaged = DamagedRange(position, stop - position, "not_a_batch", detail, None, None, False)
        return Chunk(damage=damage_table(self.origin, [damaged]))

    def batches(self, headers: b.Numbers) -> Iterator[Chunk]:
        """Reads batches, as many at a time as the arena can take."""
        computed = checksums(self.file.data, headers)
        first = 0
        while first < len(headers):
            opened = self.open(headers[first:])
            last = first + len(opened.sources)
            yield from self.tables(headers[first:last], computed[first:last], opened)
            self.arena.empty()
            first = last

    def open(self, headers: b.Numbers) -> ParsedBatches:
        """Where the records of the first batches lie, decompressed if needed, and which failed."""
        opened = ParsedBatches.in_file(headers)
        for row in np.flatnonzero(is_packed(headers)).tolist():
            header = headers[row].tolist()
            try:
                start, end = unpack(self.file.data, header, self.arena)
            except TargetTooSmall:
                return opened.first(row)
            except Broken as error:
                opened.fail(row, f"could not be decompressed ({CODECS[header[b.ATTRIBUTES] & 7]}): {error}")
                continue
            opened.sources[row, [r.NEXT, r.END, r.IN_ARENA]] = start, end, 1
            if header[b.MAGIC] < 2:
                inner = wrapped(self.arena.memory, start, end, header[b.MAGIC], header[b.BASE_OFFSET])
                opened.take_over(row, headers[row], inner)
        return opened

    def tables(self, headers: b.Numbers, computed: b.Numbers, opened: ParsedBatches) -> Iterator[Chunk]:
        """Parses the opened batches; the last chunk has the rows for the batches themselves."""
        sources = opened.sources
        for parsed, header_list in self.parse(headers, sources):
            yield Chunk(records=records_table(self.origin, headers, parsed, header_list))
        broken = np.flatnonzero(sources[:, r.BROKEN_AT] >= 0).tolist()
        stretches = [
            undecodable(headers[row], sources[row], opened.errors.get(row), row in opened.closed)
            for row in sorted({*opened.errors, *broken})
        ]
        damage = damage_table(self.origin, stretches) if stretches else None
        batches = batches_table(self.origin, headers, computed, sources[:, r.READ], opened.agree)
        yield Chunk(batches=batches, damage=damage, note=None if opened.agree.all() else INNER_CHECKSUM)

    def parse(self, headers: b.Numbers, sources: b.Numbers) -> Iterator[tuple[b.Numbers, pa.Array]]:
        """Records of the opened batches, a bounded number at a time, and the headers of each."""
        arena = self.arena.memory[:]
        arena.flags.writeable = False
        data = self.file.data
        addresses = np.array([data.ctypes.data, arena.ctypes.data], np.int64)
        of_batch = facts_to_parse(headers, sources)
        row, expected = 0, int(headers[:, b.COUNT].sum())
        while row < len(sources):
            possible = int((sources[:, r.END] - sources[:, r.NEXT]).sum()) // r.MIN_RECORD_BYTES + 1
            room = max(1, min(expected, possible, CHUNK_RECORDS))
            parsed = np.empty((r.PARSED, room), np.int64)
            row, filled, count = r.parse(
                data, arena, addresses, of_batch, sources, row, parsed, CHUNK_HEADERS, r.room_for_one()
            )
            expected = CHUNK_RECORDS
            if filled:
                parsed = np.ascontiguousarray(parsed[:, :filled])
                header_spans = np.empty((4, count), np.int64)
                if count:
                    r.find_headers(data, arena, addresses, sources, parsed, header_spans)
                yield parsed, header_lists(parsed[r.HEADER_COUNT], header_spans)


def within(headers: b.Numbers, offsets: OffsetRange | None) -> b.Numbers:
    """The headers of the batches that may contain an offset of the range.

    No record of format 2 is read outside the offsets in its batch's header. The contents of an older wrapper are known
    only once it is decompressed.
    """
    if offsets is None:
        return headers.copy()
    first, last = offsets
    base, delta = headers[:, b.BASE_OFFSET], np.clip(headers[:, b.LAST_OFFSET_DELTA], 0, None)
    return headers[(headers[:, b.MAGIC] < 2) | ((base <= last) & (base >= first - delta))]


def facts_to_parse(headers: b.Numbers, sources: b.Numbers) -> b.Numbers:
    """The parser's input for each batch. Offsets of old messages are relative to the shift, times to 0."""
    names = [b.ATTRIBUTES, b.BASE_OFFSET, b.LAST_OFFSET_DELTA, b.BASE_TIMESTAMP, b.MAX_TIMESTAMP, b.MAGIC]
    facts = np.ascontiguousarray(headers[:, names])
    is_old = facts[:, 5] < 2
    if is_old.any():
        facts[is_old, 1] = sources[is_old, r.SHIFT]
        facts[is_old, 2] = np.iinfo(np.int64).max
        facts[is_old, 3] = 0
    return facts


def undecodable(header: b.Numbers, source: b.Numbers, error: str | None, closed: bool) -> DamagedRange:
    position, size_bytes = int(header[b.POSITION]), int(header[b.SIZE])
    first_offset, read = int(header[b.BASE_OFFSET]), int(source[r.READ])
    last_offset = first_offset + int(header[b.LAST_OFFSET_DELTA])
    base_offset = first_offset if header[b.MAGIC] == 2 else int(source[r.SHIFT])
    first_lost = base_offset + int(source[r.LAST_DELTA]) + 1 if read else first_offset
    problem = error or f"do not parse after {read} of {int(header[b.COUNT])}"
    start = position if source[r.IN_ARENA] or error else int(source[r.BROKEN_AT])
    return DamagedRange(
        start,
        position + size_bytes - start,
        "not_decompressed" if closed else "undecodable_records",
        f"The records of the batch at position {position} {problem}.",
        first_lost if first_lost <= last_offset else None,
        last_offset if first_lost <= last_offset else None,
        False,
    )


def damage_of(split: Split) -> list[DamagedRange]:
    rows = cast("list[dict[str, object]]", split.detail.get("damage", []))
    return [damaged for damaged in (DamagedRange(**row) for row in rows) if damaged.position < split.end]  # type: ignore[arg-type]


def read(split: Split) -> Iterator[Chunk]:
    """All rows of a split. A batch belongs to the split in which it starts."""
    file = MappedFile.open(split.path)
    most_bytes = int(cast(int, split.detail.get("max_batch_bytes", MAX_BATCH_BYTES)))
    reader = BatchReader(
        file,
        RowOrigin.of_split(split),
        DecompressionArena(min(CHUNK_BYTES, most_bytes), most_bytes),
        offsets=cast("OffsetRange | None", split.detail.get("offsets")),
    )
    damage = damage_of(split)
    position = split.start
    for damaged in damage:
        yield from reader.between(position, damaged.position)
        position = damaged.end
    yield from reader.between(position, split.end)
    if damage:
        is_capture = base_offset(split.name) is None and damage[-1].reason == "truncated"
        yield Chunk(damage=damage_table(reader.origin, damage), note=CAPTURE_CUT if is_capture else None)
