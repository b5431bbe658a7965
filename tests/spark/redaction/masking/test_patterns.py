"""Patterns run in linear time, mean what Python's `re` means by them, and are refused with the reason where they cannot run."""

from __future__ import annotations

import re
import time

import pytest

from spark.redaction.masking.masks import MASKED, ShareMasks
from spark.redaction.masking.patterns import Unusable, pattern_of
from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS, problems

DEFAULTS = ShareMasks(DEFAULT_FIELDS, DEFAULT_PATTERNS)
TEXTS = [
    "write to jane.doe@example.org now", "ghp_" + "a" * 30 + " x", "ü AKIA" + "A1" * 8 + " é", "Tab\tx\n٣٤ 12\r\n",
    "-----BEGIN PRIVATE KEY-----\nhunter2", "jörg straße_1 x", "a\nb\n", "K \u212a k \u017f s", "-]^\\x {}()|", "",
]  # fmt: skip
WRITTEN = [
    r"\d+", r"\bé\w+", "(?i)k", r"[^\W\d]+", r"[\W]+", "^b$", "(?m)^b$", "(?x) a  b # c", "(?P<x>a)b?", r"[\]\-^\\]",
    r"\Aa", ".+", "(?s).+", r"\s+", r"[\S]{2,3}?", r"\Bb", r"(?s:.)\Z", r"[^\D]+", "(?a)\\w+", "(?i:S)", "a|b|", "[^a-y]",
    r"\u00fc", "x{2,}|o{1}", r"[^\Wa-f]+", r"(?i)straSSe|\u017f",
]  # fmt: skip


@pytest.mark.parametrize("pattern", [*DEFAULT_PATTERNS, *WRITTEN])
@pytest.mark.parametrize("text", TEXTS)
def test_a_pattern_finds_what_pythons_re_finds(pattern: str, text: str) -> None:
    assert list(pattern_of(pattern).spans(text)) == [found.span() for found in re.finditer(pattern, text)]


def test_a_boundary_beside_letters_that_are_not_ascii_hides_no_less() -> None:
    assert MASKED in ShareMasks((), (r"\b\w{6}\b",)).text("größen")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=a)b", "looks ahead"), ("(?<!a)b", "looks ahead or behind"), (r"(a)\1", "refers to a group"),
        ("(?P<x>a)(?P=x)", "refers to a group"), ("a++b", "repeats possessively"), ("(?>a)b", "atomic group"),
        ("(a)?(?(1)b|c)", "depends on a group"), ("a{2000}", "more than 1,000 times"), ("(", "missing )"),
        ("((a{100}){100}){100}", "RE2"), ("a" * 3000, "more than 2,000 characters"),
    ],
)  # fmt: skip
def test_what_cannot_run_in_linear_time_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(Unusable, match=re.escape(reason)):
        pattern_of(pattern)
    assert reason in problems([], [pattern])[0]


@pytest.mark.parametrize(
    "value",
    [
        "a" * 40_000, "ab1f" * 40_000, "a" * 1_000_000, " " * 200_000, '{"a":' * 40_000, "[" * 200_000, "\\" * 200_000,
        "a@" * 20_000, "<a x=\"" * 30_000, "-----BEGIN PRIVATE KEY-----" * 4_000, "password=" + "=" * 200_000,
        "insert into " * 20_000, "password=" + "(" * 100_000, "%25" * 50_000,
    ],
    ids=lambda value: f"{value[:12]}…{len(value)}",
)  # fmt: skip
def test_the_default_masks_take_no_seconds_for_any_text(value: str) -> None:
    began = time.process_time()
    DEFAULTS.payload(value.encode())
    assert time.process_time() - began < 1


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "a*a*a*a*a*b", "([a-z]+)*@"])
def test_patterns_that_never_end_elsewhere_end_here(pattern: str) -> None:
    began = time.process_time()
    ShareMasks((), (pattern,)).payload(b"a" * 20_000 + b"!")
    assert time.process_time() - began < 2


def test_a_text_that_takes_too_long_all_the_same_is_hidden_whole() -> None:
    began = time.process_time()
    assert ShareMasks((), ("a.*b|a",)).payload(b"a" * 400_000) == MASKED.encode()
    assert time.process_time() - began < 10


def test_paths_with_many_stars_take_no_longer() -> None:
    masks = ShareMasks((".".join(["**"] * 12 + ["x"]), "*a*a*a*a*a*a*b"), ())
    value = '{"' + "a" * 5000 + '":' * 1 + '{"a":' * 50 + "1" + "}" * 51
    began = time.process_time()
    masks.payload(value.encode())
    assert time.process_time() - began < 1


def test_a_member_that_takes_too_long_is_masked_and_breaks_nothing() -> None:
    began = time.process_time()
    told = ShareMasks((), ("a.*b|a",)).payload(b'{"x": "' + b"a" * 200_000 + b'"}')
    assert told.startswith(b'{"x":')
    assert b"aaaa" not in told
    assert time.process_time() - began < 20
