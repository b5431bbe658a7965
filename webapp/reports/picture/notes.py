"""What a timeline leaves out, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from spark.terms.wording import listed, plural
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.queries.file_order import FileOrderLine
from webapp.reports.queries.gaps import GapsInWindow
from webapp.reports.queries.partitions import Facts
from webapp.reports.queries.timeline.clock_jumps import ClockJumps
from webapp.reports.queries.timeline.lanes import OTHER_KEYS
from webapp.reports.queries.timeline.producers import OTHER_PRODUCERS, OTHER_TRANSACTIONS

LINES_SHOWN = 3
ALL_OTHERS = {OTHER_KEYS: "keys", OTHER_PRODUCERS: "producers", OTHER_TRANSACTIONS: "transactions"}


def notes_of(
    picture: TimelineData,
    gaps: GapsInWindow,
    restarts: int,
    facts: Facts,
    jumps: ClockJumps,
    order: Sequence[FileOrderLine] = (),
) -> list[str]:
    """Notes, the most important first. `restarts`: number of restarts in the window; `order`: places in it where the file has another
    order."""
    window = picture.window
    notes = [line.text for line in order[:LINES_SHOWN]]
    if order:
        notes[-1] += " This figure is in the order of offsets."
    if not window.is_replayed:
        notes.append(
            "This window has too many records to ask the replay about each: create, update and tombstone come from "
            "keys and null values. Zoom in to see what the service does."
        )
    if window.span.axis == "time":
        notes += _of_time(gaps, facts, jumps, len(picture.jumps))
    if restarts > len(picture.restarts):
        notes.append(f"The first {len(picture.restarts):,} of {restarts:,} start marks are drawn.")
    for other, noun in ALL_OTHERS.items():
        if other in window.lanes and len(window.lanes) > 1:
            notes.append(f"The {noun} with most records have one lane each. All others share one lane.")
    return notes


def _of_time(gaps: GapsInWindow, facts: Facts, jumps: ClockJumps, drawn: int) -> list[str]:
    notes = []
    if gaps.gaps:
        notes.append(
            "Missing offsets have no time: each gap is counted at the next record, and lanes are not shaded."
        )
    if gaps.gaps > len(gaps.drawn):
        notes.append(
            f"The time axis shows {len(gaps.drawn):,} of {gaps.gaps:,} gaps ({gaps.offsets:,} offsets in all). "
            "Set the x axis to offset to see every missing offset."
        )
    if jumps.steps > drawn:
        notes.append(
            f"In the whole partition, {jumps.steps:,} records have an earlier time than the record before them. "
            + (
                f"This window shows the {drawn:,} longest steps."
                if drawn
                else "No step is long enough to draw here."
            )
        )
    early = plural(jumps.early_markers, "marker is", "markers are")
    behind = plural(jumps.behind_markers, "record is", "records are")
    times = [
        *([f"{early} earlier than a record of the same transaction"] * bool(jumps.early_markers)),
        *([f"{behind} earlier than the marker before"] * bool(jumps.behind_markers)),
    ]
    if times and facts.controls:
        notes.append(f"Control markers have the broker's time, records the producer's: {listed(times)}.")
    if facts.without_time:
        notes.append(
            f"{facts.without_time:,} records have no time and are not on this axis. Set the x axis to offset to see them."
        )
    return notes
