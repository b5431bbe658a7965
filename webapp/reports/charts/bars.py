"""Bars: records or bytes per bin, stacked by what the service does with them; above the lanes and in dense lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from spark.terms.wording import offset_range
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.look import MARKS, Theme, Trace
from webapp.reports.queries.timeline.bins import bin_name
from webapp.reports.queries.timeline.window import Window

Height = Literal["bytes", "records"]

LANE_SHARE = 0.84  # of a lane's height that its highest bar takes
HEAT_FROM = 50  # records of one bin: above it lanes are drawn as heat
HEAT_HEIGHT = 0.62
DROPPED_HEIGHT = 0.14
KIB = 1024
HOVER = "%{hovertext}<extra></extra>"


@dataclass(frozen=True)
class Histogram:
    """Heights of the bars by kind, one per bin. `unit` is what a height counts."""

    starts: Any
    heights: dict[str, Any]
    width: int
    unit: str

    @property
    def highest(self) -> float:
        """Of the stacks."""
        total = sum(self.heights.values()) if self.heights else np.zeros(0)
        return float(total.max()) if len(total) else 1.0


def measure(window: Window, height: Height) -> Histogram:
    """Stacks of all lanes together."""
    column = "size_bytes" if height == "bytes" else "records"
    starts, heights = stacks(window, np.ones(len(window.buckets["lane"]), dtype=bool), column)
    if height == "records":
        return Histogram(starts, heights, window.bin_width, "records")
    highest = float(sum(heights.values()).max()) if heights else 0.0
    if highest < 10 * KIB:
        return Histogram(starts, heights, window.bin_width, "bytes")
    kib = {kind: values / KIB for kind, values in heights.items()}
    return Histogram(starts, kib, window.bin_width, "KiB")


def stacks(window: Window, chosen: Any, column: str) -> tuple[Any, dict[str, Any]]:
    """Starts of the bins of the chosen rows, and by kind a value for each bin."""
    bins, at = np.unique(window.buckets["bucket"][chosen].astype(np.int64), return_inverse=True)
    kinds, values = window.buckets["kind"][chosen], window.buckets[column][chosen].astype(np.float64)
    heights = {
        kind: np.bincount(at[kinds == kind], weights=values[kinds == kind], minlength=len(bins))
        for kind in MARKS
        if (kinds == kind).any()
    }
    return bins * window.bin_width, heights


def histogram_title(measured: Histogram, window: Window) -> str:
    """`KiB per 8 offsets`."""
    return f"{measured.unit} per {bin_name(window.span.axis, measured.width)}"


def histogram_bars(
    measured: Histogram, window: Window, clock: Clock, theme: Theme, hidden: frozenset[str]
) -> list[Trace]:
    """One trace for each kind, on the second y axis."""
    base = np.zeros(len(measured.starts))
    traces = []
    for kind, heights in measured.heights.items():
        traces.append(_bar(window, clock, measured.starts, base, heights, kind, theme, hidden, "y2"))
        base = base + (0 if kind in hidden else heights)
    return traces


def lane_bars(
    window: Window, y_by_lane: dict[str, int], clock: Clock, theme: Theme, hidden: frozenset[str]
) -> list[Trace]:
    """Stacks in dense lanes, each lane on its own scale; heat where a bin holds very many."""
    traces: list[Trace] = []
    for lane in window.binned:
        starts, counts = stacks(window, window.buckets["lane"] == lane, "records")
        shown = {kind: values for kind, values in counts.items() if kind not in hidden}
        total = sum(shown.values()) if shown else np.zeros(len(starts))
        highest = float(total.max()) if len(total) else 0.0
        if highest > HEAT_FROM:
            traces += _heat(window, clock, starts, counts, y_by_lane[lane], theme)
        else:
            traces += _stack(window, clock, starts, counts, y_by_lane[lane], highest or 1.0, theme, hidden)
    return traces


def _stack(
    window: Window,
    clock: Clock,
    starts: Any,
    counts: dict[str, Any],
    y: int,
    highest: float,
    theme: Theme,
    hidden: frozenset[str],
) -> list[Trace]:
    base = np.full(len(starts), y - LANE_SHARE / 2)
    traces = []
    for kind, values in counts.items():
        heights = values / highest * LANE_SHARE
        traces.append(_bar(window, clock, starts, base, heights, kind, theme, hidden, "y", values))
        base = base + (0 if kind in hidden else heights)
    return traces


def _bar(
    window: Window,
    clock: Clock,
    starts: Any,
    base: Any,
    heights: Any,
    kind: str,
    theme: Theme,
    hidden: frozenset[str],
    yaxis: str,
    counts: Any = None,
) -> Trace:
    some = heights > 0
    words = [
        f"{round(value):,} {MARKS[kind]['name']}" for value in (heights if counts is None else counts)[some]
    ]
    return {
        "type": "bar",
        "name": MARKS[kind]["name"],
        "meta": kind,
        "x": _middles(window, clock, starts[some]),
        "y": heights[some],
        "base": base[some].tolist(),
        "width": window.bin_width * 0.86,
        "yaxis": yaxis,
        "marker": {"color": MARKS[kind][theme], "line": {"width": 0}},
        "visible": kind not in hidden,
        "hovertext": _bounds(window, clock, starts[some], words),
        "hovertemplate": HOVER,
    }


def _heat(
    window: Window, clock: Clock, starts: Any, counts: dict[str, Any], y: int, theme: Theme
) -> list[Trace]:
    """One hue: the more records, the stronger. A thin second line has the share that the service drops."""
    total = sum(counts.values())
    dropped = counts.get("dropped", np.zeros(len(starts)))
    words = [f"{int(value):,} records" for value in total]
    base = y - 0.2 if dropped.any() else y - HEAT_HEIGHT / 2
    lines = [_line(window, clock, starts, total / total.max(), base, HEAT_HEIGHT, "create", words, theme)]
    if dropped.any():
        shares = dropped / total
        words = [f"{share:.0%} dropped by the service" for share in shares]
        lines.append(_line(window, clock, starts, shares, y - 0.44, DROPPED_HEIGHT, "dropped", words, theme))
    return lines


def _line(
    window: Window,
    clock: Clock,
    starts: Any,
    shares: Any,
    base: float,
    height: float,
    kind: str,
    words: list[str],
    theme: Theme,
) -> Trace:
    return {
        "type": "bar",
        "name": MARKS[kind]["name"],
        "meta": "heat",
        "x": _middles(window, clock, starts),
        "y": np.full(len(starts), height),
        "base": [base] * len(starts),
        "width": window.bin_width,
        "marker": {
            "color": MARKS[kind][theme],
            "opacity": np.where(shares > 0, 0.2 + 0.8 * shares, 0),
            "line": {"width": 0},
        },
        "hovertext": _bounds(window, clock, starts, words),
        "hovertemplate": HOVER,
    }


def _middles(window: Window, clock: Clock, starts: Any) -> Any:
    by_offset = window.span.axis == "offset"
    return (
        starts + (window.bin_width - 1) / 2 if by_offset else starts + window.bin_width / 2 + clock.shift_ms
    )


def _bounds(window: Window, clock: Clock, starts: Any, words: list[str]) -> list[str]:
    """What each bin holds, and its first and last as a person reads them."""
    firsts = starts.astype(np.int64).tolist()
    return [f"{text} {bin_text(window, clock, first)}" for first, text in zip(firsts, words, strict=True)]


def bin_text(window: Window, clock: Clock, first: int) -> str:
    """`at offset 4`, `from offset 4 to 7`, `from ... to ... UTC`."""
    last = first + window.bin_width - 1
    if window.span.axis == "time":
        return f"from {clock.text(first)} to {clock.named(last)}"
    return f"at {offset_range(first)}" if first == last else f"from offset {first} to {last}"


def count_ticks(highest: float) -> dict[str, Any]:
    """Few whole numbers from zero up."""
    return {
        "range": [0, highest * 1.05],
        "tickformat": ",d",
        "nticks": 3,
        **({"dtick": 1} if highest <= 2 else {}),
    }
