"""Bytes shown safely: one line for tables, pretty text for reading, hex for proof."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from spark.codecs import json_text
from spark.terms.visible import visible

HEX_BYTES = 4096
PRETTY_BYTES = 200_000
DECODED_FORMS = ("json", "avro", "protobuf")
PREFIX_BYTES = 16  # some journals put a type byte or a magic and id before their JSON


@dataclass(frozen=True)
class RenderedValue:
    """Bytes in the form that reads best: `form` is json | avro | protobuf | text | binary | empty | null.

    `document`: what was decoded, of the first three.
    """

    form: str
    text: str
    note: str = ""
    document: Any = None

    @property
    def is_decoded(self) -> bool:
        """Whether there is a document."""
        return self.form in DECODED_FORMS


@dataclass(frozen=True)
class HexRow:
    """Sixteen bytes: where they begin, in hex, and as characters."""

    position: int
    hex: str
    characters: str


def as_text(data: bytes) -> str:
    """Every byte visible: UTF-8 where it is UTF-8, `\\xNN` where not."""
    text = data.decode("utf-8", "backslashreplace")
    return visible(text)


def one_line(data: bytes | None, limit: int = 120) -> str:
    """A key or value for a table cell."""
    if data is None:
        return "null"
    if not data:
        return "(empty)"
    line = as_text(data[: limit * 4]).replace("\n", "\\n").replace("\t", "\\t")
    return line if len(line) <= limit and len(data) <= limit * 4 else line[: limit - 1] + "…"


def read(data: bytes | None) -> RenderedValue:
    """Decide how to show a key or value; long ones are cut and say so."""
    if data is None:
        return RenderedValue("null", "", "Null: no bytes at all.")
    if not data:
        return RenderedValue("empty", "", "Empty: present, with zero bytes.")
    note = f"The first {PRETTY_BYTES:,} of {len(data):,} bytes." if len(data) > PRETTY_BYTES else ""
    as_json = None if note else _as_json(data)
    if as_json is not None:
        return as_json
    beginning = data[:PRETTY_BYTES]
    try:
        beginning.decode("utf-8")
    except UnicodeDecodeError:
        note = f"{note} Not UTF-8: bytes that are not text are shown as \\xNN.".strip()
        return RenderedValue("binary", as_text(beginning), note)
    return RenderedValue("text", as_text(beginning), note)


def hex_rows(data: bytes | None, limit: int = HEX_BYTES) -> list[HexRow]:
    """Hex dump of the first bytes, sixteen a row."""
    beginning = (data or b"")[:limit]
    return [_hex_row(beginning, position) for position in range(0, len(beginning), 16)]


def _hex_row(data: bytes, position: int) -> HexRow:
    row = data[position : position + 16]
    characters = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
    return HexRow(position, row.hex(" "), characters)


def _as_json(data: bytes) -> RenderedValue | None:
    for start in _json_starts(data):
        try:
            document = json_text.read(data[start:])
        except ValueError:
            continue
        text = visible(json.dumps(document, indent=2, ensure_ascii=False))
        note = (
            f"JSON after a prefix of {start} byte{'s' if start > 1 else ''}: {data[:start].hex(' ')}"
            if start
            else ""
        )
        return RenderedValue("json", text, note, document)
    return None


def _json_starts(data: bytes) -> list[int]:
    starts = [position for position, byte in enumerate(data[: PREFIX_BYTES + 1]) if byte in b"{["]
    return starts[:3]
