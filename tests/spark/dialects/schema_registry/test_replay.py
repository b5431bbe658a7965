"""Replay by the rules of the three registries: where they differ, what stops them, and what real ones answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects._history import History, ReplayRun
from spark.dialects.schema_registry import dialect
from spark.tables.replica import PartitionReplica
from tests.spark.dialects.schema_registry.journals import (
    CORPUS,
    PROFILES,
    TEXT,
    Parts,
    compact,
    config,
    delete_subject,
    entries_of,
    hash_of,
    held_and_refused,
    key,
    real_entries,
    schema,
    sorted_hash,
    tombstone,
)
from tests.spark.replays import replayed

OTHER = '"int"'


def sequenced(seq: int) -> dict[str, Any]:
    """Members of Redpanda's keys."""
    return {"in_key": {"seq": seq, "node": 1}}


def live(held: dict[str, Any]) -> dict[str, bool]:
    """subject/version -> whether it is live."""
    return {name[7:]: not row["deleted"] for name, row in held.items() if name.startswith("schema ")}


def three(*records: Parts) -> dict[str, tuple[dict[str, Any], list[tuple[int, str]]]]:
    """State and refusals of each profile."""
    entries = entries_of(*records)
    return {profile: held_and_refused(entries, profile) for profile in PROFILES}


@pytest.mark.parametrize("profile", PROFILES)
def test_all_agree_on_a_plain_life(profile: str) -> None:
    records = [
        config(None, "BACKWARD"), schema("s", 1, 1), schema("s", 2, 2, OTHER), config("s", "NONE"),
        schema("s", 1, 1, deleted=True), (key("NOOP"), None),
    ]  # fmt: skip
    held, refused = held_and_refused(entries_of(*records), profile)
    assert live(held) == {"s/1": False, "s/2": True}
    assert held["config "] == {"compatibility": "BACKWARD"}
    assert held["config s"] == {"compatibility": "NONE"}
    assert held["schema s/2"] == {
        "id": 2, "deleted": False, "schemaType": "AVRO", "schemaHash": hash_of(OTHER)
    }  # fmt: skip
    assert refused == []


def test_a_version_has_one_interval_for_each_of_its_lives() -> None:
    entries = entries_of(schema(), delete_subject(), tombstone(), schema(id=2))
    state, _ = replayed(dialect, entries, "confluent")
    rows = sorted(state.to_pylist(), key=lambda row: row["valid_from_offset"])
    assert [(row["valid_from_offset"], row["valid_to_offset"]) for row in rows] == [(0, 1), (1, 2), (3, None)]


def test_a_value_of_zero_length_deletes_but_for_confluent() -> None:
    read = three(schema(), config(), tombstone(empty=True), (config()[0], b""))
    assert live(read["confluent"][0]) == {"s/1": True}
    assert read["confluent"][0]["config s"] == {"compatibility": "FULL"}
    assert read["confluent"][1] == [(2, "value-empty"), (3, "value-empty")]
    for profile in ("redpanda", "karapace"):
        assert read[profile] == ({}, [])


def test_one_id_with_two_texts_is_three_registries() -> None:
    read = three(schema("a", 1, 1), schema("b", 1, 1, OTHER))
    assert live(read["confluent"][0]) == {"a/1": True}
    assert read["confluent"][1] == [(1, "duplicate-id")]
    for profile, first in (("redpanda", OTHER), ("karapace", TEXT)):
        held, refused = read[profile]
        assert held["schema a/1"]["schemaHash"] == hash_of(first)
        assert held["schema b/1"]["schemaHash"] == hash_of(OTHER)
        assert refused == []


def test_a_text_that_changes_with_its_id_names_the_record_that_changed_it() -> None:
    state, _ = replayed(dialect, entries_of(schema("a"), schema("b", 1, 1, OTHER)), "redpanda")
    rows = [row for row in state.to_pylist() if row["entity_id"] == "a/1"]
    assert [(row["valid_from_offset"], row["origin_offset"]) for row in rows] == [(0, 0), (1, 1)]


def test_an_id_is_free_in_another_context_and_after_its_last_holder_is_gone() -> None:
    context = schema(":.team:b", 1, 1, OTHER)
    held, refused = three(schema("a"), context)["confluent"]
    assert refused == []
    assert len(held) == 2
    held, refused = three(schema("a"), tombstone("a"), schema("b", 1, 1, OTHER))["confluent"]
    assert refused == []
    assert live(held) == {"b/1": True}


def test_a_schema_marked_as_deleted_still_holds_its_id_for_confluent() -> None:
    _, refused = three(schema("a", deleted=True), schema("b", 1, 1, OTHER))["confluent"]
    assert refused == [(1, "duplicate-id")]


