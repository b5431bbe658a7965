"""Strips: a lane with too many records for marks, as counts per bucket with the share of tombstones below."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from webapp.reports.charts.look import GRID, INK, Theme
from webapp.reports.queries.marks import Window


def strips(window: Window, theme: Theme) -> list[go.Heatmap]:
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
) -> go.Heatmap:
    share = name.endswith("tombstones")
    highest = 1.0 if share else float(np.nanmax(values))
    return go.Heatmap(
        name=name,
        meta="strip",
        showlegend=False,
        x0=window.span.first + window.bucket_width / 2,
        dx=window.bucket_width,
        y=[middle - height / 2, middle + height / 2],
        z=values.reshape(1, -1).astype("f4"),
        zmin=0,
        zmax=max(highest, 1e-9),
        colorscale=[[0, GRID[theme]], [0.25, _between(GRID[theme], colour, 0.5)], [1, colour]],
        showscale=False,
        zsmooth="fast",  # else Plotly writes a style attribute, which the security policy forbids
        hoverongaps=False,
        hovertemplate=f"{name} %{{z:{'.0%' if share else ',d'}}}<br>from %{{x}}<extra></extra>",
    )


def _between(first: str, second: str, share: float) -> str:
    """A colour part of the way from one to the other, both `#rrggbb`."""
    pairs = zip((first[i : i + 2] for i in (1, 3, 5)), (second[i : i + 2] for i in (1, 3, 5)), strict=True)
    mixed = (round(int(a, 16) * (1 - share) + int(b, 16) * share) for a, b in pairs)
    return "#" + "".join(f"{part:02x}" for part in mixed)
