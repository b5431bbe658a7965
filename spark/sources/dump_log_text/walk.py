"""The walker: printed lines into rows of numbers, in compiled code. Longer than 300 lines because functions that call
each other are compiled together.

    line  = beginning (name ": " value " ")* [ " key: " bytes ] [ " payload: " bytes ] LF

Key and payload are printed raw and may contain line feeds and whole lines of the same form: the sizes printed before them
decide where they end. If the tool printed U+FFFD for one to three bytes, the end is the first position that the size
allows and after which a line begins.
"""

from __future__ import annotations

from spark.runtime.compiled import compiled
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Bytes, Rows

LOOK_AHEAD = 64  # bytes behind a line feed that tell whether a line begins there
MORE, NOT_THERE = -1, -2
LF, CR, SPACE, MINUS, COLON = 10, 13, 32, 45, 58
OPEN, CLOSE = 91, 93
BEFORE_PAYLOAD, AT_LINE_END = 1, 2


@compiled
def number_prefix(buffer: Bytes, i: int, used: int) -> int:
    """The position after a line number that a pager or editor put before the line; `i` if there is none."""
    j = i
    while j < used and j < i + 12 and buffer[j] == SPACE:
        j += 1
    digits = j
    while j < used and j < digits + 12 and 48 <= buffer[j] <= 57:
        j += 1
    if j == digits or j >= used or (buffer[j] != SPACE and buffer[j] != 9):
        return i
    while j < used and (buffer[j] == SPACE or buffer[j] == 9):
        j += 1
    return j


@compiled
def kind_at(buffer: Bytes, i: int, used: int) -> int:
    """The kind of line that begins exactly here, or ODD. A word truncated by the end of the bytes counts."""
    for word in range(f.WORD_KINDS.size):
        first = f.WORD_ENDS[word]
        size = f.WORD_ENDS[word + 1] - first
        k = 0
        while k < size and i + k < used and buffer[i + k] == f.WORDS[first + k]:
            k += 1
        if k == size or (k > 0 and i + k == used):
            return int(f.WORD_KINDS[word])
    return f.ODD


@compiled
def begins(buffer: Bytes, i: int, used: int, is_all: bool) -> int:
    """1: a line begins here, or the file ends; 0: neither; MORE: more bytes are needed."""
    if i + LOOK_AHEAD > used and not is_all:
        return MORE
    if i >= used or kind_at(buffer, i, used) != f.ODD:
        return 1
    j = number_prefix(buffer, i, used)
    return 1 if j > i and kind_at(buffer, j, used) != f.ODD else 0


@compiled
def ends_at(buffer: Bytes, i: int, used: int, is_all: bool, how: int) -> int:
    """Whether the required text follows one that ends here: 1, 0 or MORE."""
    if how & BEFORE_PAYLOAD:
        if i + 10 > used:
            if not is_all:
                return MORE
        elif buffer[i] == SPACE and buffer[i + 1] == 112 and buffer[i + 4] == 108 and buffer[i + 8] == COLON:
            is_word = buffer[i + 2] == 97 and buffer[i + 3] == 121 and buffer[i + 5] == 111
            if is_word and buffer[i + 6] == 97 and buffer[i + 7] == 100 and buffer[i + 9] == SPACE:
                return 1
    if how & AT_LINE_END:
        if i >= used:
            return 1 if is_all else MORE
        if buffer[i] == LF:
            return begins(buffer, i + 1, used, is_all)
        if buffer[i] == CR:
            if i + 1 >= used:
                return 0 if is_all else MORE
            if buffer[i + 1] == LF:
                return begins(buffer, i + 2, used, is_all)
    return 0


@compiled
def is_replacement(buffer: Bytes, i: int, used: int) -> bool:
    """Whether U+FFFD begins here."""
    return i + 3 <= used and buffer[i] == 0xEF and buffer[i + 1] == 0xBF and buffer[i + 2] == 0xBD


@compiled
def text_end(buffer: Bytes, at: int, size: int, used: int, is_all: bool, how: int) -> tuple[int, int]:
    """The end of a key or payload of this size, and its flags; MORE, or NOT_THERE if the file ends before."""
    exact = at + size
    if size >= 0:
        if exact > used and not is_all:
            return MORE, 0
        if exact <= used:
            ending = ends_at(buffer, exact, used, is_all, how)
            if ending == MORE:
                return MORE, 0
            replaced = 0
            for i in range(at, exact):
                if buffer[i] == 0xEF and is_replacement(buffer, i, used):
                    replaced = f.REPLACED
                    break
            if ending == 1 or (replaced == 0 and how & AT_LINE_END and exact < used and buffer[exact] == LF):
                return exact, replaced
        replaced = 0
        i = at
        while i <= used and i - at - 2 * replaced <= size:
            if is_replacement(buffer, i, used):
                replaced += 1
                i += 3
                continue
            if replaced > 0 and i - at >= size:
                ending = ends_at(buffer, i, used, is_all, how)
                if ending == MORE:
                    return MORE, 0
                if ending == 1:
                    return i, f.REPLACED
            if i >= used and not is_all:
                return MORE, 0
            i += 1
    i = at
    while i < used:
        ending = ends_at(buffer, i, used, is_all, how | AT_LINE_END)
        if ending == MORE:
            return MORE, 0
        if ending == 1:
            return i, f.MISFIT
        i += 1
    if not is_all:
        return MORE, 0
    return (NOT_THERE, 0) if used - at < size or how == BEFORE_PAYLOAD else (used, f.MISFIT)


