"""The log as a map: segments, formats, leader epochs, missing offsets and the cleaner's view above one offset axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from webapp.reports.charts.look import (
    GRID,
    SEVERITY_COLOURS,
    Theme,
    Trace,
    axis,
    base_layout,
    gap_look,
    ink_on,
    plain,
)
from webapp.reports.report import ReportFinding
from webapp.reports.results import Rows

LANE_PIXELS = 44
FINDING_LANES = 5  # at most; what has no room then covers others in the last one
WORDS_AT_LEAST = 0.05  # of the axis: a narrower piece has no room for words
SHADES = {
    "light": ("#b7d4ec", "#dbe8f3"),
    "dark": ("#2d5a7d", "#3d4a57"),
}  # in turns, so that neighbours differ
FORMAT_SHADES = {
    0: {"light": "#e6a35c", "dark": "#a5671f"},
    1: {"light": "#f0d58c", "dark": "#8c7424"},
    2: {"light": "#a9d8c5", "dark": "#2d6b55"},
}
CLEAN_SHADES = {
    "clean": {"light": "#a9d8c5", "dark": "#2d6b55"},
    "dirty": {"light": "#f0d58c", "dark": "#8c7424"},
    "not cleanable yet": {"light": "#d7dbe1", "dark": "#4a5058"},
}
CORRUPT, UNREADABLE = "corrupt record batch (checksum mismatch)", "unreadable bytes"
DAMAGE, MISSING, FINDINGS = "Damage", "Missing", "Findings"
ALWAYS = (DAMAGE, MISSING, FINDINGS)  # lanes that are there also with one piece
UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class LanePiece:
    """A stretch of offsets in one lane, bounds inclusive."""

    first: int
    last: int
    words: str
    hover: str
    colour: str


@dataclass
class LogMap:
    """Lanes from top to bottom, each a name and its pieces; the stretch of offsets that is shown."""

    first: int
    last: int
    lanes: list[tuple[str, list[LanePiece]]] = field(default_factory=list)


def figure(log: LogMap, theme: Theme) -> go.Figure:
    names = [name for name, _ in log.lanes]
    traces = [_trace(log, number, pieces, theme) for number, (_, pieces) in enumerate(log.lanes)]
    layout = base_layout(theme, 80 + LANE_PIXELS * max(len(names), 1)) | {
        "barmode": "overlay",
        "uniformtext": {"minsize": 9, "mode": "hide"},
        "bargap": 0.3,
        "xaxis": axis(
            theme, range=[log.first - 0.5, log.last + 0.5], title={"text": "offset"}, tickformat=",d"
        ),
        "yaxis": axis(
            theme,
            range=[len(names) - 0.5, -0.5],
            tickvals=list(range(len(names))),
            ticktext=[name if name != before else "" for before, name in pairwise(["", *names])],
            fixedrange=True,
        ),
    }
    return go.Figure(traces, layout)


def _trace(log: LogMap, lane: int, pieces: list[LanePiece], theme: Theme) -> Trace:
    span = log.last - log.first + 1
    return {
        "type": "bar",
        "orientation": "h",
        "base": [piece.first - 0.5 for piece in pieces],
        "x": [piece.last - piece.first + 1 for piece in pieces],
        "y": [lane] * len(pieces),
        "text": [
            piece.words if (piece.last - piece.first + 1) / span >= WORDS_AT_LEAST else "" for piece in pieces
        ],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "insidetextfont": {"color": [ink_on(piece.colour) for piece in pieces], "size": 11},
        "hovertext": [piece.hover for piece in pieces],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"color": [piece.colour for piece in pieces], "line": {"width": 0.5, "color": GRID[theme]}},
    }


def log_lanes(
    first: int,
    last: int,
    theme: Theme,
    segments: Rows,
    formats: Rows,
    epochs: Rows,
    damaged: Rows,
    gaps: Rows,
    faults: Sequence[ReportFinding],
    cleaner: dict[str, Any] | None,
) -> LogMap | None:
    """Rows with offsets. `gaps` have their finding; `faults`: all findings about the log, of which those that are neither a gap
    nor damage have a lane. None where nothing changes."""
    taken = {(row["first_offset"], row["last_offset"]) for row in (*damaged, *gaps)}
    others = [each for each in faults if (each.first_offset, each.last_offset) not in taken]
    lanes = [
        ("Segments", _segments(segments, theme)),
        ("Format", _formats(formats, theme)),
        ("Leader epoch", _epochs(epochs, theme)),
        (DAMAGE, _damage(damaged, theme)),
        *((FINDINGS, pieces) for pieces in _findings(others, first, last, theme)),
        (MISSING, _gaps(gaps, theme)),
        ("Cleaner", _cleaner(cleaner, first, last, theme)),
    ]
    telling = [(name, pieces) for name, pieces in lanes if len(pieces) > 1 or (pieces and name in ALWAYS)]
    return LogMap(first, last, telling) if telling else None


def _piece(row: dict[str, Any], words: str, details: str, colour: str) -> LanePiece:
    return LanePiece(row["first_offset"], row["last_offset"], words, details, colour)


def _offsets(row: dict[str, Any]) -> str:
    return f"offsets {row['first_offset']} – {row['last_offset']}"


def _segments(rows: Rows, theme: Theme) -> list[LanePiece]:
    pieces = []
    for number, row in enumerate(rows):
        words = row["name"] if row["base_offset"] is None else f"{row['base_offset']}"
        details = f"{row['name']}<br>{_offsets(row)}, {row['batches']:,} batches"
        pieces.append(_piece(row, words, details, SHADES[theme][number % 2]))
    return pieces


def _formats(rows: Rows, theme: Theme) -> list[LanePiece]:
    pieces = []
    for row in rows:
        words, colours = f"format {row['magic']}", FORMAT_SHADES.get(row["magic"], FORMAT_SHADES[2])
        details = f"{words}<br>{_offsets(row)}, {row['batches']:,} batches"
        pieces.append(_piece(row, words, details, colours[theme]))
    return pieces


def _epochs(rows: Rows, theme: Theme) -> list[LanePiece]:
    return [
        _piece(
            row,
            f"epoch {row['epoch']}",
            f"leader epoch {row['epoch']}<br>{_offsets(row)}",
            SHADES[theme][number % 2],
        )
        for number, row in enumerate(rows)
    ]


def _damage(rows: Rows, theme: Theme) -> list[LanePiece]:
    """Ranges whose offsets are known; the column of the segments has all."""
    colour = gap_look("damage")[theme]
    return [
        _piece(
            row,
            "damage",
            f"{CORRUPT if row['reason'] == 'crc_mismatch' else UNREADABLE}<br>{_offsets(row)}, "
            f"{row['size_bytes']:,} bytes from byte {row['position']}",
            colour,
        )
        for row in rows
        if row["first_offset"] is not None and row["last_offset"] is not None
    ]


def _findings(faults: Sequence[ReportFinding], first: int, last: int, theme: Theme) -> list[list[LanePiece]]:
    """Lanes in which no piece covers another: each piece is in the first one that has room for it, those of the worst first."""
    pieces = [
        LanePiece(
            max(each.first_offset, first), min(each.last_offset, last),
            each.check, plain(each.title), SEVERITY_COLOURS[theme][each.severity],
        )
        for each in faults
        if each.first_offset is not None
        and each.last_offset is not None
        and each.first_offset <= last
        and each.last_offset >= first
    ]  # fmt: skip
    lanes: list[list[LanePiece]] = []
    for piece in pieces:
        free = (lane for lane in lanes if all(piece.last < at.first or at.last < piece.first for at in lane))
        lane = next(free, None)
        if lane is None and len(lanes) < FINDING_LANES:
            lanes.append([piece])
        else:
            (lane or lanes[-1]).append(piece)
    return lanes


def _gaps(rows: Rows, theme: Theme) -> list[LanePiece]:
    """A gap without a cause of its own is called by the finding that explains it."""
    pieces = []
    for row in rows:
        finding = row["finding"] if row["cause"] == UNEXPLAINED else None
        look = gap_look("damage" if finding else row["cause"])
        name = finding.check if finding else look["name"]
        proof = plain(finding.title) if finding else row["proof"]
        details = f"{row['offsets']:,} offsets missing: {name}<br>{proof}"
        pieces.append(_piece(row, name, details, look[theme]))
    return pieces


def _cleaner(row: dict[str, Any] | None, first: int, last: int, theme: Theme) -> list[LanePiece]:
    """Pieces: clean, dirty, and what the next cleaning cannot remove."""
    if row is None:
        return []
    dirty, end = row["first_dirty_offset"], row["first_uncleanable_offset"]
    dirty = first if dirty is None else min(max(dirty, first), last + 1)
    end = last + 1 if end is None else min(max(end, dirty), last + 1)
    sections = (("clean", first, dirty - 1), ("dirty", dirty, end - 1), ("not cleanable yet", end, last))
    return [
        LanePiece(low, high, name, f"{name}<br>offsets {low} – {high}", CLEAN_SHADES[name][theme])
        for name, low, high in sections
        if low <= high
    ]
