"""The walker: printed records into rows of numbers, in compiled code.

A record ends before the next line that begins with the same labels, so a value may contain line feeds. A line that begins
like a record and then differs also ends the record before, and is marked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spark.runtime.compiled import compiled

Bytes = NDArray[np.uint8]
Rows = NDArray[np.int64]

(
    KIND, START, END, TIMESTAMP, TIMESTAMP_TYPE, PARTITION, OFFSET, HEADERS_AT, HEADERS_END, KEY_AT, KEY_END, VALUE_AT,
    VALUE_END, EXTRA, FIELDS,
) = range(15)  # fmt: skip
RECORD, JUNK, BROKEN, TOTAL = 0, 1, 2, 3
NONE = -(2**63)
MORE, NOT_HERE = -1, -2
LF, CR = 10, 13
MAX_LABELS = 160

# what a file's columns are, as numbers
(HAS_TIME, HAS_PARTITION, HAS_OFFSET, HAS_DELIVERY, HAS_EPOCH, HAS_HEADERS, HAS_KEY, PARTITION_LAST, HAS_CR, COLUMNS) = range(10)  # fmt: skip

_WORDS = (
    b"CreateTime:",
    b"LogAppendTime:",
    b"NO_TIMESTAMP",
    b"Partition:",
    b"Offset:",
    b"Delivery:",
    b"Epoch:",
    b"NOT_PRESENT",
    b"Processed a total of ",
    b"NO_HEADERS",
)
WORDS = np.frombuffer(bytearray(b"".join(_WORDS)), np.uint8)
ENDS = np.cumsum([0, *map(len, _WORDS)]).astype(np.int64)
CREATE, APPEND, NO_TIME, PART, OFF, DELIVERY, EPOCH, NOT_PRESENT, PROCESSED, NO_HEADERS = range(10)


@compiled
def is_word(buffer: Bytes, i: int, used: int, word: int) -> int:
    """Position after a word that begins here, or NOT_HERE."""
    first, size = ENDS[word], ENDS[word + 1] - ENDS[word]
    if i + size > used:
        return NOT_HERE
    for k in range(size):
        if buffer[i + k] != WORDS[first + k]:
            return NOT_HERE
    return int(i + size)


@compiled
def number(buffer: Bytes, i: int, used: int) -> tuple[int, int]:
    """A number that begins here and the position after it, or NOT_HERE."""
    is_negative = i < used and buffer[i] == 45
    j = i + 1 if is_negative else i
    first = j
    value = 0
    while j < used and 48 <= buffer[j] <= 57 and j - first < 19:
        value = value * 10 + (buffer[j] - 48)
        j += 1
    if j == first or value < 0:
        return 0, NOT_HERE
    return (-value if is_negative else value), j


@compiled
def separated(buffer: Bytes, i: int, used: int, separator: Bytes) -> int:
    """Position after the separator, or NOT_HERE."""
    if i < 0 or i + separator.size > used:
        return NOT_HERE
    for k in range(separator.size):
        if buffer[i + k] != separator[k]:
            return NOT_HERE
    return i + separator.size


@compiled
def label(buffer: Bytes, i: int, used: int, separator: Bytes, word: int, largest: int) -> tuple[int, int]:
    """A label's number, the position after it and its separator, or NOT_HERE."""
    at = is_word(buffer, i, used, word)
    if at < 0:
        return 0, NOT_HERE
    value, end = number(buffer, at, used)
    if end < 0 and word in (DELIVERY, EPOCH):
        end = is_word(buffer, at, used, NOT_PRESENT)
    if value > largest or (value < 0 and word != EPOCH):
        return 0, NOT_HERE
    return value, separated(buffer, end, used, separator)


@compiled
def labels(buffer: Bytes, i: int, used: int, columns: Bytes, separator: Bytes, row: Rows) -> int:
    """Reads the labels of a record that begins here; the position after them, or NOT_HERE."""
    if columns[HAS_TIME]:
        end = is_word(buffer, i, used, NO_TIME)
        if end < 0:
            at = is_word(buffer, i, used, CREATE)
            row[TIMESTAMP_TYPE] = 0
            if at < 0:
                at = is_word(buffer, i, used, APPEND)
                row[TIMESTAMP_TYPE] = 1
            if at < 0:
                return NOT_HERE
            row[TIMESTAMP], end = number(buffer, at, used)
        else:
            row[TIMESTAMP_TYPE] = 2
        i = separated(buffer, end, used, separator)
    if i >= 0 and columns[HAS_PARTITION]:
        row[PARTITION], i = label(buffer, i, used, separator, PART, 2**31 - 1)
    if i >= 0 and columns[HAS_OFFSET]:
        row[OFFSET], i = label(buffer, i, used, separator, OFF, 2**63 - 1)
    if i >= 0 and columns[HAS_DELIVERY]:
        _, i = label(buffer, i, used, separator, DELIVERY, 2**31 - 1)
    if i >= 0 and columns[HAS_EPOCH]:
        _, i = label(buffer, i, used, separator, EPOCH, 2**31 - 1)
    return i


