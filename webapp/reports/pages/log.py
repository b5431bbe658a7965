"""Log: segments, formats, leader epochs, missing offsets, producers, the log cleaner's view, and the format advisor."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from spark.redaction.selection import LOG
from spark.terms.marked import UNNAMED
from spark.terms.topic_commands import copy_segments
from spark.terms.wording import some
from webapp.reports.advice import BrokerForm, advice_for, reported_advice
from webapp.reports.charts import log as chart
from webapp.reports.charts.log import CLEAN_SHADES, FORMAT_SHADES, SHADES, LanePiece, LogMap
from webapp.reports.charts.look import Theme, gap_look
from webapp.reports.figures import figure_response, theme_of
from webapp.reports.page import Page, report_page
from webapp.reports.pages import ReportAddress, ReportPage
from webapp.reports.queries.compaction import compaction_of
from webapp.reports.queries.damage import damage_by_file, damage_of, damaged_ranges
from webapp.reports.queries.gaps import gaps_between
from webapp.reports.queries.log import (
    SHOWN,
    cleaning_of,
    epochs_of,
    formats_of,
    gaps_of,
    others_in_checkpoint,
    producers_with_sequences,
    segments_of,
)
from webapp.reports.queries.partitions import missing_offsets
from webapp.reports.report import ReportFinding
from webapp.reports.results import PartitionResults, Rows
from webapp.reports.typed_text import Segments, line_of_marked

CORRUPT, UNREADABLE = "corrupt record batch (checksum mismatch)", "unreadable bytes"
DAMAGE, MISSING = "Damage", "Missing"


@report_page
def log(page: Page) -> HttpResponse:
    """The map, and a table for each of its lanes."""
    partition = page.partition
    epochs = epochs_of(partition)
    cleaner_row = cleaning_of(partition)
    damage = damage_by_file(partition)
    faults = page.report.log_findings(page.replica)
    gaps = with_finding(gaps_of(partition), faults)
    segments = [with_faults(row, damage.get(row["file"]), faults) for row in segments_of(partition)]
    return page.render(
        "reports/log.html",
        {
            "segments": segments,
            "has_faults": any(row["damage"] or row["findings"] for row in segments),
            "log_faults": faults,
            "damage": damage_of(partition),
            "formats": formats_of(partition),
            "epochs": epochs,
            "has_checkpoint": any(row["checkpoint_offset"] is not None for row in epochs),
            "gaps": gaps,
            "shared_proof": shared_proof(gaps),
            "missing": missing_offsets(partition),
            "has_offsets": page.report.coverage.get("has_offsets", True),
            "cleaning": cleaner_row,
            "cleans_nothing": why_nothing(page, cleaner_row) if cleaner_row else "",
            "why_compacted": why_compacted(partition, cleaner_row),
            "has_figure": log_map(partition, "light") is not None,
            "producers": producers_with_sequences(partition),
            "advice": reported_advice(page.report, page.replica),
            "formats_url": page.url("report-formats"),
            "how_to_copy": how_to_copy(page),
            "most": SHOWN,
            "figure_url": page.url("report-log-figure"),
            "cleaned_url": page.url("report-records", cleaned="1"),
        },
    )


def with_faults(
    row: dict[str, Any], damage: dict[str, Any] | None, faults: list[ReportFinding]
) -> dict[str, Any]:
    """A segment with its damage, and the findings about its batches or about offsets lost in its damage."""
    stretches = [row, damage or {}]
    return row | {"damage": damage, "findings": [each for each in faults if each.lies_in(stretches)]}


def with_finding(gaps: Rows, faults: list[ReportFinding]) -> Rows:
    """Gaps, each with the finding about these very offsets."""
    by_bounds = {(each.first_offset, each.last_offset): each for each in reversed(faults)}
    return [gap | {"finding": by_bounds.get((gap["first_offset"], gap["last_offset"]))} for gap in gaps]


def shared_proof(gaps: Rows) -> str:
    """The evidence that several gaps have in common; empty where one has another, or a finding instead."""
    proofs = {"" if gap["finding"] else gap["proof"] or "" for gap in gaps}
    return proofs.pop() if len(gaps) > 1 and len(proofs) == 1 else ""


def why_nothing(page: Page, cleaner_row: dict[str, Any]) -> str:
    """Why the next compaction cleans nothing, where the log ends for it at its first record or where the clean section ends."""
    end, stopped_by = cleaner_row["first_uncleanable_offset"], cleaner_row["stopped_by"]
    is_known = cleaner_row["dirty_from"] in ("checkpoint", "batches")
    clean_to = cleaner_row["first_dirty_offset"] if is_known else None
    if (
        cleaner_row["removed_records"]
        or end is None
        or end > max(page.facts.first_offset or 0, clean_to or 0)
    ):
        return ""
    if stopped_by == "open transaction" and page.options.last_stable_offset is not None:
        return f"the segment at offset {end} contains the open transaction (offset {page.options.last_stable_offset})"
    return f"the active segment begins at offset {end}" if stopped_by == "active segment" else ""


def why_compacted(partition: PartitionResults, cleaner_row: dict[str, Any] | None) -> str:
    """What shows that the topic is compacted, as far as the checkpoint of the log cleaner says it of this partition."""
    if cleaner_row and cleaner_row["checkpoint_offset"] is not None:
        return f"Compacted: cleaner-offset-checkpoint lists this partition with offset {cleaner_row['checkpoint_offset']}."
    others = [f"{partition.replica.topic}-{number}" for number in others_in_checkpoint(partition)]
    if others:
        return f"Compacted topic: cleaner-offset-checkpoint lists {some(others, 3)}, but not this partition."
    return compaction_of(partition).sentence


def how_to_copy(page: Page) -> Segments:
    """Command that copies the segments of the partition."""
    share = page.source.share
    topic = page.replica.topic if share is None or share.options["names"] else UNNAMED
    return line_of_marked(copy_segments(topic, page.replica.partition))


@report_page
def log_figure(page: Page) -> HttpResponse:
    """`figure`: the whole partition; null without batches."""
    log_lanes = log_map(page.partition, theme_of(page.request))
    return figure_response(
        page.request, {"figure": chart.figure(log_lanes, theme_of(page.request)) if log_lanes else None}
    )


@report_page
def formats(page: Page) -> HttpResponse:
    """What the message formats of a partition mean under the settings the user states."""
    form = BrokerForm(page.request.GET)
    broker = form.broker
    reported = [] if form.is_stated else reported_advice(page.report, page.replica)
    return page.render(
        "reports/formats.html",
        {
            "form": form,
            "open_all": True,
            "advice_title": "With these settings" if form.is_stated else "Independent of broker settings",
            "advice": reported or advice_for(formats_of(page.partition), broker),
            "log_url": page.url("report-log"),
            "how_to_copy": how_to_copy(page),
            "clear_url": page.url("report-formats"),
        },
    )


def log_map(partition: PartitionResults, theme: Theme) -> LogMap | None:
    """Lanes in which something changes, and missing offsets; None where there is none of them."""
    segments = [row for row in segments_of(partition) if row["first_offset"] is not None]
    epochs = [row for row in epochs_of(partition) if row["first_offset"] is not None]
    formats = formats_of(partition)
    reach = [*segments, *formats, *epochs]
    if not reach:
        return None
    damaged = damaged_ranges(partition)
    reach += [row for row in damaged if None not in (row["first_offset"], row["last_offset"])]
    first, last = min(row["first_offset"] for row in reach), max(row["last_offset"] for row in reach)
    cleaner = cleaning_of(partition) if compaction_of(partition).is_compacted else None
    lanes = [
        ("Segments", _segments(segments, theme)),
        ("Format", _formats(formats, theme)),
        ("Leader epoch", _epochs(epochs, theme)),
        (DAMAGE, _damage(damaged, theme)),
        (MISSING, _gaps(gaps_between(partition, first, last).drawn, theme)),
        ("Cleaner", _cleaner(cleaner, first, last, theme)),
    ]
    telling = [
        (name, pieces) for name, pieces in lanes if len(pieces) > 1 or (pieces and name in (DAMAGE, MISSING))
    ]
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


page = ReportPage(
    name="report-log",
    path="log/",
    view=log,
    title="Log",
    position=80,
    tables=LOG,
    shared=True,
    further=(
        ReportAddress("report-log-figure", "log/figure.json", log_figure, shared=True),
        ReportAddress("report-formats", "formats/", formats, shared=True),
    ),
)
