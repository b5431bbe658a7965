"""The density strip: records along the offsets of a large journal, with gaps, restarts and findings."""

from __future__ import annotations

import plotly.graph_objects as go

from webapp.reports.charts.background import Flag, finding_rings, gap_bands, gap_labels, restart_lines
from webapp.reports.charts.bars import count_ticks, density, measure_density
from webapp.reports.charts.flags import ROW_PIXELS, flag_notes, place_flags, row_count
from webapp.reports.charts.look import Theme, axis, base_layout
from webapp.reports.charts.timeline import TimelineData, x_axis

BARS_PIXELS = 110


def figure(picture: TimelineData, theme: Theme) -> go.Figure:
    """Bars, with a ring on them for each finding and its flag above."""
    measured = measure_density(picture.window)
    highest = measured.highest
    flags = [
        Flag(f.x, highest * 0.75, f.offset, f.severity, f.text, f.finding, f.incident) for f in picture.flags
    ]
    span = float(picture.window.span.last - picture.window.span.first) or 1.0
    placed = place_flags(flags, picture.window.span.first, span)
    row_height = highest * ROW_PIXELS / BARS_PIXELS
    top = highest * 1.05 + row_count(placed) * row_height
    traces = [*gap_bands(picture.bands, 0, highest * 1.05, theme), density(measured, theme)]
    traces += [finding_rings(flags, theme)] if flags else []
    ticks = count_ticks(highest) | {"range": [0, top]}
    layout = base_layout(theme, 70 + round(top / highest * BARS_PIXELS)) | {
        "bargap": 0,
        "shapes": restart_lines(picture.restarts, theme),
        "annotations": gap_labels(picture.bands, span, theme)
        + flag_notes(placed, highest * 1.05, row_height, theme),
        "xaxis": x_axis(picture.window, theme),
        "yaxis": axis(theme, fixedrange=True, title={"text": "records"}, **ticks),
    }
    layout["margin"]["l"] = 70
    return go.Figure(traces, layout)
