"""Missing offsets: a band of its own, darker where more of a bin is missing; wide gaps are shaded through the lanes. And in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spark.terms.wording import grouped, plural
from webapp.reports.charts.look import (
    ABSENT,
    CHARACTER_PIXELS,
    SEVERITY_COLOURS,
    Theme,
    Trace,
    gap_look,
    plain,
)
from webapp.reports.queries.partitions import PartitionTables, missing_offsets

FAINTEST = 0.18
SHADED_PIXELS = 12
SEVERE = {"damage": "critical", "unexplained": "high"}


@dataclass(frozen=True)
class Band:
    """A gap between two points of the x axis."""

    x0: float
    x1: float
    cause: str
    offsets: int
    proof: str
    lane: str = ""  # of the partition, where a timeline shows several


@dataclass(frozen=True)
class Missing:
    """How many offsets of each bin are missing, by cause; arrays of one length. Of several partitions a bin adds them up."""

    starts: Any
    bin_width: int
    offsets_by_cause: dict[str, Any]
    partitions: int = 1

    @property
    def total(self) -> int:
        return int(sum(values.sum() for values in self.offsets_by_cause.values()))


def missing_per_bin(gaps: dict[str, tuple[Any, Any]], first: int, last: int, bin_width: int) -> Missing:
    """Counted exactly, however narrow a gap: what is drawn adds up to what is missing between the bounds.

    `gaps`: by cause, their first and last offsets.
    """
    low, high = first // bin_width, last // bin_width
    edges = np.clip(np.arange(low, high + 2) * bin_width, first, last + 1)
    offsets = {cause: _per_bin(firsts, lasts + 1, edges) for cause, (firsts, lasts) in gaps.items()}
    return Missing(np.arange(low, high + 1) * bin_width, bin_width, offsets)


def missing_in_time(bands: Sequence[Band], bin_width: int) -> Missing:
    """On the time axis a gap has no width of its own: its offsets count where the next record stands."""
    starts = (
        np.unique([int(band.x1) // bin_width for band in bands]) if bands else np.zeros(0, dtype=np.int64)
    )
    offsets = {cause: np.zeros(len(starts)) for cause in sorted({band.cause for band in bands})}
    for band in bands:
        offsets[band.cause][np.searchsorted(starts, int(band.x1) // bin_width)] += band.offsets
    return Missing(starts * bin_width, bin_width, offsets)


def _per_bin(firsts: Any, ends: Any, edges: Any) -> Any:
    """Missing offsets in each bin."""
    return np.diff(_sum_below(edges, np.sort(firsts)) - _sum_below(edges, np.sort(ends)))


def _sum_below(edges: Any, starts: Any) -> Any:
    """Of each edge, the sum of its distances from the starts below it."""
    count = np.searchsorted(starts, edges)
    return count * edges - np.r_[0, np.cumsum(starts)][count]


def missing_bars(missing: Missing, theme: Theme, shift: int = 0) -> list[Trace]:
    """One trace for each cause, on the third y axis."""
    total = sum(missing.offsets_by_cause.values()) if missing.offsets_by_cause else 0
    traces = []
    for cause, values in missing.offsets_by_cause.items():
        some = values > 0
        shares = values[some] / missing.bin_width / missing.partitions
        traces.append(
            {
                "type": "bar",
                "name": gap_look(cause)["name"],
                "meta": "gap",
                "x": missing.starts[some] + (missing.bin_width - 1) / 2 + shift,
                "y": (values / np.maximum(total, 1))[some],
                "base": [0] * int(some.sum()),
                "width": missing.bin_width,
                "yaxis": "y3",
                "marker": {
                    "color": _colour(cause, theme),
                    "opacity": FAINTEST + (1 - FAINTEST) * np.minimum(shares, 1),
                    "line": {"width": 0},
                },
                "customdata": np.stack([values[some], missing.starts[some]], axis=1),
                "hovertemplate": f"%{{customdata[0]}} of {missing.bin_width * missing.partitions} offsets from "
                f"%{{customdata[1]}}: {gap_look(cause)['name']}<extra></extra>",
            }
        )
    return traces


def _colour(cause: str, theme: Theme) -> str:
    severity = SEVERE.get(cause)
    return SEVERITY_COLOURS[theme][severity] if severity else ABSENT[theme]


def gap_shades(
    bands: list[Band], unit_pixels: float, edges: dict[str, tuple[float, float]], theme: Theme
) -> list[Trace]:
    """Gaps that are wide enough to see, through all lanes or the lane of their partition; one outline for each cause.

    `edges`: lower and upper edge of each lane; the empty name stands for all lanes.
    """
    wide = [band for band in bands if (band.x1 - band.x0) * unit_pixels >= SHADED_PIXELS]
    return [
        _shade(cause, [band for band in wide if band.cause == cause], edges, theme)
        for cause in sorted({band.cause for band in wide})
    ]


def _shade(cause: str, bands: list[Band], edges: dict[str, tuple[float, float]], theme: Theme) -> Trace:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for band in bands:
        low, high = edges.get(band.lane, edges[""])
        xs += [band.x0, band.x0, band.x1, band.x1, band.x0, None]
        ys += [low, high, high, low, low, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": gap_look(cause)["name"],
        "meta": "gap",
        "x": xs[:-1],
        "y": ys[:-1],
        "fill": "toself",
        "line": {"width": 0, "color": _colour(cause, theme)},
        "fillcolor": _faint(_colour(cause, theme)),
        "hoverinfo": "skip",
    }


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.14)"


def gap_labels(bands: list[Band], unit_pixels: float, theme: Theme) -> list[dict[str, Any]]:
    """Words inside the band of missing offsets, where a gap has room for them; the tooltip and the table have the rest."""
    labels = []
    for band in bands:
        text = f"{band.offsets:,} {gap_look(band.cause)['name']}"
        if not band.lane and (band.x1 - band.x0) * unit_pixels > len(text) * CHARACTER_PIXELS:
            labels.append(_label(band, text, theme))
    return labels


def _label(band: Band, text: str, theme: Theme) -> dict[str, Any]:
    return {
        "x": (band.x0 + band.x1) / 2,
        "y": 0.5,
        "yref": "y3",
        "text": text,
        "hovertext": plain(band.proof),
        "showarrow": False,
        "font": {"size": 11, "color": "#ffffff" if theme == "light" else "#171717"},
    }


def missing_in_words(partition: PartitionTables, noun: str = "") -> list[str]:
    """`23 compacted away`, `1 more before offset 1`; with a noun `23 offsets compacted away`."""
    first, last = partition.facts.bounds
    sides = {"": "", "before": f" before offset {first}", "after": f" after offset {last}"}
    rows = missing_offsets(partition)
    causes = list(dict.fromkeys(_cause(row) for row in rows))
    words, named = [], set()
    for row in sorted(rows, key=lambda row: causes.index(_cause(row))):
        cause = _cause(row)
        number = plural(row["offsets"], noun) if noun else grouped(row["offsets"])
        count = f"{grouped(row['offsets'])} more" if cause in named else f"{number} {cause}"
        words.append(f"{count}{sides[row['side']]}")
        named.add(cause)
    return words


def _cause(row: dict[str, Any]) -> str:
    return "missing" if row["cause"] == "unexplained" else str(gap_look(row["cause"])["name"])
