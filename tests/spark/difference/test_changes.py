"""The difference between two states in memory, and which members of an entity count for whom."""

from __future__ import annotations

from typing import Any

import pytest

from spark.difference import StateChanges, changes_between
from spark.difference.members import meets, without_bookkeeping, without_places
from spark.difference.pairs import in_force, paired
from tests.builders import given_tables, other_table

BEFORE = {"lost": 1, "changed": 2, "same": 3}
AFTER = {"changed": 20, "same": 3, "revived": 4}


def differing() -> StateChanges[str]:
    return changes_between(BEFORE, AFTER, lambda _, before, after: before == after)


def test_each_entity_that_differs_has_one_kind_of_change() -> None:
    assert differing().by_entity == {"lost": "lost", "changed": "changed", "revived": "revived"}


def test_only_entities_of_both_states_are_compared() -> None:
    compared = []
    changes_between(BEFORE, AFTER, lambda key, *_: bool(compared.append(key)))
    assert sorted(compared) == ["changed", "same"]


def test_changes_of_several_states_add_up() -> None:
    other = StateChanges(lost=frozenset(["changed"]))
    assert differing() | other == StateChanges(
        frozenset(["lost", "changed"]), frozenset(["changed"]), frozenset(["revived"])
    )


@pytest.mark.parametrize(
    ("attributes", "other", "is_same"),
    [
        ({"config": "FULL", "record_offset": 1}, {"config": "FULL", "record_offset": 9}, True),
        ({"config": "FULL", "modifiedBy": "a"}, {"config": "FULL", "modifiedBy": "b"}, True),
        ({"config": "FULL"}, {"config": "NONE"}, False),
        ({"contentHash": "b5f2", "contentId": 1}, {"contentHash": "b5f2", "contentId": 2}, True),
        ({"contentHash": "b5f2", "globalId": 1}, {"contentHash": "b5f2", "globalId": 2}, False),
    ],
    ids=["another place", "another author", "another value", "one content under two ids", "two versions"],
)
def test_bookkeeping_is_no_change(attributes: dict[str, Any], other: dict[str, Any], is_same: bool) -> None:
    assert (without_bookkeeping(attributes) == without_bookkeeping(other)) is is_same


def test_a_member_that_is_not_required_may_be_anything() -> None:
    assert meets({"id": 1}, {"id": 1, "mode": "IMPORT"}, ("id", "mode"))
    assert not meets({"id": 1, "mode": None}, {"id": 1, "mode": "IMPORT"}, ("id", "mode"))
    assert not meets({"id": 1}, {}, ("id",))


def test_two_states_of_a_table_are_paired_entity_by_entity() -> None:
    rows = [
        {"entity_id": "lost", "valid_from_offset": 1, "valid_to_offset": 5},
        {"entity_id": "moved", "attributes": '{"record_offset":2,"a":1}', "valid_to_offset": 6},
        {"entity_id": "moved", "attributes": '{"record_offset":6,"a":1}', "valid_from_offset": 6},
        {"entity_id": "changed", "attributes": '{"a":1}', "valid_to_offset": 7},
        {"entity_id": "changed", "attributes": '{"a":2}', "valid_from_offset": 7, "origin_offset": 7},
        {"entity_id": "revived", "valid_from_offset": 8},
    ]
    plain = {"entity_type": "rule", "attributes": "{}", "valid_from_offset": 1, "origin_offset": 1}
    tables = given_tables({"state": other_table("state", *(plain | row for row in rows))})
    before, after = (f"SELECT * FROM state WHERE {in_force(offset)}" for offset in ("4", "9"))
    answer = tables.rows(f"SELECT * FROM ({paired(before, after)}) ORDER BY entity_id")
    assert [(row["entity_id"], row["change"]) for row in answer] == [
        ("changed", "changed"), ("lost", "lost"), ("moved", "same"), ("revived", "revived"),
    ]  # fmt: skip
    assert answer[0] == {
        "entity_type": "rule", "entity_id": "changed", "change": "changed", "before": '{"a":1}', "after": '{"a":2}',
        "before_offset": 1, "after_offset": 7,
    }  # fmt: skip


def test_offsets_among_the_members_are_places() -> None:
    (row,) = given_tables({}).rows(
        f"""SELECT {without_places("$text")} AS text""", {"text": '{"at_offset":-1,"b":2}'}
    )
    assert row["text"] == '{"b":2}'