@compiled
def headers_end(buffer: Bytes, i: int, used: int) -> int:
    """The bracket that closes the names of headers: the first one with a known word after it."""
    while i < used and buffer[i] != LF:
        if buffer[i] == CLOSE:
            if i + 1 >= used or buffer[i + 1] == LF or buffer[i + 1] == CR:
                return i
            if buffer[i + 1] == SPACE and i + 2 < used:
                c = buffer[i + 2]
                if c == 107 or c == 112 or c == 101 or c == 99 or c == 105 or c == 83 or c == 75 or c == 76:
                    return i
        i += 1
    return NOT_THERE


@compiled
def field_of(number: int) -> int:
    """The slot of a name's hash; NOT_THERE for an unknown name."""
    slot = number % f.SLOTS
    while f.NAME_TABLE[slot, 0] >= 0:
        if f.NAME_TABLE[slot, 0] == number:
            return slot
        slot = (slot + 1) % f.SLOTS
    return NOT_THERE


@compiled
def value_at(buffer: Bytes, i: int, end: int, field: int) -> int:
    """The number for a value; NONE for null, none and empty options."""
    if i >= end:
        return f.NONE
    c = buffer[i]
    if field == f.CODEC:
        c |= 0x20
        if c == 110:
            return 0
        if c == 103:
            return 1
        if c == 115:
            return 2
        if c == 108:
            return 3
        return 4 if c == 122 else f.NONE
    if field == f.MARKER:
        if c == 67:
            return 0
        if c == 65:
            return 1
        return f.LEADER_CHANGE if c == 76 else f.UNKNOWN
    if c == 116 or c == 102:
        return 1 if c == 116 else 0
    while i < end and (c < 48 or c > 57) and c != MINUS:
        i += 1
        if i < end:
            c = buffer[i]
    is_negative = c == MINUS
    if is_negative:
        i += 1
    total = 0
    digits = 0
    while i < end and 48 <= buffer[i] <= 57 and digits < 19:
        total = total * 10 + (buffer[i] - 48)
        digits += 1
        i += 1
    if digits == 0 or total < 0:
        return f.NONE
    return -total if is_negative else total


@compiled
def omission_end(buffer: Bytes, i: int, used: int, is_name: bool) -> int:
    """The position after `...`, `[...]` or, where a name is due, `<snip>`, which somebody put in place of members; else `i`."""
    j = i
    closing = 0
    if buffer[j] == OPEN or buffer[j] == 40 or buffer[j] == 60:
        closing = CLOSE if buffer[j] == OPEN else buffer[j] + 1 + (buffer[j] == 60)
        j += 1
    first = j
    while j < used and buffer[j] == 46:
        j += 1
    is_left_out = j - first > 1
    while j + 2 < used and buffer[j] == 0xE2 and buffer[j + 1] == 0x80 and buffer[j + 2] == 0xA6:
        is_left_out = True
        j += 3
    while closing > 0 and is_name and j < used and 97 <= buffer[j] | 0x20 <= 122:
        is_left_out = True
        j += 1
    if closing > 0:
        is_left_out = is_left_out and j < used and buffer[j] == closing
        j += 1
    is_end = j >= used or buffer[j] == SPACE or buffer[j] == LF or buffer[j] == CR
    return j if is_left_out and is_end else i


@compiled
def is_shortened(buffer: Bytes, i: int, end: int) -> bool:
    """Whether a printed value ends with `...`: its rest is not there."""
    if end - i >= 2 and buffer[end - 1] == 46 and buffer[end - 2] == 46:
        return True
    return bool(
        end - i >= 3 and buffer[end - 3] == 0xE2 and buffer[end - 2] == 0x80 and buffer[end - 1] == 0xA6
    )


