"""Joined: what several prints of one input say of a topic is one log, and a record that two of them have is one record.

    with offsets      the same topic, partition and offset, and equal contents, whatever stands around the record in its line
    without offsets   the same topic, partition, timestamp, key and value in two prints; where no timestamp is printed, the time in the
                      value counts (`value_times`); a print with neither shares nothing

Prints without offsets that have times are numbered one behind another, in the order of their times. Without times
nothing tells which print's records were written first: each stays a copy of its own, whose records are compared with no other's.

One task of Spark per group of prints reads them and gives back which of their rows an earlier print has. Nothing runs where no two
prints can share a record.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from spark.sources import InputFile, Split, sources
from spark.sources._grammar.declared import LOGGED as DECLARED_IN_LOGS
from spark.sources._wrapping.lines import encoding_of, lines_of
from spark.sources._wrapping.pieces import REPEAT, Aside
from spark.sources._wrapping.written import read_split
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.stages.pasted import row_of
from spark.stages.plan import InspectionPlan
from spark.stages.prints.value_times import orders, overlapping, runs_back, with_value_times
from spark.storage.files import read_bytes
from spark.tables.connections import TASK, connect

MAX_BYTES = 64 << 20  # of the prints of a group: one task reads them
LOGGED = {declared.id for declared in DECLARED_IN_LOGS}  # a service logs one record at several places
CONTENTS = ("timestamp_ms", "key", "key_is_null", "value", "value_is_null", "value_size_bytes")
COLUMNS = ["topic", "partition", "offset", "batch_position", *CONTENTS]
# One record of several that have an offset: files of an unknown topic may be of different ones.
SAME_OFFSET = f"""
    SELECT print, "row", row_number() OVER (
        PARTITION BY CASE WHEN topic = '{UNKNOWN_TOPIC}' THEN print END, topic, partition, "offset", {", ".join(CONTENTS)}
        ORDER BY print, "row") > 1 AS is_repeat
    FROM printed
"""
# What one print has twice was written twice. Without its value nothing tells a record from others of its millisecond.
SAME_TIME = f"""
    WITH counted AS (
        SELECT *, row_number() OVER (PARTITION BY print, topic, partition, {", ".join(CONTENTS)} ORDER BY "row") AS copy
        FROM printed WHERE value IS NOT NULL OR value_is_null
    )
    SELECT print, "row", row_number() OVER (PARTITION BY copy, topic, partition, {", ".join(CONTENTS)} ORDER BY print) > 1 AS is_repeat
    FROM counted
