"""Strings of every length around the blocks that they are read in, with an escape, a high byte or a fault at every place."""

from __future__ import annotations

import json
from random import Random

import numpy as np
import pytest

from spark.runtime.byte_blocks import BLOCK
from spark.sources._json import scan, strings
from spark.sources._json.spans import Spans, to_bytes

SPECIAL = [
    '\\"',
    "\\\\",
    "\\n",
    "\\u0041",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\u00e9",
    "\u20ac",
    "\U0001f600",
    "\ufffd",
]
LONGEST = 2 * BLOCK + 9


def skipped(text: bytes) -> tuple[int, int, int]:
    """The string that begins here, its quote left out: position after its end, flags, status."""
    return scan.skip_string(np.frombuffer(text, np.uint8), 0, len(text))


def flags(text: str) -> int:
    raw = text.encode()
    escaped_high = any(f"\\u{number}" in text for number in ("00e9", "d83d"))
    return (
        (scan.HIGH if any(b > 127 for b in raw) else 0)
        | (scan.ESCAPES if b"\\" in raw else 0)
        | (scan.HIGH_ESCAPES if escaped_high else 0)
    )


def written(text: str, reading: int = strings.UTF_8) -> bytes:
    raw = np.frombuffer(text.encode(), np.uint8)
    one = (np.array([value]) for value in (0, len(raw)))
    kinds = np.array([scan.STRING | flags(text)], np.uint8)
    return to_bytes(Spans(raw, kinds, *one), reading).column[0].as_py()


@pytest.mark.parametrize("special", SPECIAL)
def test_a_special_character_at_every_place(special: str) -> None:
    for before in range(LONGEST):
        text = "a" * before + special + "b" * (LONGEST - before)
        raw = text.encode()
        for behind in (
            b'"',
            b'"' + "\u00e9".encode() * 40,
        ):  # a high byte behind the quote is no flag of the string
            assert skipped(raw + behind) == (len(raw) + 1, flags(text), scan.OK), before
        assert written(text) == json.loads(f'"{text}"').encode()


@pytest.mark.parametrize("size", range(LONGEST))
def test_a_line_feed_a_bad_escape_or_the_end_at_every_place(size: int) -> None:
    start, more = b"a" * size, b"b" * LONGEST + b'"'
    assert skipped(start + b"\n" + more)[::2] == (size, scan.BAD)
    assert skipped(start + b"\\x" + more)[::2] == (size, scan.BAD)
    assert skipped(start + b"\\u00g0" + more)[::2] == (size, scan.BAD)
    for cut in (b"", b"\\", b"\\u", b"\\u00e"):
        assert skipped(start + cut)[::2] == (size + len(cut), scan.MORE)


def test_any_mixture_is_read_as_json_reads_it() -> None:
    chance = Random(7)
    for _ in range(2_000):
        pieces = chance.choices([*SPECIAL, "a", "bc", "d" * 20, "e" * BLOCK], k=chance.randrange(12))
        text = "".join(pieces)
        raw = text.encode()
        assert skipped(raw + b'" and more than a block behind it, \\x too') == (
            len(raw) + 1,
            flags(text),
            scan.OK,
        )
        assert written(text) == json.loads(f'"{text}"').encode()


def test_latin_letters_become_bytes_at_every_place() -> None:
    for before in range(LONGEST):
        text = "a" * before + "\u00e9" + "b" * (LONGEST - before)
        assert written(text, strings.LATIN_1) == text.encode("latin-1")
        escaped = "a" * before + "\\u00e9" + "b" * (LONGEST - before)
        assert written(escaped, strings.BYTES) == text.encode("latin-1")
