"""The timeline: histogram, missing offsets, flags, then lanes of marks (or bars where they are dense)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import plotly.graph_objects as go

from webapp.reports.charts.axes import band_axis, histogram_axis, lane_axis, x_axis
from webapp.reports.charts.background import Flag, lane_lines, restart_lines, stable_line, stable_words
from webapp.reports.charts.bars import BarPainter, Height, Histogram, measure
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.flags import ROWS, FlagRows, flag_notes, more_note, on_lanes, place_flags
from webapp.reports.charts.folds import LINE_PIXELS, fold_notes, fold_shapes, lines_below, own_ticks
from webapp.reports.charts.jumps import jump_notes, jump_shapes
from webapp.reports.charts.lane_names import lane_names
from webapp.reports.charts.look import INK, MARKS, SELECTED, Theme, Trace, base_layout
from webapp.reports.charts.marks import crowd_of, marks_of, other_dump_marks
from webapp.reports.charts.missing import Band, Missing, gap_labels, gap_shades, missing_bars
from webapp.reports.charts.piles import Pile, bare_rings, pile_counts, piles_of, ringed_piles
from webapp.reports.charts.rings import Group, finding_rings, joined_rings, meets, ring_counts, ring_groups
from webapp.reports.charts.rows import (
    AXIS_PIXELS,
    CLOCK_PIXELS,
    GAPS_PIXELS,
    FigureFrame,
    frame_of,
)
from webapp.reports.queries.isolation import StablePlace
from webapp.reports.queries.timeline.axis import PLOT_PIXELS
from webapp.reports.queries.timeline.clock_jumps import ClockJump
from webapp.reports.queries.timeline.folds import Fold, Scale
from webapp.reports.queries.timeline.other_dumps import OtherRecord
from webapp.reports.queries.timeline.window import Window

LEFT_PIXELS = 44  # ticks of the histogram
COMPACT_LEFT_PIXELS = 210  # names of the lanes inside the figure
RIGHT_PIXELS = 16
WIDE_RIGHT_PIXELS = 34  # half of a time or of a long offset at the right end
EDGE_PIXELS = 10  # at least: half of a ring
EDGE = 0.008  # of the window, left free on both sides so that marks at the ends are whole


@dataclass(frozen=True)
class SelectedRecord:
    """The record whose drawer is open; `x` without the time zone."""

    offset: int
    x: float
    lane: str


@dataclass(frozen=True)
class TimelineData:
    """Data of one timeline. `hidden`: kinds of marks that are switched off."""

    window: Window
    bands: list[Band] = field(default_factory=list)
    restarts: list[float] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)  # `y` counts lanes of the window
    hidden: frozenset[str] = frozenset()
    compact: bool = False
    missing: Missing | None = None
    others: list[OtherRecord] = field(default_factory=list)
    height: Height = "bytes"
    pixels: int = PLOT_PIXELS
    clock: Clock = field(default=Clock())
    jumps: list[ClockJump] = field(default_factory=list)  # on an axis of times
    folds: tuple[Fold, ...] = ()  # on an axis of times
    names_above: bool = False  # their lanes, as on a phone
    more_victims: str = ""  # without a lane of their own
    last_stable: StablePlace | None = None  # where read_committed consumers stop, if they do
    selected: SelectedRecord | None = None
    is_partial: bool = False  # a reader, a filter or a link leaves records out

    @property
    def shift(self) -> int:
        """Milliseconds that the time zone adds to UTC; 0 for offsets."""
        return self.clock.shift_ms if self.window.span.axis == "time" else 0

    @property
    def scale(self) -> Scale:
        """Of the axis without its margins."""
        return Scale(self.window.span.first, self.window.span.last, self.pixels, self.folds)

    @property
    def edge(self) -> float:
        """Margin of the axis on each side, in its units."""
        smallest = 0.6 if self.window.span.axis == "offset" else 1.0
        return max(smallest, self.scale.extent * max(EDGE, EDGE_PIXELS / max(1, self.pixels)))

    @property
    def bounds(self) -> tuple[float, float]:
        """First and last value of the axis, with the margins."""
        low, high = self.window.span.first - self.edge, self.window.span.last + self.edge
        return low + self.shift, high + self.shift

    @property
    def pixels_of_unit(self) -> float:
        """Pixels per offset or millisecond."""
        return self.pixels / (self.scale.extent + 2 * self.edge)

    def pixel_of(self, x: float) -> float:
        """Where a value of the axis, with the time zone, is drawn: pixels from its start."""
        return self.scale.position(x - self.shift) * self.pixels_of_unit

    @property
    def bands_of_folds(self) -> list[tuple[float, float]]:
        """Their pixels."""
        bands = [self.scale.band(fold) for fold in self.folds]
        return [(self.pixel_of(low + self.shift), self.pixel_of(high + self.shift)) for low, high in bands]

    @property
    def flag_rows(self) -> FlagRows:
        scale = self.scale
        flags = [replace(flag, x=scale.position(flag.x)) for flag in self.flags]
        rows = place_flags(flags, 0, scale.extent, self.pixels, 1 if self.has_names_inside else ROWS)
        placed = [
            replace(placed, flag=replace(placed.flag, x=scale.value(placed.flag.x))) for placed in rows.placed
        ]
        return replace(rows, placed=placed)

    @property
    def has_names_inside(self) -> bool:
        """Whether the figure itself has the names of the lanes beside them."""
        return self.compact and not self.names_above

    @property
    def frame(self) -> FigureFrame:
        flag_rows = self.flag_rows.count if self.flags else 0
        frame = frame_of(self.window, flag_rows, self.compact, bool(self.jumps), self.names_above)
        axis_pixels = AXIS_PIXELS + lines_below(self.ticks) * LINE_PIXELS
        has_gaps = not self.compact or bool(self.missing and self.missing.total)
        return replace(frame, axis_pixels=axis_pixels, has_limit=self.stable is not None, has_gaps=has_gaps)

    @property
    def stable(self) -> float | None:
        """Where the last stable offset is drawn, with the time zone."""
        span, last_stable = self.window.span, self.last_stable
        if last_stable is None or self.compact:
            return None
        x, end = (
            (last_stable.offset, span.last + 1)
            if span.axis == "offset"
            else (last_stable.timestamp_ms, span.last)
        )
        if x is None or not span.first <= x <= end:
            return None
        return x - 0.5 if span.axis == "offset" else float(x + self.shift)

    @cached_property
    def ticks(self) -> dict[str, Any]:
        """Texts of ticks and their values; none where Plotly's own are as good."""
        return own_ticks(self.scale, self.clock, self.window.span.axis)

    @cached_property
    def mark_pixels(self) -> dict[float, list[float]]:
        """By y, where marks are drawn."""
        marks = self.window.marks
        xs = marks["offset" if self.window.span.axis == "offset" else "timestamp_ms"]
        return {
            float(y): sorted(self.pixel_of(float(x) + self.shift) for x in xs[marks["lane"] == lane])
            for lane, y in self.frame.y_by_lane.items()
        }

    @cached_property
    def rings(self) -> list[Group]:
        """The flags of each ring."""
        flags = on_lanes(self.flags, self.frame, self.window.lanes, self.shift)
        return ring_groups(flags, self.pixel_of, self.mark_pixels)

    @cached_property
    def piles(self) -> list[Pile]:
        """Records that are drawn at one place, on an axis of times."""
        if self.window.span.axis == "offset":
            return []
        piles = piles_of(self.window, self.frame.y_by_lane, self.hidden, self.shift, self.pixel_of)
        return ringed_piles(piles, self.rings, self.pixel_of)

    @property
    def histogram(self) -> Histogram:
        return measure(self.window, self.height)


