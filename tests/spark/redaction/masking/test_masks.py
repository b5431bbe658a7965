"""What masks find in JSON, in JSON within JSON, behind a prefix and in plain text; and what they leave alone."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from spark.redaction.masking.fields import FieldPaths
from spark.redaction.masking.masks import BINARY, MASKED, ShareMasks
from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS, problems

DEFAULTS = ShareMasks(DEFAULT_FIELDS, DEFAULT_PATTERNS)


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
    assert FieldPaths((wanted,)).means(tuple(path.split("."))) is is_meant


def test_a_member_whose_name_holds_dots_is_meant_by_them() -> None:
    assert FieldPaths(("**.sasl.jaas.config",)).means(("config", "sasl.jaas.config"))


@pytest.mark.parametrize(
    "name", ["sasl.jaas.config", "producer.override.sasl.jaas.config", "SASL_JAAS_CONFIG"]
)
def test_a_jaas_setting_is_masked_in_text_and_other_options_called_config_are_not(name: str) -> None:
    assert DEFAULTS.text(f"--add-config {name}=module") == f"--add-config {name}={MASKED}"
    for option in (
        "--add-config min.compaction.lag.ms=1,max.compaction.lag.ms=1",
        "--delete-config min.compaction.lag.ms",
    ):
        assert DEFAULTS.text(option) == option


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
    told = ShareMasks((), ("[0-9]{16}",)).payload(b'{"card": 4111111111111111}')
    assert json.loads(told) == {"card": MASKED}


def test_what_is_no_text_is_hidden_whole_and_only_then() -> None:
    assert DEFAULTS.payload(b"\xff\xfe password") == BINARY
    assert ShareMasks((), ()).payload(b"\xff\xfe") == b"\xff\xfe"


def test_a_deep_nest_is_cut_off_and_not_followed_to_the_end() -> None:
    value = b'{"a":' * 80 + b'"hunter2"' + b"}" * 80
    assert b"hunter2" not in DEFAULTS.payload(value)


def in_base64(value: Any) -> str:
    return base64.b64encode(value.encode() if isinstance(value, str) else json.dumps(value).encode()).decode()


SECRET = {"password": "hunter2", "kept": "orders"}
MASKED_SECRET = {"password": MASKED, "kept": "orders"}


@pytest.mark.parametrize(
    "written",
    [
        in_base64(SECRET),
        in_base64(SECRET).rstrip("="),
        "\r\n".join([in_base64(SECRET)[:20], in_base64(SECRET)[20:], ""]),
        f'"{in_base64(SECRET)}"',
        base64.urlsafe_b64encode(json.dumps(SECRET | {"x": "???>>>"}).encode()).decode(),
    ],
    ids=["padded", "without padding", "in lines", "in quotes", "alphabet of addresses"],
)
def test_a_value_that_is_base64_is_masked_within(written: str) -> None:
    told = DEFAULTS.payload(written.encode()).decode().strip('"')
    assert json.loads(base64.b64decode(told)).items() >= MASKED_SECRET.items()


def test_a_string_in_base64_is_masked_by_the_path_that_leads_through_it() -> None:
    masks = ShareMasks(("content.pass*",), ())
    told = json.loads(masks.payload(json.dumps({"content": in_base64(SECRET), "id": 7}).encode()))
    assert (json.loads(base64.b64decode(told["content"])), told["id"]) == (MASKED_SECRET, 7)
    other = json.dumps({"elsewhere": in_base64(SECRET)}).encode()
    assert masks.payload(other) == other


def test_text_in_base64_is_searched_for_patterns() -> None:
    told = DEFAULTS.payload(in_base64("write to jane.doe@example.org now").encode())
    assert base64.b64decode(told).decode() == f"write to {MASKED} now"


def test_two_layers_of_base64_are_looked_into_and_a_third_is_not() -> None:
    twice, thrice = in_base64(in_base64(SECRET)), in_base64(in_base64(in_base64(SECRET)))
    told = DEFAULTS.payload(twice.encode())
    assert json.loads(base64.b64decode(base64.b64decode(told))) == MASKED_SECRET
    assert DEFAULTS.payload(thrice.encode()) == thrice.encode()


@pytest.mark.parametrize(
    "text",
    [
        in_base64("a@b.cd"),
        base64.b64encode(b"\xff\xfe password=x").decode(),
        in_base64({"name": "orders"}),
        "x" * 9,
    ],
    ids=["eight characters", "no text within", "nothing to mask within", "no base64"],
)
def test_base64_with_nothing_to_mask_stays_as_it_is(text: str) -> None:
    assert DEFAULTS.payload(json.dumps({"content": text}).encode()) == json.dumps({"content": text}).encode()


def test_masks_that_cannot_work_are_named() -> None:
    assert problems(["config.password", "**.token"], [r"\d{16}"]) == []
    assert [one.split(" is ")[0] for one in problems(["a b", ".x"], ["("])] == ["“a b”", "“.x”", "“(”"]
    assert "hide everything" in problems([], ["x*"])[0]
