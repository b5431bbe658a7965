"""Rows of the table of keys: the name of each, what tells it from others of that name, the worst finding on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.reports.page import Page
from webapp.reports.queries.keys import entities_of_keys, entries_at, keys_at
from webapp.reports.queries.kinds import kinds_at
from webapp.reports.report import ReportFinding
from webapp.reports.results import Rows
from webapp.reports.values.key_names import distinctions

KeyHashes = tuple[int, int]


@dataclass(frozen=True)
class KeyRow:
    """`is_rejected`: the service does not apply the newest record of the key."""

    key: dict[str, Any]
    url: str
    entry_type: str
    name: str
    distinction: str
    finding: ReportFinding | None
    is_rejected: bool


def flagged_keys(page: Page) -> dict[KeyHashes, ReportFinding]:
    """By key the worst finding that names one of its records, the worst first."""
    by_offset = page.report.worst_by_offset(page.replica)
    keys = keys_at(page.partition, list(by_offset))
    from_mild = sorted(keys, key=lambda offset: (by_offset[offset].rank, offset), reverse=True)
    worst = {keys[offset]: by_offset[offset] for offset in from_mild}
    return dict(sorted(worst.items(), key=lambda pair: pair[1].rank))


def rows_of_keys(page: Page, rows: Rows, flagged: Mapping[KeyHashes, ReportFinding]) -> list[KeyRow]:
    names = entities_of_keys(page.partition, [_hashes_in(row) for row in rows])
    newest = [row["last_offset"] for row in rows]
    entries, kinds = entries_at(page.partition, newest), kinds_at(page.partition, newest)
    attributes = {_hashes_in(row): entries.get(row["last_offset"], {}).get("attributes") for row in rows}
    told_apart = distinctions(
        {_hashes_in(row): names[_hashes_in(row)] for row in rows if _hashes_in(row) in names}, attributes
    )
    return [
        KeyRow(
            row,
            page.key_url(row),
            *names.get(_hashes_in(row), ("", "")),
            told_apart.get(_hashes_in(row), ""),
            flagged.get(_hashes_in(row)),
            kinds.get(row["last_offset"]) == "rejected",
        )
        for row in rows
    ]


def _hashes_in(row: Mapping[str, Any]) -> KeyHashes:
    return row["key_hash_1"], row["key_hash_2"]