def test_the_same_text_may_have_its_id_in_many_subjects() -> None:
    read = three(schema("a"), schema("b"), schema("a", deleted=True), tombstone("a"), schema("c"))
    for profile in PROFILES:
        assert live(read[profile][0]) == {"b/1": True, "c/1": True}
        assert read[profile][1] == []


def test_delete_subject_reaches_to_its_version_but_redpandas_reaches_all() -> None:
    read = three(schema("s", 1, 1), schema("s", 2, 2, OTHER), delete_subject("s", 1))
    assert live(read["confluent"][0]) == {"s/1": False, "s/2": True}
    assert live(read["karapace"][0]) == {"s/1": False, "s/2": True}
    assert live(read["redpanda"][0]) == {"s/1": False, "s/2": False}


def test_delete_subject_without_version_or_value() -> None:
    read = three(schema(), delete_subject(version=None))
    assert live(read["redpanda"][0]) == {"s/1": False}
    assert read["confluent"][1] == read["karapace"][1] == [(1, "value-unreadable")]
    read = three(schema(), (delete_subject()[0], None))
    assert [live(read[profile][0]) for profile in PROFILES] == [{"s/1": True}] * 3
    assert [read[profile][1] for profile in PROFILES] == [[], [], [(1, "value-unreadable")]]


def test_a_version_registered_after_delete_subject_is_live() -> None:
    for held, _ in three(schema("s", 1), delete_subject("s", 1), schema("s", 2)).values():
        assert live(held) == {"s/1": False, "s/2": True}


def test_the_setting_of_all_is_cleared_by_confluent_only() -> None:
    read = three(config(None), config(None, None), config("s"), config("s", None))
    assert [sorted(read[profile][0]) for profile in PROFILES] == [[], ["config "], ["config "]]


def test_a_mode_is_unknown_to_karapace() -> None:
    mode = key("MODE", "s")
    read = three((mode, b'{"mode":"READONLY"}'), (key("MODE"), b'{"mode":"IMPORT"}'), (mode, None))
    for profile in ("confluent", "redpanda"):
        assert read[profile][0] == {"mode ": {"mode": "IMPORT"}}
    assert read["karapace"] == ({}, [(0, "unknown-keytype"), (1, "unknown-keytype"), (2, "unknown-keytype")])


def test_settings_go_with_the_last_version_but_for_confluent() -> None:
    read = three(schema(), config(), tombstone())
    assert [sorted(read[profile][0]) for profile in PROFILES] == [["config s"], [], []]


def test_a_write_that_lost_its_race_counts_for_all_but_redpanda() -> None:
    records = [
        config(None), schema("s", 1, 1, **sequenced(1)), schema("s", 1, 1, OTHER, **sequenced(1)),
        schema("s", 2, 2, OTHER, **sequenced(3)),
    ]  # fmt: skip
    held, refused = three(*records)["redpanda"]
    assert refused == [(2, "lost-the-race")]
    assert held["schema s/1"]["schemaHash"] == hash_of(TEXT)
    held, refused = three(*records)["karapace"]
    assert refused == []
    assert held["schema s/1"]["schemaHash"] == hash_of(OTHER)
    held, refused = three(*records)["confluent"]
    assert refused == [(2, "duplicate-id")]


def test_a_copied_record_is_ahead_of_its_offset_and_a_deletion_always_counts() -> None:
    read = three(schema("s", 1, **sequenced(7)), schema("t"), tombstone("t", **sequenced(9)["in_key"]))
    assert read["redpanda"] == ({}, [(0, "sequence-ahead")])


def test_a_reference_to_a_version_that_is_not_there_drops_the_schema_for_karapace_only() -> None:
    references = [{"name": "m", "subject": "money", "version": 1}]
    payment = schema("pay", 1, 2, "message P {}", schemaType="PROTOBUF", references=references)
    money = schema("money", 1, 1, "message M {}", schemaType="PROTOBUF")
    read = three(payment, money)
    assert sorted(live(read["karapace"][0])) == ["money/1"]
    assert sorted(live(read["confluent"][0])) == sorted(live(read["redpanda"][0])) == ["money/1", "pay/1"]
    _, refusals = replayed(dialect, entries_of(payment, money), "karapace")
    row = refusals.to_pylist()[0]
    assert (row["reason"], row["needs"], row["available_from_offset"]) == ("reference-missing", "money/1", 1)
    _, refusals = replayed(dialect, entries_of(payment), "karapace")
    assert refusals.to_pylist()[0]["available_from_offset"] is None
    assert three(money, payment)["karapace"][1] == []
    assert three(money, delete_subject("money"), payment)["karapace"][1] == [(2, "reference-missing")]


