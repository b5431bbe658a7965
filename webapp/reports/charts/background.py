"""What lies behind and above the marks: gaps as hatched bands, restarts as dashed lines, findings as flagged rings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from webapp.reports.charts.look import GRID, MUTED, SEVERITY_COLOURS, Theme, gap_look

RESTARTS_DRAWN = 100
GAP_LABELS = 6


@dataclass(frozen=True)
class Flag:
    """A finding to show at a place of the figure."""

    x: float
    y: float
    offset: int
    severity: str
    text: str
    finding: str
    incident: str | None = None  # flags of one have its words once


@dataclass(frozen=True)
class Band:
    """A gap to show between two places of the x axis."""

    x0: float
    x1: float
    cause: str
    offsets: int
    proof: str


def gap_bands(bands: list[Band], low: float, high: float, theme: Theme, yaxis: str = "y") -> list[go.Scatter]:
    """One filled outline per cause, so that the legend can name it."""
    causes = sorted({band.cause for band in bands})
    return [
        _bands_of(cause, [b for b in bands if b.cause == cause], low, high, theme, yaxis) for cause in causes
    ]


def _bands_of(cause: str, bands: list[Band], low: float, high: float, theme: Theme, yaxis: str) -> go.Scatter:
    look = gap_look(cause)
    xs: list[float | None] = []
    ys: list[float | None] = []
    for band in bands:
        xs += [band.x0, band.x0, band.x1, band.x1, band.x0, None]
        ys += [low, high, high, low, low, None]
    return go.Scatter(
        mode="lines",
        name=look["name"],
        meta="gap",
        x=xs[:-1],
        y=ys[:-1],
        yaxis=yaxis,
        fill="toself",
        line={"width": 0.5, "color": look[theme]},
        fillcolor=look[theme],
        fillpattern={
            "shape": look["shape"],
            "fgcolor": look[theme],
            "bgcolor": "rgba(0,0,0,0)",
            "size": 7,
            "solidity": 0.25,
        },
        hoverinfo="skip",
        legendgroup=f"gap-{cause}",
    )


def gap_labels(bands: list[Band], span: float, theme: Theme) -> list[dict[str, Any]]:
    """Words on top of the widest gaps that have room for them."""
    widest = sorted(bands, key=lambda band: band.x0 - band.x1)[:GAP_LABELS]
    roomy = [band for band in widest if (band.x1 - band.x0) > span * 0.01]
    return [
        {
            "x": (band.x0 + band.x1) / 2,
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "text": f"{gap_look(band.cause)['name']}: {band.offsets:,}",
            "hovertext": band.proof,
            "showarrow": False,
            "font": {"size": 10, "color": MUTED[theme]},
        }
        for band in _apart(sorted(roomy, key=lambda band: band.x0), span * 0.1)
    ]


def _apart(bands: list[Band], distance: float) -> list[Band]:
    kept: list[Band] = []
    for band in bands:
        if not kept or (band.x0 + band.x1) / 2 - (kept[-1].x0 + kept[-1].x1) / 2 > distance:
            kept.append(band)
    return kept


def restart_lines(xs: list[float], theme: Theme) -> list[dict[str, Any]]:
    """A dashed line per restart, the first hundred in the window."""
    return [
        {
            "type": "line",
            "x0": x,
            "x1": x,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "layer": "below",
            "line": {"color": MUTED[theme], "width": 1, "dash": "dash"},
        }
        for x in xs[:RESTARTS_DRAWN]
    ]


def finding_rings(flags: list[Flag], theme: Theme, yaxis: str = "y") -> go.Scatter:
    """A ring around each record that proves a finding."""
    colours = SEVERITY_COLOURS[theme]
    return go.Scatter(
        mode="markers",
        name="finding",
        meta="finding",
        x=[flag.x for flag in flags],
        y=[flag.y for flag in flags],
        yaxis=yaxis,
        customdata=[[flag.offset, flag.text] for flag in flags],
        marker={
            "symbol": "circle-open",
            "size": 17,
            "color": [colours.get(flag.severity, colours["low"]) for flag in flags],
            "line": {"width": 2.5},
        },
        hovertemplate="offset %{customdata[0]:,}<br>%{customdata[1]}<extra></extra>",
    )


def lane_lines(lanes: int, theme: Theme) -> list[dict[str, Any]]:
    """A hair line between lanes."""
    return [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": lane + 0.5,
            "y1": lane + 0.5,
            "layer": "below",
            "line": {"color": GRID[theme], "width": 1},
        }
        for lane in range(lanes - 1)
    ]
