"""Bars: records or bytes per bin, stacked by what the service does with them; above the lanes and in dense lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from spark.terms.wording import offset_range
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.look import CLEAR, MARKS, OPEN_NAMES, Theme, Trace
from webapp.reports.queries.timeline.axis import bin_name
from webapp.reports.queries.timeline.window import Window

Height = Literal["bytes", "records"]

HEADROOM = 1.05  # of the highest bar of a histogram
LANE_SHARE = 0.84  # of a lane's height that its highest bar takes
BELOW_NAME = 0.58  # of what a bar or heat has elsewhere: a name above its marks takes the rest
HEAT_FROM = 50  # records of one bin: above it lanes are drawn as heat
HEAT_HEIGHT = 0.62
REJECTED_HEIGHT = 0.14
KIB = 1024
HOVER = "%{hovertext}<extra></extra>"
OPEN_WIDTH = 1.4  # pixels of the outline of a hollow bar
Stack = tuple[str, str]  # kind, and outcome of a transaction without COMMIT and ABORT; else empty


@dataclass(frozen=True)
class Histogram:
    """Heights of the bars by kind and outcome, one per bin. `unit` is what a height counts."""

    starts: Any
    heights: dict[Stack, Any]
    width: int
    unit: str

    @property
    def highest(self) -> float:
        total = sum(self.heights.values()) if self.heights else np.zeros(0)
        return float(total.max()) if len(total) else 1.0


def measure(window: Window, height: Height) -> Histogram:
    column = "size_bytes" if height == "bytes" else "records"
    starts, heights = stacks(window, np.ones(len(window.buckets["lane"]), dtype=bool), column)
    if height == "records":
        return Histogram(starts, heights, window.bin_width, "records")
    highest = float(sum(heights.values()).max()) if heights else 0.0
    if highest < 10 * KIB:
        return Histogram(starts, heights, window.bin_width, "bytes")
    kib = {stack: values / KIB for stack, values in heights.items()}
    return Histogram(starts, kib, window.bin_width, "KiB")


def stacks(window: Window, chosen: Any, column: str) -> tuple[Any, dict[Stack, Any]]:
    """Starts of the bins of the chosen rows, and by kind and outcome a value for each bin."""
    bins, at = np.unique(window.buckets["bucket"][chosen].astype(np.int64), return_inverse=True)
    kinds, values = window.buckets["kind"][chosen], window.buckets[column][chosen].astype(np.float64)
    outcomes = window.buckets["outcome"][chosen]
    heights = {
        (kind, outcome): np.bincount(at[these], weights=values[these], minlength=len(bins))
        for kind in MARKS
        for outcome in ("", *OPEN_NAMES)
        if (these := (kinds == kind) & (outcomes == outcome)).any()
    }
    return bins * window.bin_width, heights


def histogram_title(measured: Histogram, window: Window) -> str:
    """`KiB per 8 offsets`."""
    return f"{measured.unit} per {bin_name(window.span.axis, measured.width)}"


@dataclass(frozen=True)
class BarPainter:
    """Makes the bars of a window. Kinds that are `hidden` take no room in a stack."""

    window: Window
    clock: Clock
    theme: Theme
    hidden: frozenset[str]
    names_above: bool = False  # their lanes, as on a phone

    @property
    def _share(self) -> float:
        return BELOW_NAME if self.names_above else 1.0

    def histogram(self, measured: Histogram) -> list[Trace]:
        """One trace for each kind, on the second y axis."""
        return self._stack(measured.starts, measured.heights, np.zeros(len(measured.starts)), "y2")

    def lanes(self, y_by_lane: dict[str, int]) -> list[Trace]:
        """Stacks in dense lanes, each lane on its own scale; heat where a bin holds very many."""
        traces: list[Trace] = []
        for lane in self.window.binned:
            starts, counts = stacks(self.window, self.window.buckets["lane"] == lane, "records")
            drawn_counts = {stack: values for stack, values in counts.items() if stack[0] not in self.hidden}
            total = sum(drawn_counts.values()) if drawn_counts else np.zeros(len(starts))
            highest = float(total.max()) if len(total) else 0.0
            if highest > HEAT_FROM:
                traces += self._heat(starts, counts, y_by_lane[lane])
            else:
                base = np.full(len(starts), y_by_lane[lane] - LANE_SHARE / 2)
                traces += self._stack(starts, counts, base, "y", highest or 1.0, LANE_SHARE * self._share)
        return traces

    def _stack(
        self,
        starts: Any,
        counts: dict[Stack, Any],
        base: Any,
        yaxis: str,
        highest: float = 1.0,
        share: float = 1.0,
    ) -> list[Trace]:
        """Kind upon kind; the highest stack takes `share` of the axis' unit."""
        traces = []
        for (kind, outcome), values in counts.items():
            heights, some = values / highest * share, values > 0
            name = MARKS[kind]["name"] + (f", {OPEN_NAMES[outcome]}," if outcome else "")
            words = [f"{round(value):,} {name}" for value in values[some]]
            bar = self._bar(kind, starts[some], heights[some], base[some].tolist(), words)
            if outcome:
                hollow = {"color": CLEAR, "line": {"width": OPEN_WIDTH, "color": MARKS[kind][self.theme]}}
                bar |= {"marker": hollow}
            of_stack = {
                "width": self.window.bin_width * 0.86,
                "yaxis": yaxis,
                "visible": kind not in self.hidden,
            }
            traces.append(bar | of_stack)
            base = base + (0 if kind in self.hidden else heights)
        return traces

    def _heat(self, starts: Any, counts: dict[Stack, Any], y: int) -> list[Trace]:
        """One hue: the more records, the stronger. A thin second line has the share that the service rejects."""
        total = sum(counts.values())
        rejected = sum((counts[stack] for stack in counts if stack[0] == "rejected"), np.zeros(len(starts)))
        words = [f"{int(value):,} records" for value in total]
        base = y - 0.2 if rejected.any() else y - HEAT_HEIGHT / 2
        lines = [self._line("create", starts, total / total.max(), base, HEAT_HEIGHT * self._share, words)]
        if rejected.any():
            shares = rejected / total
            words = [f"{share:.0%} rejected by the service" for share in shares]
            lines.append(self._line("rejected", starts, shares, y - 0.44, REJECTED_HEIGHT, words))
        return lines

    def _line(
        self, kind: str, starts: Any, shares: Any, base: float, height: float, words: list[str]
    ) -> Trace:
        bar = self._bar(kind, starts, np.full(len(starts), height), [base] * len(starts), words)
        opacity = np.where(shares > 0, 0.2 + 0.8 * shares, 0)
        return bar | {"meta": "heat", "marker": bar["marker"] | {"opacity": opacity}}

    def _bar(self, kind: str, starts: Any, heights: Any, base: list[float], words: list[str]) -> Trace:
        """One bar for each bin; `words`: what each holds."""
        firsts = zip(starts.astype(np.int64).tolist(), words, strict=True)
        width = self.window.bin_width
        by_offset = self.window.span.axis == "offset"
        return {
            "type": "bar",
            "name": MARKS[kind]["name"],
            "meta": kind,
            "x": starts + (width - 1) / 2 if by_offset else starts + width / 2 + self.clock.shift_ms,
            "y": heights,
            "base": base,
            "width": width,
            "marker": {"color": MARKS[kind][self.theme], "line": {"width": 0}},
            "hovertext": [f"{text} {bin_text(self.window, self.clock, first)}" for first, text in firsts],
            "customdata": np.stack([starts, starts + (width - 1)], axis=1).astype("f8"),
            "hovertemplate": HOVER,
        }


def bin_text(window: Window, clock: Clock, first: int) -> str:
    """`at offset 4`, `from offset 4 to 7`, or two times with the name of the zone."""
    last = first + window.bin_width - 1
    if window.span.axis == "time":
        return f"from {clock.text(first)} to {clock.named(last)}"
    return f"at {offset_range(first)}" if first == last else f"from offset {first} to {last}"


def count_ticks(highest: float) -> dict[str, Any]:
    """Axis from 0 with at most 3 ticks, all of them whole numbers."""
    return {
        "range": [0, highest * HEADROOM],
        "tickformat": ",d",
        "nticks": 3,
        **({"dtick": 1} if highest <= 2 else {}),
    }
