"""Rings around the records that prove findings. Rings that would cover each other are one longer ring with their number."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from spark.terms.findings import SEVERITIES
from webapp.reports.charts.background import Flag
from webapp.reports.charts.look import CLEAR, PAPER, SEVERITY_COLOURS, Theme, Trace, plain

RING_PIXELS = 17
LINE_PIXELS = 2.2
BULGE = 2 / 3  # of the diameter: how far the control points of half a circle lie outside
COUNT_PIXELS = 26  # of a number beside a ring
HALF_MARK_PIXELS = 5
ABOVE_PIXELS = 15  # from the middle of a ring to its number above it
Group = Sequence[Flag]  # of one lane, in the order of the axis


def ring_groups(
    flags: Iterable[Flag], pixel_of: Callable[[float], float], marks: Mapping[float, Sequence[float]]
) -> list[Group]:
    """Flags of each ring, one for each record. `marks`: by y, pixels of the drawn records, in order: no ring takes in one that
    proves nothing."""
    lanes: dict[float, dict[tuple[float, int], Flag]] = defaultdict(dict)  # several records may have one time
    for flag in sorted(flags, key=_rank):
        lanes[flag.y].setdefault((flag.x, flag.offset), flag)
    groups: list[list[Flag]] = []
    for y, flag_by_record in lanes.items():
        last: float | None = None
        for (x, _), flag in sorted(flag_by_record.items()):
            pixel = pixel_of(x)
            joins = last is not None and pixel - last < RING_PIXELS
            if joins and not _has_between(marks.get(y, ()), last or 0.0, pixel):
                groups[-1].append(flag)
            else:
                groups.append([flag])
            last = pixel
    return list(groups)


def _has_between(pixels: Sequence[float], low: float, high: float) -> bool:
    following = bisect_right(pixels, low)
    return following < len(pixels) and pixels[following] < high


def _rank(flag: Flag) -> int:
    return SEVERITIES.index(flag.severity) if flag.severity in SEVERITIES else len(SEVERITIES)


def _worst(group: Group) -> str:
    return min(group, key=_rank).severity


def finding_rings(
    groups: Iterable[Group], theme: Theme, crowd: Callable[[float, float], str] = lambda _y, _x: ""
) -> Trace:
    """A point for each record; of a ring of several the points are not seen, but say their finding. Points of one ring share
    its number. `crowd`: by y and x, words about what is drawn at that place."""
    points = [(flag, len(group) > 1, ring) for ring, group in enumerate(groups) for flag in group]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "finding",
        "meta": "finding",
        "x": [flag.x for flag, _, _ in points],
        "y": [flag.y for flag, _, _ in points],
        "customdata": [
            [flag.offset, plain(flag.text), ring, crowd(flag.y, flag.x)] for flag, _, ring in points
        ],
        "cliponaxis": False,
        "marker": {
            "symbol": "circle-open",
            "size": RING_PIXELS,
            "color": [CLEAR if is_joined else _colour(flag.severity, theme) for flag, is_joined, _ in points],
            "line": {"width": LINE_PIXELS},
        },
        "hovertemplate": "offset %{customdata[0]}<br>%{customdata[1]}%{customdata[3]}<extra></extra>",
    }


def joined_rings(
    groups: Iterable[Group], pixel_of: Callable[[float], float], theme: Theme
) -> list[dict[str, Any]]:
    """Plotly's shapes for rings of several records."""
    return [
        {
            "type": "path",
            "name": "findings",
            "xsizemode": "pixel",
            "ysizemode": "pixel",
            "xanchor": group[0].x,
            "yanchor": group[0].y,
            "path": _outline(pixel_of(group[-1].x) - pixel_of(group[0].x)),
            "line": {"width": LINE_PIXELS, "color": _colour(_worst(group), theme)},
        }
        for group in groups
        if len(group) > 1
    ]


def ring_counts(
    groups: Iterable[Group],
    pixel_of: Callable[[float], float],
    plot_pixels: float,
    theme: Theme,
    bands: Sequence[tuple[float, float]] = (),
    marks: Mapping[float, Sequence[float]] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Their numbers, as annotations on the side without marks, or above the last record; none where marks of the next lane are, or
    between two folds of the axis, whose pixels are `bands`. `marks`: by y, pixels of the drawn records."""
    notes = []
    for group in groups:
        if len(group) == 1:
            continue
        low, high = pixel_of(group[0].x) - RING_PIXELS / 2, pixel_of(group[-1].x) + RING_PIXELS / 2
        near, above = (_around(marks.get(group[0].y + lanes, ())) for lanes in (0, 1))
        is_right = high + COUNT_PIXELS < plot_pixels and not meets(high, high + COUNT_PIXELS, [*bands, *near])
        is_left = not is_right and not meets(low - COUNT_PIXELS, low, [*bands, *near])
        is_beside = is_right or is_left
        if not is_beside and meets(high - RING_PIXELS / 2, high + RING_PIXELS / 2, [*bands, *above]):
            continue
        notes.append(
            {
                "x": group[0].x if is_left else group[-1].x,
                "y": group[0].y,
                "xanchor": "right" if is_left else "left",
                "xshift": (RING_PIXELS / 2 + 2) * (1 if is_right else -1) if is_beside else 1,
                "yshift": 0 if is_beside else ABOVE_PIXELS,
                "yanchor": "middle",
                "text": str(len(group)),
                "hovertext": f"{len(group)} records that prove findings",
                "captureevents": True,
                "showarrow": False,
                "bgcolor": PAPER[theme] if is_beside else CLEAR,
                "borderpad": 1,
                "font": {"size": 11, "color": _colour(_worst(group), theme)},
                "name": "findings",
            }
        )
    return notes


def _around(pixels: Iterable[float]) -> list[tuple[float, float]]:
    return [(pixel - HALF_MARK_PIXELS, pixel + HALF_MARK_PIXELS) for pixel in pixels]


def meets(start: float, end: float, others: Iterable[tuple[float, float]]) -> bool:
    """Whether pixels from start to end are in one of the others."""
    return any(low < end and start < high for low, high in others)


def _outline(width: float) -> str:
    """Two lines and two half circles."""
    half, far = RING_PIXELS / 2, RING_PIXELS * BULGE
    right = width + far
    return (
        f"M0,{half}L{width:.1f},{half}C{right:.1f},{half} {right:.1f},{-half} {width:.1f},{-half}"
        f"L0,{-half}C{-far:.1f},{-half} {-far:.1f},{half} 0,{half}Z"
    )


def _colour(severity: str, theme: Theme) -> str:
    colours = SEVERITY_COLOURS[theme]
    return colours.get(severity, colours["low"])
