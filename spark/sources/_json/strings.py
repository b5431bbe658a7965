"""From spans to bytes: strings unescaped in an encoding, other values as compact JSON text, base64 decoded.

    reading    bytes in the file   \\u0080 to \\u00ff   other escapes
    UTF_8      as they are         UTF-8              UTF-8
    BYTES      as they are         one byte           -
    LATIN_1    c2 xx, c3 xx: one   one byte           -

A value with a character above U+00FF does not fit BYTES or LATIN_1 and is read as UTF_8; its problem is marked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spark.runtime.byte_blocks import BLOCK, copy_block, equal_bits, high_bits, lowest
from spark.runtime.compiled import compiled
from spark.sources._json.scan import ABSENT, ARRAY, ESCAPES, HIGH, KIND, NULL, OBJECT, STRING, Bytes, Places

Offsets = NDArray[np.int32]

UTF_8, BYTES, LATIN_1 = 0, 1, 2
WIDE, REPLACED, PRINTED, NOT_BASE64 = 1, 2, 4, 8  # problems: above U+00FF; U+FFFD; JSON, not a string; text

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
SIX_BITS = np.full(256, 255, np.uint8)
SIX_BITS[np.frombuffer(_ALPHABET, np.uint8)] = np.arange(64, dtype=np.uint8)


@compiled
def four_digits(buffer: Bytes, i: int) -> int:
    """The four hexadecimal digits at `i`, already checked by the scanner."""
    number = 0
    for k in range(4):
        c = buffer[i + k]
        number = number * 16 + (c - 48 if c <= 57 else (c & 0x5F) - 55)
    return number


@compiled
def put_character(out: Bytes, o: int, number: int) -> int:
    if number < 0x80:
        out[o] = number
        return o + 1
    if number < 0x800:
        out[o] = 0xC0 | number >> 6
        out[o + 1] = 0x80 | number & 0x3F
        return o + 2
    if number < 0x10000:
        out[o] = 0xE0 | number >> 12
        out[o + 1] = 0x80 | number >> 6 & 0x3F
        out[o + 2] = 0x80 | number & 0x3F
        return o + 3
    out[o] = 0xF0 | number >> 18
    out[o + 1] = 0x80 | number >> 12 & 0x3F
    out[o + 2] = 0x80 | number >> 6 & 0x3F
    out[o + 3] = 0x80 | number & 0x3F
    return o + 4


@compiled
def plain_escape(e: int) -> int:
    """The byte that a backslash and this byte stand for."""
    if e == 110:
        return 10
    if e == 116:
        return 9
    if e == 114:
        return 13
    if e == 98:
        return 8
    if e == 102:
        return 12
    return e


@compiled
def copy(buffer: Bytes, i: int, end: int, out: Bytes, o: int) -> int:
    """Writes i..end as it is; position after it in `out`."""
    while i + BLOCK <= end:
        copy_block(buffer, i, out, o)
        i += BLOCK
        o += BLOCK
    while i < end:
        out[o] = buffer[i]
        i += 1
        o += 1
    return o


@compiled
def unescape(buffer: Bytes, i: int, end: int, reading: int, out: Bytes, o: int) -> tuple[int, int]:
    """Writes the string i..end; position after it in `out`, and its problems."""
    problems = 0
    while i < end:
        if i + BLOCK <= end:
            copy_block(buffer, i, out, o)
            others = high_bits(buffer, i) if reading == LATIN_1 else equal_bits(buffer, i, 0xEF)
            special = equal_bits(buffer, i, 92) | others
            plain = BLOCK if special == 0 else lowest(special)
            o += plain
            i += plain
            if special == 0:
                continue
        c = buffer[i]
        if c == 92:
            e = buffer[i + 1]
            if e != 117:
                out[o] = plain_escape(e)
                o += 1
                i += 2
                continue
            number = four_digits(buffer, i + 2)
            i += 6
            if 0xD800 <= number < 0xDC00 and i + 6 <= end and buffer[i] == 92 and buffer[i + 1] == 117:
                low = four_digits(buffer, i + 2)
                if 0xDC00 <= low < 0xE000:
                    number = 0x10000 + (number - 0xD800 << 10) + (low - 0xDC00)
                    i += 6
            if 0xD800 <= number < 0xE000:
                number = 0xFFFD
            if number == 0xFFFD:
                problems |= REPLACED
            if number > 0xFF:
                problems |= WIDE
            if reading != UTF_8 and number <= 0xFF:
                out[o] = number
                o += 1
            else:
                o = put_character(out, o, number)
        elif c < 128:
            out[o] = c
            o += 1
            i += 1
        elif reading == LATIN_1 and (c == 0xC2 or c == 0xC3) and i + 1 < end and buffer[i + 1] & 0xC0 == 0x80:
            out[o] = (c & 3) << 6 | buffer[i + 1] & 0x3F
            o += 1
            i += 2
        else:
            if c == 0xEF and i + 2 < end and buffer[i + 1] == 0xBF and buffer[i + 2] == 0xBD:
                problems |= REPLACED
            if reading == LATIN_1:
                problems |= WIDE
            out[o] = c
            o += 1
            i += 1
    return o, problems


@compiled
def compact(buffer: Bytes, i: int, end: int, out: Bytes, o: int) -> int:
    """Writes JSON without the white space between its tokens."""
    in_string = False
    while i < end:
        c = buffer[i]
        if in_string and c == 92:
            out[o] = c
            out[o + 1] = buffer[i + 1]
            o += 2
            i += 2
            continue
        if c == 34:
            in_string = not in_string
        if in_string or not (c == 32 or c == 10 or c == 13 or c == 9):
            out[o] = c
            o += 1
        i += 1
    return o


@compiled
def take(
    buffer: Bytes,
    kinds: Bytes,
    starts: Places,
    ends: Places,
    reading: int,
    out: Bytes,
    offsets: Offsets,
    problems: Bytes,
) -> int:
    """Writes every span's bytes in sequence, with Arrow offsets. Nothing grows, so `out` fits."""
    o = 0
    offsets[0] = 0
    for row in range(kinds.size):
        kind = kinds[row] & KIND
        i = starts[row]
        end = ends[row]
        problems[row] = 0
        if kind == STRING:
            if kinds[row] & (ESCAPES | HIGH) == 0:
                o = copy(buffer, i, end, out, o)
            else:
                after, flags = unescape(buffer, i, end, reading, out, o)
                if reading != UTF_8 and flags & WIDE:
                    after, flags = unescape(buffer, i, end, UTF_8, out, o)
                    flags |= WIDE
                problems[row] = flags
                o = after
        elif kind in (OBJECT, ARRAY):
            o = compact(buffer, i, end, out, o)
            problems[row] = PRINTED
        elif kind != ABSENT and kind != NULL:
            o = copy(buffer, i, end, out, o)
            problems[row] = PRINTED
        offsets[row + 1] = o
    return o


