"""Read a split: batches from border to border, around the damage that the plan found, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pyarrow as pa

from spark.sources import Chunk, Split
from spark.sources.log_segment import batches as b
from spark.sources.log_segment import records as r
from spark.sources.log_segment.codecs import CODECS, Arena, Broken, NoRoom
from spark.sources.log_segment.columns import (
    Place,
    batches_table,
    damage_table,
    header_lists,
    records_table,
)
from spark.sources.log_segment.damage import Stretch
from spark.sources.log_segment.mapped import MappedFile

CHUNK_BYTES = 6 * 1024 * 1024  # decoded; one larger batch makes a chunk of its own
CHUNK_RECORDS = 500_000
CHUNK_HEADERS = 2_000_000
BATCHES_AT_ONCE = 200_000
MOST_BATCH_BYTES = 512 * 1024 * 1024  # decompressed; `Split.detail["max_batch_bytes"]` overrides it


@dataclass
class Reader:
    """Reads batches of one file into tables."""

    file: MappedFile
    place: Place
    arena: Arena
    headers: b.Numbers = field(default_factory=lambda: np.empty((BATCHES_AT_ONCE, b.FIELDS), np.int64))

    def stretch(self, start: int, stop: int) -> Iterator[Chunk]:
        """Read the batches that start in an undamaged stretch."""
        position = start
        while position < stop:
            rows, after = b.read_headers(self.file.data, position, stop, CHUNK_BYTES, self.headers)
            if not rows:
                yield self.lost(position, stop)
                return
            yield from self.batches(self.headers[:rows].copy())
            self.file.forget(position, after)
            position = after

    def lost(self, position: int, stop: int) -> Chunk:
        """A place where the plan saw a batch and now there is none."""
        detail = f"No batch starts at position {position}, where one was when the file was planned."
        stretch = Stretch(position, stop - position, "not_a_batch", detail, None, None, False)
        return Chunk(damage=damage_table(self.place, [stretch.row()]))

    def batches(self, headers: b.Numbers) -> Iterator[Chunk]:
        """Read batches, as many at a time as the arena holds."""
        checksums = b.checksums(self.file.data, headers)
        first = 0
        while first < len(headers):
            sources, errors = self.open(headers[first:])
            last = first + len(sources)
            yield from self.tables(headers[first:last], checksums[first:last], sources, errors)
            self.arena.empty()
            first = last

    def open(self, headers: b.Numbers) -> tuple[b.Numbers, dict[int, str]]:
        """Where the records of the first batches lie, decompressed where needed, and what could not be."""
        sources = np.zeros((len(headers), r.SOURCE_FIELDS), np.int64)
        sources[:, r.NEXT] = headers[:, b.POSITION] + b.HEADER_BYTES
        sources[:, r.END] = headers[:, b.POSITION] + headers[:, b.SIZE]
        sources[:, [r.BROKEN_AT, r.LAST_DELTA]] = -1
        errors: dict[int, str] = {}
        is_packed = (headers[:, b.ATTRIBUTES] & 7 != 0) & (headers[:, b.SIZE] > b.HEADER_BYTES)
        for row in np.flatnonzero(is_packed).tolist():
            start, end = sources[row, [r.NEXT, r.END]].tolist()
            codec = CODECS[int(headers[row, b.ATTRIBUTES]) & 7]
            try:
                sources[row, [r.NEXT, r.END]] = self.arena.add(codec, self.file.data[start:end])
                sources[row, r.IN_ARENA] = 1
            except NoRoom:
                return sources[:row], errors
            except Broken as error:
                sources[row, [r.NEXT, r.END]] = 0
                errors[row] = f"could not be decompressed ({codec}): {error}"
        return sources, errors

    def tables(
        self, headers: b.Numbers, checksums: b.Numbers, sources: b.Numbers, errors: dict[int, str]
    ) -> Iterator[Chunk]:
        """Parse the opened batches; the last chunk carries the rows about the batches themselves."""
        for parsed, header_list in self.parse(headers, sources):
            yield Chunk(records=records_table(self.place, headers, parsed, header_list))
        broken = np.flatnonzero(sources[:, r.BROKEN_AT] >= 0).tolist()
        stretches = [undecodable(headers[row], sources[row], errors.get(row)) for row in (*errors, *broken)]
        damage = damage_table(self.place, stretches) if stretches else None
        yield Chunk(batches=batches_table(self.place, headers, checksums, sources[:, r.READ]), damage=damage)

    def parse(self, headers: b.Numbers, sources: b.Numbers) -> Iterator[tuple[b.Numbers, pa.Array]]:
        """Records of the opened batches, a bounded number at a time, and the headers of each."""
        arena = self.arena.memory[:]
        arena.flags.writeable = False
        data = self.file.data
        addresses = np.array([data.ctypes.data, arena.ctypes.data], np.int64)
        of_batch = np.ascontiguousarray(
            headers[:, [b.ATTRIBUTES, b.BASE_OFFSET, b.LAST_OFFSET_DELTA, b.BASE_TIMESTAMP, b.MAX_TIMESTAMP]]
        )
        row, expected = 0, int(headers[:, b.COUNT].sum())
        while row < len(sources):
            possible = int((sources[:, r.END] - sources[:, r.NEXT]).sum()) // r.SMALLEST_RECORD_BYTES + 1
            room = max(1, min(expected, possible, CHUNK_RECORDS))
            parsed = np.empty((r.PARSED, room), np.int64)
            row, filled, count = r.parse(
                data, arena, addresses, of_batch, sources, row, parsed, CHUNK_HEADERS
            )
            expected = CHUNK_RECORDS
            if filled:
                parsed = np.ascontiguousarray(parsed[:, :filled])
                found = np.empty((4, count), np.int64)
                if count:
                    r.find_headers(data, arena, addresses, sources, parsed, found)
                yield parsed, header_lists(parsed[r.HEADER_COUNT], found)


def undecodable(header: b.Numbers, source: b.Numbers, error: str | None) -> dict[str, object]:
    """The row of DAMAGE for a batch whose records could not all be read."""
    position, size_bytes = int(header[b.POSITION]), int(header[b.SIZE])
    base_offset, read = int(header[b.BASE_OFFSET]), int(source[r.READ])
    last_offset = base_offset + int(header[b.LAST_OFFSET_DELTA])
    first_lost = base_offset + int(source[r.LAST_DELTA]) + 1
    what = error or f"do not parse after {read} of {int(header[b.COUNT])}"
    start = position if source[r.IN_ARENA] or error else int(source[r.BROKEN_AT])
    stretch = Stretch(
        start,
        position + size_bytes - start,
        "undecodable_records",
        f"The records of the batch at position {position} {what}.",
        first_lost if first_lost <= last_offset else None,
        last_offset if first_lost <= last_offset else None,
        False,
    )
    return stretch.row()


def damage_of(split: Split) -> list[Stretch]:
    """The damaged stretches that begin in a split."""
    rows = cast("list[dict[str, object]]", split.detail.get("damage", []))
    return [stretch for stretch in (Stretch(**row) for row in rows) if stretch.position < split.end]  # type: ignore[arg-type]


def read(split: Split) -> Iterator[Chunk]:
    """All rows of a split. A batch belongs to the split in which it starts."""
    file = MappedFile.open(split.path)
    most_bytes = int(cast(int, split.detail.get("max_batch_bytes", MOST_BATCH_BYTES)))
    reader = Reader(file, Place.of(split), Arena(min(CHUNK_BYTES, most_bytes), most_bytes))
    damage = damage_of(split)
    position = split.start
    for stretch in damage:
        yield from reader.stretch(position, stretch.position)
        position = stretch.end
    yield from reader.stretch(position, split.end)
    if damage:
        yield Chunk(damage=damage_table(reader.place, [stretch.row() for stretch in damage]))
