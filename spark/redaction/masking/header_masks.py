"""Masks the headers of a record: a value by its header's name, alone, and together with its neighbours.

A credential may be split: its name in one header, `Bearer` in a second, the rest in a third. So patterns are searched in each
`name: value` and in the joined values of all headers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from spark.redaction.masking.masks import BINARY, MASKED, ShareMasks
from spark.redaction.masking.patterns import PatternTooSlow

Header = dict[str, Any]  # key and value, bytes or None
Piece = tuple[int, int, int]  # of put-together text: where a value stands, and whose it is


def masked_headers(masks: ShareMasks, headers: list[Header]) -> list[Header]:
    if not masks.are_any:
        return headers
    names = [_text(header["key"]) for header in headers]
    values = [_text(header["value"]) for header in headers]
    crossing = _crossing(masks, names, values)
    return [
        {
            "key": masks.payload(header["key"]) if header["key"] is not None else None,
            "value": MASKED.encode()
            if at in crossing and header["value"]
            else _value(masks, names[at], header["value"]),
        }
        for at, header in enumerate(headers)
    ]


def _value(masks: ShareMasks, name: str | None, value: bytes | None) -> bytes | None:
    if value is None:
        return None
    return BINARY if name is None else masks.payload(value, (name,))


def _text(data: bytes | None) -> str | None:
    """UTF-8; None for what is none."""
    try:
        return (data or b"").decode().replace("\0", "")
    except UnicodeDecodeError:
        return None


def _crossing(masks: ShareMasks, names: list[str | None], values: list[str | None]) -> set[int]:
    """Headers whose values match a pattern only together with their names or other headers."""
    try:
        return {owner for text, pieces in _together(names, values) for owner in _owners(masks, text, pieces)}
    except PatternTooSlow:
        return set(range(len(values)))


def _together(names: list[str | None], values: list[str | None]) -> Iterator[tuple[str, list[Piece]]]:
    """Texts that headers form together: each with its name, and all values, joined by blanks and directly."""
    numbered = [(at, value) for at, value in enumerate(values) if value]
    for between in (": ", "="):
        named = [(at, f"{names[at] or ''}{between}", value) for at, value in numbered]
        yield _joined(named, "\n")
    yield _joined([(at, "", value) for at, value in numbered], " ")
    yield _joined([(at, "", value) for at, value in numbered], "")


def _joined(parts: list[tuple[int, str, str]], between: str) -> tuple[str, list[Piece]]:
    text, length, pieces = [], 0, []
    for at, before, value in parts:
        start = length + len(before)
        pieces.append((start, start + len(value), at))
        text.append(before + value)
        length = start + len(value) + len(between)
    return between.join(text), pieces


def _owners(masks: ShareMasks, text: str, pieces: list[Piece]) -> Iterator[int]:
    """Headers whose values are touched by a match that reaches beyond one of them."""
    starts, ends, _ = zip(*pieces, strict=True) if pieces else ((), (), ())  # in order, as the pieces are
    for first, last in masks.crosses(text):
        for start, end, owner in pieces[bisect_right(ends, first) : bisect_left(starts, last)]:
            if not (start <= first and last <= end):
                yield owner
