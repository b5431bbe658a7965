"""Marks: one per record, at a place within its lane that stays the same at every zoom."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import plotly.graph_objects as go

from webapp.reports.charts.flags import plain
from webapp.reports.charts.look import MARKS, OUTLINED, Theme
from webapp.reports.queries.marks import Window

MARKS_IN_LINE = 60  # so few need no jitter to be told apart
JITTER = 0.62  # of a lane's height
GOLDEN = 0.6180339887498949


def jitter(offsets: Any) -> Any:
    """A place within the lane that is the same at every zoom: the offset's golden fraction."""
    return (np.modf(offsets.astype(np.float64) * GOLDEN)[0] - 0.5) * JITTER


def marks_of(window: Window, kind: str, theme: Theme, is_hidden: bool) -> go.Scattergl:
    look = MARKS[kind]
    chosen = window.marks["kind"] == kind
    offsets = window.marks["offset"][chosen]
    times = window.marks["timestamp_ms"][chosen].astype(np.float64)
    numbers = {lane: number for number, lane in enumerate(window.lanes)}
    lanes = np.array([numbers[lane] for lane in window.marks["lane"][chosen]], dtype=np.float64)
    spread = 0.0 if window.drawn <= MARKS_IN_LINE else 1.0
    size = look["size"] * crowded(window.drawn)
    marker: dict[str, Any] = {"symbol": look["symbol"], "size": size, "color": look[theme]}
    if look["symbol"] in OUTLINED:
        marker["line"] = {"width": 1.6 * crowded(window.drawn), "color": look[theme]}
    by_offset = window.span.axis == "offset"
    return go.Scattergl(
        mode="markers",
        name=look["name"],
        meta=kind,
        x=offsets.astype("f8") if by_offset else times,
        y=(lanes + jitter(offsets) * spread).astype("f4"),
        customdata=np.stack([offsets, window.marks["size_bytes"][chosen]], axis=1).astype("f8"),
        marker=marker,
        visible="legendonly" if is_hidden else True,
        hovertemplate=_hover(look["name"], bool(window.key_texts)),
        text=_texts(window, chosen) if window.key_texts else None,
    )


def crowded(marks: int) -> float:
    """Many marks are drawn smaller, so that they do not cover each other."""
    return 1.0 if marks <= 4_000 else 0.7 if marks <= 15_000 else 0.45


def _hover(name: str, is_named: bool) -> str:
    # no <b>: Plotly writes it as a style attribute, which the security policy forbids
    rest = "<br>%{text}" if is_named else "<br>click to see its key and time"
    return f"offset %{{customdata[0]}}<br>{name}, %{{customdata[1]:,}} bytes{rest}<extra></extra>"


def _texts(window: Window, chosen: Any) -> list[str]:
    """Time and key of each mark."""
    columns = (window.marks[name][chosen].tolist() for name in ("timestamp_ms", "key_hash_1", "key_hash_2"))
    rows = zip(*columns, strict=True)
    return [
        f"{time_text(time)}<br>{plain(window.key_texts.get((one, two), 'no key'))}" for time, one, two in rows
    ]


def time_text(timestamp_ms: int) -> str:
    """To the millisecond."""
    if timestamp_ms < 0:
        return "no time"
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return f"{timestamp_ms:,} ms"
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d}"
