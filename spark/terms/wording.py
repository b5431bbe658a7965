"""Numbers, plurals and lists for sentences. Every text about a journal is written with these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from spark.terms.marked import plain

OFFSETS_NAMED = 10
SETTING = re.compile(r"[a-z]+[._][a-z]")  # read_committed, cleanup.policy: such a name stays as it is


def grouped(count: int) -> str:
    """A number with thousands separators: 1,204,331."""
    return f"{count:,}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 content`, `3 contents`; `many` if an s is not enough."""
    return f"{grouped(count)} {noun if count == 1 else many or noun + 's'}"


def file_size(size_bytes: int) -> str:
    """`812 bytes`, `3.4 MB`."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.1f} {unit}"
    return plural(size_bytes, "byte")


def listed(names: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    items = list(names)
    return ", ".join(items[:-1]) + f" {last} " + items[-1] if len(items) > 1 else "".join(items)


def some(names: Sequence[str], max_shown: int = OFFSETS_NAMED, number: Callable[[int], str] = grouped) -> str:
    """A list that states how many items it leaves out; `number` formats that number."""
    if len(names) <= max_shown:
        return listed(names)
    return ", ".join(names[:max_shown]) + f" and {number(len(names) - max_shown)} more"


def number_ranges(numbers: Iterable[int]) -> list[str]:
    """`0`, `3-5` of the numbers 0, 3, 4 and 5."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return [str(first) if first == last else f"{first}-{last}" for first, last in runs]


def at_offsets(offsets: Sequence[int], max_shown: int = OFFSETS_NAMED) -> str:
    """`offset 7`, `offsets 7 and 9`, without thousands separators: users search for offsets."""
    word = "offset" if len(offsets) == 1 else "offsets"
    return f"{word} {some([str(offset) for offset in offsets], max_shown)}"


def at_record(offset: int, is_numbered: bool) -> str:
    """`offset 4`; of a print without offsets, whose records are counted: `record 5 of the print`."""
    return f"record {offset + 1} of the print" if is_numbered else f"offset {offset}"


def at_records(offsets: Sequence[int], is_numbered: bool) -> str:
    """The same of several: `offsets 4 and 7`, `records 5 and 8 of the print`."""
    if not is_numbered:
        return at_offsets(offsets)
    word = "record" if len(offsets) == 1 else "records"
    return f"{word} {some([str(offset + 1) for offset in offsets])} of the print"


def offset_range(first: int, last: int | None = None) -> str:
    """`offset 4`, `offsets 4-9`: one offset is never a range."""
    return f"offset {first}" if last is None or last == first else f"offsets {first}-{last}"


def clean_section(point_offset: int, point_is_from: str) -> str:
    """How far compaction has come: its checkpoint is the end; records that it removed prove only that it came so far."""
    if point_is_from == "checkpoint":
        return f"the clean section ends at offset {point_offset}"
    return f"the clean section reaches at least offset {point_offset - 1}"


def version_name(label: str) -> str:
    """`pay/invoice.proto/1` as `pay/invoice.proto version 1`; versions of subjects likewise."""
    name, _, number = label.rpartition("/")
    return f"{name} version {number}"


def registration_name(label: str) -> str:
    """`pay/invoice.proto/1/15` as `pay/invoice.proto version 1 at offset 15`."""
    version, _, offset = label.rpartition("/")
    return f"{version_name(version)} at offset {offset}"


def value_name(label: str) -> str:
    """`b/1` as `of key b at offset 1`."""
    key, _, offset = label.rpartition("/")
    return f"of key {key} at offset {offset}"


TYPES = {"schema-id": "schema ID"}


def type_name(entity_type: str) -> str:
    """`artifact rule`, `schema ID`."""
    return TYPES.get(entity_type, entity_type.replace("-", " "))


NAMES = {"version": version_name, "registration": registration_name, "value": value_name}


def entity_name(entity_type: str, label: str) -> str:
    """An entity's id as its type is named: `pay/invoice.proto version 1`; of other types the id itself."""
    return NAMES[entity_type](label) if entity_type in NAMES else label


def typed_name(entity_type: str, label: str) -> str:
    """The same with its type, where that is no part of it: `artifact pay/money`, `pay/money version 1`."""
    type_words = {"version": "", "registration": "registration of "}.get(
        entity_type, f"{type_name(entity_type)} "
    )
    return type_words + entity_name(entity_type, label)


def sentence(clause: str) -> str:
    """A clause with a capital and a full stop; a setting at its start keeps its spelling."""
    text = clause.strip()
    first = text[:1] if SETTING.match(text) else text[:1].upper()
    return first + text[1:] + ("" if plain(text).endswith((".", "?")) else ".")


def steps(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def since_day(timestamp_ms: int | None) -> str:
    """` since 2024-06-01` (UTC); empty for an unknown time."""
    return f" since {day}" if len(day := moment(timestamp_ms).split(" ")[0]) == len("2024-06-01") else ""


def moment(timestamp_ms: int | None) -> str:
    """`2024-06-01 12:00:03 UTC`; a number outside the calendar unchanged."""
    if timestamp_ms is None or timestamp_ms < 0:
        return "an unknown time"
    try:
        at = datetime.fromtimestamp(timestamp_ms / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return f"timestamp {timestamp_ms}"
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def holds_elsewhere(titles: Sequence[str]) -> str:
    """Other services by whose rules a repair holds."""
    return f"It is also valid by the rules of {listed(titles)}."


def fails_elsewhere(title: str) -> str:
    """Another service by whose rules it does not; without the end of the sentence."""
    return f"It is not valid by the rules of {title}"
