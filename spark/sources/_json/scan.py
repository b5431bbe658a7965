"""The scanner: finds objects and their members in a buffer of bytes, checks their grammar, copies nothing.

    value  = object | array | string | number | "true" | "false" | "null"      RFC 8259, with two differences:
    string = any bytes but LF between quotes (no UTF-8 needed); escapes are checked

Longer than 300 lines because compiled functions that call each other must stand in one file; they are long themselves
because a state machine reads best in one piece.
Positions are into the buffer; a span is (kind, start, end), for strings without their quotes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark.runtime.byte_blocks import BLOCK, equal_bits, high_bits, lowest
from spark.runtime.compiled import compiled

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

ABSENT, NULL, STRING, NUMBER, LITERAL, OBJECT, ARRAY = 0, 1, 2, 3, 4, 5, 6
KIND = 7  # mask: the bits above it are flags of a string
HIGH, ESCAPES, HIGH_ESCAPES = 8, 16, 32  # bytes >= 0x80; backslashes; \u0080 and above

OK, MORE, BAD = 0, 1, 2  # read; the buffer ends inside it; not JSON
NOT_JSON, BROKEN, NO_OFFSET, CUT_OFF = 1, 2, 3, 4  # why a stretch is damage
NOT_A_ROW = 6  # the same, of a CSV file

MAX_DEPTH = 256
MAX_DEPTH_AFTER_DAMAGE = 48  # there every brace may begin a record, so trying one must stay cheap
_VALUE, _FIRST_VALUE, _NAME, _FIRST_NAME, _AFTER = 0, 1, 2, 3, 4


class ScanRoom(NamedTuple):
    """What a scan looks for and the arrays that it fills: a row of `kinds`, `starts` and `ends` for each record, a column
    for each wanted name."""

    names: Bytes  # the wanted names one after another
    name_starts: Places
    kinds: Bytes
    starts: Places
    ends: Places
    places: Places  # of each record: start, end
    damage: Places  # of each skipped range: start, end, why, where it was noticed
    stack: Bytes  # open containers


@compiled
def skip_space(buffer: Bytes, i: int, end: int) -> int:
    """First position at or after `i` that is not white space."""
    while i < end and (buffer[i] == 32 or buffer[i] == 10 or buffer[i] == 13 or buffer[i] == 9):
        i += 1
    return i


@compiled
def hex_digit(c: int) -> int:
    """Value of a hexadecimal digit, or -1."""
    if 48 <= c <= 57:
        return c - 48
    if 97 <= c <= 102:
        return c - 87
    if 65 <= c <= 70:
        return c - 55
    return -1


@compiled
def unicode_escape(buffer: Bytes, i: int) -> int:
    """The four hexadecimal digits at `i` as a number, or -1."""
    number = 0
    for k in range(4):
        digit = hex_digit(buffer[i + k])
        if digit < 0:
            return -1
        number = number * 16 + digit
    return number


@compiled
def skip_string(buffer: Bytes, i: int, end: int) -> tuple[int, int, int]:
    """From after the opening quote: position after the closing one, flags, status."""
    flags = 0
    while i + BLOCK <= end:
        high = high_bits(buffer, i)
        stops = equal_bits(buffer, i, 34) | equal_bits(buffer, i, 92) | equal_bits(buffer, i, 10)
        after = i + BLOCK
        while stops != 0:
            k = lowest(stops)
            if buffer[i + k] != 92:
                if high & ((np.uint64(1) << np.uint64(k)) - np.uint64(1)) != 0:
                    flags |= HIGH
                return (i + k + 1, flags, OK) if buffer[i + k] == 34 else (i + k, flags, BAD)
            stops &= ~(np.uint64(3) << np.uint64(k))  # and what it escapes
            flags |= ESCAPES
            if k < BLOCK - 1 and buffer[i + k + 1] == 34:
                continue
            after, flag, status = skip_escape(buffer, i + k, end)
            flags |= flag
            if status != OK:
                return after, flags, status
            after = max(after, i + BLOCK)
        if high != 0:
            flags |= HIGH
        i = after
    while i < end:
        c = buffer[i]
        if c == 34:
            return i + 1, flags, OK
        if c == 92:
            i, flag, status = skip_escape(buffer, i, end)
            flags |= ESCAPES | flag
            if status != OK:
                return i, flags, status
        else:
            if c == 10:
                return i, flags, BAD
            if c >= 128:
                flags |= HIGH
            i += 1
    return end, flags, MORE


@compiled
def skip_escape(buffer: Bytes, i: int, end: int) -> tuple[int, int, int]:
    """From a backslash: position after the escape, HIGH_ESCAPES or 0, status."""
    if i + 1 >= end:
        return end, 0, MORE
    e = buffer[i + 1]
    if e == 117:
        if i + 6 > end:
            return end, 0, MORE
        number = unicode_escape(buffer, i + 2)
        if number < 0:
            return i, 0, BAD
        return i + 6, HIGH_ESCAPES if number >= 0x80 else 0, OK
    if e == 34 or e == 92 or e == 47 or e == 98 or e == 102 or e == 110 or e == 114 or e == 116:
        return i + 2, 0, OK
    return i, 0, BAD


@compiled
def skip_number(buffer: Bytes, i: int, end: int) -> tuple[int, int, int]:
    """Position after a number: digits are counted; the reader of the value checks its grammar."""
    digits = 0
    while i < end:
        c = buffer[i]
        if 48 <= c <= 57:
            digits += 1
        elif not (c == 45 or c == 43 or c == 46 or c == 101 or c == 69):
            break
        i += 1
    if i >= end:
        return end, NUMBER, MORE
    return i, NUMBER, OK if digits > 0 else BAD


@compiled
def skip_word(buffer: Bytes, i: int, end: int, first: int, length: int, kind: int) -> tuple[int, int, int]:
    """`null` (first letter n), `true` or `false`."""
    if i + length > end:
        return end, kind, MORE
    if first == 110:
        fits = buffer[i + 1] == 117 and buffer[i + 2] == 108 and buffer[i + 3] == 108
    elif first == 116:
        fits = buffer[i + 1] == 114 and buffer[i + 2] == 117 and buffer[i + 3] == 101
    else:
        fits = buffer[i + 1] == 97 and buffer[i + 2] == 108 and buffer[i + 3] == 115 and buffer[i + 4] == 101
    return i + length if fits else i, kind, OK if fits else BAD


@compiled
def skip_scalar(buffer: Bytes, i: int, end: int) -> tuple[int, int, int]:
    """Position after a string, number or word; kind and flags; status."""
    c = buffer[i]
    if c == 34:
        i, flags, status = skip_string(buffer, i + 1, end)
        return i, STRING | flags, status
    if c == 110:
        return skip_word(buffer, i, end, 110, 4, NULL)
    if c == 116:
        return skip_word(buffer, i, end, 116, 4, LITERAL)
    if c == 102:
        return skip_word(buffer, i, end, 102, 5, LITERAL)
    if c == 45 or 48 <= c <= 57:
        return skip_number(buffer, i, end)
    return i, ABSENT, BAD


@compiled
def skip_container(buffer: Bytes, i: int, end: int, stack: Bytes) -> tuple[int, int]:
    """From an opening brace or bracket: position after its partner, status. Limited to the depth of `stack`."""
    depth = 0
    expected = _VALUE
    while True:
        i = skip_space(buffer, i, end)
        if i >= end:
            return end, MORE
        c = buffer[i]
        if c == 123 or c == 91:
            if expected in (_AFTER, _NAME, _FIRST_NAME) or depth == stack.size:
                return i, BAD
            stack[depth] = c
            depth += 1
            expected = _FIRST_NAME if c == 123 else _FIRST_VALUE
            i += 1
        elif c == 125 or c == 93:
            may_close = expected == _AFTER or (
                expected == _FIRST_NAME if c == 125 else expected == _FIRST_VALUE
            )
            if not may_close or stack[depth - 1] != c - 2:
                return i, BAD
            depth -= 1
            expected = _AFTER
            i += 1
            if depth == 0:
                return i, OK
        elif expected == _AFTER:
            if c != 44:
                return i, BAD
            expected = _NAME if stack[depth - 1] == 123 else _VALUE
            i += 1
        elif expected in (_NAME, _FIRST_NAME):
            if c != 34:
                return i, BAD
            i, _, status = skip_string(buffer, i + 1, end)
            if status != OK:
                return i, status
            i = skip_space(buffer, i, end)
            if i >= end:
                return end, MORE
            if buffer[i] != 58:
                return i, BAD
            expected = _VALUE
            i += 1
        else:
            i, _, status = skip_scalar(buffer, i, end)
            if status != OK:
                return i, status
            expected = _AFTER


@compiled
def skip_value(buffer: Bytes, i: int, end: int, stack: Bytes) -> tuple[int, int, int]:
    """Position after any value, its kind and flags, status."""
    c = buffer[i]
    if c == 123 or c == 91:
        i, status = skip_container(buffer, i, end, stack)
        return i, OBJECT if c == 123 else ARRAY, status
    return skip_scalar(buffer, i, end)


@compiled
def which_name(buffer: Bytes, start: int, end: int, names: Bytes, name_starts: Places) -> int:
    """Index of the wanted name at start..end, or -1."""
    for k in range(name_starts.size - 1):
        first = name_starts[k]
        if name_starts[k + 1] - first == end - start:
            j = 0
            while j < end - start and buffer[start + j] == names[first + j]:
                j += 1
            if j == end - start:
                return k
    return -1


@compiled
def put_span(kinds: Bytes, starts: Places, ends: Places, k: int, kind: int, start: int, end: int) -> None:
    """Stores a value as span `k`; a string without its quotes."""
    quote = 1 if (kind & KIND) == STRING else 0
    kinds[k] = kind
    starts[k] = start + quote
    ends[k] = end - quote


@compiled
def read_object(
    buffer: Bytes,
    i: int,
    end: int,
    names: Bytes,
    name_starts: Places,
    kinds: Bytes,
    starts: Places,
    ends: Places,
    stack: Bytes,
) -> tuple[int, int]:
    """From an opening brace: the spans of the wanted members (the last of equal names), position after it, status."""
    for k in range(kinds.size):
        kinds[k] = ABSENT
        starts[k] = i
        ends[k] = i
    i = skip_space(buffer, i + 1, end)
    if i < end and buffer[i] == 125:
        return i + 1, OK
    while True:
        if i >= end:
            return end, MORE
        if buffer[i] != 34:
            return i, BAD
        name_start = i + 1
        i, _, status = skip_string(buffer, name_start, end)
        if status != OK:
            return i, status
        k = which_name(buffer, name_start, i - 1, names, name_starts)
        i = skip_space(buffer, i, end)
        if i >= end:
            return end, MORE
        if buffer[i] != 58:
            return i, BAD
        start = skip_space(buffer, i + 1, end)
        if start >= end:
            return end, MORE
        i, kind, status = skip_value(buffer, start, end, stack)
        if status != OK:
            return i, status
        if k >= 0:
            put_span(kinds, starts, ends, k, kind, start, i)
        i = skip_space(buffer, i, end)
        if i >= end:
            return end, MORE
        if buffer[i] == 125:
            return i + 1, OK
        if buffer[i] != 44:
            return i, BAD
        i = skip_space(buffer, i + 1, end)


@compiled
def may_begin_a_record(buffer: Bytes, i: int, begin: int, end: int) -> bool:
    """Whether a brace after damage may open a record: first in its line, or after `,` `[` `}`; then a quote."""
    k = skip_space(buffer, i + 1, end)
    if k < end and buffer[k] != 34:
        return False
    k = i - 1
    while k >= begin and (buffer[k] == 32 or buffer[k] == 9 or buffer[k] == 13):
        k -= 1
    if k >= begin + 4 and buffer[k] == 58:
        return is_event_data(buffer, k - 4, begin, end)
    return k < begin or buffer[k] == 10 or buffer[k] == 44 or buffer[k] == 91 or buffer[k] == 125


@compiled
def is_event_data(buffer: Bytes, i: int, begin: int, end: int) -> bool:
    """Whether a line begins at `i` with `data:`, as in server-sent events."""
    if i + 5 > end or (i > begin and buffer[i - 1] != 10):
        return False
    if buffer[i] != 100 or buffer[i + 1] != 97 or buffer[i + 2] != 116:
        return False
    return buffer[i + 3] == 97 and buffer[i + 4] == 58


@compiled
def scan_objects(
    buffer: Bytes, end: int, is_all: bool, damage_open: bool, room: ScanRoom
) -> tuple[int, int, int, bool]:
    """The records in buffer[:end], from 0 on. The first wanted name must be present (`offset`).

    `is_all`: no bytes will follow. `damage_open`: a damaged range of the previous buffer continues here; its start is kept.
    Returns records, damaged ranges, position up to which all is done, whether a range is still open.
    """
    names, name_starts, kinds, starts, ends, places, damage, stack = room
    rows = 0
    stretches = 0
    i = 0
    while i < end and rows < kinds.shape[0] and stretches < damage.shape[0]:
        c = buffer[i]
        if c == 123 and (not damage_open or may_begin_a_record(buffer, i, 0, end)):
            after, status = read_object(
                buffer,
                i,
                end,
                names,
                name_starts,
                kinds[rows],
                starts[rows],
                ends[rows],
                stack[:MAX_DEPTH_AFTER_DAMAGE] if damage_open else stack,
            )
            if status == OK and kinds[rows, 0] != ABSENT:
                if damage_open:
                    damage[stretches, 1] = i
                    stretches += 1
                    damage_open = False
                places[rows, 0] = i
                places[rows, 1] = after
                rows += 1
                i = after
            elif status == MORE and not is_all:
                break
            elif damage_open:
                i += 1
            else:
                damage_open = True
                damage[stretches, 0] = i
                damage[stretches, 2] = NO_OFFSET if status == OK else (BROKEN if status == BAD else CUT_OFF)
                damage[stretches, 3] = after
                i = after if status == OK else i + 1
        elif (
            damage_open or c == 32 or c == 9 or c == 10 or c == 13 or c == 44 or c == 91 or c == 93 or c == 30
        ):
            i += 1
        elif c == 37:
            k = i
            while k < end and buffer[k] != 10:
                k += 1
            if k == end and not is_all:
                break
            i = k
        elif c == 100 and i + 5 > end and not is_all:
            break
        elif c == 100 and is_event_data(buffer, i, 0, end):
            i += 5
        else:
            damage_open = True
            damage[stretches, 0] = i
            damage[stretches, 2] = NOT_JSON
            damage[stretches, 3] = i
            i += 1
    return rows, stretches, i, damage_open


@compiled
def scan_members(
    buffer: Bytes,
    parent_kinds: Bytes,
    parent_starts: Places,
    parent_ends: Places,
    names: Bytes,
    name_starts: Places,
    kinds: Bytes,
    starts: Places,
    ends: Places,
    stack: Bytes,
) -> None:
    """The wanted members of objects that were scanned before; a parent that is not an object has none."""
    for row in range(parent_kinds.size):
        if parent_kinds[row] == OBJECT:
            read_object(
                buffer,
                parent_starts[row],
                parent_ends[row],
                names,
                name_starts,
                kinds[row],
                starts[row],
                ends[row],
                stack,
            )
        else:
            kinds[row, :] = ABSENT
            starts[row, :] = 0
            ends[row, :] = 0


@compiled
def scan_inner(
    buffer: Bytes,
    parent_kind: int,
    parent_kinds: Bytes,
    parent_starts: Places,
    parent_ends: Places,
    counts: Places,
    kinds: Bytes,
    starts: Places,
    ends: Places,
    stack: Bytes,
) -> int:
    """The contents, in sequence, of arrays scanned before, or names and values in turn of objects scanned before.

    `counts` for each parent; one of another kind than `parent_kind` has none. Returns their sum.
    """
    spans = 0
    for row in range(parent_kinds.size):
        counts[row] = 0
        if parent_kinds[row] != parent_kind:
            continue
        end = parent_ends[row]
        i = skip_space(buffer, parent_starts[row] + 1, end)
        while buffer[i] != 93 and buffer[i] != 125:
            after, kind, _ = skip_value(buffer, i, end, stack)
            put_span(kinds, starts, ends, spans, kind, i, after)
            counts[row] += 1
            spans += 1
            i = skip_space(buffer, after, end)
            if buffer[i] == 44 or buffer[i] == 58:
                i = skip_space(buffer, i + 1, end)
    return spans


@compiled
def may_begin_a_value(buffer: Bytes, i: int) -> bool:
    """Whether `i`, after damage, may be an item: an opening bracket, first in its line or after `},` or `],`."""
    c = buffer[i]
    if c != 123 and c != 91 and c != 34:
        return False
    k = i - 1
    while k >= 0 and (buffer[k] == 32 or buffer[k] == 9 or buffer[k] == 13):
        k -= 1
    if k >= 0 and buffer[k] == 44:
        k -= 1
        while k >= 0 and (buffer[k] == 32 or buffer[k] == 9 or buffer[k] == 13):
            k -= 1
        return k >= 0 and (buffer[k] == 125 or buffer[k] == 93)
    return k >= 0 and buffer[k] == 10


@compiled
def scan_values(
    buffer: Bytes, end: int, is_all: bool, damage_open: bool, room: ScanRoom
) -> tuple[int, int, int, bool]:
    """The items of an array whose opening bracket precedes the buffer, each a record. As `scan_objects`."""
    _, _, kinds, starts, ends, places, damage, stack = room
    rows = 0
    stretches = 0
    i = 0
    while i < end and rows < kinds.shape[0] and stretches < damage.shape[0]:
        c = buffer[i]
        if c == 32 or c == 9 or c == 10 or c == 13 or c == 44 or c == 93:
            i += 1
            continue
        if damage_open and not may_begin_a_value(buffer, i):
            i += 1
            continue
        after, kind, status = skip_value(
            buffer, i, end, stack[:MAX_DEPTH_AFTER_DAMAGE] if damage_open else stack
        )
        k = skip_space(buffer, after, end)
        if status != BAD and k >= end and not is_all:
            break
        if status == OK and k < end and buffer[k] != 44 and buffer[k] != 93:
            status = BAD
        if status == OK and k >= end and (kind & KIND) == NUMBER:
            status = MORE
        if status == OK:
            if damage_open:
                damage[stretches, 1] = i
                stretches += 1
                damage_open = False
            put_span(kinds[rows], starts[rows], ends[rows], 0, kind, i, after)
            places[rows, 0] = i
            places[rows, 1] = after
            rows += 1
            i = after
        elif damage_open:
            i += 1
        else:
            damage_open = True
            damage[stretches, 0] = i
            damage[stretches, 2] = BROKEN if status == BAD else CUT_OFF
            damage[stretches, 3] = after
            i += 1
    return rows, stretches, i, damage_open
