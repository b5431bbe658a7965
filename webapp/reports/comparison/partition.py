"""One pair of copies as the page shows it: entities first, then strips, then records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spark.difference.logs import is_named
from spark.terms.entity_words import counted, difference_sentence
from webapp.journals.models import Inspection
from webapp.reports.comparison.cleaned import Cleaning, cleanings
from webapp.reports.comparison.entities import EntityGroup, KindCount, groups, kind_counts, stored_offset
from webapp.reports.comparison.sides import SidePair, sides_of
from webapp.reports.comparison.states import StateSelection, StatesShown, states_of
from webapp.reports.comparison.strips import Strips, look_of, strips, words_of

RANGES_SHOWN = 200  # rows of a partition's table
RECORDS_UNFOLDED = 200  # differing records; more are folded
TONES = (("lost", "critical"), ("reappeared", "high"), ("changed", "medium"))


@dataclass(frozen=True)
class RangeRow:
    """A row of the table of records, with addresses of its first record on the sides that have it."""

    look: str
    words: str
    first_offset: int
    last_offset: int
    records: int
    before_url: str
    after_url: str


@dataclass(frozen=True)
class ExampleRow:
    """A record that differs. A side that does not contain it is None."""

    offset: int
    differs: list[str]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    before_url: str
    after_url: str


@dataclass(frozen=True)
class ComparedPartition:
    """A pair of copies. `at`: offsets at which their states are compared."""

    entry: dict[str, Any]
    number: int
    pair: SidePair
    at: tuple[int, int]
    states: StatesShown | None
    groups: list[EntityGroup]
    strips: Strips | None
    ranges: list[RangeRow]
    ranges_left_out: int
    examples: list[ExampleRow]
    cleanings: list[Cleaning]

    @property
    def tone(self) -> str:
        """Severity of the worst consequence; empty without one."""
        counts = self.states.counts if self.states else {}
        by_entities = next((tone for kind, tone in TONES if counts.get(kind)), "")
        if by_entities in ("", "medium") and (self.entry["counts"]["different"] or self._lacks_records):
            return "high"
        return by_entities or ("medium" if self.entry["counts"]["damaged"] else "")

    @property
    def headline(self) -> str:
        """What the service lost; else what the records say."""
        return (self.states.sentence if self.states else "") or self.record_sentence

    @property
    def short_headline(self) -> str:
        """The same with numbers instead of names, which the table below has; if it lists them all."""
        states = self.states
        if not states or not states.sentence:
            return self.headline
        differing = [row for row in states.rows if is_named(row, self.at[0])]
        if len(states.rows) < sum(states.counts.get(kind, 0) for kind in ("lost", "reappeared", "changed")):
            return self.headline
        return difference_sentence(differing, counted) or self.headline

    @property
    def record_sentence(self) -> str:
        return str(self.entry.get("record_sentence", self.entry["sentence"]))

    @property
    def are_records_folded(self) -> bool:
        counts = self.entry["counts"]
        return sum(counts.values()) - counts["equal"] > RECORDS_UNFOLDED

    @property
    def counted(self) -> list[KindCount]:
        """Counts of all consequences, also of those that a filter hides."""
        return kind_counts(self.states) if self.states else []

    @property
    def is_at_ends(self) -> bool:
        """Whether the states are compared at the ends of both logs."""
        return self.at == (self.pair.before.end_offset, self.pair.after.end_offset)

    @property
    def _lacks_records(self) -> bool:
        return any(cleaned.get("must_not_be_gone") for cleaned in self.entry.get("cleaned", []))


def compared_partition(
    entry: dict[str, Any], number: int, left: Inspection, right: Inspection, selection: StateSelection
) -> ComparedPartition:
    pair = sides_of(entry, left, right, selection.before_of(entry))
    at = selection.offsets(number, pair)
    states = states_of(entry, pair, at)
    lost = (
        [
            offset
            for row in states.rows
            if row["kind"] == "lost" and (offset := stored_offset(row)) is not None
        ]
        if states
        else []
    )
    ranges = _ranges(entry["ranges"], pair)
    return ComparedPartition(
        entry,
        number,
        pair,
        at,
        states,
        groups(states, pair, selection.kind, entry["ranges"]) if states else [],
        strips(entry, pair, lost),
        ranges,
        len(entry["ranges"]) - len(ranges) + entry["ranges_left_out"],
        [_example(example, pair) for example in entry["examples"]],
        cleanings(entry, lambda side, offset: pair.by_name(side).record_url(offset)),
    )


def _ranges(ranges: list[dict[str, Any]], pair: SidePair) -> list[RangeRow]:
    """What differs goes before what is the same where not all can be shown; in the order of the log."""
    listed = sorted(ranges, key=lambda row: row["kind"] == "equal")[:RANGES_SHOWN]
    return [_range(row, pair) for row in sorted(listed, key=lambda row: row["first_offset"])]


def _range(row: dict[str, Any], pair: SidePair) -> RangeRow:
    before, after = _urls(row["first_offset"], row["kind"], pair)
    look = look_of(row, pair)
    return RangeRow(
        look, words_of(look, pair), row["first_offset"], row["last_offset"], row["records"], before, after
    )


def _example(example: dict[str, Any], pair: SidePair) -> ExampleRow:
    before, after = example.get(pair.before.side), example.get(pair.after.side)
    return ExampleRow(
        example["offset"], example["differs"], before, after, *_urls(example["offset"], example["kind"], pair)
    )


def _urls(offset: int, kind: str, pair: SidePair) -> tuple[str, str]:
    """Addresses of the record at an offset on both sides; empty for a side that does not contain it."""
    before, after = (
        side.record_url(offset) if kind not in ("left", "right") or kind == side.side else ""
        for side in pair.in_order
    )
    return before, after
