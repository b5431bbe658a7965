"""Rows of the table, and the lines across it, in its order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from spark.terms.wording import offset_range
from webapp.reports.charts.look import gap_look
from webapp.reports.page import Page
from webapp.reports.queries.gaps import gaps_before
from webapp.reports.queries.record import read_neighbours
from webapp.reports.record_table.cells import RecordCells
from webapp.reports.record_table.columns import RecordColumn
from webapp.reports.record_table.limits import TableLine, lines_of
from webapp.reports.record_table.whole import transactional_ids, whole_records
from webapp.reports.results import Rows
from webapp.reports.values.control_records import ENDS


@dataclass(frozen=True)
class RowGap:
    """Missing offsets before a record: `offsets 98-99 missing: unexplained`. `is_damage`: they are there, and unreadable."""

    words: str
    is_damage: bool


@dataclass(frozen=True)
class RecordRow:
    """A record, or a line across the table."""

    offset: int
    limit: TableLine | None = None
    cells: tuple[tuple[RecordColumn, SafeString | str], ...] = ()
    is_aborted: bool = False
    is_control: bool = False
    gap: RowGap | None = None


def rows_of(
    page: Page, offsets: Collection[int], columns: list[RecordColumn], is_end: bool
) -> list[RecordRow]:
    """`is_end`: no further page follows."""
    records = whole_records(page.partition, offsets)
    gaps = {offset: _gap(*gap) for offset, gap in gaps_before(page.partition, offsets).items()}
    rows = [_row(cells, columns, gaps.get(cells.row["offset"])) for cells in _cells(page, records)]
    return _with_limits(page, rows, is_end)


def _gap(cause: str, first: int, last: int) -> RowGap:
    return RowGap(f"{offset_range(first, last)} missing: {gap_look(cause)['name']}", cause == "damage")


def _cells(page: Page, records: Rows) -> list[RecordCells]:
    outcomes = page.outcomes(row["offset"] for row in records)
    producers = {row["producer_id"] for row in records if row["control_type"] in ENDS}
    names = transactional_ids(page.results, producers)
    stable_offset = page.options.last_stable_offset
    return [
        RecordCells(
            page, row, outcomes.get(row["offset"], ""), names.get(row["producer_id"], ""), stable_offset
        )
        for row in records
    ]


def _row(cells: RecordCells, columns: list[RecordColumn], gap: RowGap | None) -> RecordRow:
    row: dict[str, Any] = cells.row
    is_aborted = row["kind"] == "aborted" or cells.outcome == "aborted"
    contents = tuple((column, cells.cell(column.name)) for column in columns)
    return RecordRow(row["offset"], None, contents, is_aborted, bool(row["control_type"]), gap)


def _with_limits(page: Page, rows: list[RecordRow], is_end: bool) -> list[RecordRow]:
    """Each line before the first record that its readers do not get, or that the file has elsewhere; at the end of the list behind
    the last."""
    limits = lines_of(page) if rows else []
    if not limits:
        return rows
    before = read_neighbours(page.partition, rows[0].offset)["offset_before"]
    reached = -1 if before is None else before
    lined: list[RecordRow] = []
    for row in rows:
        lined += [RecordRow(limit.offset, limit) for limit in limits if reached < limit.offset <= row.offset]
        lined.append(row)
        reached = row.offset
    behind = [RecordRow(limit.offset, limit) for limit in limits if limit.offset > reached]
    return lined + behind if is_end else lined
