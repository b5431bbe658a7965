"""Which bytes the strings of a file stand for, decided by the contents of a sample and never by name.

A tool that prints a record's bytes as JSON has four ways: base64 (`kcat -S base64`), the bytes as they are (`kcat -J`,
not always valid UTF-8), one character U+0000 to U+00FF a byte (Latin-1), or decoded UTF-8. The lengths inside an
Apicurio Content value distinguish the last three with certainty; without one, characters that texts do not contain do.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from spark.sources._json.scan import HIGH_ESCAPES
from spark.sources._json.strings import BYTES, LATIN_1, UTF_8

LONG_TEXT = 8  # characters; a shorter one may be base64 by accident ("abcd") and says nothing
FEW_BYTES = 12  # decoded text of all samples together below this is no evidence
CHECKED_CHARACTERS = 65_536  # of one text; a multiple of four
TEXT_CONTROLS = {9, 10, 13}


@dataclass(frozen=True)
class StringEncoding:
    """How keys and values become bytes. `characters` is None until a character above U+007F occurs."""

    key_is_base64: bool = False
    value_is_base64: bool = False
    characters: int | None = None
    sentence: str = "Keys and values are read as text."

    def to_json(self) -> dict[str, Any]:
        """For a split's detail."""
        return asdict(self)


@dataclass(frozen=True)
class HighText:
    """A string with characters above U+007F: its flags, and its bytes in the three encodings."""

    flags: int
    utf_8: bytes
    bytes_: bytes
    latin_1: bytes


@dataclass(frozen=True)
class _Evidence:
    filled: int = 0
    longer: int = 0
    strong: int = 0
    padded: int = 0
    structured: int = 0
    text_bytes: int = 0
    all_decode: bool = True


def choose(keys: Sequence[bytes], values: Sequence[bytes], high: Sequence[HighText]) -> StringEncoding:
    """The encoding that a sample suggests; keys and values as UTF-8, neither null nor empty."""
    key_is_base64, value_is_base64 = _are_base64(_evidence(keys), _evidence(values))
    reading = choose_characters(StringEncoding(), high)
    if key_is_base64 and value_is_base64:
        return replace(
            reading, key_is_base64=True, value_is_base64=True, sentence="Keys and values are base64."
        )
    if key_is_base64 or value_is_base64:
        side = "Keys" if key_is_base64 else "Values"
        sentence = f"{side} are base64. {reading.sentence.replace('Keys and values', 'The other values do not: they')}"
        return replace(
            reading, key_is_base64=key_is_base64, value_is_base64=value_is_base64, sentence=sentence
        )
    return reading


def choose_characters(reading: StringEncoding, high: Sequence[HighText]) -> StringEncoding:
    """The encoding with the meaning of the sample's characters above U+007F, if it has any."""
    if not high:
        return reading
    characters, sentence = _characters(high)
    return replace(reading, characters=characters, sentence=sentence)


def _characters(high: Sequence[HighText]) -> tuple[int, str]:
    sums = [
        sum(lengths_sum_up(text.utf_8) for text in high),
        sum(lengths_sum_up(text.bytes_) for text in high),
        sum(lengths_sum_up(text.latin_1) for text in high),
    ]
    best = max((UTF_8, BYTES, LATIN_1), key=lambda reading: (sums[reading], -reading))
    if sums[best]:
        return best, _sentence(best, high) + " The lengths in the content records confirm it."
    escaped = [text for text in high if text.flags & HIGH_ESCAPES]
    is_text = len(escaped) < len(high) or any(_has_wide_characters(text.utf_8) for text in high)
    votes = sum(_speaks_for_latin_1(text) for text in escaped)
    reading = BYTES if escaped and not is_text and votes * 2 > len(escaped) else UTF_8
    return reading, _sentence(reading, high)


