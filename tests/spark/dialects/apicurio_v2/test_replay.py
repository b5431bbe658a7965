"""Replay against the real service's answers, and the rules one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects.apicurio_v2 import dialect
from tests.generator.apicurio import healthy, incident
from tests.spark.apicurio_journals import (
    Record,
    content_value,
    corpus,
    generated,
    json_record,
    real_cases,
    real_journal,
    records_of,
)
from tests.spark.replays import replayed

KNOWN_TYPES = {"artifact", "version", "content", "group"}
Parts = tuple[bytes, bytes | None]


def content(number: int, action: int = 1, text: bytes = b"text", **members: Any) -> Parts:
    """A Content record."""
    key = {"tenantId": "_", "contentHash": f"hash-{number}", "contentId": number, **members}
    return json_record(2, key), content_value(action, text)


def artifact(name: str, number: int, action: int = 1, uuid: str | None = None, **members: Any) -> Parts:
    """An Artifact record; its global id is that of its content unless said."""
    group = members.pop("groupId", None)
    key = {"tenantId": "_", "artifactId": name, "uuid": uuid or f"{name}-{number}-{action}"}
    value = {
        "action": action,
        "globalId": number,
        "contentHash": f"hash-{number}",
        "artifactType": "AVRO",
        **members,
    }
    return json_record(3, {**key, **({"groupId": group} if group else {})}), json_record(3, value)


def group(name: str, action: int, **members: Any) -> Parts:
    """A Group record."""
    return json_record(6, {"tenantId": "_", "groupId": name}), json_record(6, {"action": action, **members})


def held_and_refused(*records: Parts) -> tuple[dict[str, dict[str, Any]], dict[int, str]]:
    """What holds at the end, by `type id`; and the reasons of refusals, by offset."""
    numbered: list[Record] = [(offset, key, value) for offset, (key, value) in enumerate(records)]
    state, refusals = replayed(dialect, dialect.interpret(records_of(numbered)))
    held = {
        f"{row['entity_type']} {row['entity_id']}": json.loads(row["attributes"])
        for row in state.to_pylist()
        if row["valid_to_offset"] is None and row["entity_type"] != "sequence"
    }
    return held, {row["offset"]: row["reason"] for row in refusals.to_pylist()}


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_the_state_is_what_the_real_registry_answered(case: str) -> None:
    truth = json.loads(corpus("apicurio-real", case, "state.json").read_text())
    state, _ = replayed(dialect, dialect.interpret(real_journal(case)))
    held = {
        (row["entity_type"], row["entity_id"]): json.loads(row["attributes"])
        for row in state.to_pylist()
        if row["valid_to_offset"] is None
    }
    types = KNOWN_TYPES.intersection(truth["types"])
    answered = {
        (e["entity_type"], e["entity_id"]): e["attributes"]
        for e in truth["entities"]
        if e["entity_type"] in types
    }
    assert {name for name in held if name[0] in types} == set(answered)
    assert {n: {k: held[n].get(k) for k in answered[n]} for n in answered} == answered


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_healthy_journal_loses_nothing(seed: int) -> None:
    _, refusals = replayed(dialect, dialect.interpret(generated(healthy(seed=seed))))
    assert [row for row in refusals.to_pylist() if row["reason"].startswith("content")] == []


def test_a_journal_at_risk_replays_whole_and_a_lost_one_does_not() -> None:
    for stage, lacking in (("at_risk", False), ("lost", True)):
        journal = incident(seed=4, stage=stage)  # type: ignore[arg-type]
        _, refusals = replayed(dialect, dialect.interpret(generated(journal)))
        offsets = [row["offset"] for row in refusals.to_pylist() if row["reason"] == "content-null"]
        assert offsets == ([*journal.empty_updates[0].artifact_offsets] if lacking else [])


def test_an_update_changes_the_canonical_hash_and_nothing_else() -> None:
    held, refused = held_and_refused(content(1), content(1, action=2, text=b""))
    assert held["content 1"]["content_size_bytes"] == 4
    assert refused == {}


@pytest.mark.parametrize(
    ("around", "reason"),
    [
        ([], "content-missing"),
        ([content(1, action=2, text=b"")], "content-null"),
        ([content(1)], "content-later"),
    ],
    ids=["never", "only empty", "only later"],
)
def test_a_version_without_its_content_is_dropped(around: list[Parts], reason: str) -> None:
    held, refused = held_and_refused(artifact("a", 1), *around)
    assert refused[0] == reason
    assert "version default/a/1" not in held


def test_the_same_record_again_behind_the_content_makes_good() -> None:
    held, refused = held_and_refused(artifact("a", 1), content(1), artifact("a", 1))
    assert refused == {0: "repeated-later"}
    assert held["version default/a/1"]["record_offset"] == 2


def test_a_copy_of_a_record_that_counts_is_the_one_compaction_keeps() -> None:
    held, refused = held_and_refused(content(1), artifact("a", 1), artifact("a", 1))
    assert refused == {2: "repeated"}
    assert held["version default/a/1"]["record_offset"] == 2


def test_a_dropped_artifact_that_was_deleted_later_is_not_missed() -> None:
    _, refused = held_and_refused(artifact("a", 1), artifact("a", 1, action=3, uuid="d"))
    assert refused[0] == "deleted-later"


def test_a_version_that_fell_with_the_first_one_was_not_deleted() -> None:
    lost = [artifact("a", 1), artifact("a", 2, action=2, uuid="later")]
    later_key = lost[1][0]
    _, refused = held_and_refused(*lost, (later_key, None))
    assert refused == {0: "content-missing", 1: "content-missing"}


def test_a_dropped_artifact_of_a_deleted_group_is_not_missed() -> None:
    _, refused = held_and_refused(group("g", 1), artifact("a", 1, groupId="g"), group("g", 3))
    assert refused == {1: "deleted-later"}


def test_deleting_an_unknown_group_takes_nothing() -> None:
    held, refused = held_and_refused(content(1), artifact("a", 1, groupId="g"), group("g", 3))
    assert refused == {2: "group-missing"}
    assert "version g/a/1" in held


def test_with_the_first_version_the_later_ones_fall() -> None:
    _, refused = held_and_refused(artifact("a", 1), content(2), artifact("a", 2, action=2))
    assert refused == {0: "content-missing", 2: "artifact-missing"}


def test_taken_places_are_refused() -> None:
    twice = artifact("b", 1, uuid="other", globalId=1)
    _, refused = held_and_refused(
        content(1), artifact("a", 1), artifact("a", 1, uuid="x", globalId=2), twice, content(1, contentId=9)
    )
    assert refused == {2: "already-exists", 3: "id-taken", 4: "already-exists"}


def test_the_number_of_a_deleted_last_version_is_given_again() -> None:
    gone = json_record(5, {"tenantId": "_", "artifactId": "a", "version": "2"}), json_record(5, {"action": 3})
    versions = [content(1), artifact("a", 1), artifact("a", 1, action=2, globalId=2)]
    held, _ = held_and_refused(*versions, gone, artifact("a", 1, action=2, globalId=3, uuid="third"))
    assert held["version default/a/2"]["globalId"] == 3


def test_an_import_draws_its_global_id_from_the_sequence() -> None:
    drawn = json_record(8, {"tenantId": "_", "uuid": "u"}), json_record(8, {"action": 1})
    imported = artifact("a", 1, action=5, globalId=-1, contentHash=None, contentId=1, version="7")
    held, _ = held_and_refused(drawn, content(1), imported)
    assert held["version default/a/7"]["globalId"] == 2


def test_an_update_for_another_tenants_content_is_called_so() -> None:
    _, refused = held_and_refused(content(1, tenantId="t1"), content(1, action=2, text=b"", tenantId="t2"))
    assert refused == {1: "other-tenant"}


def test_deleting_all_user_data_leaves_nothing_of_the_tenant() -> None:
    everything = json_record(11, {"tenantId": "_"}), json_record(11, {"action": 7})
    held, _ = held_and_refused(
        content(1), group("g", 1), artifact("a", 1, groupId="g"), content(2, tenantId="t2"), everything
    )
    assert set(held) == {"content t2/2"}


def test_odd_members_do_not_stop_the_replay() -> None:
    _, refused = held_and_refused(
        content(1, contentId=[1]),
        artifact("a", 1, globalId={"x": 1}, metaData="no"),
        artifact("b", 1, version=[2]),
    )
    assert refused == {}


def test_nothing_replays_to_nothing() -> None:
    state, refusals = replayed(dialect, dialect.interpret(records_of([])))
    assert (state.num_rows, refusals.num_rows) == (0, 0)


@pytest.mark.parametrize("odd", ["²", "9" * 5000, "note"], ids=["no digit", "too long", "text"])
def test_a_comment_id_that_is_no_number_does_not_count_for_the_sequence(odd: str) -> None:
    made = [artifact("a", 1), *(comment("a", name) for name in ("7", odd))]
    numbered = [(offset, *parts) for offset, parts in enumerate([content(1), *made])]
    state, _ = replayed(dialect, dialect.interpret(records_of(numbered)))
    rows = [row for row in state.to_pylist() if row["entity_id"] == "commentId"]
    assert [json.loads(row["attributes"])["highest"] for row in rows] == [7]


def comment(artifact_id: str, comment_id: str, action: int = 1, author: str = "", **more: str) -> Parts:
    """A Comment record on the artifact's first version."""
    key = {"tenantId": "_", "artifactId": artifact_id, "version": "1", "commentId": comment_id, **more}
    return json_record(16, key), json_record(16, {"action": action, "value": "hm", "createdBy": author})


