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
from webapp.reports.queries.timeline.axis import AxisRange, whole_span
from webapp.reports.queries.timeline.by_hand import LanesByHand, arranged
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.queries.timeline.window import Window
from webapp.reports.report import Report


def span_of_all(partitions: Sequence[PartitionTables], axis: Any) -> AxisRange | None:
    """From the first to the last of all of them."""
    spans = [span for one in partitions if (span := whole_span(one.facts, axis))]
    if not spans:
        return None
    return AxisRange(axis, min(span.first for span in spans), max(span.last for span in spans))


def draw_partitions(
    partitions: Sequence[PartitionTables], left_out: int, report: Report, request: TimelineRequest
) -> TimelineAnswer:
    """A lane for each partition that has something on the axis; `left_out`: partitions that have no lane."""
    alone = replace(request, by_hand=LanesByHand())
    answers = [draw(one, report, alone) for one in partitions if whole_span(one.facts, request.span.axis)]
    notes = list(dict.fromkeys(note for answer in answers for note in answer.notes))
    if left_out:
        notes.append(
            f"{left_out:,} more partitions have no lane here: the {len(partitions)} shown come first."
        )
    return TimelineAnswer(_together([answer.picture for answer in answers], request), notes)


def bars_of_all(partitions: Sequence[PartitionTables], whole: AxisRange) -> dict[str, Any]:
    """The whole of all partitions in few bars."""
    bars = [whole_bars(one, whole) for one in partitions if whole_span(one.facts, whole.axis)]
    records: dict[int, int] = {}
    for one in bars:
        for start, count in zip(one["starts"], one["records"], strict=True):
            records[start] = records.get(start, 0) + count
    starts = sorted(records)
    restarts = sorted(x for one in bars for x in one["restarts"]) if whole.axis == "time" else []
    width = bars[0]["width"] if bars else 1
    return {"width": width, "starts": starts, "records": [records[x] for x in starts], "restarts": restarts}


def _together(pictures: list[TimelineData], request: TimelineRequest) -> TimelineData:
    windows = [picture.window for picture in pictures]
    window = arranged(_window(windows), request.by_hand)
    named = list(zip(pictures, (one.lanes[0] if one.lanes else "" for one in windows), strict=True))
    is_time = request.span.axis == "time"
    return replace(
        pictures[0],
        window=window,
        bands=[replace(band, lane=_shown(lane, window)) for picture, lane in named for band in picture.bands],
        restarts=sorted(x for picture in pictures for x in picture.restarts) if is_time else [],
        flags=[flag for picture, lane in named for flag in _on_lane(picture.flags, lane, window)],
        missing=_missing([picture.missing for picture in pictures if picture.missing]),
        jumps=[replace(jump, lane=_shown(lane, window)) for picture, lane in named for jump in picture.jumps],
    )


def _shown(lane: str, window: Window) -> str:
    return window.folded.get(lane, lane)


def _on_lane(flags: list[Flag], lane: str, window: Window) -> list[Flag]:
    shown = _shown(lane, window)
    return [replace(flag, y=window.lanes.index(shown)) for flag in flags] if shown in window.lanes else []


def _window(windows: list[Window]) -> Window:
    """Lanes in the order of the partitions, the first on top."""
    first = windows[0]
    lanes = [lane for one in reversed(windows) for lane in one.lanes]
    return replace(
        first,
        span=AxisRange(
            first.span.axis, min(one.span.first for one in windows), max(one.span.last for one in windows)
        ),
        lanes=lanes,
        records_by_lane={lane: count for one in windows for lane, count in one.records_by_lane.items()},
        marks=_joined([one.marks for one in windows]),
        buckets=_joined([one.buckets for one in windows]),
        binned=[lane for one in windows for lane in one.binned],
        is_replayed=all(one.is_replayed for one in windows),
        ids={lane: identity for one in windows for lane, identity in one.ids.items()},
    )


def _joined(columns: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([one[name] for one in columns]) for name in columns[0]}


def _missing(all_of: list[Missing]) -> Missing | None:
    """Added up: a bin may lack more offsets than it is wide."""
    if not all_of:
        return None
    starts = np.unique(np.concatenate([one.starts for one in all_of]))
    offsets: dict[str, Any] = {}
    for one in all_of:
        at = np.searchsorted(starts, one.starts)
        for cause, values in one.offsets_by_cause.items():
            np.add.at(offsets.setdefault(cause, np.zeros(len(starts))), at, values)
    return Missing(starts, all_of[0].bin_width, offsets, len(all_of))
