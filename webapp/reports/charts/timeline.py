"""The timeline: density above, lanes of marks (or strips where there are too many) below, gaps, restarts, findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from webapp.reports.charts.background import (
    Band,
    Flag,
    finding_rings,
    gap_bands,
    gap_labels,
    lane_lines,
    restart_lines,
)
from webapp.reports.charts.flags import ROW_PIXELS, annotations, place_flags, plain, row_count
from webapp.reports.charts.look import (
    BARS,
    GRID,
    INK,
    MARKS,
    MUTED,
    OUTLINED,
    Theme,
    axis,
    base_layout,
    packed,
)
from webapp.reports.queries.marks import Window

DENSITY_BARS = 200
MARKS_IN_LINE = 60  # so few need no jitter to be told apart
LANE_PIXELS = 56
KEY_LANE_PIXELS = 24
MANY_LANES = 12  # above it lanes are narrower and their names have more room
DENSITY_PIXELS = 80
BELOW_PIXELS = 96  # axis, its title, the legend
JITTER = 0.62  # of a lane's height
ROOM = 0.02  # of the window, left free on both sides
GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class Picture:
    """All a timeline shows. `hidden` names kinds of marks that are switched off."""

    window: Window
    bands: list[Band] = field(default_factory=list)
    restarts: list[float] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    hidden: frozenset[str] = frozenset()
    compact: bool = False


def figure(picture: Picture, theme: Theme) -> dict[str, Any]:
    """The whole figure."""
    return {"data": _traces(picture, theme), "layout": _layout(picture, theme)}


def _traces(picture: Picture, theme: Theme) -> list[dict[str, Any]]:
    window = picture.window
    low, high = -0.5, max(len(window.lanes), 1) - 0.5
    traces = gap_bands(picture.bands, low, high, theme)
    traces += _strips(window, theme)
    traces += [_marks(window, kind, theme, picture) for kind in MARKS if (window.marks["kind"] == kind).any()]
    if picture.flags:
        traces.append(finding_rings(picture.flags, theme))
    if not picture.compact:
        traces.append(density(measure_density(window), theme, "y2"))
    return traces


def jitter(offsets: Any) -> Any:
    """A place within the lane that is the same at every zoom: the offset's golden fraction."""
    return (np.modf(offsets.astype(np.float64) * GOLDEN)[0] - 0.5) * JITTER


def _marks(window: Window, kind: str, theme: Theme, picture: Picture) -> dict[str, Any]:
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
    return {
        "type": "scattergl",
        "mode": "markers",
        "name": look["name"],
        "meta": kind,
        "x": packed(offsets if by_offset else times),
        "y": packed(lanes + jitter(offsets) * spread, "f4"),
        "customdata": _customdata(offsets, window.marks["size_bytes"][chosen]),
        "marker": marker,
        "visible": "legendonly" if kind in picture.hidden else True,
        "hovertemplate": _hover(look["name"], bool(window.key_texts)),
        **({"text": _texts(window, chosen)} if window.key_texts else {}),
    }


def crowded(marks: int) -> float:
    """Many marks are drawn smaller, so that they do not cover each other."""
    return 1.0 if marks <= 4_000 else 0.7 if marks <= 15_000 else 0.45


def _customdata(offsets: Any, sizes: Any) -> dict[str, str]:
    table = np.stack([offsets.astype(np.float64), sizes.astype(np.float64)], axis=1)
    return {**packed(table), "shape": f"{len(offsets)}, 2"}


def _hover(name: str, is_named: bool) -> str:
    # no <b>: Plotly writes it as a style attribute, which the security policy forbids
    rest = "<br>%{text}" if is_named else "<br>click to see its key and time"
    return f"offset %{{customdata[0]:,}}<br>{name}, %{{customdata[1]:,}} bytes{rest}<extra></extra>"


