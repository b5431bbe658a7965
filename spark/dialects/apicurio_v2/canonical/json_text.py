"""JSON as Jackson prints it with map entries ordered by keys: compact, arrays in original order.

Numbers with a fraction are printed as Java's Double does; control characters as \\u001F; keys in UTF-16 order.
Source: JsonContentCanonicalizer.java 2.5.8.Final, Jackson 2.17.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson

_CONTROL = re.compile(r"\\\\|\\u00[01][0-9a-f]")


@dataclass(frozen=True)
class Document:
    """A parsed content. `is_doubtful`: Java may print part of it differently."""

    value: Any
    is_doubtful: bool


def parsed(content: bytes) -> Document | None:
    """The document; None if Python cannot parse it."""
    doubts: list[str] = []

    def fraction(text: str) -> float:
        doubts.append(text)
        return float(text)

    try:
        value = json.loads(content, parse_float=fraction, parse_constant=fraction, object_pairs_hook=Pairs)
    except (ValueError, RecursionError):
        return None
    return Document(value, bool(doubts))


def Pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # noqa: N802
    """An object; of duplicate names the last counts, as in Jackson's tree."""
    return dict(pairs)


def quick_text(value: Any) -> bytes:
    """The text of most documents: exact unless there are fractions, control characters or keys beyond U+FFFF."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):
        return text(value)


def text(value: Any) -> bytes:
    return "".join(pieces(value, ordered=True)).encode("utf-8", "surrogatepass")


def pieces(value: Any, ordered: bool) -> list[str]:
    """The text in pieces; `ordered`: keys in UTF-16 order, else unchanged."""
    pieces: list[str] = []
    write(value, ordered, pieces.append)
    return pieces


def write(value: Any, ordered: bool, add: Callable[[str], None]) -> None:
    """Passes the pieces to `add` in sequence: joining lists level by level would copy each piece at every level."""
    if isinstance(value, dict):
        add("{")
        for number, name in enumerate(sorted(value, key=utf_16) if ordered else value):
            add(f"{',' if number else ''}{quoted(name)}:")
            write(value[name], ordered, add)
        add("}")
    elif isinstance(value, list):
        add("[")
        for number, item in enumerate(value):
            if number:
                add(",")
            write(item, ordered, add)
        add("]")
    else:
        add(scalar(value))


def utf_16(name: str) -> bytes:
    """Sort key for the order of Java's strings."""
    return name.encode("utf-16-be", "surrogatepass")


def scalar(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    return java_double(value) if isinstance(value, float) else json.dumps(value)


def quoted(name: str) -> str:
    plain = json.dumps(name, ensure_ascii=False)
    return _CONTROL.sub(upper_escape, plain) if "\\" in plain else plain


def upper_escape(match: re.Match[str]) -> str:
    """Jackson writes escapes with upper-case hexadecimal digits."""
    return match[0] if match[0] == "\\\\" else "\\u" + match[0][2:].upper()


def java_double(value: float) -> str:
    """A number as Double.toString writes it: plain from 0.001 to below ten million, else with an exponent."""
    if value != value or value in (float("inf"), float("-inf")) or value == 0:
        return repr(value)
    if 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    rest = "".join(map(str, digits[1:])) or "0"
    return f"{'-' * sign}{digits[0]}.{rest}E{int(exponent) + len(digits) - 1}"
