"""Two strips on one axis of offsets, Before above After, coloured by consequence: the same grey, removed slate, lost critical,
new blue. Nothing is green."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from webapp.reports.comparison.sides import ComparedSide, SidePair

STRIP_UNITS = 1000.0  # the strips' width, in units of their viewBox
MIN_UNITS = 2.0
BOTH = {"equal": "same", "different": "different", "damaged": "damaged", "mixed": "mixed"}
WORDS = {
    "same": "the same",
    "different": "different records at one offset",
    "damaged": "damaged on one side",
    "mixed": "changes too often to draw",
    "removed": "only in {before}",
    "other": "only in {after}",
    "new": "new in {after}",
    "lost": "record of a lost entity",
}


@dataclass(frozen=True)
class ComparedPiece:
    """A range of offsets in a strip, in SVG units."""

    x: str
    width: str
    look: str
    title: str


@dataclass(frozen=True)
class ComparedStrip:
    name: str
    pieces: list[ComparedPiece]


@dataclass(frozen=True)
class LegendEntry:
    """A colour of the strips, and how many records have it. Those of lost entities are counted by another colour, too, which
    `also` names."""

    look: str
    words: str
    records: int
    also: str = ""


@dataclass(frozen=True)
class Strips:
    """Both sides on one axis of offsets."""

    both: list[ComparedStrip]
    legend: list[LegendEntry]
    first_offset: int
    last_offset: int


def strips(entry: dict[str, Any], pair: SidePair, lost: list[int]) -> Strips | None:
    """`lost`: records of Before that made entities which After lacks. None without records."""
    ranges = entry["ranges"]
    if not ranges:
        return None
    first, last = ranges[0]["first_offset"], max(row["last_offset"] for row in ranges)
    axis = _Axis(first, STRIP_UNITS / (last - first + 1), pair)
    marks = [(offset, offset, "lost") for offset in sorted(set(lost))]
    both = [
        ComparedStrip(
            side.name, axis.pieces([*_looks(ranges, side, pair), *(marks if side == pair.before else [])])
        )
        for side in pair.in_order
    ]
    return Strips(both, _legend(ranges, pair, sorted(set(lost))), first, last)


def look_of(row: dict[str, Any], pair: SidePair) -> str:
    """The look of a range by its kind. Records of one side are removed, new or other."""
    kind = row["kind"]
    if kind in BOTH:
        return BOTH[kind]
    if kind == pair.before.side:
        return "removed"
    return "new" if row["first_offset"] > pair.before.end_offset else "other"


def words_of(look: str, pair: SidePair) -> str:
    return WORDS[look].format(before=pair.before.name, after=pair.after.name)


def _looks(
    ranges: Iterable[dict[str, Any]], side: ComparedSide, pair: SidePair
) -> Iterator[tuple[int, int, str]]:
    """The ranges that a side has records in; what is the same first, so that the rest is drawn on top."""
    for row in sorted(ranges, key=lambda row: row["kind"] != "equal"):
        if row["kind"] in BOTH or row["kind"] == side.side:
            yield row["first_offset"], row["last_offset"], look_of(row, pair)


def _legend(ranges: list[dict[str, Any]], pair: SidePair, lost: list[int]) -> list[LegendEntry]:
    records = dict.fromkeys(WORDS, 0) | {"lost": len(lost)}
    for row in ranges:
        records[look_of(row, pair)] += row["records"]
    return [
        LegendEntry(look, words_of(look, pair), count, _also(ranges, pair, lost) if look == "lost" else "")
        for look, count in records.items()
        if count
    ]


def _also(ranges: list[dict[str, Any]], pair: SidePair, lost: list[int]) -> str:
    """`3 only in Before, 4 the same`: the colours that the records of lost entities have besides."""
    looks = Counter(
        look_of(row, pair)
        for offset in lost
        for row in ranges
        if row["first_offset"] <= offset <= row["last_offset"]
    )
    return ", ".join(f"{looks[look]:,} {words_of(look, pair)}" for look in reversed(WORDS) if looks[look])


@dataclass(frozen=True)
class _Axis:
    first: int
    unit: float
    pair: SidePair

    def pieces(self, looks: Iterable[tuple[int, int, str]]) -> list[ComparedPiece]:
        """Ranges to scale, with a minimum width so that each is visible."""
        return [self._piece(*span) for span in looks]

    def _piece(self, first: int, last: int, look: str) -> ComparedPiece:
        width = min(max(MIN_UNITS, (last - first + 1) * self.unit), STRIP_UNITS)
        x = max(0.0, min((first - self.first) * self.unit, STRIP_UNITS - width))
        offsets = f"offset {first}" if first == last else f"offsets {first}-{last}"
        return ComparedPiece(f"{x:.2f}", f"{width:.2f}", look, f"{offsets}: {words_of(look, self.pair)}")
