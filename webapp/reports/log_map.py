"""From the tables of a log to the pieces of its map."""

from __future__ import annotations

from typing import Any

from webapp.reports.charts.log import CLEAN_SHADES, FORMAT_SHADES, SHADES, LanePiece, LogMap
from webapp.reports.charts.look import Theme, gap_look
from webapp.reports.queries.compaction import compaction_of
from webapp.reports.queries.gaps import gaps_between
from webapp.reports.queries.log import cleaning_of, epochs_of, formats_of, segments_of
from webapp.reports.results import PartitionResults, Rows


def log_map(partition: PartitionResults, theme: Theme) -> LogMap | None:
    """Lanes that have data; None without batches."""
    segments = [row for row in segments_of(partition) if row["first_offset"] is not None]
    epochs = [row for row in epochs_of(partition) if row["first_offset"] is not None]
    formats = formats_of(partition)
    reach = [*segments, *formats, *epochs]
    if not reach:
        return None
    first, last = min(row["first_offset"] for row in reach), max(row["last_offset"] for row in reach)
    cleaning = cleaning_of(partition) if compaction_of(partition).is_compacted else None
    lanes = [
        ("Segments", _segments(segments, theme)),
        ("Format", _formats(formats, theme)),
        ("Leader epoch", _epochs(epochs, theme)),
        ("Missing", _gaps(gaps_between(partition, first, last).drawn, theme)),
        ("Cleaner", _cleaner(cleaning, first, last, theme)),
    ]
    return LogMap(first, last, [(name, pieces) for name, pieces in lanes if pieces])


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


def _gaps(rows: Rows, theme: Theme) -> list[LanePiece]:
    pieces = []
    for row in rows:
        look = gap_look(row["cause"])
        details = f"{row['offsets']:,} offsets missing: {look['name']}<br>{row['proof']}"
        pieces.append(_piece(row, look["name"], details, look[theme]))
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
