r"""What all cells of a column prove: the unit of times, how bytes are written, and whether the tool cut cells.

    1700000000      s, ms, µs or ns: the unit in which all numbers lie between 1990 and 2100
    \x7b7d  0x7b7d  hex of bytes, as psql and Hive print them; [7B 7D] as Spark does; 7b7d only if all decode to documents
    eyJhIjoxfQ==    base64, if all cells decode and the bytes have structure (`_json.string_encodings`)
    {"id":1,"na...  cut: cells end in `...` or `…`, and no cell of the column is wider than these

One cell that contradicts decides against a reading.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from spark.sources._iso_time import iso_ms
from spark.sources._json.string_encodings import choose
from spark.terms.wording import plural

UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
FIRST_S, LAST_S = 631_152_000, 4_102_444_800  # 1990 to 2100
ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|\Z)")
HAS_ZONE = re.compile(r"(?:Z|[+-]\d\d(?::?\d\d)?)\Z")
NUMBER = re.compile(r"-?\d{1,19}(?:\.\d{1,9})?")
UTC_NAME = re.compile(r" ?(?:UTC|GMT)\Z")
MARKED_HEX = re.compile(r"(?:\\x|0x)((?:[0-9a-fA-F]{2})*)")
BARE_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+")
SPARK_HEX = re.compile(r"\[(?:[0-9A-F]{2}(?: [0-9A-F]{2})*)?\]")
ELLIPSES = ("...", "…")
SAMPLED = 2_000
MAX_MS = 1 << 48
HEX, BASE64, SPARK, TEXT = "hex", "base64", "hex in brackets", "text"


def unit_of(numbers: Sequence[int]) -> str | None:
    """The unit in which all numbers are times of these decades."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    return next(
        (unit for unit, per_s in UNITS.items() if FIRST_S * per_s <= low and high < LAST_S * per_s), None
    )


@dataclass
class TimeColumn:
    """Times of a column; `see` all cells, then `ms`."""

    low: int | None = None
    high: int | None = None
    without_zone: int = 0
    unread: int = 0
    cut: int = 0

    def see(self, cell: str) -> None:
        text = cell.strip()
        if NUMBER.fullmatch(text):
            number = int(Decimal(text))
            if number > 0:
                self.low = number if self.low is None else min(self.low, number)
                self.high = number if self.high is None else max(self.high, number)
        elif iso_ms(UTC_NAME.sub("Z", text)) is not None:
            self.without_zone += not HAS_ZONE.search(UTC_NAME.sub("Z", text))

    @property
    def unit(self) -> str | None:
        return None if self.low is None or self.high is None else unit_of([self.low, self.high])

    def ms(self, cell: str) -> int | None:
        """None for what is not a time. Numbers of no common unit are milliseconds."""
        text = cell.strip()
        if not NUMBER.fullmatch(text):
            ms = iso_ms(UTC_NAME.sub("Z", text))
        else:
            ms = int(Decimal(text) * 1000 / UNITS[self.unit or "milliseconds"])
            ms = ms if 0 <= ms < MAX_MS else None
        self.cut += ms is None and text.endswith(ELLIPSES)
        self.unread += ms is None and not text.endswith(ELLIPSES)
        return ms

    def sentences(self) -> list[str]:
        sentences = []
        if self.low is not None:
            sentences.append(
                f"Timestamps are in {self.unit}."
                if self.unit
                else "Timestamps are read as milliseconds: no unit suits all."
            )
        if self.without_zone:
            sentences.append("Times without a time zone are read as UTC.")
        if self.cut:
            sentences.append(f"The tool cut {plural(self.cut, 'time')} (“...” at the end): unknown.")
        if self.unread:
            sentences.append(f"{plural(self.unread, 'time')} could not be read.")
        return sentences


@dataclass
class ByteColumn:
    """Keys or values of a column; `see` all cells, `decide`, then `bytes_of`."""

    nouns: tuple[str, str]  # one, several
    cuts_needed: int = 1  # cells that end in dots before a tool is known to have cut them
    sample: list[str] = field(default_factory=list)
    is_marked_hex: bool = True
    is_spark_hex: bool = True
    is_bare_hex: bool = True
    is_base64: bool = True
    cells: int = 0
    width: int = 0
    cut_widths: Counter[int] = field(default_factory=Counter)
    cut: int = 0
    encoding: str = TEXT

    def see(self, cell: str) -> None:
        self.width = max(self.width, len(cell))
        if cell.endswith(ELLIPSES):
            self.cut_widths[len(cell)] += 1
            return
        self.cells += 1
        self.is_marked_hex = self.is_marked_hex and MARKED_HEX.fullmatch(cell) is not None
        self.is_spark_hex = self.is_spark_hex and is_spark_hex(cell)
        self.is_bare_hex = self.is_bare_hex and BARE_HEX.fullmatch(cell) is not None
        self.is_base64 = self.is_base64 and from_base64(cell) is not None
        if len(self.sample) < SAMPLED and (self.is_base64 or self.is_bare_hex):
            self.sample.append(cell)

    def decide(self) -> None:
        """The encoding that all cells prove; text without proof."""
        if not self.cells or (self.cut_widths and not self.is_cut_column):
            return
        if self.is_marked_hex or self.is_spark_hex:
            self.encoding = HEX if self.is_marked_hex else SPARK
        elif self.is_bare_hex and all(is_document(bytes.fromhex(text)) for text in self.sample):
            self.encoding = HEX
        elif self.is_base64 and choose([], [text.encode() for text in self.sample], []).value_is_base64:
            self.encoding = BASE64

    @property
    def is_cut_column(self) -> bool:
        """Whether the tool cut cells: all that end so are as wide as the widest."""
        return set(self.cut_widths) == {self.width} and self.cut_widths[self.width] >= self.cuts_needed

    def is_cut(self, cell: str) -> bool:
        return self.is_cut_column and len(cell) == self.width and cell.endswith(ELLIPSES)

    def bytes_of(self, cell: str) -> bytes | None:
        """None for a cell that is cut."""
        if self.is_cut(cell):
            self.cut += 1
            return None
        if self.encoding == BASE64:
            return from_base64(cell)
        if self.encoding == SPARK:
            return bytes.fromhex(cell.strip("[]"))
        if self.encoding == HEX:
            return bytes.fromhex(cell[2:] if cell[:2] in ("\\x", "0x") else cell)
        return cell.encode("utf-8", "surrogatepass")

    def sentences(self) -> list[str]:
        sentences = (
            []
            if self.encoding == TEXT
            else [f"{self.nouns[1].capitalize()} are {self.encoding}: all decode."]
        )
        if self.cut:
            sentences.append(f"The tool cut {plural(self.cut, *self.nouns)} (“...” at the end): unknown.")
        return sentences


def is_spark_hex(cell: str) -> bool:
    return SPARK_HEX.fullmatch(cell) is not None


def from_base64(cell: str) -> bytes | None:
    try:
        decoded = base64.b64decode(cell, validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if base64.b64encode(decoded).decode() == cell else None


def is_document(content: bytes) -> bool:
    """Bytes that begin as JSON or as a record of a schema registry's serializer."""
    return content[:1] in (b"{", b"[") or content[:1] == b"\0"
