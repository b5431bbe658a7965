"""Records to entries: every historical form of an action, every kind of nonsense."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from spark.dialects.apicurio_v2.interpret import interpret
from spark.tables import ENTRIES
from tests.builders import records_table
from tests.generator.apicurio import healthy, incident
from tests.spark.apicurio_journals import (
    content_value,
    generated,
    json_record,
    real_cases,
    real_journal,
    records_of,
)

KEY = json_record(2, {"tenantId": "_", "contentHash": "ab", "contentId": 7})


def entry(key: bytes | None, value: bytes | None) -> dict[str, Any]:
    """The one entry of one record."""
    (row,) = interpret(records_of([(0, key, value)])).to_pylist()
    return row


def members(row: dict[str, Any]) -> dict[str, Any]:
    """Its attributes."""
    found: dict[str, Any] = json.loads(row["attributes"])
    return found


def test_control_records_have_no_entry() -> None:
    records = records_table(
        {"key": KEY, "value": None}, {"control_type": "commit"}, {"key": KEY, "value": None}
    )
    entries = interpret(records)
    assert entries.column("offset").to_pylist() == [0, 2]
    assert entries.schema == ENTRIES.schema


@pytest.mark.parametrize(
    "action", [1, "Create", "CREATE", "create"], ids=["2.1.4 on", "2.0", "2.1.0 to 2.1.3", "lower case"]
)
def test_an_action_in_any_of_its_forms_is_one_word(action: object) -> None:
    row = entry(json_record(1, {"ruleType": "VALIDITY"}), json_record(1, {"action": action}))
    assert (row["entry_type"], row["entry_action"], row["decode_error"]) == ("GlobalRule", "create", None)


def test_an_update_without_content_says_so() -> None:
    row = entry(KEY, content_value(2, b"", b"[]"))
    assert (row["entry_action"], members(row)["has_content"], members(row)["content_size_bytes"]) == (
        "update",
        False,
        0,
    )


def test_content_itself_is_left_out() -> None:
    row = entry(KEY, content_value(1, b"message Secret {}", None))
    assert members(row)["content_size_bytes"] == 17
    assert "Secret" not in row["attributes"]
    assert "references" not in members(row)


def test_base64_of_the_newer_form_is_sized_without_decoding() -> None:
    value = {"action": 8, "contentHash": "ab", "canonicalContentHash": "cd", "base64Content": "bWVzc2FnZQ=="}
    row = entry(json_record(17, {"tenantId": "_", "contentId": 7}), json_record(17, value))
    assert (row["entry_type"], row["entry_action"]) == ("ContentV2", "create_or_update")
    assert {k: members(row)[k] for k in ("canonicalHash", "content_size_bytes", "has_content")} == {
        "canonicalHash": "cd",
        "content_size_bytes": 7,
        "has_content": True,
    }


@pytest.mark.parametrize(
    ("key", "value", "action"),
    [
        (json_record(0, {"bootstrapId": "x"}), None, "restart"),
        (json_record(18, {"uuid": "compact"}), json_record(18, {"action": 9}), "restart"),
        (json_record(3, {"artifactId": "a", "uuid": "u"}), None, "tombstone"),
    ],
    ids=["Bootstrap", "Upgrader", "failed create"],
)
def test_restarts_and_tombstones_are_told_apart(key: bytes, value: bytes | None, action: str) -> None:
    assert entry(key, value)["entry_action"] == action


def test_the_default_group_and_a_tenant_show_in_the_entity() -> None:
    assert (
        entry(json_record(3, {"tenantId": "_", "artifactId": "a", "uuid": "u"}), None)["entity_id"]
        == "default/a"
    )
    key = json_record(3, {"tenantId": "t1", "groupId": "g", "artifactId": "a", "uuid": "u"})
    assert entry(key, None)["entity_id"] == "t1/g/a"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (None, b"x", "no key"),
        (b"", b"x", "no key"),
        (b"\x63{}", b"x", "byte 99"),
        (b"\x01{", b"x", "not JSON"),
        (b"\x01[1]", b"x", "not an object"),
        (KEY, b"", "empty (0 bytes), not null"),
        (KEY, b"\x03{}", "type byte 3"),
        (KEY, content_value(1, b"abc")[:20], "claims 64 bytes"),
        (KEY, content_value(99, b"abc"), "action 99"),
        (json_record(1, {"ruleType": "V"}), json_record(1, {"action": "FLY"}), "'FLY'"),
    ],
    ids=[
        "null",
        "empty",
        "unknown type",
        "cut",
        "array",
        "empty value",
        "other type",
        "cut content",
        "flown",
        "fly",
    ],
)
def test_what_cannot_be_read_is_said_in_words(key: bytes | None, value: bytes, words: str) -> None:
    row = entry(key, value)
    assert words in row["decode_error"]
    assert row["entry_action"] is None


def test_no_bytes_make_it_raise() -> None:
    rng = random.Random(11)
    whole = [
        (KEY, content_value(1, b"abc", b"[]")),
        (json_record(3, {"artifactId": "a"}), json_record(3, {"action": 1})),
    ]
    records = []
    for offset in range(3000):
        key, value = (bytearray(part) for part in rng.choice(whole))
        for part in (key, value):
            part[rng.randrange(len(part))] = rng.randrange(256)
            del part[rng.randrange(1, len(part) + 1) :]
        records.append((offset, bytes(key), bytes(value)))
    assert interpret(records_of(records)).num_rows == 3000


def test_deep_json_is_no_way_to_stop_it() -> None:
    deep = b'\x01{"ruleType":' + b"[" * 900 + b"]" * 900 + b"}"
    assert entry(deep, None)["entry_type"] == "GlobalRule"


@pytest.mark.parametrize("journal", [healthy(seed=1), incident(seed=2)], ids=["healthy", "incident"])
def test_generated_journals_are_read_whole(journal: Any) -> None:
    entries = interpret(generated(journal))
    assert entries.column("decode_error").null_count == len(journal.stored)


@pytest.mark.parametrize("case", real_cases())
def test_real_journals_are_read_whole(case: str) -> None:
    entries = interpret(real_journal(case))
    assert entries.column("decode_error").null_count == entries.num_rows
