"""Several partitions below each other on one axis: each is drawn as one lane, then they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from webapp.reports.charts.background import Flag
from webapp.reports.charts.missing import Missing
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.picture.draw import TimelineAnswer, draw
from webapp.reports.picture.request import TimelineRequest
from webapp.reports.queries.partitions import PartitionTables
from webapp.reports.queries.timeline.axis import PLOT_PIXELS, AxisRange, whole_span
from webapp.reports.queries.timeline.by_hand import LanesByHand, arranged
from webapp.reports.queries.timeline.folds import breaks_of_whole, folds_of
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.queries.timeline.window import Window
from webapp.reports.report import Report


def span_of_all(partitions: Sequence[PartitionTables], axis: Any) -> AxisRange | None:
    """The span of all partitions together; None if no partition is on this axis."""
    spans = [span for partition in partitions if (span := whole_span(partition.facts, axis))]
    if not spans:
        return None
    return AxisRange(axis, min(span.first for span in spans), max(span.last for span in spans))


def draw_partitions(
    partitions: Sequence[PartitionTables], left_out: int, report: Report, request: TimelineRequest
) -> TimelineAnswer:
    """A lane for each partition that has something on the axis; `left_out`: partitions that have no lane."""
    drawn = [partition for partition in partitions if whole_span(partition.facts, request.span.axis)]
    folds = folds_of(drawn, request.span, request.pixels)
    alone = replace(request, by_hand=LanesByHand(), folds=folds)
    answers = [draw(partition, report, alone) for partition in drawn]
    notes = list(dict.fromkeys(note for answer in answers for note in answer.notes))
    if left_out:
        notes.append(
            f"{left_out:,} more partitions have no lane here: the {len(partitions)} shown come first."
        )
    return TimelineAnswer(_together([answer.picture for answer in answers], request), notes)


def bars_of_all(
    partitions: Sequence[PartitionTables], whole: AxisRange, pixels: int = PLOT_PIXELS
) -> dict[str, Any]:
    """Bars of all partitions, summed."""
    drawn = [partition for partition in partitions if whole_span(partition.facts, whole.axis)]
    breaks = breaks_of_whole(drawn, whole, pixels)
    bars = [whole_bars(partition, whole, breaks) for partition in drawn]
    records: dict[int, int] = {}
    for partition_bars in bars:
        for start, count in zip(partition_bars["starts"], partition_bars["records"], strict=True):
            records[start] = records.get(start, 0) + count
    starts = sorted(records)
    restarts = (
        sorted(x for partition_bars in bars for x in partition_bars["restarts"])
        if whole.axis == "time"
        else []
    )
    width = bars[0]["width"] if bars else 1
    return {
        "width": width,
        "starts": starts,
        "records": [records[x] for x in starts],
        "restarts": restarts,
        "breaks": breaks,
    }


def _together(pictures: list[TimelineData], request: TimelineRequest) -> TimelineData:
    windows = [picture.window for picture in pictures]
    window = arranged(_window(windows), request.by_hand)
    named = [(picture, next(iter(picture.window.lanes), "")) for picture in pictures]
    is_time = request.span.axis == "time"
    return replace(
        pictures[0],
        window=window,
        bands=[replace(band, lane=_shown(lane, window)) for picture, lane in named for band in picture.bands],
        restarts=sorted(x for picture in pictures for x in picture.restarts) if is_time else [],
        flags=_later_first(
            [flag for picture, lane in named for flag in _on_lane(picture.flags, lane, window)]
        ),
        missing=_missing([picture.missing for picture in pictures if picture.missing]),
        last_stable=None,  # each has its own
        selected=None,
        jumps=[replace(jump, lane=_shown(lane, window)) for picture, lane in named for jump in picture.jumps],
    )


def _later_first(flags: list[Flag]) -> list[Flag]:
    """Of replicas with different records at an offset, the later record has the flag: until then one of them only had a record."""
    latest: dict[tuple[str, int], float] = {}
    for flag in flags:
        proof = flag.finding, flag.offset
        latest[proof] = max(flag.x, latest.get(proof, flag.x))
    order = {proof: number for number, proof in enumerate(latest)}

    def rank(flag: Flag) -> tuple[int, bool]:
        proof = flag.finding, flag.offset
        return order[proof], flag.x < latest[proof]

    return sorted(flags, key=rank)


def _shown(lane: str, window: Window) -> str:
    return window.folded.get(lane, lane)


def _on_lane(flags: list[Flag], lane: str, window: Window) -> list[Flag]:
    drawn_lane = _shown(lane, window)
    return (
        [replace(flag, y=window.lanes.index(drawn_lane)) for flag in flags]
        if drawn_lane in window.lanes
        else []
    )


def _window(windows: list[Window]) -> Window:
    """One lane per partition, the first on top."""
    first = windows[0]
    lanes = [lane for window in reversed(windows) for lane in window.lanes]
    return replace(
        first,
        span=AxisRange(
            first.span.axis,
            min(window.span.first for window in windows),
            max(window.span.last for window in windows),
        ),
        lanes=lanes,
        records_by_lane={lane: count for window in windows for lane, count in window.records_by_lane.items()},
        marks=_joined([window.marks for window in windows]),
        buckets=_joined([window.buckets for window in windows]),
        binned=[lane for window in windows for lane in window.binned],
        is_replayed=all(window.is_replayed for window in windows),
        ids={lane: identity for window in windows for lane, identity in window.ids.items()},
    )


def _joined(columns: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([arrays[name] for arrays in columns]) for name in columns[0]}


def _missing(all_of: list[Missing]) -> Missing | None:
    """Missing offsets of all partitions, summed by bin and cause. A bin can exceed its width."""
    if not all_of:
        return None
    starts = np.unique(np.concatenate([missing.starts for missing in all_of]))
    offsets: dict[str, Any] = {}
    for missing in all_of:
        at = np.searchsorted(starts, missing.starts)
        for cause, values in missing.offsets_by_cause.items():
            np.add.at(offsets.setdefault(cause, np.zeros(len(starts))), at, values)
    return Missing(starts, all_of[0].bin_width, offsets, len(all_of))
