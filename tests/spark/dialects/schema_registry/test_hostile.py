"""Whatever the bytes are, reading and replaying them never fails."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.spark.dialects.schema_registry.journals import (
    PROFILES,
    Parts,
    compact,
    config,
    delete_subject,
    entries_of,
    held_and_refused,
    key,
    read,
    schema,
)

REFERENCES = [{"name": "m", "subject": "s", "version": 1}]
WHOLE: list[Parts] = [
    schema(), schema("s", 2, 2, "message M {}", schemaType="PROTOBUF", references=REFERENCES, offset=1, ts=2),
    config(seq=2, node=1), delete_subject(seq=3, node=1), (key("MODE"), b'{"mode":"READONLY"}'),
    (key("CLEAR_SUBJECT", "s"), b'{"subject":"s"}'), (key("CONTEXT", context=".c"), b'{"context":".c"}'),
]  # fmt: skip
STRANGE: list[Any] = [None, True, -1, 1 << 63, 1.5, "", "null", "é", [], [1], {}, {"a": []}]
DEEP = b"[" * 500 + b"]" * 500


def survives(records: list[Parts]) -> None:
    """All readers come to an end."""
    entries = entries_of(*records)
    assert entries.num_rows == len(records)
    for profile in PROFILES:
        held_and_refused(entries, profile)


@pytest.mark.parametrize("number", range(len(WHOLE)))
def test_bytes_cut_off_or_turned_over(number: int) -> None:
    random = Random(number)
    for part in (0, 1):
        whole = WHOLE[number][part] or b""
        cut = [whole[:size] for size in range(len(whole))]
        turned = [whole[:at] + bytes([random.randrange(256)]) + whole[at + 1 :] for at in range(len(whole))]
        for portion in (cut, turned):
            survives(
                [(other, WHOLE[number][1]) if part == 0 else (WHOLE[number][0], other) for other in portion]
            )


@pytest.mark.parametrize("number", range(len(WHOLE)))
@pytest.mark.parametrize("part", [0, 1], ids=["key", "value"])
def test_members_of_another_kind_and_missing_ones(number: int, part: int) -> None:
    members = json.loads(WHOLE[number][part] or b"{}")
    for name in members:
        others = [compact({**members, name: strange}) for strange in STRANGE]
        others.append(compact({other: value for other, value in members.items() if other != name}))
        records = [(other, WHOLE[number][1]) if part == 0 else (WHOLE[number][0], other) for other in others]
        survives([record for other in records for record in (schema(), other)])
        for record in records:
            survives([record])


def test_nesting_beyond_all_measure() -> None:
    survives([(key("SCHEMA", "s", 1), b'{"id":1,"schema":"1","references":' + DEEP + b"}")])
    survives([(b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1,"more":' + DEEP + b"}", b"{}")])
    members = read(schema(text=DEEP.decode()))["attributes"]
    assert members["schemaHash"] == members["textHash"]
