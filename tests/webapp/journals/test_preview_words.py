"""A preview's parts in words: partitions, offsets, counts; one item is never a range, few are never many."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.journals.previews.words import colour_of, content_of, part_view, set_aside_words, suggested_name


def part(**members: Any) -> dict[str, Any]:
    """A part of one record."""
    plain = {
        "number": 1, "layout": "kcat-json", "title": "kcat -J", "kind": "export", "note": "", "first_line": 2, "last_line": 2,
        "records": 1, "batches": 0, "entries": 0, "damage": 0, "control": {}, "first_offset": 4, "last_offset": 4,
        "partitions": [{"topic": "orders", "partition": 0}],
    }  # fmt: skip
    return plain | members


SEVERAL = [{"topic": "t", "partition": number} for number in range(5)]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "orders-0, offset 4: 1 record"),
        ({"records": 2, "last_offset": 9, "control": {"commit": 1, "abort": 2}}, "orders-0, offsets 4-9: 2 records, 2 ABORT markers, 1 COMMIT marker"),
        ({"records": 0, "batches": 12, "partitions": [], "first_offset": None}, "12 batches"),
        ({"records": 0, "partitions": [], "first_offset": None}, "no records"),
        ({"records": 5, "partitions": SEVERAL}, "t-0, t-1, t-2 and 2 more: 5 records"),
        ({"control": {"leader_change": 1}}, "orders-0, offset 4: 1 record, 1 leader change record"),
    ],
    ids=["one record", "markers", "no contents", "nothing", "several partitions", "other control records"],
)  # fmt: skip
def test_what_a_part_holds(members: dict[str, Any], words: str) -> None:
    assert content_of(part(**members)) == words


def test_what_was_not_counted_to_the_end_says_so() -> None:
    assert content_of(part(), is_counted=False) == "orders-0, offset 4: at least 1 record"
    assert content_of(part(records=0), is_counted=False) == "orders-0, offset 4: not counted"


def test_lines_and_colours() -> None:
    assert (part_view(part()).lines, part_view(part(last_line=1234)).lines) == ("line 2", "lines 2-1,234")
    assert [colour_of(number) for number in (1, 4, 5)] == [1, 4, 1]


def test_kinds_of_lines_set_aside_come_with_the_most_frequent_first() -> None:
    assert set_aside_words({"set_aside": {"fence": 2, "program": 7}}) == "another program: 7, fence: 2"


def test_a_name_is_suggested_only_where_there_is_one() -> None:
    assert suggested_name({"parts": [part(), part()]}) == "orders-0"
    assert suggested_name({"parts": [part(partitions=SEVERAL)]}) == ""
