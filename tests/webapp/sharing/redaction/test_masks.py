"""What masks find in JSON, in JSON within JSON, behind a prefix and in plain text; and what they leave alone."""

from __future__ import annotations

import json

import pytest

from webapp.sharing.redaction.masks import BINARY, MASKED, Masks, fits
from webapp.sharing.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS, problems

DEFAULTS = Masks(DEFAULT_FIELDS, DEFAULT_PATTERNS)


@pytest.mark.parametrize(
    ("path", "wanted", "is_meant"),
    [
        ("password", "**.password", True),
        ("a.b.password", "**.password", True),
        ("config.password", "config.password", True),
        ("a.config.password", "config.password", False),
        ("config.a.password", "config.*.password", True),
        ("config.a.b.password", "config.*.password", False),
        ("passwords", "**.password", False),
        ("my-password-2", "**.*password*", True),
    ],
)
def test_paths(path: str, wanted: str, is_meant: bool) -> None:
    assert fits(tuple(path.split(".")), tuple(wanted.split("."))) is is_meant


def test_a_member_whose_name_holds_dots_is_meant_by_them() -> None:
    assert fits(("config", "sasl.jaas.config"), ("**", "sasl", "jaas", "config"))


def test_members_are_masked_whatever_their_case_and_type() -> None:
    value = {"PassWord": 12, "deep": [{"token": {"a": 1}}], "name": "orders", "secret": None}
    told = json.loads(DEFAULTS.payload(json.dumps(value).encode()))
    assert told == {"PassWord": MASKED, "deep": [{"token": MASKED}], "name": "orders", "secret": None}


def test_json_within_a_string_and_behind_a_prefix_is_looked_into() -> None:
    inner = json.dumps({"content": json.dumps({"password": "hunter2", "kept": 1})})
    told = DEFAULTS.payload(b"\x02" + inner.encode())
    assert told.startswith(b"\x02{")
    assert b"hunter2" not in told
    assert b"kept" in told


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("write to jane.doe@example.org now", "jane.doe"),
        ("Authorization: Bearer abcdef0123456789", "abcdef0123456789"),
        ("password=hunter2&user=x", "hunter2"),
        ('half of a JSON: {"api_key": "hunter2", "x', "hunter2"),
        ("jdbc://joe:hunter2@db/x", "hunter2"),
        ("-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----", "hunter2"),
        ('{"list": ["mail jane.doe@example.org"]}', "jane.doe"),
    ],
)
def test_text_is_searched_for_patterns(text: str, gone: str) -> None:
    told = DEFAULTS.payload(text.encode()).decode()
    assert gone not in told
    assert MASKED in told


def test_what_holds_nothing_stays_byte_for_byte() -> None:
    value = b'{ "b" : 1,\n "a": [1.0, "\xc3\xa4"] }'
    assert DEFAULTS.payload(value) == value


def test_numbers_fit_patterns_too() -> None:
    told = Masks((), ("[0-9]{16}",)).payload(b'{"card": 4111111111111111}')
    assert json.loads(told) == {"card": MASKED}


def test_what_is_no_text_is_hidden_whole_and_only_then() -> None:
    assert DEFAULTS.payload(b"\xff\xfe password") == BINARY
    assert Masks((), ()).payload(b"\xff\xfe") == b"\xff\xfe"


def test_a_deep_nest_is_cut_off_and_not_followed_to_the_end() -> None:
    value = b'{"a":' * 80 + b'"hunter2"' + b"}" * 80
    assert b"hunter2" not in DEFAULTS.payload(value)


def test_masks_that_cannot_work_are_named() -> None:
    assert problems(["config.password", "**.token"], [r"\d{16}"]) == []
    assert [one.split(" is ")[0] for one in problems(["a b", ".x"], ["("])] == ["“a b”", "“.x”", "“(”"]
    assert "hide everything" in problems([], ["x*"])[0]
