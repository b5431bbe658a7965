"""JSON as Jackson prints it."""

from __future__ import annotations

import pytest

from spark.dialects.apicurio_v2.canonical import json_text


def canonical(content: str) -> str:
    document = json_text.parsed(content.encode())
    assert document
    return json_text.text(document.value).decode()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{ "b": [3, 1], "a": {"d": null, "c": true} }', '{"a":{"c":true,"d":null},"b":[3,1]}'),
        ('{"ä": "é/", "a": "\\u00e9"}', '{"a":"é","ä":"é/"}'),
        ('"a\\u001f\\n\\u007f"', '"a\\u001F\\n\x7f"'),
        ('"\\\\u001f"', '"\\\\u001f"'),
        ("[1.0, 0.001, 1e7, 12345678.9, 1e-4, 1.5e300, -2.5E-9]", "[1.0,0.001,1.0E7,1.23456789E7,1.0E-4,1.5E300,-2.5E-9]"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('{"\\uffff": 1, "\\ud83d\\ude00": 2}', '{"\U0001f600":2,"\uffff":1}'),
        ('{"a": 1, "a": 2}', '{"a":2}'),
    ],
    ids=["order", "letters", "control characters", "an escaped backslash", "fractions", "large", "UTF-16 order", "twice"],
)  # fmt: skip
def test_members_numbers_and_characters(content: str, text: str) -> None:
    assert canonical(content) == text


@pytest.mark.parametrize("content", ["{}", '{"b":1,"a":["x",{"d":2,"c":3}]}', '"é"', "[]"])
def test_the_quick_way_gives_the_same(content: str) -> None:
    document = json_text.parsed(content.encode())
    assert document
    assert json_text.quick_text(document.value) == json_text.text(document.value)


def test_fractions_are_doubtful_and_whole_numbers_are_not() -> None:
    assert json_text.parsed(b"[1]") == json_text.Document([1], False)
    assert json_text.parsed(b"[1.5]") == json_text.Document([1.5], True)
    assert json_text.parsed(b"{") is None