def _texts(window: Window, chosen: Any) -> list[str]:
    """Time and key of each mark."""
    columns = (window.marks[name][chosen].tolist() for name in ("timestamp_ms", "key_hash_1", "key_hash_2"))
    rows = zip(*columns, strict=True)
    return [
        f"{_time_text(time)}<br>{plain(window.key_texts.get((one, two), 'no key'))}"
        for time, one, two in rows
    ]


def _time_text(timestamp_ms: int) -> str:
    if timestamp_ms < 0:
        return "no time"
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return f"{timestamp_ms:,} ms"
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d} UTC"


def _strips(window: Window, theme: Theme) -> list[dict[str, Any]]:
    """Per strip lane a row of counts, and below it a thin row with the share of tombstones."""
    if not window.strips:
        return []
    numbers = {lane: number for number, lane in enumerate(window.lanes)}
    width = window.bucket_width
    buckets = (window.span.last - window.span.first) // width + 1
    traces = []
    for lane in window.strips:
        chosen = window.buckets["lane"] == lane
        counts = np.full(buckets, np.nan)
        shares = np.full(buckets, np.nan)
        at = window.buckets["bucket"][chosen].astype(np.int64)
        counts[at] = window.buckets["records"][chosen]
        shares[at] = window.buckets["tombstones"][chosen] / window.buckets["records"][chosen]
        traces.append(_strip(window, numbers[lane] + 0.1, 0.5, counts, theme, f"{lane}: records", "#0072b2"))
        traces.append(
            _strip(window, numbers[lane] - 0.28, 0.2, shares, theme, f"{lane}: tombstones", INK[theme])
        )
    return traces


def _strip(
    window: Window, middle: float, height: float, values: Any, theme: Theme, name: str, colour: str
) -> dict[str, Any]:
    share = name.endswith("tombstones")
    highest = 1.0 if share else float(np.nanmax(values))
    return {
        "type": "heatmap",
        "name": name,
        "meta": "strip",
        "showlegend": False,
        "x0": window.span.first + window.bucket_width / 2,
        "dx": window.bucket_width,
        "y": [middle - height / 2, middle + height / 2],
        "z": {**packed(values.reshape(1, -1), "f4"), "shape": f"1, {len(values)}"},
        "zmin": 0,
        "zmax": max(highest, 1e-9),
        "colorscale": [[0, GRID[theme]], [0.25, _between(GRID[theme], colour, 0.5)], [1, colour]],
        "showscale": False,
        "zsmooth": "fast",  # else Plotly writes a style attribute, which the security policy forbids
        "hoverongaps": False,
        "hovertemplate": f"{name} %{{z:{'.0%' if share else ',d'}}}<br>from %{{x}}<extra></extra>",
    }


@dataclass(frozen=True)
class Density:
    """Records per stretch of the axis: middles of the bars, records in them, and how wide they are."""

    middles: Any
    counts: Any
    width: int

    @property
    def highest(self) -> float:
        """Of the bars."""
        return float(self.counts.max()) if len(self.counts) else 1.0


