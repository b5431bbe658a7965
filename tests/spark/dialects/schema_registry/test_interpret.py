"""Records of `_schemas` as entries: forms of keys, actions, what cannot be read, real journals."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.spark.dialects.schema_registry.journals import (
    CORPUS,
    TEXT,
    compact,
    config,
    delete_subject,
    hash_of,
    key,
    read,
    real_cases,
    real_entries,
    schema,
    sorted_hash,
    tombstone,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (b'{"subject":"S","version":1,"magic":0,"keytype":"SCHEMA"}', "old"),
        (b'{"subject":"S","version":1,"magic":1,"keytype":"SCHEMA"}', "old"),
        (b'{"subject":null,"magic":0,"keytype":"CONFIG"}', "old"),
        (b'{"magic":0,"keytype":"NOOP"}', "old"),
        (b'{"keytype":"SCHEMA","subject":"S","version":1,"magic":1}', "canonical"),
        ('{"keytype":"SCHEMA","subject":"größe","version":1,"magic":1}'.encode(), "canonical"),
        (b'{"keytype":"SCHEMA","subject":"gr\\u00f6\\u00dfe","version":1,"magic":1}', "canonical"),
        (b'{"keytype":"SCHEMA","subject":"a, b\\": c","version":1,"magic":1}', "canonical"),
        (b'{"keytype":"CONFIG","subject":null,"magic":0}', "canonical-null-subject"),
        (b'{"keytype":"CONFIG","magic":0}', "canonical"),
        (b'{"keytype":"NOOP","magic":0}', "canonical"),
        (b'{"keytype":"CONTEXT","tenant":"default","context":".ctx","magic":0}', "canonical"),
        (b'{"keytype":"SCHEMA","subject":"S","version":1,"magic":1,"seq":42,"node":2}', "redpanda"),
        (b'{"keytype":"CONFIG","subject":null,"magic":0,"seq":0,"node":0}', "redpanda"),
        (b'{"keytype": "SCHEMA", "subject": "S", "version": 1, "magic": 1}', "pretty"),
        (b'{\n  "keytype": "CONFIG",\n  "magic": 0\n}', "pretty"),
        (b'{"magic":1,"keytype":"SCHEMA","subject":"S","version":1}', "other"),
        (b'{"keytype":"SCHEMA","seq":1,"node":1,"subject":"S","version":1,"magic":1}', "other"),
    ],
)
def test_a_key_has_the_form_of_the_software_that_wrote_it(text: bytes, form: str) -> None:
    assert read((text, None))["attributes"]["keyForm"] == form


@pytest.mark.parametrize(
    ("record", "kind", "action", "entity"),
    [
        (schema("s", 2), "SCHEMA", "register", "s/2"),
        (schema("s", 2, deleted=True), "SCHEMA", "soft-delete", "s/2"),
        (tombstone("s", 2), "SCHEMA", "delete", "s/2"),
        (tombstone("s", 2, empty=True), "SCHEMA", "empty", "s/2"),
        (config("s"), "CONFIG", "set", "s"),
        (config(None), "CONFIG", "set", ""),
        (config("s", None), "CONFIG", "delete", "s"),
        ((key("MODE", "s"), b'{"subject":"s","mode":"READONLY"}'), "MODE", "set", "s"),
        (delete_subject("s", 3), "DELETE_SUBJECT", "delete-subject", "s"),
        ((key("CLEAR_SUBJECT", "s"), b'{"subject":"s"}'), "CLEAR_SUBJECT", "clear-subject", "s"),
        ((key("NOOP"), None), "NOOP", "restart", ""),
        ((key("NOOP"), b""), "NOOP", "restart", ""),
        (
            (key("CONTEXT", tenant="default", context=".c"), b'{"tenant":"default","context":".c"}'),
            "CONTEXT",
            "set",
            "",
        ),
        ((key("ASSOC", "s"), b'{"lifecycle":"STRONG"}'), "ASSOC", "set", "s"),
    ],
)
def test_an_entry_says_what_it_does_to_what(
    record: tuple[bytes, bytes | None], kind: str, action: str, entity: str
) -> None:
    entry = read(record)
    assert (entry["entry_type"], entry["entry_action"], entry["entity_id"]) == (kind, action, entity)
    assert entry["decode_error"] is None


def test_a_schema_keeps_its_members_and_the_hashes_of_its_text() -> None:
    spaced = '{ "name": "Order", "type": "record", "fields": [] }'
    references = [{"name": "a", "subject": "a", "version": 1}]
    members = read(schema(":.team:s", 3, 7, spaced, references=references))["attributes"]
    assert (members["id"], members["schemaType"], members["references"]) == (7, "AVRO", references)
    assert members["schemaHash"] == hash_of(spaced) != members["textHash"]
    assert members["textHash"] == sorted_hash(TEXT)
    assert (members["context"], members["schema_size_bytes"]) == (".team", len(spaced))


def test_a_protobuf_text_has_one_hash() -> None:
    members = read(schema(text='syntax = "proto3";', schemaType="PROTOBUF"))["attributes"]
    assert members["schemaHash"] == members["textHash"]
    assert "isNotJson" not in members


def test_the_mark_of_a_rollback_and_members_that_redpanda_does_not_know_are_told() -> None:
    members = read(schema(offset=4, ts=1700))["attributes"]
    assert (members["cachedOffset"], members["cachedTs"]) == (4, 1700)
    assert members["unknownFields"] == ["offset", "ts"]
    assert read((key("CONFIG", "s", tenant="t"), b"{}"))["attributes"]["unknownFields"] == ["tenant"]
    assert "unknownFields" not in read(schema(metadata={"properties": {}}))["attributes"]


def test_headers_of_karapace_name_host_and_version() -> None:
    entry = read(schema(), headers={b"X-Origin-Host": b"10.0.0.1", b"X-Registry-Version": b"karapace-3.9.0"})
    assert entry["attributes"]["host"] == "10.0.0.1"
    assert entry["attributes"]["registryVersion"] == "karapace-3.9.0"
    assert entry["attributes"]["writer"] == "karapace"


def test_a_value_about_another_subject_than_its_key_is_told() -> None:
    value = compact({"subject": "other", "version": 9, "id": 1, "schema": TEXT})
    members = read((key("SCHEMA", "s", 1), value))["attributes"]
    assert (members["valueSubject"], members["valueVersion"]) == ("other", 9)


FATAL, SKIPPED, TOMBSTONE, APPLIED = "fatal", "skipped", "tombstone", "applied"


@pytest.mark.parametrize(
    ("record", "kind", "effects", "words"),
    [
        ((None, b"{}"), None, (FATAL, FATAL, SKIPPED), "no key"),
        ((b"not json", b"{}"), None, (SKIPPED, FATAL, SKIPPED), "not JSON"),
        ((b"[1]", b"{}"), None, (SKIPPED, FATAL, SKIPPED), "not an object"),
        ((b'{"keytype":"WEIRD","magic":0}', b"{}"), None, (FATAL, SKIPPED, SKIPPED), "'WEIRD'"),
        ((b'{"magic":0}', b"{}"), None, (FATAL, SKIPPED, SKIPPED), "no keytype"),
        ((key("SCHEMA", "s"), b"{}"), "SCHEMA", (SKIPPED, FATAL, SKIPPED), "no subject and version"),
        ((key("SCHEMA", "s", 1), b"{"), "SCHEMA", (SKIPPED, FATAL, SKIPPED), "not JSON"),
        ((key("SCHEMA", "s", 1), b'{"id":1}'), "SCHEMA", (SKIPPED, FATAL, SKIPPED), "schema text"),
        ((key("SCHEMA", "s", 1), b'{"schema":"1"}'), "SCHEMA", (SKIPPED, FATAL, SKIPPED), "schema ID"),
        ((key("SCHEMA", "s", 1), b"null"), "SCHEMA", (TOMBSTONE, FATAL, TOMBSTONE), "text null"),
        ((key("SCHEMA", "s", 1), b'""'), "SCHEMA", (SKIPPED, FATAL, TOMBSTONE), 'text ""'),
        (config(level="SOME"), "CONFIG", (SKIPPED, FATAL, SKIPPED), "'SOME'"),
        ((key("MODE"), b'{"mode":"OFF"}'), "MODE", (SKIPPED, FATAL, SKIPPED), "'OFF'"),
        (
            (schema()[0].replace(b'"magic":1', b'"magic":2'), schema()[1]),  # type: ignore[union-attr]
            "SCHEMA",
            (SKIPPED, FATAL, APPLIED),
            "magic 2",
        ),
    ],
)
def test_what_cannot_be_read_says_why_and_what_each_registry_does(
    record: Any, kind: str | None, effects: tuple[str, str, str], words: str
) -> None:
    entry = read(record)
    assert entry["entry_type"] == kind
    assert entry["attributes"]["effects"] == dict(
        zip(("confluent", "redpanda", "karapace"), effects, strict=True)
    )
    assert words in entry["decode_error"]


def test_the_effect_is_that_of_the_registry_whose_journal_it_is() -> None:
    weird = (b'{"keytype":"WEIRD","magic":0}', b"{}")
    assert read(weird)["attributes"]["effect"] == FATAL
    entry = read(schema(in_key={"seq": 0, "node": 1}), weird)
    assert entry["attributes"]["effect"] == SKIPPED
    assert entry["decode_error"].endswith("Redpanda's schema registry skips the record.")


def test_numbers_that_json_cannot_hold_do_not_end_the_reading() -> None:
    entry = read((key("SCHEMA", "s", 1), b'{"id":1,"schema":"{}","offset":' + b"9" * 40 + b"}"))
    assert entry["entity_id"] == "s/1"


@pytest.mark.parametrize("case", real_cases())
def test_real_journals_are_read_as_they_were_written(case: str) -> None:
    entries = real_entries(case).to_pylist()
    truth = json.loads((CORPUS / case / "case.json").read_text())["truth"]
    by_type = Counter(row["entry_type"] for row in entries)
    known = {name: count for name, count in truth.get("key_types", by_type).items() if name in by_type}
    assert {name: by_type[name] for name in known} == known
    empty = [row["offset"] for row in entries if row["entry_action"] == "empty"]
    assert empty == truth.get("empty_value_offsets", empty)
    unreadable = [row["offset"] for row in entries if row["decode_error"]]
    expected = {"confluent-765-unknown-keytype": [3], "confluent-765-key-not-json": [3]}
    assert unreadable == expected.get(case, [])
