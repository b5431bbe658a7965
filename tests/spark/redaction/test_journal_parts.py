"""Where attributes come from, as the lists say it, against the dialects that make them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.codecs.kafka_topics import consumer_offsets, mirror_maker, share_group_state
from spark.dialects import dialects
from spark.dialects.apicurio_v2.message_types import MESSAGE_TYPES
from spark.dialects.apicurio_v3.interpret import read_record as read_v3
from spark.dialects.schema_registry.interpret import read_record as read_schema
from spark.redaction import Options
from spark.redaction.house_words import house_words
from spark.redaction.journal_parts import JOURNAL_PARTS
from spark.redaction.masking.masks import ShareMasks
from spark.redaction.shown_bytes import ShownBytes
from spark.redaction.shown_members import ShownMembers
from spark.redaction.shown_names import ShownNames

KEYS_ARE_DATA = {"streams-joins", "streams-suppress", "streams-versioned", "streams-windows"}


def fields(*forms: Any) -> set[str]:
    return {field.name for form in forms for field in form.fields}


KEY_MEMBERS = {
    "apicurio-v2": {name for kind in MESSAGE_TYPES.values() for name in kind.allowed},
    "consumer-offsets": fields(*consumer_offsets.KEYS.values()),
    "mirror-maker": fields(*(kind.key for kind in mirror_maker.KINDS)),
    "share-group-state": fields(share_group_state.KEY),
}


def test_every_dialect_that_reads_entries_says_where_they_come_from() -> None:
    assert {name for name, one in dialects().items() if one.interpret} == JOURNAL_PARTS.keys() | KEYS_ARE_DATA


@pytest.mark.parametrize("dialect", KEY_MEMBERS)
def test_members_of_keys_are_known_as_such(dialect: str) -> None:
    parts = JOURNAL_PARTS[dialect]
    assert {name for name in KEY_MEMBERS[dialect] if parts.part_of(name) == "value"} == set()


def test_members_of_a_schemas_key_and_headers_are_known_as_such() -> None:
    key = json.dumps({"keytype": "SCHEMA", "subject": ":.c:s", "version": 1, "magic": 1, "seq": 1, "node": 2})
    headers = [(b"X-Origin-Host", b"h"), (b"X-Registry-Version", b"1")]
    _, _, _, members, _ = read_schema(key.encode(), None, headers)
    parts = JOURNAL_PARTS["schema-registry"]
    assert {name: parts.part_of(name) for name, value in members.items() if value is not None} == {
        **dict.fromkeys(
            ("keytype", "subject", "version", "magic", "seq", "node", "keyForm", "context"), "key"
        ),
        **dict.fromkeys(("host", "registryVersion"), "header"),
        "writer": "value",
    }


def test_what_a_registry_of_3_x_reads_out_of_a_header_is_known_as_such() -> None:
    key = json.dumps({"uuid": "u", "messageType": "X"}).encode()
    _, _, _, attributes, _, _ = read_v3(key, b"{}", [{"key": b"mt", "value": b"Unheard"}])
    assert JOURNAL_PARTS["apicurio-v3"].part_of("unknownClass") == "header"
    assert json.loads(attributes or "")["unknownClass"] == "Unheard"


def test_every_kind_that_has_roles_is_a_word_of_ours() -> None:
    kinds = {kind for parts in JOURNAL_PARTS.values() for kind in parts.roles}
    assert kinds - house_words() == set()


def shown(dialect: str, members: dict[str, Any], **options: Any) -> dict[str, Any]:
    chosen, of_topics = Options(b"salt", **options), {"t": dialect}
    names = ShownNames(chosen, of_topics)
    of = ShownMembers(
        chosen, names, ShownBytes(chosen, ShareMasks(chosen.fields, chosen.patterns), of_topics)
    )
    return dict(json.loads(of("t", json.dumps(members))))


HELD = {"groupId": "pay", "version": "3", "contentHash": "ab" * 32, "state": "ENABLED", "password": "x"}


def test_a_member_is_shown_where_its_part_is() -> None:
    both = shown("apicurio-v2", HELD, payloads=True, keys=True)
    assert both == HELD | {"password": "[masked]"}
    value = shown("apicurio-v2", HELD, payloads=True, keys=False)
    assert (value["state"], value["version"]) == ("ENABLED", "3")
    assert value["groupId"].startswith("group-")
    assert value["contentHash"].startswith("hash-")
    key = shown("apicurio-v2", HELD, keys=True)
    assert {**key, "fingerprint": ""} == {"groupId": "pay", "version": "3", "fingerprint": ""}
    assert shown("apicurio-v2", HELD, keys="names") == key
    assert shown("apicurio-v2", HELD, keys="names", names=False).keys() == {"fingerprint"}
    assert shown("apicurio-v2", HELD, keys=False).keys() == {"fingerprint"}


def test_a_word_of_the_registry_in_a_hidden_key_is_no_name() -> None:
    rule = shown("apicurio-v2", {"groupId": "pay", "ruleType": "VALIDITY"}, payloads=True, keys=False)
    assert rule["ruleType"] == "VALIDITY"
    assert rule["groupId"].startswith("group-")
    invented = shown("apicurio-v2", {"ruleType": "Payroll"}, payloads=True, keys=False)
    assert invented["ruleType"].startswith("rule-")


def test_of_a_dialect_that_says_nothing_members_need_both_parts() -> None:
    assert shown("streams-windows", {"key": "k"}, payloads=True, keys=False).keys() == {"fingerprint"}
    assert shown("streams-windows", {"key": "k"}, keys=True).keys() == {"fingerprint"}
    assert shown("streams-windows", {"key": "k"}, payloads=True, keys=True) == {"key": "k"}