def figure(picture: TimelineData, theme: Theme) -> go.Figure:
    frame = picture.frame
    return go.Figure(_traces(picture, frame, theme), _layout(picture, frame, theme))


def _traces(picture: TimelineData, frame: FigureFrame, theme: Theme) -> list[Any]:
    window, ys = picture.window, frame.y_by_lane
    unit = picture.pixels_of_unit
    bands = picture.bands if window.span.axis == "offset" else []  # a time without records is no gap
    traces: list[Any] = gap_shades(bands, unit, frame.edges, theme)
    traces += missing_bars(picture.missing, theme, picture.shift) if picture.missing else []
    bars = BarPainter(window, picture.clock, theme, picture.hidden, picture.names_above)
    traces += [] if picture.compact else bars.histogram(picture.histogram)
    traces += bars.lanes(ys)
    crowd = crowd_of(picture.piles, picture.pixel_of)
    traces += [
        trace
        for kind in MARKS
        for trace in marks_of(window, kind, ys, picture.clock, theme, kind in picture.hidden, crowd)
    ]
    traces += other_dump_marks(picture.others, window, ys, unit, theme)
    if picture.flags:
        traces.append(finding_rings(picture.rings, theme, crowd))
    return [*traces, _selected(theme)]


def _selected(theme: Theme) -> Trace:
    """Trace for the selected record; empty until the page selects one."""
    return {
        "type": "scatter",
        "mode": "markers+text",
        "meta": "selected",
        "x": [None],
        "y": [None],
        "text": [""],
        "textposition": "middle right",
        "textfont": {"size": 12, "color": INK[theme]},
        "hoverinfo": "skip",
        "cliponaxis": False,
        "marker": {"symbol": "circle-open", "size": 23, "color": INK[theme], "line": {"width": 2.4}},
    }


