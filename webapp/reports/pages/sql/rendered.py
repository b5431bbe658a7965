"""The answer of a query as the page shows it: cells, and offsets as links where a row says of which partition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from spark.tables.replica import PartitionReplica
from spark.tables.sql.ask import SqlAnswer
from webapp.reports.page import Page
from webapp.reports.values.query_cells import QueryCell, cell, values_of

OFFSETS = frozenset({"offset", "first_offset", "last_offset", "valid_from_offset", "origin_offset"})


@dataclass(frozen=True)
class RenderedAnswer:
    """`columns`: name, type, whether it has numbers. `rows`: each cell with its link, or None."""

    columns: list[tuple[str, str, bool]]
    rows: list[list[tuple[QueryCell, SafeString | None]]]
    cut: str
    seconds: float


def rendered(page: Page, answer: SqlAnswer, seconds: float) -> RenderedAnswer:
    names = answer.rows.column_names
    columns = [values_of(column) for column in answer.rows.columns]
    rows = [list(_cells(page, names, row)) for row in zip(*columns, strict=True)]
    are_numbers = (any(row[number][0].look == "number" for row in rows) for number in range(len(names)))
    return RenderedAnswer(list(zip(names, answer.types, are_numbers, strict=True)), rows, answer.cut, seconds)


def _cells(
    page: Page, names: list[str], row: tuple[Any, ...]
) -> Iterator[tuple[QueryCell, SafeString | None]]:
    replica = _replica_of(page, dict(zip(names, row, strict=True)))
    for name, value in zip(names, row, strict=True):
        is_linked = replica is not None and name in OFFSETS and isinstance(value, int)
        yield (
            cell(value),
            page.offset_links(replica).link(value, str(value)) if is_linked and replica else None,
        )


def _replica_of(page: Page, row: dict[str, Any]) -> PartitionReplica | None:
    """The partition that the row names, if the report has it."""
    topic, partition, copy = row.get("topic"), row.get("partition"), row.get("replica", "")
    if not (isinstance(topic, str) and isinstance(partition, int) and isinstance(copy, str)):
        return None  # a query may give its columns any name
    replica = PartitionReplica(topic, partition, copy)
    return replica if replica in page.survey.facts else None
