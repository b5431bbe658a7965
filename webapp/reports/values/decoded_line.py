"""A key or value in one line: its members in their order, each name with its value, or its text.

What a service's dialect read of a record stands in for bytes that are no document of themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from spark.terms.visible import IN_TEXT
from spark.terms.visible import one_line as escaped
from webapp.reports.values.attributes import (
    DIGEST,
    DIGEST_START,
    flat,
    is_hash,
    members_of,
    references_line,
    telling,
    time_text,
)
from webapp.reports.values.bytes_text import RenderedValue, one_line

Look = Literal["name", "number", "text", "plain"]
LETTERS = 600  # of a line; the record's own page has all
VALUE_LETTERS = 300  # of one member
DEFAULT_TENANT = ("tenantId", "_")


@dataclass(frozen=True)
class LinePiece:
    """A part of a line; `look` says how it is coloured."""

    look: Look
    text: str


@dataclass(frozen=True)
class DecodedLine:
    """`is_raw`: nothing decodes these bytes, so they are shown as they are. `note`: how they were read."""

    pieces: tuple[LinePiece, ...]
    note: str = ""
    is_raw: bool = False

    @property
    def whole(self) -> str:
        """For the tooltip."""
        text = " ".join(piece.text for piece in self.pieces)
        return f"{text}\n{self.note}" if self.note else text


@dataclass(frozen=True)
class ReadEntry:
    """What a dialect read of a record."""

    entity_id: str
    action: str
    kind: str
    attributes: str | None


def plain_line(text: str) -> DecodedLine:
    """A line of words of our own."""
    return DecodedLine((LinePiece("plain", text),))


def key_line(data: bytes | None, reading: RenderedValue, entry: ReadEntry | None) -> DecodedLine:
    """Of bytes that are no document, the id that the dialect read out of them; of an object, what is in this id first."""
    if entry is None or not entry.entity_id:
        return _line(data, reading, ())
    if not reading.is_decoded and not _is_text(data):
        return DecodedLine((LinePiece("text", escaped(entry.entity_id)),), reading.note)
    if reading.is_decoded and isinstance(reading.document, Mapping):
        of_id = {entry.entity_id, *entry.entity_id.split("/")}
        members = sorted(reading.document.items(), key=lambda pair: shown_value(pair[1]) not in of_id)
        return DecodedLine(tuple(pieces_of(dict(members))), reading.note)
    return _line(data, reading, ())


def value_line(
    data: bytes | None, reading: RenderedValue, entry: ReadEntry | None, key: RenderedValue
) -> DecodedLine:
    """Of what a service reads, without what the key says already and what says nothing."""
    of_key = key.document if isinstance(key.document, dict) else {}
    if entry is None:
        return _line(data, reading, ())
    said_by_key = {(name, shown_value(value)) for name, value in of_key.items()}
    if isinstance(reading.document, dict):
        members = {name: value for name, value in flat(reading.document) if value not in (None, "", {}, [])}
        return DecodedLine(tuple(pieces_of(_worded(members, entry), said_by_key)), reading.note)
    of_dialect = telling(members_of(entry.attributes), entry.entity_id)
    if of_dialect and not reading.is_decoded and not _is_text(data):
        members = {name.replace("_", " "): references_line(value) or value for name, value in of_dialect}
        return DecodedLine(tuple(pieces_of(_worded(members, entry), said_by_key)), reading.note)
    return _line(data, reading, said_by_key)


def _worded(members: dict[str, Any], entry: ReadEntry) -> dict[str, Any]:
    """Hashes last; an action's number as its word, left out where it is all that the kind says, beside other members."""
    members = dict(sorted(members.items(), key=lambda pair: is_hash(*pair)))
    if not isinstance(members.get("action"), int) or not entry.action:
        return members
    if entry.action == entry.kind and len(members) > 1:
        return {name: value for name, value in members.items() if name != "action"}
    return members | {"action": entry.action}


def pieces_of(document: Any, left_out: Iterable[tuple[str, str]] = ()) -> list[LinePiece]:
    """Names and values of an object, in its order; another document as one piece."""
    if not isinstance(document, Mapping):
        return [_piece("", document)]
    skipped = {*left_out, DEFAULT_TENANT}
    pieces, letters = [], 0
    for name, value in document.items():
        if (name, shown_value(value)) in skipped:
            continue
        value_piece = _piece(name, value)
        pieces += [LinePiece("name", escaped(str(name))), value_piece]
        letters += len(name) + len(value_piece.text) + 2
        if letters > LETTERS:
            pieces.append(LinePiece("plain", "…"))
            break
    return pieces or [LinePiece("plain", "no further members" if document else "{}")]


def shown_value(value: Any) -> str:
    """A value in one line: text as it is, anything else as JSON."""
    return escaped(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _line(data: bytes | None, reading: RenderedValue, left_out: Iterable[tuple[str, str]]) -> DecodedLine:
    if reading.is_decoded:
        return DecodedLine(tuple(pieces_of(reading.document, left_out)), reading.note)
    if reading.form == "text" and _is_text(data):
        return DecodedLine((LinePiece("text", one_line(data, LETTERS)),), reading.note)
    if reading.form == "empty":
        return DecodedLine((LinePiece("plain", "empty"),), reading.note)
    return DecodedLine((LinePiece("plain", one_line(data, VALUE_LETTERS)),), reading.note, is_raw=True)


def _is_text(data: bytes | None) -> bool:
    """Whether people can read it: binary formats may be UTF-8 by chance."""
    try:
        return bool(data) and not IN_TEXT.search((data or b"").decode())
    except UnicodeDecodeError:
        return False


def _piece(name: str, value: Any) -> LinePiece:
    """A time as the moment it means, a hash as its beginning, a nested document as JSON."""
    moment = time_text(name, value)
    if moment:
        return LinePiece("number", moment)
    text = shown_value(value)
    text = text if len(text) <= VALUE_LETTERS else f"{text[:VALUE_LETTERS]}…"
    if isinstance(value, str):
        return LinePiece("text", f"{text[:DIGEST_START]}…" if DIGEST.fullmatch(text) else text or '""')
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return LinePiece("number" if is_number else "plain", text)
