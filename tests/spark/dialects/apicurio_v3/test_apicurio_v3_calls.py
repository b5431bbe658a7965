"""Journals of Apicurio Registry 3.x: recognition, entries, and what the calls make of the registry."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pyarrow as pa
import pytest

from spark.dialects import dialects
from spark.dialects.apicurio_v3 import dialect
from spark.dialects.apicurio_v3.message_classes import ACTIONS, MESSAGE_CLASSES
from spark.dialects.apicurio_v3.replay import APPLY
from tests.builders import records_table
from tests.spark.apicurio_journals import corpus, envelopes
from tests.spark.replays import replayed

TOPIC = "kafkasql-journal"


def call(name: str, number: int = 0, **members: Any) -> dict[str, Any]:
    """A record as the registry writes it."""
    key = {"uuid": f"uuid-{number}", "messageType": name, "partitionKey": "__GLOBAL_PARTITION__"}
    value = None if name == "Bootstrap" else json.dumps({**members, "key": {**key, "uuid": "x"}}).encode()
    headers = [{"key": b"req", "value": b"1"}, {"key": b"mt", "value": name.encode()}]
    return {"key": json.dumps(key).encode(), "value": value, "headers": headers}


def artifact(name: str, content: str | None = "{}", **members: Any) -> dict[str, Any]:
    """The call that creates an artifact."""
    body = {"artifactId": name, "artifactType": "JSON", "references": [], **members}
    return call("CreateArtifact11Message", **body, **({} if content is None else {"content": content}))


def version(name: str, content: str, **members: Any) -> dict[str, Any]:
    """The call that creates a version."""
    return call("CreateArtifactVersion10Message", artifactId=name, content=content, **members)


def entries(*records: dict[str, Any], **shared: Any) -> pa.Table:
    """The entries of records."""
    assert dialect.interpret is not None
    numbered = [{**record, "key": record["key"] and record["key"].replace(b"uuid-0", b"u%d" % n)}
                for n, record in enumerate(records)]  # fmt: skip
    return dialect.interpret(records_table(*numbered, topic=TOPIC, **shared))


def held(*records: dict[str, Any], first_offset: int = 0) -> dict[str, dict[str, Any]]:
    """What the registry holds after these calls: `type id` -> attributes."""
    numbered = [{**record, "offset": first_offset + number} for number, record in enumerate(records)]
    state, _ = replayed(dialect, entries(*numbered))
    return {
        f"{row['entity_type']} {row['entity_id']}": json.loads(row["attributes"])
        for row in state.to_pylist()
        if row["valid_to_offset"] is None
    }


def refused(*records: dict[str, Any]) -> list[tuple[int, str]]:
    """Offset and reason of the calls that fail."""
    _, refusals = replayed(dialect, entries(*records))
    return [(row["offset"], row["reason"]) for row in refusals.to_pylist()]


def names(held: dict[str, Any], kind: str) -> list[str]:
    """The entities of a type."""
    return sorted(name.split(" ", 1)[1] for name in held if name.startswith(kind + " "))


@pytest.mark.parametrize("topic", ["kafkasql-journal", "kafkasql-snapshots", "registry-events"])
def test_the_real_topics_are_recognised_whatever_they_are_called(topic: str) -> None:
    records = envelopes(corpus("apicurio-real", "v3-a", f"{topic}.base64.ndjson"))
    scores = {name: one.sniff("backup", records).score for name, one in dialects().items()}
    assert max(scores, key=lambda name: scores[name]) == "apicurio-v3"
    assert scores["apicurio-v3"] >= 90


def test_other_journals_are_left_alone() -> None:
    older = envelopes(corpus("apicurio-real", "healthy-c", "kafkasql-journal.base64.ndjson"))
    assert dialect.sniff(TOPIC, older).score == 0
    plain = records_table({"key": b'{"id": 1}', "value": b'{"eventType": "ORDER_PLACED", "id": 7}'})
    assert dialect.sniff("registry-events", plain).score == 0
    assert dialect.sniff(TOPIC, records_table()).score == 0


def test_every_real_record_is_an_entry() -> None:
    for topic in ("kafkasql-journal", "kafkasql-snapshots", "registry-events"):
        records = envelopes(corpus("apicurio-real", "v3-a", f"{topic}.base64.ndjson"))
        assert dialect.interpret is not None
        found = dialect.interpret(records)
        assert found.num_rows == records.num_rows
        assert set(found.column("decode_error").to_pylist()) == {None}
        assert set(found.column("entry_type").to_pylist()) != {None}


def test_every_class_has_an_action_and_every_call_a_class() -> None:
    assert set(ACTIONS) == set(MESSAGE_CLASSES)
    assert set(APPLY) - {"Snapshot"} <= set(MESSAGE_CLASSES)


def test_the_content_gives_way_to_its_hash() -> None:
    (row,) = entries(artifact("a", "{}", references=[{"name": "b", "artifactId": "b"}])).to_pylist()
    members = json.loads(row["attributes"])
    hashed = b'{}[{"groupId":null,"artifactId":"b","version":null,"name":"b"}]'
    assert members["contentHash"] == hashlib.sha256(hashed).hexdigest()
    assert (members["content_size_bytes"], "content" in members) == (2, False)
    assert (row["entry_action"], row["entity_id"]) == ("create", "default/a")


@pytest.mark.parametrize(
    ("change", "effect", "foreign", "why"),
    [
        ({"key": None}, "skipped", None, "no key"),
        ({"key": b"\x03{}"}, "skipped", True, "2.x"),
        ({"key": b'{"keytype":"SCHEMA"}'}, "skipped", True, "no messageType"),
        ({"headers": [{"key": b"req", "value": b"1"}]}, "tombstone", None, "header mt is missing"),
        ({"headers": [{"key": b"mt", "value": b"Fly1Message"}]}, "tombstone", None, "Fly1Message"),
        ({"value": b""}, "tombstone", None, "empty"),
        ({"value": b"{"}, "tombstone", None, "not JSON"),
        ({"value": b"[]"}, "tombstone", None, "not an object"),
    ],
)
def test_what_the_registry_cannot_read_says_what_it_does(
    change: dict[str, Any], effect: str, foreign: bool | None, why: str
) -> None:
    (row,) = entries({**artifact("a"), **change}).to_pylist()
    members = json.loads(row["attributes"])
    assert why in row["decode_error"]
    assert (members["effect"], members.get("foreign")) == (effect, foreign)


def test_a_layout_without_headers_reads_the_class_from_the_key() -> None:
    (row,) = entries({**artifact("a"), "headers": None}).to_pylist()
    assert (row["entry_type"], row["decode_error"]) == ("CreateArtifact11Message", None)


def test_no_cut_of_a_record_raises() -> None:
    whole = artifact("a", "{}", groupId="g")
    for size_bytes in range(len(whole["value"])):
        assert entries({**whole, "value": whole["value"][:size_bytes]}).num_rows == 1
    for size_bytes in range(len(whole["key"])):
        assert entries({**whole, "key": whole["key"][:size_bytes]}).num_rows == 1


@pytest.mark.parametrize("odd", [7, "x", [], {"a": 1}, None, True])
def test_members_of_another_kind_do_not_stop_the_replay(odd: Any) -> None:
    members = {name for allowed in MESSAGE_CLASSES.values() for name in allowed} - {"content"}
    calls = [call(name, **dict.fromkeys(members, odd)) for name in MESSAGE_CLASSES if name != "Bootstrap"]
    replayed(dialect, entries(artifact("a"), *calls, *calls))


def test_ids_follow_from_the_order_of_the_calls() -> None:
    now = held(artifact("a", "1"), version("a", "2"), artifact("b", "3", groupId="g"))
    assert {name: (v["globalId"], v["contentId"]) for name, v in now.items() if name.startswith("version")} == {
        "version default/a/1": (1, 1), "version default/a/2": (2, 2), "version g/b/1": (3, 3),
    }  # fmt: skip
    assert names(now, "group") == ["g"]


def test_the_same_content_again_draws_an_id_and_does_not_use_it() -> None:
    now = held(artifact("a", "same"), artifact("b", "same"), artifact("c", "other"))
    assert [now[f"version default/{name}/1"]["contentId"] for name in "abc"] == [1, 1, 3]


def test_a_refused_call_leaves_its_traces_in_the_sequences() -> None:
    calls = (artifact("a", "1"), artifact("a", "2"), version("gone", "3"), artifact("b", "4"))
    assert refused(*calls) == [(1, "already-exists"), (2, "artifact-missing")]
    assert held(*calls)["version default/b/1"] | {"contentHash": ""} == {
        "groupId": "default", "artifactId": "b", "version": "1", "globalId": 3, "contentId": 4,
        "contentHash": "", "artifactType": "JSON", "state": "ENABLED",
    }  # fmt: skip


def test_a_dry_run_changes_nothing_but_sequences_and_contents() -> None:
    now = held(artifact("a", "1", dryRun=True), artifact("b", "2"))
    assert names(now, "version") == ["default/b/1"]
    assert now["version default/b/1"]["globalId"] == 2


def test_a_draft_has_a_content_of_its_own_and_becomes_the_latest() -> None:
    calls = (artifact("a", "same"), artifact("b", "same", versionIsDraft=True))
    assert held(*calls)["version default/b/1"]["contentId"] == 2
    state = {"version": "1", "newState": "ENABLED", "artifactId": "b"}
    now = held(*calls, call("UpdateArtifactVersionState5Message", **state))
    assert now["version default/b/1"]["state"] == "ENABLED"
    assert now["branch default/b/latest"] == {"tip": "1", "versions": 1}
    assert now["branch default/b/drafts"] == {"versions": 0}


def test_a_deleted_group_takes_artifacts_rules_and_comments_and_leaves_contents() -> None:
    rule = {"groupId": "g", "rule": "VALIDITY", "config": {"configuration": "FULL"}}
    calls = (
        call("CreateGroup1Message", group={"groupId": "g"}),
        artifact("a", "1", groupId="g"),
        call("CreateGroupRule3Message", **rule),
        call("CreateArtifactRule4Message", **rule, artifactId="a"),
        call("CreateArtifactVersionComment4Message", groupId="g", artifactId="a", version="1", value="hm"),
    )
    before = held(*calls)
    assert before["comment 1"]["value"] == "hm"
    assert before["artifact-rule g/a/VALIDITY"] == before["group-rule g/VALIDITY"] == {"config": "FULL"}
    assert list(held(*calls, call("DeleteGroup1Message", groupId="g"))) == ["content 1"]


def test_a_deleted_artifact_takes_its_content_until_a_call_does_that() -> None:
    calls = (artifact("a", "1"), call("DeleteArtifact2Message", artifactId="a"))
    assert names(held(*calls), "content") == []
    newer = (call("MergeArtifactLabels4Message", artifactId="a"), *calls)
    assert names(held(*newer), "content") == ["1"]


def test_rules_must_be_there_to_be_changed_and_must_not_to_be_created() -> None:
    rule = {"rule": "VALIDITY", "config": {"configuration": "FULL"}}
    assert refused(
        call("UpdateGlobalRule2Message", **rule),
        call("CreateGlobalRule2Message", **rule),
        call("CreateGlobalRule2Message", **rule),
        call("DeleteGlobalRules0Message"),
        call("DeleteGlobalRule1Message", rule="VALIDITY"),
    ) == [(0, "rule-missing"), (2, "already-exists"), (4, "rule-missing")]


def test_an_import_brings_its_ids_and_a_reset_goes_on_behind_them() -> None:
    rows = [
        call("ImportContent1Message", entity={"contentId": 70, "contentHash": "h"}, content="x"),
        call("ImportArtifact1Message", entity={"artifactId": "a", "artifactType": "AVRO"}),
        call(
            "ImportArtifactVersion1Message",
            entity={"artifactId": "a", "version": "1.0", "globalId": 90, "contentId": 70, "versionOrder": 1},
        ),
        call("ImportComment1Message", entity={"globalId": 90, "commentId": "8", "value": "hm"}),
        call("ImportComment1Message", entity={"globalId": 90, "commentId": "9" * 5000, "value": "odd"}),
        call("ResetGlobalId0Message"),
        call("ResetContentId0Message"),
        call("ResetCommentId0Message"),
        version("a", "2"),
        call("CreateArtifactVersionComment4Message", artifactId="a", version="2", value="next"),
    ]
    now = held(*rows)
    assert (now["version default/a/1.0"]["globalId"], now["version default/a/1.0"]["contentId"]) == (90, 70)
    assert (now["version default/a/2"]["globalId"], now["version default/a/2"]["contentId"]) == (91, 71)
    assert names(now, "comment") == ["8", "9", "9" * 5000]
    assert refused(rows[2]) == [(0, "artifact-missing")]


def test_ids_stay_unknown_where_the_beginning_is_missing() -> None:
    now = held(artifact("a", "1"), first_offset=40)
    assert "globalId" not in now["version default/a/1"]


def test_the_family_is_told_by_the_classes() -> None:
    assert dialect.family is not None
    assert dialect.family(entries(call("Bootstrap"), artifact("a"))) == "Apicurio Registry 3.0.7 or later"
    assert dialect.family(entries(call("Bootstrap"))) == "Apicurio Registry 3.x"
    assert dialect.family(entries()) is None


def test_the_header_says_the_class_where_the_key_says_another() -> None:
    record = artifact("a")
    record["key"] = record["key"].replace(b"CreateArtifact11Message", b"DeleteGroup1Message")
    [entry] = entries(record).to_pylist()
    assert (entry["entry_type"], entry["entry_action"]) == ("CreateArtifact11Message", "create")
    assert set(held(record)) >= {"artifact default/a"}