COMMENTED = [content(1), artifact("a", 1), comment("a", "7")]


@pytest.mark.parametrize(
    "delete",
    [
        artifact("a", 1, 3, "gone"),
        (json_record(5, {"tenantId": "_", "artifactId": "a", "version": "1"}), json_record(5, {"action": 3})),
    ],
    ids=["artifact", "last version"],
)
def test_an_artifact_with_a_comment_is_deleted_only_after_the_comment(delete: Parts) -> None:
    held, refused = held_and_refused(*COMMENTED, delete)
    assert refused == {3: "has-comments"}
    assert {"version default/a/1", "comment 7"} <= set(held)
    held, refused = held_and_refused(*COMMENTED, comment("a", "7", action=3), delete)
    assert refused == {}
    assert not {"version default/a/1", "comment 7"} & set(held)


def test_a_group_with_a_commented_artifact_is_not_deleted() -> None:
    made = [group("g", 1), content(1), artifact("a", 1, groupId="g"), comment("a", "7", groupId="g")]
    held, refused = held_and_refused(*made, group("g", 3))
    assert refused == {4: "has-comments"}
    assert {"group g", "version g/a/1"} <= set(held)


def test_a_version_that_is_not_the_last_takes_its_comments_along() -> None:
    first = (
        json_record(5, {"tenantId": "_", "artifactId": "a", "version": "1"}),
        json_record(5, {"action": 3}),
    )
    held, refused = held_and_refused(*COMMENTED, artifact("a", 1, action=2, globalId=2), first)
    assert refused == {}
    assert "version default/a/2" in held
    assert not {"version default/a/1", "comment 7"} & set(held)


