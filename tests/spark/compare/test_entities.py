"""What the service's state lost between two copies of a journal."""

from __future__ import annotations

from typing import Any

from spark.compare.entities import state_differences
from spark.compare.sides import CopyPair, PartitionCopy
from tests.builders import given_tables, other_table

HERE = PartitionCopy("journal", 0, "", "monday", 90, 0, 89)
THERE = PartitionCopy("journal", 0, "", "tuesday", 80, 0, 120)
PAIR = CopyPair(HERE, THERE)


def entity(
    entity_type: str, entity_id: str, offset: int, ended: int | None = None, **members: Any
) -> dict[str, Any]:
    """A row of `state`."""
    text = ",".join(f'"{name}":{value}' for name, value in members.items())
    return {
        "topic": "journal", "entity_type": entity_type, "entity_id": entity_id, "attributes": f"{{{text}}}", "origin_offset": offset,
        "valid_from_offset": offset, "valid_to_offset": ended, "is_own": True, "view": "log", "profile": "",
    }  # fmt: skip


def differences(before: list[Any], after: list[Any], pair: CopyPair = PAIR) -> Any:
    tables = {"left_state": other_table("state", *before), "right_state": other_table("state", *after)}
    return state_differences(given_tables(tables), pair)


def test_what_the_later_copy_lacks_is_lost_and_named_with_what_it_took_along() -> None:
    before = [entity("content", name, 4) for name in ("48", "61", "63")] + [
        entity("artifact", "pay/money", 9),
        entity("rule", "x", 2),
    ]
    found = differences(before, [entity("rule", "x", 2)])
    assert (
        found.sentence
        == "Between these dumps artifact pay/money and 3 content items (48, 61 and 63) were lost."
    )
    assert found.before == "left"
    assert found.counts == {"lost": 4, "reappeared": 0, "changed": 0, "deleted": 0, "new": 0, "same": 1}


def test_what_a_record_of_the_later_copy_ended_is_deleted_and_no_loss() -> None:
    found = differences(
        [entity("artifact", "a/b", 3), entity("rule", "x", 1)],
        [entity("artifact", "a/b", 3, ended=100), entity("rule", "x", 1)],
    )
    assert (found.counts["lost"], found.counts["deleted"], found.sentence) == (0, 1, "")


def test_changed_and_new_entities_are_listed_after_the_lost_ones_with_their_records() -> None:
    before = [entity("rule", "x", 1, config=1), entity("rule", "gone", 2)]
    after = [entity("rule", "x", 95, config=2), entity("artifact", "n/e", 96)]
    found = differences(before, after)
    rows = found.shown
    assert [(one["kind"], one["entity_id"], one["before_offset"], one["after_offset"]) for one in rows] == [
        ("lost", "gone", 2, None),
        ("changed", "x", 1, 95),
        ("new", "n/e", None, 96),
    ]
    assert [(one["before"], one["after"]) for one in rows[1:]] == [
        ('{"config":1}', '{"config":2}'),
        (None, "{}"),
    ]


def test_what_the_earlier_copy_had_deleted_reappears_from_a_record_that_it_had() -> None:
    deleted = [entity("artifact", "a/b", 3, ended=50), entity("artifact", "a/c", 4, ended=51)]
    found = differences(
        [*deleted, entity("rule", "x", 1)],
        [entity("artifact", "a/b", 3), entity("artifact", "a/c", 95), entity("rule", "x", 1)],
    )
    assert [(one["kind"], one["entity_id"]) for one in found.shown] == [("reappeared", "a/b"), ("new", "a/c")]
    assert found.sentence == "Between these dumps artifact a/b reappeared."


def test_the_sentence_names_what_is_lost_before_what_reappeared() -> None:
    found = differences(
        [entity("rule", "x", 1), entity("group", "g", 3, ended=50), entity("artifact", "g/a", 4, ended=50)],
        [entity("group", "g", 3), entity("artifact", "g/a", 4)],
    )
    assert found.sentence == "Between these dumps rule x was lost. Group g reappeared."


def test_offsets_within_members_are_no_change() -> None:
    found = differences(
        [entity("rule", "x", 1, at_offset=1, config=1)], [entity("rule", "x", 4, at_offset=4, config=1)]
    )
    assert {kind for kind, entities in found.counts.items() if entities} == {"same"}


def test_the_log_that_ends_first_is_the_earlier_one_and_of_equal_ends_the_one_with_more_records() -> None:
    here, there = [entity("rule", "x", 1), entity("rule", "y", 2)], [entity("rule", "x", 1)]
    assert differences(there, here, CopyPair(THERE, HERE)).sentence == "Between these dumps rule y was lost."
    cleaned = PartitionCopy("journal", 0, "", "cleaned", 40, 0, 89)
    assert differences(here, there, CopyPair(HERE, cleaned)).counts["lost"] == 1
    assert differences(there, here, CopyPair(cleaned, HERE)).counts["lost"] == 1


def test_a_side_without_a_state_says_nothing() -> None:
    assert differences([entity("rule", "x", 1)], []) is None
