"""Fetch faults: offsets at which a broker's fetch fails, or skips readable records, in segments that are damaged or whose index is.

    Lookup => the last entry of the offset index up to the offset, or position 0; then from header to header up to the
              first batch whose last offset is not lower; else from position 0 in the segments after it

Source: Kafka `LocalLog.read`, `LogSegment.translateOffset`, `AbstractIndex.indexSlotRangeFor`,
`FileRecords.searchForOffsetWithSize`, `FileLogInputStream.nextBatch`. A segment without an offset index in the input has no row.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from spark.sources.log_segment.batches import FRAME_BYTES, HEADER_BYTES, MAGIC_AT
from spark.sources.log_segment.mapped import MappedFile
from spark.tables import TABLES, Manifest, Part
from spark.tables.parquet import write_parts
from spark.tables.replica import REPLICA_COLUMNS, by_replica
from spark.tables.store import ResultTables

HEAD = struct.Struct(">qi")
MIN_SIZE = 14  # LegacyRecord.RECORD_OVERHEAD_V0: FileLogInputStream refuses a lower one
WARM_ENTRIES = 8192 // 8  # AbstractIndex._warmEntries
MAX_STEPS = 500_000  # from header to header in one segment: above, its copy of the partition has no rows

# Segments with damage or with an entry that points to no batch, and the others of the same log.
SUSPECTS = f"""
    WITH segments AS (
        SELECT {REPLICA_COLUMNS}, file, base_offset, size_bytes FROM files WHERE kind = 'segment' AND base_offset IS NOT NULL AND topic <> '?'
    ),
    entries AS (
        SELECT segments.file, "offset", position_bytes
        FROM index_entries JOIN segments USING ({REPLICA_COLUMNS}, base_offset) WHERE kind = 'offset'
    ),
    stray AS (
        SELECT DISTINCT file FROM entries ANTI JOIN batches ON batches.file = entries.file AND batches.position = position_bytes
        UNION SELECT file FROM damage WHERE reason IN ('not_a_batch', 'zeros')
    )
    SELECT segments.*, file IN (FROM stray) AND file IN (SELECT file FROM entries) AS is_suspect
    FROM segments SEMI JOIN (SELECT {REPLICA_COLUMNS} FROM segments SEMI JOIN stray USING (file)) USING ({REPLICA_COLUMNS})
    ORDER BY {REPLICA_COLUMNS}, base_offset, file
"""
ENTRIES = f"""
    SELECT "offset", position_bytes FROM (SELECT *, row_number() OVER () AS number FROM index_entries)
    WHERE kind = 'offset' AND base_offset = $base_offset AND ({REPLICA_COLUMNS}) = ($topic, $partition, $replica) ORDER BY number
"""
BATCHES = f"""
    SELECT file, position, base_offset, last_offset, coalesce(records_read, record_count) AS records, crc_ok
    FROM batches WHERE ({REPLICA_COLUMNS}) = ($topic, $partition, $replica) ORDER BY base_offset
