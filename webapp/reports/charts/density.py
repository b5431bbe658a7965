"""The density strip: records along the offsets of a large journal, with gaps, restarts and findings."""

from __future__ import annotations

from typing import Any

from webapp.reports.charts.background import (
    Flag,
    finding_flags,
    finding_rings,
    gap_bands,
    gap_labels,
    restart_lines,
)
from webapp.reports.charts.look import Theme, axis, base_layout
from webapp.reports.charts.timeline import Picture, count_ticks, density, measure_density, x_axis

HEIGHT = 190


def figure(picture: Picture, theme: Theme) -> dict[str, Any]:
    """Bars, with flags standing on top of them."""
    measured = measure_density(picture.window)
    highest = measured.highest
    flags = [Flag(f.x, highest * 0.75, f.offset, f.severity, f.text, f.finding) for f in picture.flags]
    traces = [*gap_bands(picture.bands, 0, highest * 1.05, theme), density(measured, theme)]
    if flags:
        traces.append(finding_rings(flags, theme))
    span = float(picture.window.span.last - picture.window.span.first) or 1.0
    layout = base_layout(theme, HEIGHT) | {
        "bargap": 0,
        "shapes": restart_lines(picture.restarts, theme),
        "annotations": gap_labels(picture.bands, span, theme)
        + finding_flags(flags, picture.window.span.first, span, theme),
        "xaxis": x_axis(picture.window, theme),
        "yaxis": axis(theme, fixedrange=True, title={"text": "records"}, **count_ticks(highest)),
    }
    layout["margin"]["l"] = 70
    return {"data": traces, "layout": layout}
