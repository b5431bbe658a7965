"""Compare: choose what to set beside this report, wait for it, then the sentence, a strip of ranges and a table."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from webapp.journals.access import (
    can_add,
    get_inspection_for_user,
    journals_for_user,
    require_adding,
)
from webapp.journals.comparisons import may_ask_again, request_comparison
from webapp.journals.models import Comparison, Inspection
from webapp.reports.cleaned import Cleaning, cleanings
from webapp.reports.views.page import Page, report_page

CHOICES = 50
RANGES_SHOWN = 200  # rows of a partition's table
UNKNOWN_TOPIC = "?"
LEFTOVER = re.compile(r"-(delete|future|stray)$")  # folders that a deletion or a move left behind
# By the name of a copy: how it is laid out, on which broker it lies, of which cluster it is.
COPIES = r"""
SELECT replica, coalesce(layouts, '') AS layouts, coalesce(broker, replica) AS broker,
       regexp_extract(replica, ' \(cluster (.+)\)$', 1) AS cluster
FROM (SELECT replica, string_agg(DISTINCT layout, ' ' ORDER BY layout) AS layouts FROM files
      WHERE kind IN ('segment', 'export') GROUP BY replica)
LEFT JOIN (SELECT replica, max(value) FILTER (name IN ('broker.id', 'node.id'))
               || '@' || coalesce(max(value) FILTER (name = 'cluster.id'), '') AS broker
           FROM properties WHERE name IN ('broker.id', 'node.id', 'cluster.id') AND replica <> '' GROUP BY replica)
USING (replica)
"""
STRIP_UNITS = 1000.0  # the strip's width, in units of its viewBox
MIN_UNITS = 2.0
WORDS = {
    "equal": "the same on both sides",
    "different": "different",
    "damaged": "damaged on one side",
    "left": "only left",
    "right": "only right",
    "mixed": "changes too often to list",
}


@report_page
def compare(page: Page) -> HttpResponse:
    """What this report can be set beside."""
    asked = page.request.GET.get("q", "").strip()
    return page.render(
        "reports/compare.html",
        {
            "asked": asked,
            "choices": choices(page, asked)[:CHOICES],
            "copies": partitions_with_replicas(page),
            "can_add": can_add(page.request.user, page.inspection.journal.project_id),
        },
    )


def choices(page: Page, asked: str) -> Any:
    """Other finished inspections one may see: those of the same journal first, then the newest."""
    from django.db.models import BooleanField, Case, Value, When

    visible = Inspection.objects.filter(
        journal__in=journals_for_user(page.request.user), state=Inspection.State.DONE
    )
    same = Case(
        When(journal=page.inspection.journal, then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )
    found = visible.exclude(pk=page.inspection.pk).select_related("journal").annotate(is_same_journal=same)
    if asked:
        found = found.filter(journal__name__icontains=asked)
    return found.order_by("-is_same_journal", "-created_at")


def partitions_with_replicas(page: Page) -> list[str]:
    """Partitions of which this inspection holds several brokers' copies, as the comparison will see it."""
    brokers: dict[tuple[str, int, str, str], set[str]] = defaultdict(set)
    known = {row["replica"]: row for row in page.results.rows(COPIES)}
    for replica in page.survey.places:
        copy = known.get(replica.replica, {"layouts": "", "broker": replica.replica, "cluster": ""})
        if replica.topic != UNKNOWN_TOPIC and not LEFTOVER.search(replica.replica):
            brokers[replica.topic, replica.partition, copy["layouts"], copy["cluster"]].add(copy["broker"])
    return sorted({f"{topic}-{number}" for (topic, number, *_), of in brokers.items() if len(of) > 1})