def measure_density(window: Window) -> Density:
    """Merge buckets into bars wide enough to see."""
    buckets = (window.span.last - window.span.first) // window.bucket_width + 1
    merge = max(1, -(-buckets // DENSITY_BARS))
    bars, where = np.unique(window.buckets["bucket"].astype(np.int64) // merge, return_inverse=True)
    counts = np.bincount(where, weights=window.buckets["records"], minlength=len(bars))
    width = window.bucket_width * merge
    return Density(window.span.first + bars * width + (width - 1) / 2, counts, width)


def density(measured: Density, theme: Theme, yaxis: str = "y") -> dict[str, Any]:
    """Records per stretch of the axis, as bars."""
    return {
        "type": "bar",
        "name": "records",
        "meta": "density",
        "showlegend": False,
        "x": packed(measured.middles),
        "y": packed(measured.counts),
        "width": measured.width * (0.92 if len(measured.counts) <= 60 else 1),
        "yaxis": yaxis,
        "marker": {"color": BARS[theme], "line": {"width": 0}},
        "hovertemplate": "%{y:,} records around %{x}<extra></extra>",
    }


def _layout(picture: Picture, theme: Theme) -> dict[str, Any]:
    window = picture.window
    lanes = max(len(window.lanes), 1)
    lane_pixels = (34 if picture.compact else LANE_PIXELS) if lanes <= MANY_LANES else KEY_LANE_PIXELS
    span = float(window.span.last - window.span.first) or 1.0
    placed = place_flags(picture.flags, window.span.first, span)
    row_height = ROW_PIXELS / lane_pixels
    top = lanes - 0.5 + row_count(placed) * row_height
    lanes_pixels = round((top + 0.5) * lane_pixels)
    layout = base_layout(
        theme, lanes_pixels + (74 if picture.compact else 50 + DENSITY_PIXELS + BELOW_PIXELS)
    )
    layout |= {
        "dragmode": "zoom",
        "bargap": 0,
        "shapes": restart_lines(picture.restarts, theme) + lane_lines(lanes, theme),
        "annotations": gap_labels(picture.bands, span, theme)
        + annotations(placed, lanes - 0.5, row_height, theme),
        "xaxis": x_axis(window, theme),
        "yaxis": _lane_axis(picture, theme, top),
        "showlegend": not picture.compact,
    }
    layout["margin"]["l"] = 150 if lanes <= MANY_LANES else 230
    if not picture.compact:
        _add_density(layout, lanes_pixels, window, theme)
    return layout


def _add_density(layout: dict[str, Any], lanes_pixels: int, window: Window, theme: Theme) -> None:
    """Room for the density above the lanes and for the legend below them."""
    plot = layout["height"] - layout["margin"]["t"] - BELOW_PIXELS
    layout["margin"]["b"] = BELOW_PIXELS
    layout["legend"]["y"] = -58 / plot
    layout["xaxis"]["anchor"] = "y"
    layout["yaxis"]["domain"] = [0, lanes_pixels / plot]
    ticks = count_ticks(measure_density(window).highest)
    domain = [1 - DENSITY_PIXELS / plot, 1]
    layout["yaxis2"] = axis(theme, domain=domain, fixedrange=True, title={"text": "records"}, **ticks)


def x_axis(window: Window, theme: Theme) -> dict[str, Any]:
    """Offsets with grouped digits, or times in UTC."""
    room = (
        max(1.0, (window.span.last - window.span.first) * ROOM)
        if window.span.last > window.span.first
        else 1.0
    )
    bounds = [window.span.first - room, window.span.last + room]
    if window.span.axis == "time":
        return axis(theme, type="date", range=bounds, title={"text": "time (UTC)"})
    few = window.span.last - window.span.first <= 20
    ticks = {"dtick": 1} if few else {}
    return axis(
        theme, range=bounds, title={"text": "offset"}, tickformat=",d", **ticks
    )


def count_ticks(highest: float) -> dict[str, Any]:
    """Few whole numbers from zero up."""
    return {
        "range": [0, highest * 1.05],
        "tickformat": ",d",
        "nticks": 3,
        **({"dtick": 1} if highest <= 2 else {}),
    }


def _between(first: str, second: str, share: float) -> str:
    """A colour part of the way from one to the other, both `#rrggbb`."""
    pairs = zip((first[i : i + 2] for i in (1, 3, 5)), (second[i : i + 2] for i in (1, 3, 5)), strict=True)
    mixed = (round(int(a, 16) * (1 - share) + int(b, 16) * share) for a, b in pairs)
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _lane_axis(picture: Picture, theme: Theme, top: float) -> dict[str, Any]:
    lanes = picture.window.lanes
    return axis(
        theme,
        range=[-0.5, top],
        tickvals=list(range(len(lanes))),
        ticktext=[plain(lane) for lane in lanes],
        tickfont={"size": 12, "color": INK[theme] if len(lanes) <= MANY_LANES else MUTED[theme]},
        fixedrange=True,
        showgrid=False,
    )