def test_karapace_follows_references_of_references_and_those_without_a_version() -> None:
    def proto(subject: str, id: int, *needs: tuple[str, int]) -> Parts:
        references = [{"name": name, "subject": name, "version": version} for name, version in needs]
        return schema(subject, 1, id, f"message {subject} {{}}", schemaType="PROTOBUF", references=references)

    chain = [proto("a", 1), proto("b", 2, ("a", 1)), proto("c", 3, ("b", -1))]
    assert three(*chain)["karapace"][1] == []
    broken = [chain[0], chain[1], delete_subject("a"), chain[2]]
    assert three(*broken)["karapace"][1] == [(3, "reference-missing")]
    assert three(chain[2])["karapace"][1] == [(0, "reference-missing")]
    avro = schema("d", 1, 4, references=[{"name": "x", "subject": "x", "version": 1}])
    assert three(avro)["karapace"][1] == []


def test_a_text_that_is_not_json_is_a_schema_to_confluent_only() -> None:
    read = three(schema(text="{"))
    assert live(read["confluent"][0]) == {"s/1": True}
    assert read["redpanda"] == read["karapace"] == ({}, [(0, "schema-invalid")])


def test_karapace_goes_by_the_value_when_it_keeps_and_by_the_key_when_it_deletes() -> None:
    value = compact({"subject": "t", "version": 2, "id": 1, "schema": TEXT})
    assert live(three((key("SCHEMA", "s", 1), value))["karapace"][0]) == {"t/2": True}
    assert live(three((key("SCHEMA", "s", 1), value), tombstone("s", 1))["karapace"][0]) == {"t/2": True}


def test_clear_subject_forgets_what_is_marked_as_deleted() -> None:
    records = [schema("s", 1, 1, deleted=True), schema("s", 2, 2, OTHER), schema(":.c:t", 1, 3, deleted=True)]
    clear = (key("CLEAR_SUBJECT", "s"), b'{"subject":"s"}')
    held, refused = three(*records, clear)["confluent"]
    assert live(held) == {"s/2": True, ":.c:t/1": False}
    assert refused == []
    held, _ = three(*records, (key("CLEAR_SUBJECT", ":.c:"), b'{"subject":":.c:"}'))["confluent"]
    assert live(held) == {"s/1": False, "s/2": True}
    held, _ = three(*records, (key("CLEAR_SUBJECT"), b"{}"))["confluent"]
    assert live(held) == {"s/2": True}


WEIRD: Parts = (b'{"keytype":"WEIRD","magic":0}', b"{}")
HALF = (key("SCHEMA", "s", 1, seq=1), schema()[1])


@pytest.mark.parametrize(
    ("record", "stops"),
    [
        (WEIRD, {"confluent": "unknown-keytype"}),
        ((None, b"{}"), {"confluent": "key-unreadable", "redpanda": "key-unreadable"}),
        ((b"not json", b"{}"), {"redpanda": "key-unreadable"}),
        ((key("SCHEMA", "s", 1), b"{"), {"redpanda": "value-unreadable"}),
        (schema(offset=1, ts=2), {"redpanda": "unknown-field"}),
        (HALF, {"redpanda": "key-unreadable"}),
        ((key("CONFIG", "s").replace(b":0", b":1"), b"{}"), {"redpanda": "key-unreadable"}),
    ],
)
def test_a_reader_that_stops_keeps_its_state_and_says_so_once(record: Parts, stops: dict[str, str]) -> None:
    before, behind = schema("before"), [schema("behind", 1, 2, OTHER), schema("more", 1, 2, OTHER)]
    for profile, (held, refused) in three(before, record, *behind).items():
        if profile in stops:
            assert live(held) == {"before/1": True}
            assert refused == [(1, stops[profile]), (2, "reader-stopped")]
        else:
            assert {"before/1", "behind/1", "more/1"} <= live(held).keys()
            assert all(offset == 1 for offset, _ in refused)


def test_a_reader_that_stops_at_the_last_record_leaves_nothing_behind() -> None:
    assert three(schema(), WEIRD)["confluent"][1] == [(1, "unknown-keytype")]


def test_a_portion_border_changes_nothing() -> None:
    entries = entries_of(schema("a"), WEIRD, schema("b"), schema("c"))
    rows: list[Any] = []
    history = History(
        ReplayRun(PartitionReplica("_schemas", 0, ""), "confluent"),
        lambda table, part: rows.extend(part.to_pylist()),
    )
    assert dialect.replay
    dialect.replay((entries.slice(number, 1) for number in range(entries.num_rows)), history)
    history.finish()
    refused = [(row["offset"], row["reason"]) for row in rows if "reason" in row]
    assert refused == [(1, "unknown-keytype"), (2, "reader-stopped")]


