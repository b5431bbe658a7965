"""From spans to numbers: whole numbers of 64 bits, printed or quoted; seconds with a fraction as milliseconds."""

from __future__ import annotations

from spark.runtime.compiled import compiled
from spark.sources._json.scan import ABSENT, KIND, NULL, NUMBER, STRING, Bytes, Places

MAX_INT64 = 2**63 - 1
SAFE_DIGITS = 18  # so many always fit
SECONDS_BELOW = (
    100_000_000_000  # a whole number below it is seconds (year 5138), above it milliseconds (1973)
)
ABSENT_OR_NULL, WHOLE, NOT_WHOLE = 0, 1, 2


@compiled
def whole_number(buffer: Bytes, i: int, end: int) -> tuple[int, bool]:
    """The decimal number i..end, and whether it is one and fits 64 bits."""
    negative = i < end and buffer[i] == 45
    if negative:
        i += 1
    if i >= end:
        return 0, False
    number = 0
    is_long = end - i > SAFE_DIGITS
    while i < end:
        digit = buffer[i] - 48
        if digit < 0 or digit > 9 or (is_long and number > (MAX_INT64 - digit) // 10):
            return 0, False
        number = number * 10 + digit
        i += 1
    return -number if negative else number, True


@compiled
def whole_numbers(
    buffer: Bytes, kinds: Bytes, starts: Places, ends: Places, numbers: Places, states: Bytes
) -> None:
    """A number for each span, 0 if there is none; `states` says which."""
    for row in range(kinds.size):
        kind = kinds[row] & KIND
        numbers[row] = 0
        if kind in (ABSENT, NULL):
            states[row] = ABSENT_OR_NULL
            continue
        states[row] = NOT_WHOLE
        if kind in (NUMBER, STRING):
            number, fits = whole_number(buffer, starts[row], ends[row])
            if fits:
                numbers[row] = number
                states[row] = WHOLE


@compiled
def milliseconds(
    buffer: Bytes, kinds: Bytes, starts: Places, ends: Places, numbers: Places, states: Bytes
) -> None:
    """Times printed as decimal seconds (`1739569505.569000000`), whole seconds or milliseconds."""
    for row in range(kinds.size):
        kind = kinds[row] & KIND
        numbers[row] = 0
        if kind in (ABSENT, NULL):
            states[row] = ABSENT_OR_NULL
            continue
        states[row] = NOT_WHOLE
        if kind != NUMBER and kind != STRING:
            continue
        point = starts[row]
        while point < ends[row] and buffer[point] != 46:
            point += 1
        number, fits = whole_number(buffer, starts[row], point)
        if not fits:
            continue
        if point == ends[row] and abs(number) >= SECONDS_BELOW:
            numbers[row] = number
            states[row] = WHOLE
            continue
        thousandths = 0
        for k in range(1, 4):
            digit = buffer[point + k] - 48 if point + k < ends[row] else 0
            thousandths = thousandths * 10 + digit
        for k in range(point + 1, ends[row]):
            fits = fits and 48 <= buffer[k] <= 57
        if fits and abs(number) < SECONDS_BELOW:
            numbers[row] = number * 1000 + (thousandths if buffer[starts[row]] != 45 else -thousandths)
            states[row] = WHOLE