def test_no_record_changes_the_comment_of_a_named_author() -> None:
    made = [content(1), artifact("a", 1), comment("a", "7", author="alice")]
    held, refused = held_and_refused(*made, comment("a", "7", action=3), comment("a", "7", action=2))
    assert refused == {3: "comment-missing", 4: "comment-missing"}
    assert "comment 7" in held


UPGRADE = (json_record(18, {"uuid": "compact"}), json_record(18, {"action": 9, "upgraderUUID": "u"}))


def repaired_after_a_deletion(*again: Parts) -> list[Parts]:
    """A journal of 2.5.8: the first version of `trip` lacks its content, so the second fails; `alarm` is deleted; a repair
    brings `trip` back; 2.6 starts."""
    lost = [content(9), artifact("other", 9), artifact("trip", 1), content(2), artifact("trip", 2, 2)]
    deleted = [content(3), artifact("alarm", 3), artifact("alarm", 3, 3, "gone")]
    return [
        *lost,
        *deleted,
        content(1),
        *again,
        artifact("trip", 1),
        artifact("trip", 2, 2, "again"),
        UPGRADE,
    ]


def test_a_fixed_release_cleans_up_at_deletions_that_it_reads_so_a_version_without_its_content_goes() -> None:
    records = repaired_after_a_deletion()
    before, _ = held_and_refused(*records[:-1])
    assert {"version default/trip/1", "version default/trip/2", "content 2"} <= set(before)
    held, refused = held_and_refused(*records)
    assert "version default/trip/1" in held
    assert not {"version default/trip/2", "content 2", "content 3"} & set(held)
    assert refused[len(records) - 2] == "content-missing"


def test_a_content_that_is_written_again_after_the_deletion_stays_with_its_version() -> None:
    held, _ = held_and_refused(*repaired_after_a_deletion(content(2)))
    assert {"version default/trip/1", "version default/trip/2", "content 2"} <= set(held)


def test_a_content_without_versions_stays_where_nothing_was_deleted() -> None:
    held, _ = held_and_refused(content(1), UPGRADE)
    assert "content 1" in held