"""


class CorruptRecord(Exception):
    """A size that no batch has: the broker answers the fetch with CORRUPT_MESSAGE."""


class TooManySteps(Exception):
    """A hostile index sends each fetch through the whole segment."""


class Header(NamedTuple):
    """What a broker takes for a batch; `first_offset` and `last_offset` as it says itself."""

    position: int
    first_offset: int
    last_offset: int
    end: int


class Fetched(NamedTuple):
    """The answer to fetches at some offsets. `header`: None where no later segment has a batch; `failed`: the broker answers with an error."""

    first_offset: int
    last_offset: int
    search_position: int
    file: int
    header: Header | None
    failed: bool = False


@dataclass
class SegmentFile:
    """A segment as a broker reads it."""

    file: int
    base_offset: int
    mapped: MappedFile
    steps: int = 0
    headers: dict[int, Header | None] = field(default_factory=dict)

    def batches_from(self, position: int) -> Iterator[Header]:
        """From header to header. Raises CorruptRecord, TooManySteps."""
        while (header := self.header_at(position)) is not None:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise TooManySteps
            yield header
            position = header.end

    def header_at(self, position: int) -> Header | None:
        """That of FileLogInputStream.nextBatch; None at the end of the file, or where the batch would pass it."""
        if position not in self.headers:
            self.headers[position] = self._header_at(position)
        return self.headers[position]

    def _header_at(self, position: int) -> Header | None:
        size_bytes = len(self.mapped.data)
        if position >= size_bytes - MAGIC_AT - 1:
            return None
        self.mapped.load(position, position)
        data = self.mapped.data[position : position + HEADER_BYTES].tobytes()
        offset, size = HEAD.unpack_from(data)
        if size < MIN_SIZE:
            raise CorruptRecord
        end = position + FRAME_BYTES + size
        if end > size_bytes:
            return None
        if data[MAGIC_AT] < 2 or data[MAGIC_AT] > 127:
            return Header(position, offset, offset, end)
        if len(data) < HEADER_BYTES:
            raise CorruptRecord
        return Header(position, offset, offset + int.from_bytes(data[23:27], signed=True), end)


def slot_of(offsets: Sequence[int], target: int) -> int:
    """The entry that a broker finds, also among entries out of order; -1: none."""

    def search(low: int, high: int) -> int:
        while low < high:
            middle = (low + high + 1) // 2
            if offsets[middle] > target:
                high = middle - 1
            elif offsets[middle] < target:
                low = middle
            else:
                return middle
        return low

    if not offsets:
        return -1
    warm = max(0, len(offsets) - 1 - WARM_ENTRIES)
    if offsets[warm] < target:
        return search(warm, len(offsets) - 1)
    return -1 if offsets[0] > target else search(0, warm)


def fetched(
    log: Sequence[SegmentFile], number: int, entries: Sequence[tuple[int, int]], last_offset: int
) -> Iterator[Fetched]:
    """The answers to fetches at the offsets that a broker looks up in a segment of the log, in ranges."""
    first = log[number].base_offset
    offsets = [offset for offset, _ in entries]
    borders = {first, last_offset + 1} | {border for offset in offsets for border in (offset, offset + 1)}
    borders = {border for border in borders if first <= border <= last_offset + 1}
    for low, after in pairwise(sorted(borders)):
        slot = slot_of(offsets, low)
        position = max(0, entries[slot][1]) if slot >= 0 else 0
        yield from answers(log, number, position, low, after - 1)


def answers(
    log: Sequence[SegmentFile], number: int, position: int, offset: int, last_offset: int
) -> Iterator[Fetched]:
    """The same for a range of offsets that have one index entry."""
    for index, segment in enumerate(log[number:]):
        try:
            for header in segment.batches_from(0 if index else position):
                if header.last_offset >= offset:
                    end = min(last_offset, header.last_offset)
                    yield Fetched(offset, end, position, segment.file, header)
                    offset = end + 1
                if offset > last_offset:
                    return
        except CorruptRecord:
            yield Fetched(offset, last_offset, position, segment.file, None, failed=True)
            return
    yield Fetched(offset, last_offset, position, log[number].file, None)


class IntactBatches:
    """The intact batches of a partition's copy. `batches`: all of them, in order of offsets."""

    def __init__(self, batches: Sequence[Mapping[str, Any]]) -> None:
        intact = [batch for batch in batches if batch["crc_ok"]]
        self.places = {(batch["file"], batch["position"]) for batch in intact}
        self.bases = [batch["base_offset"] for batch in intact]
        self.ends = [batch["last_offset"] for batch in intact]
        self.records_before = [0, *accumulate(batch["records"] for batch in intact)]

    def next_base(self, offset: int) -> int | None:
        """Base offset of the first batch that reaches an offset."""
        at = bisect_left(self.ends, offset)
        return self.bases[at] if at < len(self.bases) else None

    def records_between(self, offset: int, end: int | None) -> int:
        """Number of records from an offset on, in batches that start before the end."""
        first = bisect_left(self.ends, offset)
        after = len(self.bases) if end is None else bisect_left(self.bases, end)
        if first >= after:
            return 0
        records = self.records_before[after] - self.records_before[first]
        of_first = self.records_before[first + 1] - self.records_before[first]
        return records - max(0, of_first - (self.ends[first] - offset + 1))


