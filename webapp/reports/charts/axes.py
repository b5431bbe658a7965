"""The axes of a timeline: offsets or times below, lanes, the histogram, and the rows between both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webapp.reports.charts.bars import HEADROOM, count_ticks
from webapp.reports.charts.lane_names import short_names
from webapp.reports.charts.look import INK, Theme, axis, plain
from webapp.reports.charts.rows import APART_PIXELS, FigureFrame

if TYPE_CHECKING:
    from webapp.reports.charts.timeline import TimelineData

PIXELS_A_TICK = 90
PHONE_PIXELS = 500  # a plot that is narrower has ticks as close as their digits allow
DIGIT_PIXELS, TICK_APART_PIXELS = 7, 27
ROUND = (1, 2, 5)
BELOW_NAME = 1.2  # times the topmost tick, where a name stands on the upper edge
APART = 0.6  # of a step: what lies closer to an end gives way to it
NAMES = 26  # characters of a lane's name inside the figure: so many digits fit in the margin


def x_axis(picture: TimelineData, theme: Theme) -> dict[str, Any]:
    """Real offsets, first and last among them, never grouped; or times in a zone that is named."""
    span = picture.window.span
    shared = {"range": list(picture.bounds), "anchor": "y", "showspikes": False}
    if span.axis == "time":
        own = {"tickangle": 0, **picture.ticks} if picture.ticks["ticktext"] else {}
        own |= {"rangebreaks": _breaks(picture)} if picture.folds else {}
        return axis(
            theme, type="date", title={"text": f"time ({picture.clock.name})", "standoff": 8}, **shared, **own
        )
    ticks = offset_ticks(span.first, span.last, picture.pixels)
    return axis(
        theme,
        title={"text": "offset", "standoff": 4},
        tickvals=ticks,
        ticktext=[str(tick) for tick in ticks],
        **shared,
    )


def _breaks(picture: TimelineData) -> list[dict[str, Any]]:
    """What Plotly leaves out of the axis."""
    shift = picture.shift
    return [{"bounds": [low + shift, high + shift]} for low, high in picture.scale.breaks]


def lane_axis(picture: TimelineData, frame: FigureFrame, theme: Theme) -> dict[str, Any]:
    """Names are text of the page; a compact figure and a picture to take along have them inside, on a phone above the lanes."""
    ys = frame.y_by_lane
    return axis(
        theme,
        range=[frame.bottom, frame.top],
        domain=frame.domain(frame.above_pixels, frame.lanes_pixels),
        tickvals=list(ys.values()),
        ticktext=[plain(name) for name in short_names(ys, NAMES).values()],
        tickfont={"size": 12, "color": INK[theme]},
        showticklabels=picture.has_names_inside,
        fixedrange=True,
        showgrid=False,
    )


def histogram_axis(picture: TimelineData, frame: FigureFrame, theme: Theme) -> dict[str, Any]:
    ticks = count_ticks(picture.histogram.highest)
    ticks |= ticks_below_name(picture.histogram.highest) if frame.names_above else {}
    return axis(theme, domain=frame.domain(0, frame.histogram_pixels), fixedrange=True, **ticks)


def ticks_below_name(highest: float) -> dict[str, Any]:
    """Of a histogram whose name stands on its upper edge: no tick is beside the name."""
    step = _step(highest / 2)
    end = highest * HEADROOM
    return {"dtick": step, "range": [0, max(end, end // step * step * BELOW_NAME)]}


def band_axis(frame: FigureFrame, theme: Theme, above: int, pixels: int) -> dict[str, Any]:
    """A row between histogram and lanes; `above`: pixels between it and the lanes."""
    below_pixels = frame.above_pixels - above - pixels - APART_PIXELS
    return axis(
        theme,
        domain=frame.domain(below_pixels, pixels),
        range=[0, 1],
        fixedrange=True,
        showgrid=False,
        showticklabels=False,
    )


def offset_ticks(first: int, last: int, pixels: int) -> list[int]:
    """Round offsets, and always the first and the last one that exist, in order."""
    needed = DIGIT_PIXELS * len(str(last)) + TICK_APART_PIXELS if pixels < PHONE_PIXELS else PIXELS_A_TICK
    step = _step((last - first) / max(2, pixels // needed))
    inner = range(-(-first // step) * step, last + 1, step)
    apart = step * APART
    between = [tick for tick in inner if tick - first >= apart and last - tick >= apart]
    return sorted({first, *between, last})


def _step(smallest: float) -> int:
    """1, 2 or 5 times a power of ten."""
    power = 1
    while power * 5 < smallest:
        power *= 10
    return next((power * digit for digit in ROUND if power * digit >= smallest), power * 10)
