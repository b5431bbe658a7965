"""Examples in a filter line: tests that match one record of the partition, the first that a finding names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.reports.filters.tree import literal, text_of
from webapp.reports.queries.keys import KEYS_AT, entries_at, find_key, key_id
from webapp.reports.queries.kinds import kinds_at
from webapp.reports.results import PartitionResults, remembered

if TYPE_CHECKING:
    from webapp.reports.page import Page

MAX_CHARACTERS = 24  # characters of a key or an ID that a line has room for


def examples(page: Page, *fields: str) -> list[str]:
    """A test for each of these fields that the record has."""
    for offset in dict.fromkeys(candidates(page)):
        tests = tests_of(page.partition, offset)
        if tests:
            return [tests[field] for field in fields if field in tests]
    return []


def candidates(page: Page) -> list[int]:
    """The first record of a finding that lies in the partition, and the last record of all."""
    first, last = page.bounds
    evidence = (
        offset for cause in page.report.causes if cause.is_about(page.replica) for offset in cause.evidence
    )
    named = next((offset for offset in evidence if first <= offset <= last), last)
    return [named, last] if first <= last else []


@remembered
def tests_of(partition: PartitionResults, offset: int) -> dict[str, str]:
    """By field; empty if the page does not show the record."""
    kind = kinds_at(partition, [offset]).get(offset)
    if not kind:
        return {}
    tests = {"kind": f"kind:{kind}", "offset": f"offset:{offset}.."}
    _add(tests, "entity", entries_at(partition, [offset]).get(offset, {}).get("entity_id"))
    hashes = partition.row(KEYS_AT, {"low": offset, "high": offset, "offsets": [offset]})
    row = hashes and find_key(partition, key_id(hashes["key_hash_1"], hashes["key_hash_2"]))
    if row:
        _add(tests, "key", _text(row["key"]))
        tests["versions"] = f"versions:>={row['versions']}"
    return tests


def _add(tests: dict[str, str], field: str, text: str | None) -> None:
    if text and len(text) <= MAX_CHARACTERS and text.isprintable():
        tests[field] = f"{field}:{text_of(literal(text))}"


def _text(key: bytes | None) -> str | None:
    try:
        return None if key is None else bytes(key).decode()
    except UnicodeDecodeError:
        return None