def faults(ranges: Iterator[Fetched], intact: IntactBatches) -> Iterator[dict[str, Any]]:
    """The ranges whose answer is not the first readable record from the offset on."""
    for each in ranges:
        first, header = each.first_offset, each.header
        next_base = intact.next_base(first)
        row = {
            "first_offset": first,
            "last_offset": each.last_offset,
            "search_position": each.search_position,
        }
        if each.failed:
            yield row | {"answer": "error"}
        elif header is None:
            if next_base is not None:
                yield row | {"answer": "nothing", "records_skipped": intact.records_between(first, None)}
        elif (each.file, header.position) not in intact.places:
            yield row | {"answer": "corrupt"}
        elif next_base is not None and header.first_offset > max(next_base, first):
            continues_at = header.first_offset
            skipped = intact.records_between(first, continues_at)
            yield row | {"answer": "skips", "continues_at": continues_at, "records_skipped": skipped}


def merged(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbouring ranges with one answer, found by one index entry, as one; its first offset skips most."""
    result: list[dict[str, Any]] = []
    for row in rows:
        last = result[-1] if result else {}
        alike = ("answer", "continues_at", "search_position")
        if (
            last
            and last["last_offset"] + 1 == row["first_offset"]
            and all(last.get(name) == row.get(name) for name in alike)
        ):
            last["last_offset"] = row["last_offset"]
        else:
            result.append(dict(row))
    return result


def write_fetch_faults(manifest: Manifest, paths: Mapping[int, str]) -> list[Part]:
    """Walk the suspect segments. `paths`: of the segments, by number of the file. Runs in a Spark task."""
    if not manifest.rows.get("index_entries") or not paths:
        return []
    tables = ResultTables.open(manifest)
    rows = [
        of_replica | fault
        for replica, segments in by_replica(tables.rows(SUSPECTS)).items()
        for of_replica in [dict(zip(("topic", "partition", "replica"), replica, strict=True))]
        for fault in faults_of_log(
            tables, of_replica, [row for row in segments if row["file"] in paths], paths
        )
    ]
    schema = TABLES["fetch_faults"].schema
    return write_parts(manifest, {"fetch_faults": pa.Table.from_pylist(rows, schema=schema)})


def faults_of_log(
    tables: ResultTables,
    replica: Mapping[str, Any],
    segments: Sequence[Mapping[str, Any]],
    paths: Mapping[int, str],
) -> list[dict[str, Any]]:
    """Of one partition's copy."""
    log = [
        SegmentFile(row["file"], row["base_offset"], MappedFile.open(paths[row["file"]])) for row in segments
    ]
    batches = tables.rows(BATCHES, replica)
    ends: dict[int, int] = defaultdict(int)
    for batch in batches:
        ends[batch["file"]] = max(ends[batch["file"]], batch["last_offset"])
    intact = IntactBatches(batches)
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(segments):
        if not row["is_suspect"]:
            continue
        values = {**replica, "base_offset": row["base_offset"]}
        entries = [(entry["offset"], entry["position_bytes"]) for entry in tables.rows(ENTRIES, values)]
        is_last = number + 1 == len(log)
        last_offset = ends[row["file"]] if is_last else log[number + 1].base_offset - 1
        try:
            of_segment = merged(list(faults(fetched(log, number, entries, last_offset), intact)))
        except TooManySteps:
            return []
        rows += [{"file": row["file"], **fault} for fault in of_segment]
    return rows
