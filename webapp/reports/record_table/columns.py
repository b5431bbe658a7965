"""Columns of the table of records: chosen by the address, else as remembered on this computer, else by what the partition has."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.reports.page import Page
from webapp.reports.queries.kinds import kind_source

PARAM, COOKIE = "columns", "record_columns"
FIRST = "offset"  # names the row; it cannot be left out
STANDARD = "standard"  # instead of a list: whatever is remembered, the columns that suit the partition


@dataclass(frozen=True)
class RecordColumn:
    """A column by its name in addresses, with the head that people read."""

    name: str
    title: str
    is_number: bool = False


COLUMNS = {
    column.name: column
    for column in (
        RecordColumn(FIRST, "Offset", True),
        RecordColumn("time", "Time (UTC)"),
        RecordColumn("what", "What it does"),
        RecordColumn("entity", "Entity"),
        RecordColumn("key", "Key"),
        RecordColumn("value", "Value"),
        RecordColumn("size", "Size", True),
        RecordColumn("outcome", "Outcome"),
        RecordColumn("producer", "Producer"),
        RecordColumn("sequence", "Sequence", True),
        RecordColumn("leader", "Leader epoch", True),
        RecordColumn("headers", "Headers"),
        RecordColumn("partition", "Partition"),
        RecordColumn("batch", "Batch"),
    )
}
ALWAYS = (FIRST, "time", "what", "entity", "key", "value", "size", "outcome")


@dataclass(frozen=True)
class ColumnChoice:
    """`chosen` in their order; `others` can be added. `in_address`: what links of the page carry."""

    chosen: list[RecordColumn]
    others: list[RecordColumn]
    in_address: str

    @property
    def names(self) -> set[str]:
        return {column.name for column in self.chosen}

    @property
    def total(self) -> int:
        return len(self.chosen) + len(self.others)


def choose_columns(page: Page) -> ColumnChoice:
    address = page.request.GET.get(PARAM, "")
    names = _read(address) or ([] if address else _read(page.request.COOKIES.get(COOKIE, "")))
    chosen = [COLUMNS[name] for name in names or _suitable(page)]
    others = [column for column in COLUMNS.values() if column not in chosen]
    return ColumnChoice(chosen, others, address if address == STANDARD or _read(address) else "")


def _read(text: str) -> list[str]:
    """`offset.value.time` -> the names that exist, each once, the offset first; empty for no names."""
    names = [name for name in dict.fromkeys(text.split(".")) if name in COLUMNS]
    return [FIRST, *(name for name in names if name != FIRST)] if names else []


def _suitable(page: Page) -> list[str]:
    """Without the columns that would be empty, and without those that a share hides. A hidden key is left where no other column names
    the record: equal keys have equal hashes."""
    source = kind_source(page.partition)
    empty = set()
    if source.table != "marks" and not source.for_few:
        empty.add("entity")
    if not page.options.transactions:
        empty.add("outcome")
    empty |= page.source.hidden - ({"key"} if "entity" in empty else set())
    return [name for name in ALWAYS if name not in empty]