def test_the_text_null_deletes_where_the_reader_takes_it_so() -> None:
    read = three(schema(), (tombstone()[0], b"null"))
    assert [live(read[profile][0]) for profile in PROFILES] == [{}, {"s/1": True}, {}]


def test_a_key_of_magic_2_is_skipped_fatal_or_fine() -> None:
    strange = (schema()[0].replace(b'"magic":1', b'"magic":2'), schema()[1])  # type: ignore[union-attr]
    read = three(strange)
    assert read["confluent"] == ({}, [(0, "value-unreadable")])
    assert read["redpanda"] == ({}, [(0, "value-unreadable")])
    assert live(read["karapace"][0]) == {"s/1": True}


def test_a_journal_of_another_registry_read_by_redpanda() -> None:
    """The third-party vector of Redpanda's own tests: live, marked as deleted, gone; modes come and go."""
    records = [
        config("s", "BACKWARD"), schema("s", 1, 1), delete_subject("s", 2), tombstone("s", 1),
        (key("MODE"), b'{"mode":"READONLY"}'), (key("MODE"), b'{"mode":"READWRITE"}'),
        (key("MODE", "s"), b'{"mode":"READONLY"}'), (key("MODE", "s"), None),
    ]  # fmt: skip
    at_each = [
        held_and_refused(entries_of(*records[: end + 1]), "redpanda")[0] for end in range(len(records))
    ]
    assert [live(held) for held in at_each[1:4]] == [{"s/1": True}, {"s/1": False}, {}]
    assert [held.get("mode ", {}).get("mode") for held in at_each[4:6]] == ["READONLY", "READWRITE"]
    assert ["mode s" in held for held in at_each[6:]] == [True, False]


ANSWERS = [
    ("confluent-765-lifecycle", "confluent", "registry-state.json"),
    ("confluent-765-lifecycle-compacted", "confluent", "registry-state.json"),
    ("confluent-765-two-leaders", "confluent", "registry-state-blue.json"),
    ("confluent-765-two-leaders", "confluent", "registry-state-green.json"),
    ("karapace-390-lifecycle", "karapace", "registry-state.json"),
    ("karapace-390-two-masters", "karapace", "registry-state-node-127.0.0.2.json"),
    ("karapace-390-two-masters", "karapace", "registry-state-node-127.0.0.3.json"),
    ("redpanda-read-by-others", "confluent", "registry-state-confluent.json"),
    ("redpanda-read-by-others", "karapace", "registry-state-karapace.json"),
    ("redpanda-read-by-others", "redpanda", "registry-state.json"),
    ("redpanda-sim", "redpanda", "registry-state.json"),
]


@pytest.mark.wide
@pytest.mark.parametrize(("case", "profile", "answer"), ANSWERS)
def test_real_registries_gave_the_same_versions_texts_and_settings(
    case: str, profile: str, answer: str
) -> None:
    held, _ = held_and_refused(real_entries(case), profile)
    truth = json.loads((CORPUS / case / answer).read_text())
    ids = {name[7:]: row["id"] for name, row in held.items() if name.startswith("schema ")}
    subjects = {**truth.get("deleted_subjects", {}), **truth["subjects"]}
    told = {f"{subject}/{number}": row for subject, rows in subjects.items() for number, row in rows.items()}
    assert ids == {name: row["id"] for name, row in told.items()}
    assert live(held) == {name: row.get("live", not row.get("deleted")) for name, row in told.items()}
    assert texts_of(case, held) == {
        name: sorted_hash(row["schema"])
        for name, row in told.items()
        if row.get("schemaType", "AVRO") == "AVRO"
    }
    levels = {name[7:]: row["compatibility"] for name, row in held.items() if name.startswith("config ")}
    default = {"": "BACKWARD"} if profile != "redpanda" else {}
    assert {**default, **levels} == {name: level_of(row) for name, row in truth["config"].items()}


def level_of(row: Any) -> str:
    """A level as REST tells it, or as the simulation does."""
    return str(row["compatibilityLevel"] if isinstance(row, dict) else row)


def texts_of(case: str, held: dict[str, Any]) -> dict[str, str]:
    """Avro texts that hold, with their members sorted: services print them in orders of their own."""
    rows = [json.loads(row) for row in real_entries(case).column("attributes").to_pylist()]
    sorted_of = {row["schemaHash"]: row["textHash"] for row in rows if "schemaHash" in row}
    return {
        name[7:]: sorted_of[row["schemaHash"]]
        for name, row in held.items()
        if name.startswith("schema ") and row["schemaType"] == "AVRO"
    }
