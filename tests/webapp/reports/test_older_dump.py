"""A record that this dump lacks is looked for in other dumps of the same log, and in no other log."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.builders import entries_table, other_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results

pytestmark = pytest.mark.django_db
SUMMARY = {
    "topics": ["journal"],
    "first_timestamp_ms": 1_700_000_000_000,
    "last_timestamp_ms": 1_700_000_009_000,
}
RULE, OTHER = b'{"rule": 1}', b'{"rule": 2}'
BEHIND = dict.fromkeys((20, 21, 22), b"key")  # in every dump of the log


def dump(folder: Path, offsets: dict[int, bytes], gap: int | None = None, action: str = "import") -> Path:
    """Records by offset, each with its key; what the service reads in them says the offset."""
    rows = [{"offset": offset, "key": key, "entry_action": action} for offset, key in offsets.items()]
    entries = [
        {"offset": offset, "entry_action": action, "attributes": {"action": 5, "level": f"L{offset}"}}
        for offset in offsets
    ]
    gaps = [{"first_offset": gap, "last_offset": gap, "cause": "likely compaction"}] if gap else []
    tables = {
        "records": records_table(*rows, entry_type="GlobalRule"),
        "entries": entries_table(*entries),
        "gaps": other_table("gaps", *gaps),
    }
    return write_results(folder, report_document(), **tables)


@pytest.fixture
def drawer(inspected: Any, get: Any) -> Callable[..., str]:
    """`drawer(offset, other)`: a record of a dump that lacks offset 3, beside another dump."""

    def text(offset: int, other: dict[int, bytes], action: str = "import") -> str:
        inspected(partial(dump, offsets=other | BEHIND), summary=SUMMARY)
        newer = inspected(
            partial(dump, offsets={1: OTHER, 9: RULE} | BEHIND, gap=3, action=action), summary=SUMMARY
        )
        page = get(newer, "report-record", offset, headers={"HX-Request": "true"})
        return str(page.content.decode())

    return text


def test_a_missing_record_has_a_link_to_the_dump_that_has_it(drawer: Callable[..., str]) -> None:
    page = drawer(3, {1: OTHER, 3: RULE, 9: RULE})
    assert "Another dump has this record" in page
    assert "record=3" in page


@pytest.mark.parametrize(
    "other",
    [{1: OTHER, 9: RULE}, {1: RULE, 3: RULE, 9: RULE}],
    ids=["lacks it, too", "another log"],
)
def test_a_dump_that_lacks_it_or_is_of_another_log_is_not_named(
    drawer: Callable[..., str], other: dict[int, bytes]
) -> None:
    assert "Another dump" not in drawer(3, other)


def test_a_record_whose_predecessor_is_in_another_dump_says_what_it_changed(
    drawer: Callable[..., str],
) -> None:
    page = drawer(9, {1: OTHER, 3: RULE, 9: RULE})
    assert "in this dump, which lacks offsets before it" in page
    assert "record=3" in page
    assert "<del>L3</del>" in page
    assert "<ins>L9</ins>" in page
    assert ">action</span>" not in page


def test_an_entry_that_creates_something_has_no_predecessor(drawer: Callable[..., str]) -> None:
    page = drawer(9, {1: OTHER, 3: RULE, 9: RULE}, action="create")
    assert "which lacks offsets before it" not in page