def _sentence(reading: int, high: Sequence[HighText]) -> str:
    if reading != UTF_8:
        return "Each character from U+0080 to U+00FF in keys and values is read as one byte (Latin-1)."
    if all(_is_utf_8(text.utf_8) for text in high):
        return "Keys and values are read as UTF-8 text."
    return "Keys and values are the unchanged bytes of the file; some are not valid UTF-8."


def _has_wide_characters(text: bytes) -> bool:
    return any(ord(c) > 0xFF and c != "\ufffd" for c in text.decode(errors="replace"))


def _speaks_for_latin_1(text: HighText) -> bool:
    """Control characters that texts do not contain, or characters that are themselves UTF-8 read byte by byte."""
    characters = text.utf_8.decode(errors="replace")
    has_controls = any(
        0x80 <= ord(c) < 0xA0 or (ord(c) < 32 and ord(c) not in TEXT_CONTROLS) for c in characters[1:]
    )
    return has_controls or 0x80 <= ord(characters[0]) < 0xA0 or _is_utf_8(text.bytes_)


def _is_utf_8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def lengths_sum_up(value: bytes) -> bool:
    """Whether it is an Apicurio Content value, `02 action (int32 length, bytes) x 2 or 3`, to the last byte."""
    if len(value) < 10 or value[0] != 2 or not 1 <= value[1] <= 14:
        return False
    position, blocks = 2, 0
    while position + 4 <= len(value) and blocks < 3:
        position += 4 + int.from_bytes(value[position : position + 4], "big")
        blocks += 1
    return position == len(value) and blocks >= 2


def _are_base64(keys: _Evidence, values: _Evidence) -> tuple[bool, bool]:
    both = [evidence for evidence in (keys, values) if evidence.filled]
    if both and all(evidence.all_decode for evidence in both):
        longer, strong = sum(e.longer for e in both), sum(e.strong for e in both)
        enough = any(e.padded for e in both) or sum(e.text_bytes for e in both) >= FEW_BYTES
        is_base64 = strong > 0 and strong * 2 >= longer and enough
        return is_base64, is_base64
    return _is_base64_alone(keys), _is_base64_alone(values)


def _is_base64_alone(evidence: _Evidence) -> bool:
    """For only one field the decoded bytes must have structure: a service may store base64 in its values."""
    return evidence.filled > 0 and evidence.all_decode and evidence.structured * 10 >= evidence.filled * 9


def _evidence(texts: Iterable[bytes]) -> _Evidence:
    filled = longer = strong = padded = structured = text_bytes = 0
    for text in texts:
        decoded = _decode(text)
        if decoded is None:
            return _Evidence(filled=1, all_decode=False)
        has_structure, is_readable = _is_structured(decoded), len(decoded) >= 6 and _is_readable(decoded)
        filled += 1
        longer += len(text) >= LONG_TEXT
        padded += text.endswith(b"=")
        structured += has_structure
        text_bytes += len(decoded) if is_readable or has_structure else 0
        strong += text.endswith(b"=") or is_readable or has_structure or _is_mixed(text)
    return _Evidence(filled, longer, strong, padded, structured, text_bytes)


def _decode(text: bytes) -> bytes | None:
    if len(text) > CHECKED_CHARACTERS:
        text = text[:CHECKED_CHARACTERS]
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if base64.b64encode(decoded) == text else None


def _is_structured(decoded: bytes) -> bool:
    start = decoded[1:] if decoded[:1] < b" " else decoded
    return start[:1] in (b"{", b"[") or decoded[:2] == b"\0\0" or lengths_sum_up(decoded)


def _is_readable(decoded: bytes) -> bool:
    try:
        text = decoded.decode()
    except UnicodeDecodeError:
        return False
    return all(c.isprintable() or c in "\t\n\r" for c in text)


def _is_mixed(text: bytes) -> bool:
    is_long = len(text) >= 64
    return (
        is_long
        and any(c in text for c in b"+/")
        and not text.islower()
        and any(c in text for c in b"0123456789")
    )