@never_cache
@require_POST
def start(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> HttpResponse:
    """Ask for the comparison and go where it will be."""
    left, right = both(request, inspection_id, other_id)
    require_adding(request.user, left.journal.project_id)
    request_comparison(left, right, request.user)
    return redirect("report-comparison", inspection_id, other_id)


@never_cache
@require_GET
def comparison(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> HttpResponse:
    """The comparison's page, done or not."""
    return render(request, "reports/comparison.html", context(request, inspection_id, other_id))


@never_cache
@require_GET
def fragment(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> HttpResponse:
    """The part of the page that changes until it is done."""
    return render(request, "reports/parts/comparison.html", context(request, inspection_id, other_id))


def both(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> tuple[Inspection, Inspection]:
    """The two inspections; 404 when either may not be seen."""
    left = get_inspection_for_user(request.user, inspection_id)
    return left, get_inspection_for_user(request.user, other_id)


def context(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> dict[str, Any]:
    """What page and fragment show."""
    left, right = both(request, inspection_id, other_id)
    found = Comparison.objects.filter(left=left, right=right).first()
    result = found.result if found and found.state == Comparison.State.DONE else None
    return {
        "left": left,
        "right": right,
        "comparison": found,
        "result": result,
        "partitions": [drawn(entry, left, right) for entry in (result or {}).get("partitions", [])],
        "can_start": can_add(request.user, left.journal.project_id)
        and (found is None or may_ask_again(found)),
        "section": "journals",
    }


@dataclass(frozen=True)
class ComparedSegment:
    """A piece of the strip."""

    x: str
    width: str
    kind: str
    title: str


@dataclass(frozen=True)
class Range:
    """A row of the table, with addresses of its first record on the sides that have it."""

    kind: str
    words: str
    first_offset: int
    last_offset: int
    records: int
    left_url: str
    right_url: str


@dataclass(frozen=True)
class ComparedPartition:
    """A pair of copies as the page shows it."""

    entry: dict[str, Any]
    strip: list[ComparedSegment]
    ranges: list[Range]
    left_out: int
    examples: list[dict[str, Any]]
    cleanings: list[Cleaning]
    entities: list[dict[str, Any]]
    entities_left_out: int


def drawn(entry: dict[str, Any], left: Inspection, right: Inspection) -> ComparedPartition:
    """Strip, table and examples of one pair."""
    ranges = entry["ranges"]
    shown = [row for row in ranges if row["kind"] != "equal"] + [
        row for row in ranges if row["kind"] == "equal"
    ]
    shown = sorted(shown[:RANGES_SHOWN], key=lambda row: row["first_offset"])
    examples = [
        {**one, "left_url": "", "right_url": "", **urls(entry, one["offset"], one["kind"], left, right)}
        for one in entry["examples"]
    ]
    return ComparedPartition(
        entry,
        strip(ranges),
        [_row(entry, row, left, right) for row in shown],
        len(ranges) - len(shown) + entry["ranges_left_out"],
        examples,
        cleanings(
            entry, lambda side, offset: _record_url({"left": left, "right": right}[side], entry[side], offset)
        ),
        *entities(entry, left, right),
    )


def entities(entry: dict[str, Any], left: Inspection, right: Inspection) -> tuple[list[dict[str, Any]], int]:
    """What differs in the state, the worst first, each with addresses of its records, and how many are left out."""
    states = entry.get("entities")
    if not states:
        return [], 0
    before, after = ("left", "right") if states["before"] == "left" else ("right", "left")
    sides = {"left": left, "right": right}
    shown = states["shown"][:RANGES_SHOWN]
    rows = [
        {
            **row,
            "before_url": _entity_url(sides[before], entry[before], row["before_offset"]),
            "after_url": _entity_url(sides[after], entry[after], row["after_offset"]),
        }
        for row in shown
    ]
    return rows, sum(states["counts"].values()) - len(shown)


def _entity_url(inspection: Inspection, copy: dict[str, Any], offset: int | None) -> str:
    return "" if offset is None else _record_url(inspection, copy, offset)


def strip(ranges: list[dict[str, Any]]) -> list[ComparedSegment]:
    """Ranges along the offsets, to scale; what is not equal is never too thin to see and drawn on top."""
    if not ranges:
        return []
    first, last = ranges[0]["first_offset"], ranges[-1]["last_offset"]
    unit = STRIP_UNITS / (last - first + 1)
    ordered = sorted(ranges, key=lambda row: row["kind"] != "equal")
    return [_stretch(row, first, unit) for row in ordered]


def _stretch(row: dict[str, Any], first: int, unit: float) -> ComparedSegment:
    width = max(MIN_UNITS, (row["last_offset"] - row["first_offset"] + 1) * unit)
    x = min((row["first_offset"] - first) * unit, STRIP_UNITS - width)
    title = f"{row['first_offset']} to {row['last_offset']}: {WORDS[row['kind']]}"
    return ComparedSegment(f"{max(0.0, x):.2f}", f"{min(width, STRIP_UNITS):.2f}", row["kind"], title)


def _row(entry: dict[str, Any], row: dict[str, Any], left: Inspection, right: Inspection) -> Range:
    addresses = urls(entry, row["first_offset"], row["kind"], left, right)
    return Range(
        row["kind"],
        WORDS[row["kind"]],
        row["first_offset"],
        row["last_offset"],
        row["records"],
        addresses.get("left_url", ""),
        addresses.get("right_url", ""),
    )


def urls(
    entry: dict[str, Any], offset: int, kind: str, left: Inspection, right: Inspection
) -> dict[str, str]:
    """Addresses of the record at an offset, on the sides that have one."""
    wanted = {"left": ["left"], "right": ["right"]}.get(kind, ["left", "right"])
    sides = {"left": left, "right": right}
    return {f"{side}_url": _record_url(sides[side], entry[side], offset) for side in wanted}


def _record_url(inspection: Inspection, copy: dict[str, Any], offset: int) -> str:
    replica = {name: copy[name] for name in ("topic", "partition", "replica") if copy[name] != ""}
    return f"{reverse('report-records', args=[inspection.pk])}?{urlencode({**replica, 'offset': offset})}"
