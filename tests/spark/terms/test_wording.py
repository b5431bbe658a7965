"""Numbers, plurals and lists."""

from __future__ import annotations

import pytest

from spark.terms.wording import (
    at_offsets,
    grouped,
    listed,
    moment,
    offset_range,
    plural,
    sentence,
    some,
    steps,
)


def test_numbers_are_grouped() -> None:
    assert grouped(1_204_331) == "1,204,331"


@pytest.mark.parametrize(("count", "text"), [(0, "0 contents"), (1, "1 content"), (4812, "4,812 contents")])
def test_plurals_are_right(count: int, text: str) -> None:
    assert plural(count, "content") == text


def test_a_plural_may_be_its_own_word() -> None:
    assert plural(2, "copy", "copies") == "2 copies"


@pytest.mark.parametrize(
    ("names", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists_end_in_and(names: list[str], text: str) -> None:
    assert listed(names) == text


def test_a_long_list_says_what_it_leaves_out() -> None:
    assert some([str(n) for n in range(1203)], max_shown=2) == "0, 1 and 1,201 more"


def test_offsets_are_not_grouped_because_people_search_for_them() -> None:
    assert at_offsets([1204331]) == "offset 1204331"
    assert at_offsets([7, 9]) == "offsets 7 and 9"


def test_a_clause_becomes_a_sentence_once() -> None:
    assert sentence("1 content is lost") == "1 content is lost."
    assert sentence("nothing is lost.") == "Nothing is lost."


def test_a_sentence_does_not_change_the_name_of_a_setting() -> None:
    assert sentence("read_committed consumers are stuck") == "read_committed consumers are stuck."
    assert sentence("cleanup.policy is delete") == "cleanup.policy is delete."


def test_steps_are_numbered() -> None:
    assert steps(["look", "act"]) == "1. look\n2. act"


def test_a_time_is_said_in_utc_and_a_number_beyond_the_calendar_as_it_is() -> None:
    assert moment(1_717_243_203_000) == "2024-06-01 12:00:03 UTC"
    assert moment(1_717_243_203_000_000_000) == "timestamp 1717243203000000000"
    assert moment(None) == moment(-1) == "an unknown time"


def test_one_offset_is_never_a_range() -> None:
    assert offset_range(4, 9) == "offsets 4-9"
    assert offset_range(4, 4) == offset_range(4) == "offset 4"