"""
Run = Callable[
    [Callable[["PrintGroup"], "list[JoinedPrint]"], "Sequence[PrintGroup]"], "list[list[JoinedPrint]]"
]


@dataclass(frozen=True)
class PrintGroup:
    """Splits of prints that may share records, and the upload of each."""

    splits: list[Split]
    uploads: list[InputFile]


@dataclass(frozen=True)
class JoinedPrint:
    """A split as it is to be read, and rows of `set_aside` for its records that an earlier print has."""

    split: Split
    set_aside: list[dict[str, Any]] = field(default_factory=list)


def joined(plan: InspectionPlan, run: Run) -> InspectionPlan:
    """The plan, prints of one topic joined. `run`: does the work of every group."""
    due = list(groups(plan))
    if not due:
        return plan
    prints = [joined_print for group in run(joined_group, due) for joined_print in group]
    changed = {place_of(joined_print.split): joined_print.split for joined_print in prints}
    splits = [changed.get(place_of(split), split) for split in plan.splits]
    replicas = {split.file: split.replica for split in splits}
    files = [{**row, "replica": replicas.get(row["file"], row["replica"])} for row in plan.files]
    asides = [row for joined_print in prints for row in joined_print.set_aside]
    return replace(plan, files=files, splits=splits, set_aside=[*plan.set_aside, *asides])


def place_of(split: Split) -> tuple[int, int]:
    return split.file, split.start


def groups(plan: InspectionPlan) -> Iterator[PrintGroup]:
    """Prints that may share records: of exports, those with offsets, and those without of each topic."""
    by_kind: dict[tuple[str, str, bool], list[Split]] = defaultdict(list)
    for split in plan.splits:
        if sources()[split.source].kind == "export" and "batches" in split.lacks:
            is_numbered = "offset" in split.lacks
            if is_numbered or "partition" not in split.lacks:
                by_kind[split.topic if is_numbered else "", split.replica, is_numbered].append(split)
    for splits in by_kind.values():
        is_due = len({split.file for split in splits}) > 1 or any(split.source in LOGGED for split in splits)
        if is_due and sum(split.end - split.start for split in splits) <= MAX_BYTES:
            yield PrintGroup(splits, [plan.uploads[split.file] for split in splits])


def joined_group(group: PrintGroup) -> list[JoinedPrint]:
    """The prints of a group in their order, without the records that an earlier one has."""
    rows = [rows_of(split) for split in group.splits]
    if "offset" not in group.splits[0].lacks:
        return without_repeats(group, rows, SAME_OFFSET, is_numbered=False)
    if any(not table.num_rows or table["timestamp_ms"].null_count for table in rows):
        return joined_by_values(group, rows)
    order = sorted(range(len(rows)), key=lambda number: rows[number]["timestamp_ms"][0].as_py())
    in_time = PrintGroup([group.splits[k] for k in order], [group.uploads[k] for k in order])
    return without_repeats(in_time, [rows[k] for k in order], SAME_TIME, is_numbered=True)


def joined_by_values(group: PrintGroup, rows: Sequence[pa.Table]) -> list[JoinedPrint]:
    """The prints of a group without times of records: those of one log, by the times in their values; each other one for itself."""
    timed = [with_value_times(split.source, table) for split, table in zip(group.splits, rows, strict=True)]
    for order in orders(timed, overlapping(timed)):
        tables = [timed[k] for k in order]
        if order and not runs_back(tables, find_repeats(tables, SAME_TIME)):
            name = group.splits[order[0]].name if len(order) < len(rows) else group.splits[order[0]].replica
            splits = [replace(group.splits[k], replica=name) for k in order]
            in_time = PrintGroup(splits, [group.uploads[k] for k in order])
            others = [split for k, split in enumerate(group.splits) if k not in order]
            return [*without_repeats(in_time, tables, SAME_TIME, is_numbered=True), *each_for_itself(others)]
    return each_for_itself(group.splits)


def each_for_itself(splits: Sequence[Split]) -> list[JoinedPrint]:
    return [JoinedPrint(replace(split, replica=split.name)) for split in splits]


def rows_of(split: Split) -> pa.Table:
    """The records of a split, columns COLUMNS; no column has a type where there are none."""
    tables = [chunk.records.select(COLUMNS) for chunk in read_split(split) if chunk.records is not None]
    return pa.concat_tables(tables) if tables else pa.table({name: [] for name in COLUMNS})


def without_repeats(
    group: PrintGroup, rows: Sequence[pa.Table], query: str, is_numbered: bool
) -> list[JoinedPrint]:
    """The splits, with the rows that reading leaves out and, if numbered, the number of the first one it gives."""
    repeats = find_repeats(rows, query)
    done: list[JoinedPrint] = []
    first = 0
    for number, (split, upload) in enumerate(zip(group.splits, group.uploads, strict=True)):
        own = repeats.get(number, [])
        if own or is_numbered:
            detail = {"repeats": own, "numbered_from": first if is_numbered else None}
            split = replace(split, detail={**split.detail, **detail})
        positions = rows[number]["batch_position"].take(pa.array(own, pa.int64())).to_pylist()
        done.append(JoinedPrint(split, rows_aside(split, upload, positions) if own else []))
        first += rows[number].num_rows - len(own)
    return done


def find_repeats(rows: Sequence[pa.Table], query: str) -> dict[int, list[int]]:
    """By number of the print, its rows that an earlier one has."""
    numbered = [
        table.append_column("print", pa.array([number] * table.num_rows, pa.int64())).append_column(
            "row", pa.array(range(table.num_rows), pa.int64())
        )
        for number, table in enumerate(rows)
        if table.num_rows
    ]
    if not numbered:
        return {}
    with connect(TASK) as connection:
        connection.register("printed", pa.concat_tables(numbered))
        pairs = connection.execute(
            f'SELECT print, list("row" ORDER BY "row") FROM ({query}) WHERE is_repeat GROUP BY print'
        ).fetchall()
    return dict(pairs)


def rows_aside(split: Split, upload: InputFile, positions: Sequence[int]) -> list[dict[str, Any]]:
    """Rows of `set_aside` for records at these places of an upload."""
    content = read_bytes(upload.path)
    lines = lines_of(content, encoding_of(content) or "utf-8")
    starts = [line.start for line in lines]
    places = (lines[max(bisect_right(starts, position) - 1, 0)] for position in positions)
    return [row_of(split.file, upload, Aside(line, REPEAT, 1)) for line in places]
