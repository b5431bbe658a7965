"""Parameters of a timeline."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.reports.charts.bars import Height
from webapp.reports.queries.timeline.axis import PLOT_PIXELS, AxisRange
from webapp.reports.queries.timeline.by_hand import LanesByHand
from webapp.reports.queries.timeline.folds import Fold
from webapp.reports.queries.timeline.lanes import LaneBy


@dataclass(frozen=True)
class TimelineRequest:
    """Parameters of a timeline. `pixels`: width of the plot."""

    span: AxisRange
    by: LaneBy = "type"
    hidden: frozenset[str] = frozenset()
    compact: bool = False
    height: Height = "bytes"
    pixels: int = PLOT_PIXELS
    zone: str = ""  # IANA name; empty: UTC
    by_hand: LanesByHand = field(default=LanesByHand())
    names_above: bool = False  # their lanes, as on a phone
    record: int | None = None  # offset of the selected one
    is_partial: bool = False  # a reader, a filter or a link leaves records out
    folds: tuple[Fold, ...] | None = None  # of a time axis; None: as the partition's own records ask for
