"""Marks that stand for secrets: each unique, each knows where it was planted; and the search for them in any bytes.

A mark is ten letters between `zq` and `qz`: a topic, a SQL name, a member of JSON and a host can all be one.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

Part = Literal["key", "value", "header-name", "header-value", "topic", "file", "upload"]
LETTERS = "bcdfghjkmnprstvw"
MARK = re.compile(rb"zq[a-z]{6}qz")
MAX_DEPTH = 3  # base64 within JSON within base64


@dataclass(frozen=True)
class Place:
    """Where a mark was planted. `of`: a dialect, a layout or a form of values.

    `is_name`: it identifies something that the journal keeps (a group, an artifact, a connector), so a link that shows names may
    show it though its part is hidden. `is_masked`: the masks of every link take it out. `is_readable`: wherever its part is shown, some page, export or
    bundle has it, so its absence there is a fault as well.
    """

    of: str
    part: Part
    where: str
    is_masked: bool = False
    is_readable: bool = True
    is_name: bool = False

    @property
    def title(self) -> str:
        """For a failure's message."""
        return f"{self.of}, {self.part}: {self.where}"


@dataclass
class Planting:
    """The marks of one upload."""

    of: str
    places: dict[str, Place] = field(default_factory=dict)
    first: int = 0

    def mark(
        self, part: Part, where: str, *, masked: bool = False, readable: bool = True, name: bool = False
    ) -> str:
        """A new mark for a place."""
        text = mark_text(self.first + len(self.places))
        self.places[text] = Place(self.of, part, where, masked, readable, name)
        return text

    def name(self, part: Part, where: str) -> str:
        """A new mark for what identifies something that the journal keeps."""
        return self.mark(part, where, name=True)

    def keep_only(self, marks: set[str]) -> None:
        """Forget marks that an upload has no room for."""
        self.first += len(self.places)
        self.places = {mark: place for mark, place in self.places.items() if mark in marks}
        self.first -= len(self.places)
        assert any(place.is_readable for place in self.places.values()), self.of

    def secret(self, part: Part, where: str) -> str:
        """A new mark for a place that masks cover."""
        return self.mark(part, where, masked=True)


def mark_text(number: int) -> str:
    """The mark of a number; neighbours share no long run of letters."""
    scattered = number * 0x9E3779 % 16**6  # an odd factor: every number has its own
    return "zq" + "".join(LETTERS[scattered >> 4 * digit & 15] for digit in range(6)) + "qz"


def marks_in(data: bytes) -> set[str]:
    """Every mark in the bytes, as it is or however it is encoded."""
    return {mark.decode() for layer in layers(data) for mark in MARK.findall(layer.lower())}


def layers(data: bytes, depth: int = MAX_DEPTH) -> Iterator[bytes]:
    """The bytes, what they are without escapes, and what is encoded in either of them, in several layers."""
    plain = unescaped(data)
    for layer in (data,) if plain == data else (data, plain):
        yield layer
        inner = encoded_in(layer) if depth else b""
        if inner:
            yield from layers(inner, depth - 1)


ESCAPES = re.compile(rb"\\+(?:u00|x)([0-9a-fA-F]{2})")
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{12,}")
HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){10,}")
SPACED_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}[ :]){9,}[0-9a-fA-F]{2}")
NUMBERS = re.compile(rb"(?:-?\d{1,3}, ?){9,}-?\d{1,3}")


def unescaped(data: bytes) -> bytes:
    """Without the escapes of HTML, JSON and addresses, one within another; UTF-16 becomes ASCII."""
    for _ in range(2):
        if b"&" in data:
            data = html.unescape(data.decode("latin-1")).encode("latin-1", "replace")
        data = ESCAPES.sub(lambda escape: bytes([int(escape[1], 16)]), data)
        data = unquote_to_bytes(data).replace(b"\0", b"")
    return data


def encoded_in(data: bytes) -> bytes:
    """What runs of base64, of hex digits and of numbers stand for, one after the other."""
    pieces = [piece for run in BASE64.findall(data) for piece in from_base64(run)]
    pieces += [piece for run in HEX.findall(data) for piece in from_hex(run)]
    pieces += [bytes.fromhex(run.decode().replace(":", " ")) for run in SPACED_HEX.findall(data)]
    pieces += [bytes(int(number) & 0xFF for number in run.split(b",")) for run in NUMBERS.findall(data)]
    return b"\n".join(pieces)


def from_base64(run: bytes) -> Iterator[bytes]:
    """A run of letters of base64, wherever in it the first group of four begins."""
    plain = run.translate(bytes.maketrans(b"-_", b"+/"))
    for start in range(4):
        whole = plain[start:]
        size = len(whole) - (len(whole) % 4 == 1)  # one letter more is no byte
        yield base64.b64decode(whole[:size] + b"=" * (-size % 4))


def from_hex(run: bytes) -> Iterator[bytes]:
    """A run of hex digits, wherever in it the first byte begins."""
    for start in range(2):
        whole = run[start:]
        yield binascii.unhexlify(whole[: len(whole) // 2 * 2])


def bytes_of(value: Any) -> bytes:
    """A value with all that is in it."""
    if isinstance(value, dict):
        return b" ".join(bytes_of(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return b" ".join(map(bytes_of, value))
    return value if isinstance(value, bytes) else str(value).encode()


def as_json(document: Any) -> bytes:
    """JSON without white space."""
    return json.dumps(document, separators=(",", ":")).encode()