@compiled
def read_line(buffer: Bytes, start: int, i: int, used: int, is_all: bool, row: Rows) -> int:
    """Reads one line of fields into a row; the position after it, or MORE. Anything unexpected makes the row ODD."""
    how_key = AT_LINE_END
    is_odd = False
    while i < used and buffer[i] != LF:
        if buffer[i] == SPACE or buffer[i] == CR or buffer[i] == 125:
            i += 1
            continue
        end = omission_end(buffer, i, used, True)
        if end > i:
            row[f.FLAGS] |= f.SHORTENED
            i = end
            continue
        j = i
        number = 7
        while j < used and 97 <= buffer[j] | 0x20 <= 122:
            number = (number * 31 + (buffer[j] | 0x20)) & 0xFFFFFFFF
            j += 1
        if j >= used:
            break
        slot = field_of(number) if j > i else NOT_THERE
        field = f.NAME_TABLE[slot, 1] if slot >= 0 else NOT_THERE
        if buffer[j] != COLON and field != f.MARKER:
            is_odd = True
            break
        i = j + 1
        if i < used and buffer[i] == SPACE and buffer[j] == COLON:
            i += 1
        if field in (f.KEY_AT, f.VALUE_AT):
            row[f.CONTENT] = 1
            size = row[f.KEY_SIZE] if field == f.KEY_AT else row[f.VALUE_SIZE]
            how_key = BEFORE_PAYLOAD if row[f.VALUE_SIZE] >= 0 else BEFORE_PAYLOAD | AT_LINE_END
            how = how_key if field == f.KEY_AT else AT_LINE_END
            end, flags = text_end(buffer, i, size, used, is_all, how)
            if end == MORE:
                return MORE
            if end == NOT_THERE:
                row[f.KIND] = f.CUT
                return used
            row[field] = i
            row[field + 1] = end
            if size >= 0:
                row[f.FLAGS] |= flags
            i = end
            continue
        end = omission_end(buffer, i, used, False) if i < used else i
        if end > i:
            row[f.FLAGS] |= f.SHORTENED
            i = end
            continue
        if field == f.HEADERS_AT and i < used and buffer[i] == OPEN:
            end = headers_end(buffer, i + 1, used)
            if end == NOT_THERE:
                is_odd = True
                break
            row[f.HEADERS_AT] = i + 1
            row[f.HEADERS_END] = end
            i = end + 1
            continue
        if field == f.MARKER and f.NAME_TABLE[slot, 2] >= 0:
            row[f.MARKER] = f.NAME_TABLE[slot, 2]
            while i < used and buffer[i] != LF:
                i += 1
            continue
        end = i
        while end < used and buffer[end] != SPACE and buffer[end] != LF and buffer[end] != CR:
            end += 1
        if is_shortened(buffer, i, end):
            row[f.FLAGS] |= f.SHORTENED
        elif field >= 0:
            value = value_at(buffer, i, end, field)
            if value > f.LIMITS[field]:
                is_odd = True
                break
            row[field] = value
            if field == f.TIMESTAMP and f.NAME_TABLE[slot, 2] >= 0:
                row[f.TIMESTAMP_TYPE] = f.NAME_TABLE[slot, 2]
        i = end
    while i < used and buffer[i] != LF:
        i += 1
    if i >= used:
        if not is_all:
            return MORE
        is_odd = is_odd or is_cut_short(row)
    if (
        row[f.FLAGS] & f.MISFIT
        and row[f.VALUE_AT] == f.NONE
        and has_label(buffer, row[f.KEY_AT], row[f.KEY_END])
    ):
        is_odd = True  # bytes are lost that stood in the key and behind the next label
    if is_odd or not is_whole(row):
        row[f.KIND] = f.CUT if i >= used else f.ODD
    return i + 1 if i < used else used


@compiled
def has_label(buffer: Bytes, start: int, end: int) -> bool:
    """Whether `payload:` stands in this stretch, which then is not a key alone."""
    for i in range(start, end - 7):
        if buffer[i] == 112 and buffer[i + 3] == 108 and buffer[i + 6] == 100 and buffer[i + 7] == COLON:
            return True
    return False


@compiled
def is_cut_short(row: Rows) -> bool:
    """A last line without line feed that lacks its key or payload."""
    if row[f.KIND] != f.RECORD and row[f.KIND] != f.OLD:
        return False
    if row[f.KEY_AT] == f.NONE and row[f.VALUE_AT] == f.NONE:
        return bool(row[f.KEY_SIZE] >= 0 or row[f.VALUE_SIZE] >= 0) and row[f.MARKER] == f.NONE
    return bool(row[f.VALUE_SIZE] >= 0 and row[f.VALUE_AT] == f.NONE)


@compiled
def measure(row: Rows) -> None:
    """Sets the sizes of a record printed without offset and sizes: those of the printed text."""
    row[f.KEY_SIZE] = -1 if row[f.KEY_AT] == f.NONE else row[f.KEY_END] - row[f.KEY_AT]
    row[f.VALUE_SIZE] = -1 if row[f.VALUE_AT] == f.NONE else row[f.VALUE_END] - row[f.VALUE_AT]
    row[f.FLAGS] = f.BARE