def _layout(picture: TimelineData, frame: FigureFrame, theme: Theme) -> dict[str, Any]:
    layout = base_layout(theme, frame.height_pixels)
    layout |= {
        "dragmode": "zoom",
        "barmode": "overlay",
        "bargap": 0,
        "hovermode": "closest",
        "meta": {"selected": SELECTED[theme]},
        "shapes": ([] if picture.stable is None else [stable_line(picture.stable, theme)])
        + restart_lines([x + picture.shift for x in picture.restarts], frame.edges[""], theme)
        + lane_lines(len(frame.lines), theme)
        + jump_shapes(picture.jumps, picture.clock, picture.bounds, frame.edges, theme)
        + fold_shapes(picture.scale, picture.shift, theme)
        + joined_rings(picture.rings, picture.pixel_of, theme),
        "annotations": _notes(picture, frame, theme),
        "xaxis": x_axis(picture, theme),
        "yaxis": lane_axis(picture, frame, theme),
    }
    if frame.has_gaps:
        layout["yaxis3"] = band_axis(frame, theme, above=frame.clock_pixels, pixels=GAPS_PIXELS)
    if picture.jumps:
        layout["yaxis4"] = band_axis(frame, theme, above=0, pixels=CLOCK_PIXELS)
    if not picture.compact:
        layout["yaxis2"] = histogram_axis(picture, frame, theme)
    layout["margin"] = {**_sides(picture), "t": frame.top_pixels, "b": frame.axis_pixels, "pad": 0}
    return layout


def _sides(picture: TimelineData) -> dict[str, int]:
    """Margins beside the plot."""
    left = COMPACT_LEFT_PIXELS if picture.has_names_inside else RIGHT_PIXELS
    is_wide = picture.names_above or picture.window.span.axis == "time"
    right = WIDE_RIGHT_PIXELS if is_wide else RIGHT_PIXELS
    return {"l": left if picture.compact else LEFT_PIXELS, "r": right}


def _notes(picture: TimelineData, frame: FigureFrame, theme: Theme) -> list[dict[str, Any]]:
    rows = picture.flag_rows
    flags = [placed_flag.flag for placed_flag in rows.placed]
    on_their_lanes = on_lanes(flags, frame, picture.window.lanes, picture.shift)
    placed = [
        replace(placed_flag, flag=flag) for placed_flag, flag in zip(rows.placed, on_their_lanes, strict=True)
    ]
    bands = picture.bands if picture.window.span.axis == "offset" else []
    notes = gap_labels(bands, picture.pixels_of_unit, theme)
    if picture.stable is not None and picture.last_stable:
        is_left = picture.pixel_of(picture.stable) > picture.pixels / 2
        is_time, offset = picture.window.span.axis == "time", picture.last_stable.offset
        notes.append(stable_words(picture.stable, offset, is_time, is_left, frame.name_pixels, theme))
    notes += jump_notes(picture.jumps, picture.clock, picture.scale, picture.pixels_of_unit, theme)
    boxes = [flag.box(picture.pixel_of(flag.flag.x)) for flag in placed]
    folds, marks = picture.bands_of_folds, picture.mark_pixels
    covered = [fold for fold, band in zip(picture.folds, folds, strict=True) if meets(*band, boxes)]
    above = frame.above_pixels
    notes += fold_notes(picture.scale, picture.clock, theme, picture.is_partial, covered, above)
    bare = bare_rings(picture.piles, picture.rings, picture.pixel_of)
    notes += ring_counts(bare, picture.pixel_of, picture.pixels, theme, folds, marks)
    notes += pile_counts(picture.piles, picture.pixels + _sides(picture)["r"], theme, folds)
    notes += flag_notes(placed, frame.flags_y, frame.flag_height, theme)
    if not picture.compact:  # the row's name says it
        return notes
    notes += lane_names(frame, theme) if picture.names_above else []
    return notes + more_note(rows.more, frame.flags_y + frame.flag_height / 2, theme)
