"""Two states, each as of an offset: what is lost, deleted, changed, new, and what came from a record that was there before."""

from __future__ import annotations

from typing import Any

import pytest

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


def test_what_changed_is_named_if_its_record_is_none_after_the_end_of_the_earlier_log() -> None:
    def of(start: int, config: int, entity_type: str = "rule") -> dict[str, Any]:
        return entity("changed", start, attributes=f'{{"config":{config}}}', entity_type=entity_type)

    def named(*after: dict[str, Any]) -> list[str]:
        before = [of(3, 1), of(3, 1, "sequence")]
        tables = {"left_state": other_table("state", *before), "right_state": other_table("state", *after)}
        return [row["entity_type"] for row in name_differences(given_tables(tables), pair(9, 20))]

    assert named(of(2, 2), of(2, 2, "sequence")) == ["rule"]
    assert named(of(12, 2), of(3, 1, "sequence")) == []


def test_long_members_are_left_out_and_offsets_in_members_are_no_change() -> None:
    long = f'{{"text":"{"x" * 3000}"}}'
    left = [entity("long", 1, attributes=long), entity("moved", 2, attributes='{"at_offset":2,"a":1}')]
    right = [entity("long", 1), entity("moved", 12, attributes='{"at_offset":12,"a":1}')]
    tables = {"left_state": other_table("state", *left), "right_state": other_table("state", *right)}
    [row] = list_differences(given_tables(tables), pair(9, 20), 100)
    assert (row["entity_id"], row["kind"], row["before"], row["after"]) == ("long", "changed", None, "{}")


OWN, OTHER_KEY = {"key_hash_1": 7, "key_hash_2": 7}, {"key_hash_1": 8, "key_hash_2": 8}


def compacted(action: str, reason: str = "", key: dict[str, int] = OWN, offset: int = 14) -> dict[str, Any]:
    """Before has a rule and After only the last record about it, whose creation compaction removed."""
    refusal = {"topic": "t", "offset": offset, "is_own": True, "view": "log", "profile": ""}
    refused = {**refusal, "entity_type": "rule", "entity_id": "r", "reason": reason}
    return {
        "left_state": other_table("state", entity("r", 3)),
        "left_lifelines": other_table("lifelines", {"topic": "t", "offset": 3, **OWN}),
        "right_state": other_table("state", entity("stays", 1)),
        "right_lifelines": other_table(
            "lifelines", {"topic": "t", "offset": offset, "timestamp_ms": 77, **key}
        ),
        "right_entries": other_table("entries", {"topic": "t", "offset": offset, "entry_action": action}),
        "right_refusals": other_table("refusals", *([refused] if reason else [])),
    }


@pytest.mark.parametrize(
    ("tables", "kind"),
    [
        (
            compacted("delete"),
            "deleted",
        ),  # as of a table in Kafka Streams, whose restore has nothing to forget
        (compacted("delete", "rule-missing"), "deleted"),
        (compacted("delete", "rule-missing", OTHER_KEY), "deleted"),  # each message has a key of its own
        (compacted("delete-subject"), "deleted"),
        (compacted("delete", key=OTHER_KEY), "lost"),  # of another entity
        (compacted("delete", "uncommitted", OTHER_KEY), "lost"),
        (compacted("tombstone"), "lost"),  # a registry writes it for a record that it rejects
        (compacted("update", "rule-missing"), "lost"),
        (compacted("delete", offset=2), "lost"),  # before the entity was made
        (compacted("delete", offset=21), "lost"),  # after the offset that the states are of
    ],
)
def test_a_deletion_that_compaction_left_alone_is_no_loss(tables: dict[str, Any], kind: str) -> None:
    rows = list_differences(given_tables(tables), pair(9, 20), 100)
    [row] = [row for row in rows if row["entity_id"] == "r"]
    deleted = (14, 77) if kind == "deleted" else (None, None)
    assert (row["kind"], (row["deleted_offset"], row["deleted_ms"])) == (kind, deleted)


@pytest.mark.parametrize(
    ("owner", "kind"),
    [(("artifact", "g/a"), "deleted"), (("artifact", "g"), "lost"), (("version", "g/a"), "lost")],
)
def test_what_belongs_to_a_deleted_entity_is_deleted_with_it(owner: tuple[str, str], kind: str) -> None:
    tables = compacted("delete", "artifact-missing", OTHER_KEY)
    refused = tables["right_refusals"].to_pylist()[0] | {"entity_type": owner[0], "entity_id": owner[1]}
    tables["right_refusals"] = other_table("refusals", refused)
    tables["left_state"] = other_table("state", entity("g/a/1", 3, entity_type="version"))
    [row] = [row for row in list_differences(given_tables(tables), pair(9, 20), 100) if row["kind"] != "new"]
    assert (row["entity_id"], row["kind"]) == ("g/a/1", kind)


def test_the_record_with_the_bytes_is_named_where_a_later_one_has_none() -> None:
    members = '{"contentHash":"ab","has_content":%s}'
    entries = [
        {"topic": "t", "offset": offset, "entity_id": "48", "attributes": members % has}
        for offset, has in ((3, "true"), (7, "false"))
    ]
    content = entity("48", 7, entity_type="content", attributes='{"contentHash":"ab"}')
    tables = {
        "left_state": other_table("state", content),
        "left_entries": other_table("entries", *entries),
        "right_state": other_table("state", entity("stays", 1)),
    }
    [row] = [row for row in list_differences(given_tables(tables), pair(9, 20), 100) if row["kind"] == "lost"]
    assert (row["before_offset"], row["bytes_offset"]) == (7, 3)
