"""Spans of a time axis without records: each is drawn 48 pixels wide, so that the records have the room. A band marks the middle
of it; beside the band stays plain plot, so that records between two folds do not look like part of them. The plain part is at least
a millisecond, which is wider where few milliseconds have the whole plot: so long is a bar of the histogram, which never reaches into a band.

A span folds if it takes more than a fifth of the window and is far longer than what usually lies between two records; up to
four fold also if they take more than a fifth of what the longer ones leave. Few records far apart have no empty span: their distances
are what there is to see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from webapp.reports.queries.kinds import kind_source
from webapp.reports.queries.marks import bounds_of_few
from webapp.reports.queries.partitions import PartitionTables
from webapp.reports.queries.timeline.axis import PLOT_PIXELS, AxisRange, whole_span
from webapp.reports.queries.timeline.whole import read_bars
from webapp.reports.results import WHERE_REPLICA

FOLD_PIXELS = 48
PLAIN_PIXELS = 12  # of a fold at least, on each side of its band: as wide as a bar
BAND_PIXELS = FOLD_PIXELS - 2 * PLAIN_PIXELS
SHARE = 5  # a fifth
FEW = 4  # folds: further ones are measured by the whole window
USUAL = 10  # times the median distance between records
PIXELS_A_FOLD = 120  # of the plot: folds take no more than two fifths of it
TIMES = f"""
SELECT DISTINCT timestamp_ms FROM {{table}}
WHERE {WHERE_REPLICA} AND timestamp_ms BETWEEN $first AND $last AND "offset" BETWEEN $first_offset AND $last_offset
"""


@dataclass(frozen=True)
class Fold:
    """No record has a time between these two, in ms."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first


@dataclass(frozen=True)
class Scale:
    """Where values of an axis are drawn: as they are, but for what is folded. `pixels`: width of the plot."""

    first: float
    last: float
    pixels: int = PLOT_PIXELS
    folds: tuple[Fold, ...] = ()

    @cached_property
    def unfolded(self) -> float:
        """What no fold has, in units of the axis."""
        return self.last - self.first - sum(fold.length for fold in self.folds)

    @cached_property
    def plain(self) -> float:
        """What a fold leaves beside its band on each side, in units of the axis."""
        return max(1.0, PLAIN_PIXELS * self.unfolded / max(1, self.pixels - FOLD_PIXELS * len(self.folds)))

    @cached_property
    def drawn_of_fold(self) -> float:
        """What stays of each fold, in units of the axis."""
        number = len(self.folds)
        beside = self.unfolded + 2 * self.plain * number
        return 2 * self.plain + BAND_PIXELS * beside / max(1, self.pixels - BAND_PIXELS * number)

    @cached_property
    def breaks(self) -> list[tuple[float, float]]:
        """What the axis leaves out: the middle of each fold."""
        return [
            (fold.first + self.drawn_of_fold / 2, fold.last - self.drawn_of_fold / 2) for fold in self.folds
        ]

    def band(self, fold: Fold) -> tuple[float, float]:
        """What a band marks of a fold."""
        return fold.first + self.plain, fold.last - self.plain

    @cached_property
    def extent(self) -> float:
        """What is drawn, in units of the axis."""
        return self.position(self.last) or 1.0

    def position(self, value: float) -> float:
        """Distance from the start of the axis, without what is left out."""
        left_out = sum(min(max(value, low), high) - low for low, high in self.breaks)
        return value - self.first - left_out

    def value(self, position: float) -> float:
        """The other way round."""
        value = self.first + position
        for low, high in self.breaks:
            if value > low:
                value += high - low
        return value


def folds_of(partitions: Iterable[PartitionTables], span: AxisRange, pixels: int) -> tuple[Fold, ...]:
    """Spans in which none of the partitions has a record, in order; none on an axis of offsets."""
    if span.axis == "offset":
        return ()
    occupied = [_occupied(partition, span) for partition in partitions]
    starts, ends = (np.concatenate(columns) for columns in zip(*occupied, strict=True))
    return longest(starts, ends, span, pixels)


def breaks_of_whole(
    partitions: Sequence[PartitionTables], whole: AxisRange, pixels: int
) -> list[tuple[float, float]]:
    """What the strip of the whole journal leaves out: the middle of the spans that a plot of all of it folds."""

    def read() -> list[tuple[float, float]]:
        return Scale(whole.first, whole.last, pixels, folds_of(partitions, whole, pixels)).breaks

    if whole.axis == "offset" or not partitions:
        return []
    question = (breaks_of_whole, whole, pixels, tuple(partition.replica for partition in partitions))
    return partitions[0].results.remembered(question, read)


def longest(starts: Any, ends: Any, span: AxisRange, pixels: int) -> tuple[Fold, ...]:
    """Of the spans between occupied ones, those to fold."""
    if not len(starts):
        return ()
    order = np.argsort(starts, kind="stable")
    firsts = np.r_[span.first, np.maximum.accumulate(ends[order])]
    lasts = np.r_[starts[order], span.last]
    lengths = lasts - firsts
    by_length = np.argsort(-lengths, kind="stable")
    between = np.sort(lengths[1:-1])  # records; the ends of the window are none
    window = drawn = span.last - span.first
    folds: list[Fold] = []
    for number in by_length[: pixels // PIXELS_A_FOLD].tolist():
        length = int(lengths[number])
        usual = float(np.median(between[: -1 - len(folds)])) if len(between) > 1 + len(folds) else length
        of = drawn if len(folds) < FEW else window
        if length <= max(of / SHARE, usual * USUAL, 2 * FOLD_PIXELS * drawn / pixels):
            break
        folds.append(Fold(int(firsts[number]), int(lasts[number])))
        drawn -= length
    return tuple(sorted(folds, key=lambda fold: fold.first))


def _occupied(partition: PartitionTables, span: AxisRange) -> tuple[Any, Any]:
    """First and last times of spans with records: each record's time; of a window with very many, bars of the whole."""
    source = kind_source(partition)
    bounds = bounds_of_few(partition, span, source)
    if bounds is not None:
        sql = TIMES.replace("{table}", source.table)
        columns = partition.columns(sql, {"first": span.first, "last": span.last} | bounds)
        times = np.ma.getdata(columns["timestamp_ms"])
        return times, times
    bars = read_bars(partition, whole_span(partition.facts, span.axis) or span)
    chosen = (bars.starts <= span.last) & (bars.starts + bars.width > span.first)
    starts = bars.starts[chosen]
    return starts, starts + bars.width