@compiled
def measure_printed(row: Rows) -> None:
    """Sets the sizes that a shortened record's line leaves out, of the key and value that are there; a marker's are fixed."""
    if row[f.MARKER] == f.COMMIT or row[f.MARKER] == f.ABORT:
        row[f.KEY_SIZE] = 4
        row[f.VALUE_SIZE] = 6
    if row[f.KEY_SIZE] == f.NONE and row[f.KEY_AT] != f.NONE:
        row[f.KEY_SIZE] = row[f.KEY_END] - row[f.KEY_AT]
    if row[f.VALUE_SIZE] == f.NONE and row[f.VALUE_AT] != f.NONE:
        row[f.VALUE_SIZE] = row[f.VALUE_END] - row[f.VALUE_AT]


@compiled
def is_wrapper(row: Rows) -> bool:
    """A compressed message that 0.10 and older print unopened, without --deep-iteration: its value contains its records."""
    return bool(row[f.CODEC] > 0 and row[f.MAGIC] < 2 and row[f.KEY_SIZE] == f.NONE)


@compiled
def is_whole(row: Rows) -> bool:
    """Whether the row has what its kind needs; distinguishes the three kinds of `offset:` lines."""
    kind = row[f.KIND]
    if kind == f.OLD:
        if row[f.OFFSET] < 0 or row[f.POSITION] < 0:
            return False
        if row[f.VALUE_SIZE] != f.NONE:
            row[f.KIND] = f.OLD_BATCH if is_wrapper(row) else f.DEEP
            return bool(row[f.MAGIC] >= 0)
        if row[f.SIZE] != f.NONE:
            row[f.KIND] = f.OLD_BATCH
            return bool(row[f.MAGIC] >= 0)
        row[f.KIND] = f.INDEX
        return row[f.MAGIC] == f.NONE
    if kind == f.BATCH:
        is_ordered = row[f.BASE_OFFSET] >= 0 and row[f.LAST_OFFSET] >= row[f.BASE_OFFSET]
        is_told = row[f.MAGIC] == 2 and row[f.VALID] != f.NONE
        if row[f.FLAGS] & f.SHORTENED and (row[f.MAGIC] == 2 or row[f.MAGIC] == f.NONE):
            row[f.MAGIC] = 2  # older formats are printed in another way
            return bool(is_ordered)
        return bool(is_ordered and row[f.SIZE] >= 0 and row[f.POSITION] >= 0 and is_told)
    if kind == f.RECORD:
        if row[f.OFFSET] == f.NONE and row[f.CONTENT] == 1 and row[f.FLAGS] & f.SHORTENED == 0:
            measure(row)
            return True
        if row[f.FLAGS] & f.SHORTENED:
            measure_printed(row)
        return bool(row[f.OFFSET] >= 0 and row[f.KEY_SIZE] != f.NONE and row[f.VALUE_SIZE] != f.NONE)
    if kind == f.TIME:
        return bool(row[f.TIMESTAMP] != f.NONE and row[f.OFFSET] >= 0)
    if kind == f.TXN:
        return bool(
            row[f.PRODUCER_ID] != f.NONE and row[f.LAST_STABLE] != f.NONE and row[f.LAST_OFFSET] != f.NONE
        )
    if kind == f.PRODUCER:
        return bool(row[f.PRODUCER_ID] != f.NONE and row[f.PRODUCER_EPOCH] != f.NONE)
    return True


@compiled
def walk(buffer: Bytes, used: int, is_all: bool, rows: Rows) -> tuple[int, int]:
    """Reads lines while they are complete in the buffer and there is room for their rows: rows, bytes done."""
    count = 0
    start = 0
    while start < used and count < len(rows):
        row = rows[count]
        for field in range(f.FIELDS):
            row[field] = f.NONE
        row[f.FLAGS] = 0
        row[f.CONTENT] = 0
        i = start
        kind = kind_at(buffer, i, used)
        if kind == f.ODD:
            i = number_prefix(buffer, start, used)
            kind = kind_at(buffer, i, used) if i > start else f.ODD
        row[f.KIND] = kind
        if kind in (f.BATCH, f.RECORD, f.OLD, f.TIME, f.TXN, f.PRODUCER):
            if kind == f.RECORD:
                i += 1 if buffer[i] == SPACE else 2
            end = read_line(buffer, start, i, used, is_all, row)
            if end == MORE:
                break
        else:
            end = i
            while end < used and buffer[end] != LF:
                end += 1
            if end >= used and not is_all:
                break
            end = min(end + 1, used)
        row[f.START] = start
        row[f.END] = end
        count += 1
        start = end
    return count, start