@compiled
def base64_row(data: Bytes, i: int, end: int, out: Bytes, o: int) -> int:
    """Writes one base64 text decoded; -1 if it is not strict base64 (alphabet, padding, no stray bits)."""
    size = end - i
    if size % 4 != 0:
        return -1
    padding = 0
    if size > 0 and data[end - 1] == 61:
        padding = 2 if data[end - 2] == 61 else 1
    k = i
    while k < end:
        is_last = k + 4 == end
        a = SIX_BITS[data[k]]
        b = SIX_BITS[data[k + 1]]
        c = np.uint8(0) if is_last and padding == 2 else SIX_BITS[data[k + 2]]
        d = np.uint8(0) if is_last and padding >= 1 else SIX_BITS[data[k + 3]]
        if a | b | c | d > 63:
            return -1
        out[o] = a << 2 | b >> 4
        out[o + 1] = (b & 15) << 4 | c >> 2
        out[o + 2] = (c & 3) << 6 | d
        if is_last and ((padding == 2 and b & 15) or (padding == 1 and c & 3)):
            return -1
        o += 3
        k += 4
    return o - padding


@compiled
def decode_base64(
    data: Bytes,
    offsets: Offsets,
    kinds: Bytes,
    out: Bytes,
    out_offsets: Offsets,
    problems: Bytes,
) -> int:
    """Decodes every string; copies and marks what is not base64."""
    o = 0
    out_offsets[0] = 0
    for row in range(offsets.size - 1):
        i = offsets[row]
        end = offsets[row + 1]
        after = -1
        if kinds[row] & KIND == STRING:
            after = base64_row(data, i, end, out, o)
        if after < 0:
            after = copy(data, i, end, out, o)
            if kinds[row] & KIND == STRING:
                problems[row] |= NOT_BASE64
        o = after
        out_offsets[row + 1] = o
    return o
