"""What a record shows of its key."""

from __future__ import annotations

import pytest

from spark.tables.evidence import what_it_shows
from spark.terms.marked import plain

RECORD = dict.fromkeys(
    ("previous_offset", "superseded_by", "control_type", "attributes", "decode_error"), None
) | {"kind": "create", "key_is_null": False}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({}, "first record of its key"),
        ({"kind": "tombstone"}, "deletes its key"),
        ({"key_is_null": True}, "no key in this file"),
        ({"key_is_null": True, "kind": "tombstone"}, "no key and no value in this file"),
        ({"key_is_null": True, "kind": "control", "control_type": "commit"}, "control record: commit"),
    ],
)
def test_a_record_without_a_key_is_not_the_first_of_one(record: dict[str, object], words: str) -> None:
    assert plain(what_it_shows(RECORD | record)) == words
