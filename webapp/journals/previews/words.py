"""A preview in the words of the page: what each part holds, what was set aside, what cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PARTITIONS_NAMED = 3
COLOURS = 4  # parts are told apart by number and by as many colours
ASIDES = {
    "program": "another program",
    "closing": "closing line",
    "left out": "`...`: lines left out",
    "text": "other text",
    "quote": "row that the text quotes",
    "unread": "line of a record that could not be read",
    "repeat": "printed again",
}


@dataclass(frozen=True)
class PartView:
    """A part of a pasted text for its card."""

    number: int
    colour: int
    title: str
    content: str
    lines: str
    note: str
    damage: int


def part_view(part: dict[str, Any], is_counted: bool = True) -> PartView:
    lines = line_range(part["first_line"], part["last_line"])
    return PartView(
        part["number"], colour_of(part["number"]), part["title"], content_of(part, is_counted), lines, part["note"], part["damage"]
    )  # fmt: skip


def colour_of(number: int) -> int:
    """Colours repeat after the last."""
    return (number - 1) % COLOURS + 1


def content_of(part: dict[str, Any], is_counted: bool = True) -> str:
    """`ledger-0, offsets 0-6: 4 records, 1 COMMIT marker`."""
    offsets = ", ".join(filter(None, [_partitions(part), _offsets(part)]))
    counts = ", ".join(_counts(part))
    if not counts:
        counts = "no records" if is_counted else "not counted"
    elif not is_counted:
        counts = f"at least {counts}"
    return f"{offsets}: {counts}" if offsets else counts


def set_aside_words(document: dict[str, Any]) -> str:
    """`2 fences, 1 prompt`: kinds with their numbers, the most frequent first."""
    kinds = sorted(document["set_aside"].items(), key=lambda item: (-item[1], item[0]))
    if len(kinds) == 1:
        return aside_words(kinds[0][0])
    return ", ".join(f"{aside_words(kind)}: {number:,}" for kind, number in kinds)


def suggested_name(document: dict[str, Any]) -> str:
    """The partition if all parts are of one partition, the topic that outputs without records describe; else empty."""
    names = {_name(partition) for part in document["parts"] for partition in part["partitions"]}
    names = names or {topic for output in document["parts"] for topic in output["described"]}
    return names.pop() if len(names) == 1 else ""


def runs_for_page(document: dict[str, Any]) -> list[list[Any]]:
    """Runs as `[first, last, part, words]`."""
    return [
        [first, last, part, kind if part else aside_words(kind)] for first, last, part, kind in document["runs"]
    ]  # fmt: skip


def _counts(part: dict[str, Any]) -> list[str]:
    batches = part["batches"] if not part["records"] else 0
    nouns = [
        (part["records"], "record,records"),
        (batches, "batch,batches"),
        (part["entries"], "entry,entries"),
    ]
    for kind, number in sorted(part["control"].items()):
        noun = f"{kind.upper()} marker" if kind in ("commit", "abort") else f"{kind.replace('_', ' ')} record"
        nouns.append((number, f"{noun},{noun}s"))
    return [plural(number, words) for number, words in nouns if number]


def _partitions(part: dict[str, Any]) -> str:
    named = [_name(partition) for partition in part["partitions"]]
    extra = len(named) - PARTITIONS_NAMED
    return ", ".join(named[:PARTITIONS_NAMED]) + (f" and {extra} more" if extra > 0 else "")


def _offsets(part: dict[str, Any]) -> str:
    first, last = part["first_offset"], part["last_offset"]
    if first is None or last is None or len(part["partitions"]) > 1:
        return ""
    return f"offset {first}" if first == last else f"offsets {first}-{last}"


def line_range(first: int, last: int) -> str:
    """`line 4`, `lines 4-10`."""
    return f"line {first:,}" if first == last else f"lines {first:,}-{last:,}"


def _name(partition: dict[str, Any]) -> str:
    return f"{partition['topic']}-{partition['partition']}"


def aside_words(kind: str) -> str:
    return ASIDES.get(kind, kind)


def plural(number: Any, words: str) -> str:
    """`3|plural:"record,records"` -> `3 records`, grouped."""
    noun, nouns = words.split(",")
    return f"{int(number or 0):,} {noun if int(number or 0) == 1 else nouns}"
