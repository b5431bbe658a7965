"""The words of `wording` with their values marked: for findings, verdicts and everything else in report.json.

`wording` itself is for tables, notes and messages, which have no types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from spark.terms import marked, wording
from spark.terms.wording import OFFSETS_NAMED, listed, sentence

__all__ = [
    "OFFSETS_NAMED",
    "at_offsets",
    "file_size",
    "grouped",
    "items",
    "listed",
    "moment",
    "offset_range",
    "plural",
    "sentence",
    "since_day",
    "some",
    "steps",
    "timed",
    "version_name",
]


def grouped(count: int) -> str:
    """A number with thousands separators: 1,204,331."""
    return marked.number(count, wording.grouped(count))


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 content`, `3 contents`; `many` if an s is not enough."""
    return f"{grouped(count)} {noun if count == 1 else many or noun + 's'}"


def file_size(size_bytes: int) -> str:
    """`812 bytes`, `3.4 MB`."""
    text, _, unit = wording.file_size(size_bytes).partition(" ")
    return f"{marked.number(size_bytes, text)} {unit}"


def some(names: Sequence[str], max_shown: int = OFFSETS_NAMED) -> str:
    """A list that states how many items it leaves out."""
    return wording.some(names, max_shown, grouped)


def at_offsets(offsets: Sequence[int], max_shown: int = OFFSETS_NAMED, replica: str | None = None) -> str:
    """`offset 7`, `offsets 7 and 9`; `replica`: of another copy than the text's."""
    word = "offset" if len(offsets) == 1 else "offsets"
    return f"{word} {some([marked.offset(offset, replica) for offset in offsets], max_shown)}"


OWN_OFFSET = f"{marked.OPEN}{marked.CODES['offset']}(-?\\d+){marked.CLOSE}"  # of the text's own copy
MORE = f"(?: and {marked.OPEN}{marked.CODES['number']}[^{marked.CLOSE}]*{marked.CLOSE} more)?"
OFFSETS = re.compile(
    rf"\boffset(?P<s>s?) (?P<numbers>{OWN_OFFSET}(?:(?:, | and | to |-){OWN_OFFSET})*{MORE})"
)
ANY_OFFSET = re.compile(OWN_OFFSET)


def with_records(text: str) -> str:
    """The text about a print without offsets: its records are only counted, so `offsets 4 and 7` is `records 5 and 8 of the print`.
    Code stays as it is."""
    pieces = text.split("`")
    for number, words in enumerate(pieces[::2]):
        named = OFFSETS.sub(lambda match: f"record{match['s']} {match['numbers']} of the print", words)
        pieces[2 * number] = ANY_OFFSET.sub(lambda match: marked.number(int(match[1]) + 1), named)
    return "`".join(pieces)


def version_name(label: str) -> str:
    """`pay/invoice.proto/1` as `pay/invoice.proto version 1`; versions of subjects likewise."""
    name, _, number = label.rpartition("/")
    return f"{marked.entity(name, 'version')} version {marked.name(number)}"


def steps(lines: Iterable[str]) -> str:
    return "\n".join(marked.step(number, line) for number, line in enumerate(lines, 1))


def items(lines: Iterable[str]) -> str:
    return "\n".join(map(marked.item, lines))


def since_day(timestamp_ms: int | None) -> str:
    """` since 2024-06-01` (UTC); empty for an unknown time."""
    day = wording.since_day(timestamp_ms).removeprefix(" since ")
    return f" since {marked.time(timestamp_ms, day)}" if day and timestamp_ms is not None else ""


def moment(timestamp_ms: int | None) -> str:
    """`2024-06-01 12:00:03 UTC`; a number outside the calendar unchanged."""
    text = wording.moment(timestamp_ms)
    return text if timestamp_ms is None or timestamp_ms < 0 else marked.time(timestamp_ms, text)


def timed(word: str, timestamp_ms: int | None) -> str:
    """` since 2024-06-01 12:00:03 UTC` for `since`; empty for an unknown time."""
    return "" if timestamp_ms is None or timestamp_ms < 0 else f" {word} {moment(timestamp_ms)}"


def offset_range(first: int, last: int | None = None, replica: str | None = None) -> str:
    """`offset 4`, `offsets 4-9`: one offset is never a range. `replica`: of another copy than the text's."""
    if last is None or last == first:
        return f"offset {marked.offset(first, replica)}"
    return f"offsets {marked.offset(first, replica)}-{marked.offset(last, replica)}"
