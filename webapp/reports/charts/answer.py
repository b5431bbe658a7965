"""What a page gets beside a timeline's figure: names of lanes, legend, whole journal, rows for keyboard and table."""

from __future__ import annotations

from typing import Any

import numpy as np

from spark.terms.wording import plural
from webapp.reports.charts.bars import histogram_title
from webapp.reports.charts.folds import in_view
from webapp.reports.charts.look import MARKS, OPEN_NAMES
from webapp.reports.charts.points import events_of, points_of
from webapp.reports.charts.rows import Beside, rows_of
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.window import Window, sums_of

NOTHING: dict[str, Any] = {
    "drawn": 0, "total": 0, "window": None, "whole": None, "notes": [], "sentence": "Nothing to draw.", "lanes": [],
    "rows": [], "legend": [], "points": [], "events": [], "bars": None, "yOfLane": {}, "shiftMs": 0, "zone": "UTC", "wholeRecords": "", "record": None,
}  # fmt: skip


def answer_of(
    picture: TimelineData, notes: list[str], whole: AxisRange, bars: dict[str, Any]
) -> dict[str, Any]:
    """JSON members of the answer except the figure."""
    window, frame = picture.window, picture.frame
    missing = picture.missing.total if picture.missing else 0
    histogram, without_flag = histogram_title(picture.histogram, window), picture.flag_rows.more
    beside = Beside(missing, len(picture.jumps), without_flag, picture.more_victims)
    rows = rows_of(frame, window, histogram, beside)
    return {
        "drawn": window.drawn,
        "total": window.total,
        "window": [window.span.first, window.span.last],
        "whole": [whole.first, whole.last],
        "notes": notes,
        "sentence": sentence(picture, whole),
        "shiftMs": picture.clock.shift_ms,
        "zone": picture.clock.name,
        "lanes": lane_rows(window),
        "rows": [
            {"kind": row.kind, "name": row.name, "heightPixels": row.height_pixels, **row.members}
            for row in rows
        ],
        "legend": legend_of(window, picture),
        "points": points_of(picture),
        "record": record_of(picture),
        "events": events_of(picture),
        "bars": bars,
        "yOfLane": frame.y_by_lane,
    }


def record_of(picture: TimelineData) -> dict[str, Any] | None:
    """The selected record where it is drawn in a bar, and so is none of the points."""
    record = picture.selected
    if record is None or record.lane not in picture.window.binned:
        return None
    words = f"offset {record.offset}"
    return {"offset": record.offset, "x": record.x, "lane": record.lane, "words": words, "isBinned": True}


def records_words(counted: int, all_records: int) -> str:
    """`150 records`, or `44 of 150 records` where a reader, a filter or the axis leaves some out."""
    records = plural(all_records, "record")
    return records if counted == all_records else f"{counted:,} of {records}"


def legend_of(window: Window, picture: TimelineData) -> list[dict[str, Any]]:
    """Every kind with its records in the window; what few journals contain only where there are some."""
    counts = window.records_by_kind
    kinds = [kind for kind in MARKS if kind in counts or kind not in ("rejected", "aborted", "restart")]
    legend = [
        {
            "kind": kind,
            "name": MARKS[kind]["name"],
            "records": counts.get(kind, 0),
            "isHidden": kind in picture.hidden,
        }
        for kind in kinds
    ]
    by_outcome = sums_of(window.buckets, "outcome", "records")
    legend += [
        _always("open" if (window.marks["outcome"] == outcome).any() else "open-bar", name, records)
        for outcome, name in OPEN_NAMES.items()
        if (records := by_outcome.get(outcome, 0))
    ]
    if picture.others:
        legend.append(_always("other-dump", "only in another dump", len(picture.others)))
    if proofs := len({(flag.y, flag.offset) for flag in picture.flags}):
        legend.append(_always("proof", "in a finding", proofs))
    return legend


def _always(kind: str, name: str, records: int) -> dict[str, Any]:
    """What no click hides: it is said of records that count as their kind, or of none in this dump."""
    return {"kind": kind, "name": name, "records": records, "isHidden": False, "isFixed": True}


def lane_rows(window: Window) -> list[dict[str, Any]]:
    """A row for each lane, from top to bottom, with its records by kind in words."""
    return [
        {
            "lane": lane,
            "records": window.records_by_lane[lane],
            "kinds": _kinds(window, lane),
            "how": "counts per bin" if lane in window.binned else "every record",
        }
        for lane in window.lanes[::-1]
    ]


def _kinds(window: Window, lane: str) -> str:
    of_lane = {name: column[window.buckets["lane"] == lane] for name, column in window.buckets.items()}
    kinds, outcomes = sums_of(of_lane, "kind", "records"), sums_of(of_lane, "outcome", "records")
    counts = {MARKS[kind]["name"]: kinds.get(kind, 0) for kind in MARKS}
    counts |= {name: outcomes.get(outcome, 0) for outcome, name in OPEN_NAMES.items()}
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


def sentence(picture: TimelineData, whole: AxisRange) -> str:
    """How many records the window has, how many of them are drawn as marks, and how often the axis is folded."""
    window, clock, folds = picture.window, picture.clock, len(picture.folds)
    span, drawn = window.span, window.drawn
    records = plural(window.total, "record")
    is_binned = np.isin(window.buckets["lane"], window.binned)
    bins = len(set(window.buckets["bucket"][is_binned].tolist()))
    if not window.binned:
        how = f"all {records} drawn"
    elif drawn:
        how = f"{drawn:,} of {records} drawn, the others counted in {plural(bins, 'bin')}"
    else:
        how = f"{records} in {plural(bins, 'bin')}"
    if span.axis == "time":
        folded = (
            f" · {plural(folds, 'span')} without records{in_view(picture.is_partial)} folded" if folds else ""
        )
        return f"{clock.text(span.first)} – {clock.named(span.last)} · {how}{folded}"
    return f"Offsets {span.first} – {span.last} of {whole.first} – {whole.last} · {how}"
