"""What a record shows of its key."""

from __future__ import annotations

import pytest

from spark.tables.evidence import deed_of, what_it_shows
from spark.terms.marked import plain

RECORD = dict.fromkeys(
    (
        "previous_offset",
        "superseded_by",
        "unseen_before",
        "unseen_after",
        "control_type",
        "attributes",
        "decode_error",
    ),
    None,
) | {"kind": "create", "key_is_null": False, "offset": 96}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({}, "only record of its key in this dump"),
        ({"kind": "tombstone"}, "deletes its key"),
        ({"key_is_null": True}, "no key in this file"),
        ({"key_is_null": True, "kind": "tombstone"}, "no key and no value in this file"),
        ({"key_is_null": True, "kind": "control", "control_type": "commit"}, "COMMIT marker"),
        (
            {"key_is_null": True, "kind": "control", "control_type": "leader_change"},
            "control record: leader_change",
        ),
    ],
)
def test_a_record_without_a_key_is_not_the_first_of_one(record: dict[str, object], words: str) -> None:
    assert plain(what_it_shows(RECORD | record)) == words


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"superseded_by": 98}, "first record of its key in this dump; superseded by offset 98"),
        ({"superseded_by": 96}, "first record of its key in this dump; another record has the same offset"),
        ({"kind": "update", "previous_offset": 90}, "supersedes offset 90"),
        ({"kind": "update", "previous_offset": 96}, "another record has the same offset"),
    ],
)
def test_no_record_supersedes_itself(record: dict[str, object], words: str) -> None:
    assert plain(what_it_shows(RECORD | record)) == words


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (
            {"kind": "update", "entry_action": "register", "attributes": '{"cachedOffset":14}'},
            "writes 14 again",
        ),
        (
            {"kind": "update", "entry_action": "register", "attributes": '{"cachedOffset":null}'},
            "sets it again",
        ),
        (
            {"kind": "update", "entry_action": "soft-delete", "attributes": '{"cachedOffset":14}'},
            "deletes it",
        ),
        ({"entry_action": "register"}, "creates it"),
    ],
)
def test_a_record_that_names_another_one_repeats_it(record: dict[str, object], words: str) -> None:
    assert deed_of(RECORD | record) == words


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        (
            {"first_offset": 154, "last_offset": 229, "offsets": 76},
            " (offsets 154-229 between them are missing)",
        ),
        ({"first_offset": 154, "last_offset": 154, "offsets": 1}, " (offset 154 between them is missing)"),
        ({"first_offset": 154, "last_offset": 229, "offsets": 5}, " (5 offsets between them are missing)"),
        (None, ""),
    ],
)
def test_what_is_missing_between_two_records_of_a_key_is_said(
    gaps: dict[str, int] | None, words: str
) -> None:
    """Records of the key may have been among them."""
    update = RECORD | {"kind": "update", "offset": 230, "previous_offset": 119, "superseded_by": 267}
    assert plain(what_it_shows(update | {"unseen_before": gaps})) == (
        f"supersedes offset 119{words}; superseded by offset 267"
    )
    assert plain(what_it_shows(update | {"unseen_after": gaps})) == (
        f"supersedes offset 119; superseded by offset 267{words}"
    )
