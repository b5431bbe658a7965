"""The audit log as a file: CSV for a spreadsheet, NDJSON for another tool. Written row by row."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from webapp.audit.chain import FIELDS
from webapp.audit.models import Event

COLUMNS = ("id", *FIELDS[1:])
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet's formula begins
CHUNK = 2000


def ndjson(events: QuerySet[Event]) -> Iterator[str]:
    for row in _rows(events):
        yield json.dumps(row, ensure_ascii=False) + "\n"


def as_csv(events: QuerySet[Event]) -> Iterator[str]:
    """A header and a line per event; cells that a spreadsheet would evaluate start with an apostrophe."""
    writer = csv.writer(_Lines())
    yield writer.writerow(COLUMNS)
    for row in _rows(events):
        row["detail"] = json.dumps(row["detail"], ensure_ascii=False)
        yield writer.writerow([_cell(value) for value in row.values()])


def _rows(events: QuerySet[Event]) -> Iterator[dict[str, Any]]:
    for row in events.values(*COLUMNS).iterator(CHUNK):
        yield row | {"at": row["at"].isoformat()}


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


class _Lines:
    """File object for `csv.writer` that returns each line."""

    def write(self, line: str) -> str:
        return line
