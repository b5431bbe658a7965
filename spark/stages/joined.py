"""Joined: what several prints of one input say of a topic is one log, and a record that two of them have is one record.

    with offsets      the same topic, partition and offset, and equal contents, whatever stands around the record in its line
    without offsets   the same topic, partition, timestamp, key and value in two prints; a print without timestamps shares nothing

Prints without offsets that have timestamps are numbered one behind another, in the order of their times. Without timestamps
nothing tells which print's records were written first: each stays a copy of its own, whose records are compared with no other's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spark.sources import Split, sources
from spark.sources._wrapping.lines import encoding_of, lines_of
from spark.sources._wrapping.pieces import REPEAT, Aside
from spark.sources._wrapping.written import read_split
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.stages.pasted import PlannedFile, row_of
from spark.storage.files import read_bytes
from spark.tables.replica import Row

MAX_BYTES = 16 << 20  # of prints that are compared; people paste less
LOGGED = "consumer-record"  # a service logs one record at several places
CONTENTS = ("timestamp_ms", "key", "key_is_null", "value", "value_is_null", "value_size_bytes")
COLUMNS = ["topic", "partition", "offset", "batch_position", *CONTENTS]
Identity = tuple[Any, ...]
SetAside = dict[str, Any]  # row of `set_aside`


@dataclass
class PrintRows:
    """The rows of one print, in its order; `repeats`: which of them an earlier one has."""

    split: Split
    rows: list[Row]
    repeats: list[int] = field(default_factory=list)
    numbered_from: int | None = None

    def joined_split(self) -> Split:
        """The split, with the rows that reading leaves out and the number of the first one it gives."""
        if not self.repeats and self.numbered_from is None:
            return self.split
        detail = {"repeats": self.repeats, "numbered_from": self.numbered_from}
        return replace(self.split, detail={**self.split.detail, **detail})

    @property
    def first_time(self) -> int | None:
        """None where a row has no timestamp."""
        times = [row["timestamp_ms"] for row in self.rows]
        return None if not times or None in times else times[0]


def joined(splits: Sequence[Split], files: Sequence[PlannedFile]) -> tuple[list[Split], list[SetAside]]:
    """The splits, prints of one topic joined, and rows of `set_aside` for the records that were printed before."""
    prints = [one for group in groups(splits) for one in joined_group(group)]
    rows = [row for one in prints if one.repeats for row in rows_aside(one, files)]
    changed = {place_of(one.split): one.joined_split() for one in prints}
    return [changed.get(place_of(split), split) for split in splits], rows


def place_of(split: Split) -> tuple[int, int]:
    """What tells a split from others."""
    return split.file, split.start


def groups(splits: Sequence[Split]) -> Iterator[list[Split]]:
    """Splits of prints that may share records."""
    by_kind: dict[tuple[str, str, bool], list[Split]] = defaultdict(list)
    for split in splits:
        if sources()[split.source].kind == "export" and "batches" in split.lacks:
            is_numbered = "offset" in split.lacks
            by_kind[split.topic if is_numbered else "", split.replica, is_numbered].append(split)
    for group in by_kind.values():
        is_due = len({split.file for split in group}) > 1 or any(split.source == LOGGED for split in group)
        if is_due and sum(split.end - split.start for split in group) <= MAX_BYTES:
            yield group


def joined_group(group: Sequence[Split]) -> list[PrintRows]:
    """The prints of a group in their order, their repeats found."""
    prints = [PrintRows(split, list(rows_of(split))) for split in group]
    if "offset" not in group[0].lacks:
        find_same_offsets(prints)
        return prints
    if any(one.first_time is None for one in prints):
        return [replace(one, split=replace(one.split, replica=one.split.name)) for one in prints]
    prints.sort(key=lambda one: one.first_time or 0)
    find_same_times(prints)
    number = 0
    for one in prints:
        one.numbered_from = number
        number += len(one.rows) - len(one.repeats)
    return prints


def rows_of(split: Split) -> Iterator[Row]:
    """What the layout reads of a split."""
    for chunk in read_split(split):
        if chunk.records is not None:
            yield from chunk.records.select(COLUMNS).to_pylist()


def find_same_offsets(prints: Sequence[PrintRows]) -> None:
    """Records with the offset and the contents of an earlier one. Files of an unknown topic may be of different ones."""
    known: set[Identity] = set()
    for one in prints:
        if "partition" in one.split.lacks:
            continue
        for number, row in enumerate(one.rows):
            scope = one.split.file if row["topic"] == UNKNOWN_TOPIC else None
            identity = scope, *(row[name] for name in ("topic", "partition", "offset", *CONTENTS))
            if identity in known:
                one.repeats.append(number)
            known.add(identity)


def find_same_times(prints: Sequence[PrintRows]) -> None:
    """Records with the timestamp and the contents of an earlier print's; what one print has twice was written twice."""
    earlier: Counter[Identity] = Counter()
    for one in prints:
        own: Counter[Identity] = Counter()
        for number, row in enumerate(one.rows):
            if not has_contents(row):
                continue
            identity = tuple(row[name] for name in ("topic", "partition", *CONTENTS))
            own[identity] += 1
            if own[identity] <= earlier[identity]:
                one.repeats.append(number)
        earlier |= own


def has_contents(row: Row) -> bool:
    """Whether the value is printed: without it nothing tells a record from others of its millisecond."""
    return row["value"] is not None or row["value_is_null"]


def rows_aside(one: PrintRows, files: Sequence[PlannedFile]) -> Iterator[SetAside]:
    """Rows of `set_aside` for a print's repeats."""
    upload = files[one.split.file].upload
    content = read_bytes(upload.path)
    lines = lines_of(content, encoding_of(content) or "utf-8")
    starts = [line.start for line in lines]
    for number in one.repeats:
        line = lines[max(bisect_right(starts, one.rows[number]["batch_position"]) - 1, 0)]
        yield row_of(one.split.file, upload, Aside(line, REPEAT, 1))
