"""The rows of a timeline from top to bottom, in pixels: histogram, missing offsets, flags, headings, lanes.

The figure and the names, which are text of the page, are laid out by the same numbers. Names stand beside the figure,
on a phone above what they name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from webapp.reports.queries.timeline.by_hand import GROUPS
from webapp.reports.queries.timeline.choose import TYPES
from webapp.reports.queries.timeline.window import Window

HISTOGRAM_PIXELS = 92
LOW_HISTOGRAM_PIXELS = 56  # on a phone, where lanes are high
GAPS_PIXELS = 16
CLOCK_PIXELS = 24
FLAG_PIXELS = 30
FLAGS_UP_PIXELS = 4  # of a flag in its row: the ring of an absent record reaches into the lowest
ABSENT_PIXELS = 3
LANE_PIXELS = 22
MIN_PLOT_PIXELS = 340
LOW_PLOT_PIXELS = 240  # on a phone
COMPACT_LANES_PIXELS = 112
COMPACT_LANE_PIXELS = 16
FOOT_PIXELS = 4  # below the last lane where a ring is higher than a lane
APART_PIXELS = 10  # between histogram, missing offsets and lanes
NAME_PIXELS = 16  # of a name above its row
NAMED_LANE_PIXELS = 48  # of a lane with its name above its marks
TOP_PIXELS = 10
AXIS_PIXELS = 54
PINNED_HEADING = "Pinned"
VICTIMS_HEADING = "Victims of incidents"
GROUP_OF_HEADING = {VICTIMS_HEADING: "group:victims"}  # any other heading: group:rest


@dataclass(frozen=True)
class TimelineRow:
    """One row: `kind` is histogram, gaps, clock, flags, heading, lane or space."""

    kind: str
    name: str
    height_pixels: int
    members: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FigureFrame:
    """Heights of a figure and the y of each lane. One unit of y is one lane."""

    lines: list[tuple[str, str]]  # kind and name of headings and lanes, bottom to top
    lane_pixels: int
    flag_rows: int
    is_compact: bool
    has_clock: bool = False  # a row for where the clock goes back
    names_above: bool = False  # not beside the figure
    axis_pixels: int = AXIS_PIXELS  # below the lanes
    has_limit: bool = False  # words above the plot, where consumers stop
    has_gaps: bool = True  # a row for missing offsets

    @property
    def y_by_lane(self) -> dict[str, int]:
        """Middle of each lane."""
        return {name: y for y, (kind, name) in enumerate(self.lines) if kind == "lane"}

    @property
    def edges(self) -> dict[str, tuple[float, float]]:
        """Lower and upper edge of each lane; the empty name stands for all lanes."""
        of_lanes = {name: (y - 0.5, y + 0.5) for name, y in self.y_by_lane.items()}
        return of_lanes | {"": (self.bottom, self.lines_top)}

    @property
    def foot_pixels(self) -> int:
        """Room below the lowest lane for its rings."""
        return FOOT_PIXELS if self.lane_pixels < LANE_PIXELS else 0

    @property
    def bottom(self) -> float:
        """Begin of the y axis."""
        return -0.5 - self.foot_pixels / self.lane_pixels

    @property
    def lines_top(self) -> float:
        """Upper edge of the topmost lane, where the flags begin."""
        return max(len(self.lines), 1) - 0.5

    @property
    def absent_y(self) -> float:
        """Middle of the ring of a record that is absent: at the upper edge of the lanes, clear of the flags."""
        return self.lines_top - ABSENT_PIXELS / self.lane_pixels

    @property
    def flags_y(self) -> float:
        """Where the rows of flags begin, above the rings of absent records."""
        return self.lines_top + FLAGS_UP_PIXELS / self.lane_pixels

    @property
    def flag_height(self) -> float:
        """Height of a row of flags in units of y."""
        return FLAG_PIXELS / self.lane_pixels

    @property
    def top(self) -> float:
        """End of the y axis."""
        return self.lines_top + self.flag_rows * self.flag_height

    @property
    def lanes_pixels(self) -> int:
        """Height of lanes, flags and foot."""
        lines_pixels = max(len(self.lines), 1) * self.lane_pixels
        return lines_pixels + self.flag_rows * FLAG_PIXELS + self.foot_pixels

    @property
    def histogram_pixels(self) -> int:
        """Height of the histogram."""
        return LOW_HISTOGRAM_PIXELS if self.names_above else HISTOGRAM_PIXELS

    @property
    def above_pixels(self) -> int:
        """Height of all rows above the flags."""
        histogram = 0 if self.is_compact else self.histogram_pixels + APART_PIXELS + self.name_pixels
        gaps = GAPS_PIXELS + APART_PIXELS if self.has_gaps else 0
        return histogram + gaps + self.clock_pixels

    @property
    def clock_pixels(self) -> int:
        """Height of the row of clock jumps, with its margin."""
        return CLOCK_PIXELS + APART_PIXELS + self.name_pixels if self.has_clock else 0

    @property
    def name_pixels(self) -> int:
        """Room for the name above a row that is no lane."""
        return NAME_PIXELS if self.names_above else 0

    @property
    def top_pixels(self) -> int:
        """Margin above the first row."""
        return TOP_PIXELS + self.name_pixels + (NAME_PIXELS if self.has_limit else 0)

    @property
    def plot_pixels(self) -> int:
        """Height without margins."""
        return self.above_pixels + self.lanes_pixels

    @property
    def height_pixels(self) -> int:
        """Height of the figure."""
        return self.top_pixels + self.plot_pixels + self.axis_pixels

    def domain(self, below_pixels: int, pixels: int) -> list[float]:
        """A share of the plot: `below_pixels` from its upper edge, so many pixels high."""
        upper = 1 - below_pixels / self.plot_pixels
        return [max(0.0, upper - pixels / self.plot_pixels), upper]


def frame_of(
    window: Window,
    flag_rows: int,
    is_compact: bool = False,
    has_clock: bool = False,
    names_above: bool = False,
) -> FigureFrame:
    """The plot has 340 pixels at least, on a phone 240, which few lanes share; where they are many, each has 22, or 48 with its name in it."""
    lines = _lines(window, is_compact)
    frame = FigureFrame(lines, LANE_PIXELS, flag_rows, is_compact, has_clock, names_above)
    least = LOW_PLOT_PIXELS if names_above else MIN_PLOT_PIXELS
    room = COMPACT_LANES_PIXELS if is_compact else least - frame.above_pixels - flag_rows * FLAG_PIXELS
    of_page = NAMED_LANE_PIXELS if names_above else LANE_PIXELS
    narrowest = COMPACT_LANE_PIXELS if is_compact and not names_above else of_page
    return replace(frame, lane_pixels=max(narrowest, room // max(len(lines), 1)))


def _lines(window: Window, is_compact: bool) -> list[tuple[str, str]]:
    """Kind and name of each line from bottom to top: all other lanes, victims, what somebody pinned. A heading stands above
    the lanes of its group where there are several groups."""
    by_hand = window.pinned_by_hand[::-1]
    victims = [lane for lane in window.lanes if lane in window.pinned and lane not in by_hand]
    rest = [lane for lane in window.lanes if lane not in window.pinned and lane not in by_hand]
    groups = ((rest, window.rest_heading), (victims, VICTIMS_HEADING), (by_hand, PINNED_HEADING))
    has_headings = not is_compact and (victims or by_hand or window.rest_heading != TYPES)
    lines: list[tuple[str, str]] = []
    for lanes, heading in groups:
        lines += [("lane", lane) for lane in lanes]
        is_folded = all(lane in window.folded.values() for lane in lanes)
        lines += [("heading", heading)] if has_headings and not is_folded else []
    return lines


@dataclass(frozen=True)
class Beside:
    """Counts beside the rows: missing offsets, steps of the clock, findings without a flag, victims without a lane."""

    missing: int
    jumps: int = 0
    without_flag: int = 0
    more_victims: str = ""


def rows_of(frame: FigureFrame, window: Window, histogram: str, beside: Beside) -> list[TimelineRow]:
    """All rows from top to bottom, with the labels beside them."""
    lanes = [_lane(frame, window, kind, name, beside.more_victims) for kind, name in reversed(frame.lines)]
    return [
        TimelineRow("space", "", frame.top_pixels),
        TimelineRow("histogram", histogram, frame.histogram_pixels),
        TimelineRow("space", "", APART_PIXELS + frame.name_pixels),
        TimelineRow("gaps", "Missing offsets", GAPS_PIXELS, {"records": beside.missing}),
        TimelineRow("space", "", APART_PIXELS + (frame.name_pixels if frame.has_clock else 0)),
        *(
            [
                TimelineRow("clock", "Clock went back", CLOCK_PIXELS, {"records": beside.jumps}),
                TimelineRow("space", "", APART_PIXELS),
            ]
            if frame.has_clock
            else []
        ),
        *(
            [
                TimelineRow(
                    "flags", "Findings", frame.flag_rows * FLAG_PIXELS, {"withoutFlag": beside.without_flag}
                )
            ]
            if frame.flag_rows
            else []
        ),
        *lanes,
    ]


def _lane(frame: FigureFrame, window: Window, kind: str, name: str, more_victims: str) -> TimelineRow:
    if kind == "heading":
        group: dict[str, Any] = {"group": GROUP_OF_HEADING.get(name, "group:rest")}
        group = {} if name == PINNED_HEADING else group
        group |= {"more": more_victims} if name == VICTIMS_HEADING and more_victims else {}
        return TimelineRow(kind, name, frame.lane_pixels, group)
    members: dict[str, Any] = {
        "records": window.records_by_lane.get(name, 0),
        "isVictim": name in window.pinned,
        "isPinned": name in window.pinned_by_hand,
        "isBinned": name in window.binned,
        "isInside": name in window.inside,
        "id": window.ids.get(name, ""),
    }
    if name in window.folded.values():
        stands_for = [lane for lane, group in window.folded.items() if group == name]
        members |= {"folds": _folds(window, name, stands_for), "standsFor": len(stands_for)}
    return TimelineRow(kind, name, frame.lane_pixels, members)


def _folds(window: Window, name: str, stands_for: list[str]) -> list[str]:
    """Ids of lanes that unfolding a group removes from the address."""
    group = next((identity for identity, words in GROUPS.items() if words == name), "")
    return [group] if group else [window.ids[lane] for lane in stands_for if lane in window.ids]