@compiled
def begins(buffer: Bytes, i: int, used: int, columns: Bytes, separator: Bytes, row: Rows) -> int:
    """What begins on this line: RECORD, BROKEN (its first label only), TOTAL, or NOT_HERE. Overwrites `row`."""
    if i >= used:
        return NOT_HERE
    c = buffer[i]
    if c not in (67, 69, 76, 78, 79, 80):
        return NOT_HERE
    if labels(buffer, i, used, columns, separator, row) >= 0:
        return RECORD
    if columns[HAS_TIME]:
        is_label = is_word(buffer, i, used, CREATE) >= 0 or is_word(buffer, i, used, APPEND) >= 0
    else:
        first = PART if columns[HAS_PARTITION] else OFF if columns[HAS_OFFSET] else EPOCH
        is_label = is_word(buffer, i, used, first) >= 0
    if is_label:
        return BROKEN
    if c == 80:
        at = is_word(buffer, i, used, PROCESSED)
        if at >= 0:
            _, end = number(buffer, at, used)
            while 0 <= end < used and buffer[end] != LF:
                end += 1
            if end >= 0 and end + 1 >= used:
                return TOTAL
    return NOT_HERE


@compiled
def find(buffer: Bytes, i: int, end: int, separator: Bytes) -> int:
    """Where the next separator begins, or NOT_HERE."""
    while i + separator.size <= end:
        if buffer[i] == separator[0] and separated(buffer, i, end, separator) >= 0:
            return i
        i += 1
    return NOT_HERE


@compiled
def split_columns(buffer: Bytes, i: int, end: int, columns: Bytes, separator: Bytes, row: Rows) -> bool:
    """Headers, key and value of i..end; False if there are too few columns."""
    if columns[HAS_CR] and end > i and buffer[end - 1] == CR:
        end -= 1
    if columns[PARTITION_LAST]:
        at = end
        while at > i and buffer[at - 1] != separator[separator.size - 1]:
            at -= 1
        value, behind = number(buffer, at, end)
        if behind != end or at == i or not 0 <= value < 2**31:
            return False
        row[PARTITION] = value
        end = at - separator.size
    for column, first in ((HAS_HEADERS, HEADERS_AT), (HAS_KEY, KEY_AT)):
        if columns[column]:
            stop = find(buffer, i, end, separator)
            if stop < 0:
                return False
            row[first] = i
            row[first + 1] = stop
            i = stop + separator.size
    row[VALUE_AT] = i
    row[VALUE_END] = end
    row[EXTRA] = 1 if columns[HAS_KEY] and find(buffer, i, end, separator) >= 0 else 0
    return True


@compiled
def walk(
    buffer: Bytes, used: int, is_all: bool, columns: Bytes, separator: Bytes, rows: Rows, scribble: Rows
) -> tuple[int, int]:
    """Reads records while they are complete in the buffer and there is room for their rows: rows, bytes done. `scribble`: room
    for one row more."""
    count = 0
    start = 0
    while start < used and count < len(rows):
        row = rows[count]
        row[:] = NONE
        kind = begins(buffer, start, used, columns, separator, scribble)
        row[KIND] = JUNK if kind == NOT_HERE else kind
        end = start
        is_found = False
        while not is_found:
            while end < used and buffer[end] != LF:
                end += 1
            if not is_all and end + MAX_LABELS >= used:
                return count, start
            if end >= used:
                break
            end += 1
            is_found = begins(buffer, end, used, columns, separator, scribble) >= 0
        row[START] = start
        row[END] = end
        if kind == RECORD:
            at = labels(buffer, start, used, columns, separator, row)
            last = end - 1 if end > start and buffer[end - 1] == LF else end
            if at > last or not split_columns(buffer, at, last, columns, separator, row):
                row[KIND] = BROKEN
        count += 1
        start = end
    return count, start


@compiled
def is_null(buffer: Bytes, rows: Rows, at: int, end: int, null: Bytes, null_flags: Bytes) -> None:
    for row in range(len(rows)):
        start = rows[row, at]
        null_flags[row] = (
            rows[row, end] - start == null.size and separated(buffer, start, rows[row, end], null) >= 0
        )


@compiled
def is_header_end(buffer: Bytes, i: int, end: int) -> bool:
    """At the end, or at a comma with `name:` after it before the next comma."""
    if i == end:
        return True
    if buffer[i] != 44:
        return False
    for k in range(i + 1, end):
        if buffer[k] == 44:
            return False
        if buffer[k] == 58:
            return True
    return False


@compiled
def find_headers(buffer: Bytes, rows: Rows, counts: Rows, places: Rows) -> int:
    """Headers of all rows; positions of name, its end, value, its end. Fills `places` only as far as there is room."""
    total = 0
    for row in range(len(rows)):
        counts[row] = 0
        i, end = rows[row, HEADERS_AT], rows[row, HEADERS_END]
        if i == NONE or is_word(buffer, i, end, NO_HEADERS) == end:
            continue
        start = i
        while i <= end:
            if is_header_end(buffer, i, end):
                colon = start
                while colon < i and buffer[colon] != 58:
                    colon += 1
                if total < places.shape[1]:
                    places[0, total] = start
                    places[1, total] = colon
                    places[2, total] = min(colon + 1, i)
                    places[3, total] = i
                counts[row] += 1
                total += 1
                start = i + 1
            i += 1
    return total
