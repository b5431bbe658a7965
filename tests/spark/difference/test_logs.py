"""Two states, each as of an offset: what is lost, deleted, changed, new, and what came from a record that was there before."""

from __future__ import annotations

from typing import Any

from spark.difference.logs import (
    StatePair,
    count_differences,
    list_differences,
    name_differences,
)
from tests.builders import given_tables, other_table


def entity(name: str, start: int, end: int | None = None, **more: Any) -> dict[str, Any]:
    """A row of `state`, in force from `start` until before `end`."""
    return {
        "topic": "t", "entity_type": "rule", "entity_id": name, "attributes": "{}", "origin_offset": start, "is_own": True,
        "valid_from_offset": start, "valid_to_offset": end, "view": "log", "profile": "", **more,
    }  # fmt: skip


LEFT = [entity("stays", 1), entity("deleted-before", 2, 5), entity("later", 8), entity("lost", 3)]
RIGHT = [entity("stays", 1), entity("deleted-before", 2), entity("later", 8, 15), entity("new", 14)]
TABLES = {"left_state": other_table("state", *LEFT), "right_state": other_table("state", *RIGHT)}


def pair(left_at: int, right_at: int, before: str = "left") -> StatePair:
    """The states of the two logs as of these offsets."""
    of_copy = {"topic": "t", "partition": 0, "replica": ""}
    values = {f"{side}_{name}": value for side in ("left", "right") for name, value in of_copy.items()}
    after = "right" if before == "left" else "left"
    return StatePair(before, after, values | {"left_at": left_at, "right_at": right_at})


def kinds(states: StatePair) -> dict[str, str]:
    """The kind of each entity that differs."""
    rows = list_differences(given_tables(TABLES), states, 100)
    return {row["entity_id"]: row["kind"] for row in rows}


def test_at_the_ends_of_both_logs() -> None:
    assert kinds(pair(9, 20)) == {
        "lost": "lost",
        "deleted-before": "reappeared",
        "later": "deleted",
        "new": "new",
    }


def test_as_of_earlier_offsets_only_what_was_written_by_then_counts() -> None:
    assert kinds(pair(4, 14)) == {"lost": "lost", "later": "new", "new": "new"}
    assert kinds(pair(9, 13)) == {"lost": "lost", "deleted-before": "reappeared"}


def test_the_other_side_may_be_the_earlier_one() -> None:
    assert kinds(pair(9, 13, before="right")) == {"deleted-before": "deleted", "lost": "new"}


def test_every_kind_is_counted_and_the_list_ends_where_it_is_told_to() -> None:
    tables = given_tables(TABLES)
    assert count_differences(tables, pair(9, 20)) == {
        "lost": 1, "reappeared": 1, "changed": 0, "deleted": 1, "new": 1, "same": 1,
    }  # fmt: skip
    assert [row["kind"] for row in list_differences(tables, pair(9, 20), 2)] == ["lost", "reappeared"]
    assert [row["entity_id"] for row in name_differences(tables, pair(9, 20))] == ["lost", "deleted-before"]


def test_long_members_are_left_out_and_offsets_in_members_are_no_change() -> None:
    long = f'{{"text":"{"x" * 3000}"}}'
    left = [entity("long", 1, attributes=long), entity("moved", 2, attributes='{"at_offset":2,"a":1}')]
    right = [entity("long", 1), entity("moved", 12, attributes='{"at_offset":12,"a":1}')]
    tables = {"left_state": other_table("state", *left), "right_state": other_table("state", *right)}
    [row] = list_differences(given_tables(tables), pair(9, 20), 100)
    assert (row["entity_id"], row["kind"], row["before"], row["after"]) == ("long", "changed", None, "{}")
