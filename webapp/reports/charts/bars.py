"""Bars: records per stretch of the axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from webapp.reports.charts.look import BARS, Theme
from webapp.reports.queries.marks import Window

DENSITY_BARS = 200


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


def density(measured: Density, theme: Theme, yaxis: str = "y") -> go.Bar:
    """Records per stretch of the axis, as bars."""
    return go.Bar(
        name="records",
        meta="density",
        showlegend=False,
        x=measured.middles,
        y=measured.counts,
        width=measured.width * (0.92 if len(measured.counts) <= 60 else 1),
        yaxis=yaxis,
        marker={"color": BARS[theme], "line": {"width": 0}},
        hovertemplate="%{y:,} records around %{x}<extra></extra>",
    )


def count_ticks(highest: float) -> dict[str, Any]:
    """Few whole numbers from zero up."""
    return {
        "range": [0, highest * 1.05],
        "tickformat": ",d",
        "nticks": 3,
        **({"dtick": 1} if highest <= 2 else {}),
    }
