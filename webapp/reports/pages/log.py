"""Log: segments, formats, leader epochs, missing offsets, producers, the log cleaner's view, and the format advisor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse

from spark.redaction.selection import LOG
from spark.terms.marked import UNNAMED
from spark.terms.topic_commands import copy_segments
from spark.terms.wording import some
from webapp.reports.advice import BrokerForm, advice_for, reported_advice
from webapp.reports.charts import log as chart
from webapp.reports.charts.log import LogMap
from webapp.reports.charts.log_lanes import log_lanes
from webapp.reports.charts.look import Theme
from webapp.reports.charts.missing import missing_in_words
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
from webapp.reports.queries.partitions import Facts, missing_offsets
from webapp.reports.report import ReportFinding, beside_damage
from webapp.reports.results import PartitionResults, Rows
from webapp.reports.typed_text import Segments, line_of_marked

OUTSIDE = frozenset(
    {"missing-head", "missing-tail", "truncated-tail"}
)  # checks of offsets before or after the log


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
            "log_faults": beside_damage(faults, damaged_ranges(partition)),
            "damage": damage_of(partition),
            "formats": formats_of(partition),
            "epochs": epochs,
            "has_checkpoint": any(row["checkpoint_offset"] is not None for row in epochs),
            "gaps": gaps,
            "shared_proof": shared_proof(gaps),
            "missing": missing_in_words(missing_offsets(partition)),
            "outside": outside(faults, page.facts),
            "has_offsets": page.report.coverage.get("has_offsets", True),
            "cleaning": cleaner_row,
            "cleans_nothing": why_nothing(page, cleaner_row) if cleaner_row else "",
            "why_compacted": why_compacted(partition, cleaner_row),
            "has_figure": log_map(partition, faults, "light") is not None,
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
    """A segment with its damage, and the findings about its batches or about offsets lost in its damage. `is_damage_found`: one of
    these is about the same offsets, so that the damage is not said twice."""
    stretches = [row, damage or {}]
    findings = [each for each in faults if each.lies_in(stretches)]
    bounds = (damage["first_offset"], damage["last_offset"]) if damage else None
    is_damage_found = any((each.first_offset, each.last_offset) == bounds for each in findings)
    return row | {"damage": damage, "findings": findings, "is_damage_found": is_damage_found}


def with_finding(gaps: Rows, faults: Sequence[ReportFinding]) -> Rows:
    """Gaps, each with the finding about these very offsets."""
    by_bounds = {(each.first_offset, each.last_offset): each for each in reversed(faults)}
    return [gap | {"finding": by_bounds.get((gap["first_offset"], gap["last_offset"]))} for gap in gaps]


def outside(faults: Sequence[ReportFinding], facts: Facts) -> list[ReportFinding]:
    """Findings of offsets that are missing before the first record or after the last one: no gap has them."""
    first, last = facts.bounds
    return [
        each
        for each in faults
        if each.detector in OUTSIDE
        and each.first_offset is not None
        and each.last_offset is not None
        and (each.first_offset > last or each.last_offset < first)
    ]


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
    theme = theme_of(page.request)
    lanes = log_map(page.partition, page.report.log_findings(page.replica), theme)
    return figure_response(page.request, {"figure": chart.figure(lanes, theme) if lanes else None})


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


def log_map(partition: PartitionResults, faults: Sequence[ReportFinding], theme: Theme) -> LogMap | None:
    """Lanes in which something changes, and missing offsets; None where there is none of them."""
    segments = [row for row in segments_of(partition) if row["first_offset"] is not None]
    epochs = [row for row in epochs_of(partition) if row["first_offset"] is not None]
    formats = formats_of(partition)
    reach = [*segments, *formats, *epochs]
    if not reach:
        return None
    damaged = [
        row for row in damaged_ranges(partition) if None not in (row["first_offset"], row["last_offset"])
    ]
    reach += damaged
    first, last = min(row["first_offset"] for row in reach), max(row["last_offset"] for row in reach)
    cleaner = cleaning_of(partition) if compaction_of(partition).is_compacted else None
    gaps = with_finding(gaps_between(partition, first, last).drawn, faults)
    return log_lanes(first, last, theme, segments, formats, epochs, damaged, gaps, faults, cleaner)


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
