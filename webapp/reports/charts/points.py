"""What the figure shows as rows: for the keyboard, which walks them, and for the table beside the figure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from spark.terms.wording import plural
from webapp.reports.charts.background import Flag
from webapp.reports.charts.bars import bin_text
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.folds import fold_words
from webapp.reports.charts.jumps import jump_words
from webapp.reports.charts.look import MARKS, OPEN_NAMES, gap_look
from webapp.reports.charts.marks import only_in
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.queries.timeline.window import Window

Rows = list[dict[str, Any]]


def points_of(picture: TimelineData) -> Rows:
    """Marks and bins of every lane in the order of the axis: x, lane, words; `offset` where Enter opens a record, `url` where
    it opens a page of another report."""
    points = [
        *_marks(picture.window, picture.clock),
        *_bins(picture.window, picture.clock),
        *_others(picture),
    ]
    lanes = dict(enumerate(picture.window.lanes))
    severities = {(flag.offset, lanes.get(int(flag.y))): flag.severity for flag in reversed(picture.flags)}
    for point in points:
        if (point.get("offset"), point["lane"]) in severities:
            point["finding"] = severities[point["offset"], point["lane"]]
    return sorted((p for p in points if p["kind"] not in picture.hidden), key=lambda point: point["x"])


def events_of(picture: TimelineData) -> Rows:
    """Findings, their proofs without a point, restarts, gaps, steps of the clock, folds of the axis; in a timeline of several partitions
    a gap has its lane."""
    first = {flag.finding: flag for flag in reversed(picture.flags)}.values()
    findings: Rows = [
        {"what": "finding", "x": flag.x, "words": flag.row_words, "offset": flag.offset} for flag in first
    ]
    findings += _proofs(picture, first)
    restarts: Rows = [
        {"what": "restart", "x": x, "words": f"start mark at {_axis_text(picture, int(x))}"}
        for x in picture.restarts
    ]
    gaps: Rows = [
        {
            "what": "gap",
            "x": (band.x0 + band.x1) / 2,
            "words": f"{plural(band.offsets, 'offset')} missing: {gap_look(band.cause)['name']}",
            **({"lane": band.lane} if band.lane else {}),
        }
        for band in picture.bands
    ]
    jumps: Rows = [
        {"what": "clock step", "x": jump.after_ms, "words": jump_words(jump), "offset": jump.offset}
        | ({"lane": jump.lane} if jump.lane else {})
        for jump in picture.jumps
    ]
    folds: Rows = [
        {
            "what": "fold",
            "x": fold.first,
            "words": f"{fold_words(fold, picture.is_partial)} from {picture.clock.named(fold.first)}",
        }
        for fold in picture.folds
    ]
    return sorted([*findings, *restarts, *gaps, *jumps, *folds], key=lambda event: event["x"])


def _proofs(picture: TimelineData, first: Iterable[Flag]) -> Rows:
    """Of each ring that no point and no finding is a row of, the worst finding: its record is in a bar, or not in this view."""
    if not picture.flags:
        return []
    rows = {(flag.offset, flag.y) for flag in first}
    lanes = dict(enumerate(picture.window.lanes))
    points = {(point.get("offset"), point["lane"]) for point in points_of(picture)}
    proofs: dict[tuple[int, float], Flag] = {}
    for flag in picture.flags:
        if (flag.offset, lanes.get(int(flag.y))) not in points:
            proofs.setdefault((flag.offset, flag.y), flag)
    return [
        {
            "what": "proof",
            "x": flag.x,
            "words": f"offset {flag.offset}, proof of {flag.row_words}",
            "offset": flag.offset,
        }
        for record, flag in proofs.items()
        if record not in rows
    ]


def _axis_text(picture: TimelineData, x: int) -> str:
    return f"offset {x}" if picture.window.span.axis == "offset" else picture.clock.named(x)


def _marks(window: Window, clock: Clock) -> Rows:
    names = ("offset", "timestamp_ms", "lane", "kind", "outcome")
    rows = zip(*(window.marks[name].tolist() for name in names), strict=True)
    return [
        {
            "x": offset if window.span.axis == "offset" else time,
            "lane": lane,
            "kind": kind,
            "words": f"offset {offset}, {MARKS.get(kind, MARKS['update'])['name']}, {clock.named(time)}"
            + (f", {OPEN_NAMES[outcome]}" if outcome else ""),
            "offset": offset,
        }
        for offset, time, lane, kind, outcome in rows
        if window.span.axis == "offset" or time >= 0
    ]


def _others(picture: TimelineData) -> Rows:
    """Records of other dumps: Enter opens the page of the record there."""
    return [
        {
            "x": record.offset,
            "lane": record.lane,
            "kind": "other-dump",
            "words": f"offset {record.offset}, {only_in(record)}",
            **({"url": record.url} if record.url else {}),
        }
        for record in picture.others
        if record.lane in picture.window.lanes
    ]


def _bins(window: Window, clock: Clock) -> Rows:
    """One row per lane and bin, all kinds together."""
    points: Rows = []
    for lane in window.binned:
        chosen = window.buckets["lane"] == lane
        bins, at = np.unique(window.buckets["bucket"][chosen], return_inverse=True)
        weights, outcomes = window.buckets["records"][chosen], window.buckets["outcome"][chosen]
        counts = {
            name: np.bincount(at, weights=weights * (outcomes == outcome))
            for outcome, name in {"": "", **OPEN_NAMES}.items()
        }
        for position, number in enumerate(bins.tolist()):
            first = number * window.bin_width
            last = first + window.bin_width - 1
            of_bin = {name: int(count[position]) for name, count in counts.items()}
            words = f"{plural(sum(of_bin.values()), 'record')} {bin_text(window, clock, first)}"
            words += "".join(f", {count:,} {name}" for name, count in of_bin.items() if name and count)
            middle = (first + last) / 2
            points.append({"x": middle, "lane": lane, "kind": "", "words": words, "bin": [first, last]})
    return points
