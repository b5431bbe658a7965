"""What the figure shows as rows: for the keyboard, which walks them, and for the table beside the figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from spark.terms.wording import plural
from webapp.reports.charts.bars import bin_text
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.look import MARKS, gap_look
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.queries.marks import Window

Rows = list[dict[str, Any]]


def points_of(picture: TimelineData) -> Rows:
    """Marks and bins of every lane in the order of the axis: x, lane, words; `offset` where Enter opens a record."""
    points = [*_marks(picture.window, picture.clock), *_bins(picture.window, picture.clock)]
    severities = {flag.offset: flag.severity for flag in reversed(picture.flags)}
    for point in points:
        if "offset" in point and point["offset"] in severities:
            point["finding"] = severities[point["offset"]]
    return sorted((p for p in points if p["kind"] not in picture.hidden), key=lambda point: point["x"])


def events_of(picture: TimelineData) -> Rows:
    """Findings, restarts and gaps."""
    findings: Rows = [
        {"what": "finding", "x": flag.x, "words": f"{flag.severity}: {flag.text}", "offset": flag.offset}
        for flag in {flag.finding: flag for flag in reversed(picture.flags)}.values()
    ]
    restarts: Rows = [
        {"what": "restart", "x": x, "words": f"restart at {_axis_text(picture, int(x))}"}
        for x in picture.restarts
    ]
    gaps: Rows = [
        {
            "what": "gap",
            "x": (band.x0 + band.x1) / 2,
            "words": f"{plural(band.offsets, 'offset')} missing: {gap_look(band.cause)['name']}",
        }
        for band in picture.bands
    ]
    return sorted([*findings, *restarts, *gaps], key=lambda event: event["x"])


def _axis_text(picture: TimelineData, x: int) -> str:
    return f"offset {x}" if picture.window.span.axis == "offset" else picture.clock.named(x)


def _marks(window: Window, clock: Clock) -> Rows:
    names = ("offset", "timestamp_ms", "lane", "kind")
    rows = zip(*(window.marks[name].tolist() for name in names), strict=True)
    return [
        {
            "x": offset if window.span.axis == "offset" else time,
            "lane": lane,
            "kind": kind,
            "words": f"offset {offset}, {MARKS.get(kind, MARKS['update'])['name']}, {clock.named(time)}",
            "offset": offset,
        }
        for offset, time, lane, kind in rows
        if window.span.axis == "offset" or time >= 0
    ]


def _bins(window: Window, clock: Clock) -> Rows:
    """One for each lane and bin, its kinds together."""
    points: Rows = []
    for lane in window.binned:
        chosen = window.buckets["lane"] == lane
        bins, at = np.unique(window.buckets["bucket"][chosen], return_inverse=True)
        records = np.bincount(at, weights=window.buckets["records"][chosen])
        for number, count in zip(bins.tolist(), records.tolist(), strict=True):
            first = number * window.bin_width
            last = first + window.bin_width - 1
            words = f"{plural(int(count), 'record')} {bin_text(window, clock, first)}"
            middle = (first + last) / 2
            points.append({"x": middle, "lane": lane, "kind": "", "words": words, "bin": [first, last]})
    return points
