"""Overview: the verdict, what caused it with the records that prove it, and what to do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from django.http import HttpResponse

from spark.terms.damage import intact
from spark.terms.wording import plural
from webapp.reports.card_context import context_of_cards
from webapp.reports.charts import timeline
from webapp.reports.charts.answer import legend_of
from webapp.reports.charts.missing import missing_in_words
from webapp.reports.figures import figure_response, plot_pixels, theme_of
from webapp.reports.incident_cards import incident_cards, with_rows
from webapp.reports.incidents.of_chosen import are_of_others, chosen_first
from webapp.reports.page import Page, absolute, report_page
from webapp.reports.pages import ReportAddress, ReportPage
from webapp.reports.picture import TimelineAnswer, TimelineRequest, draw, draw_partitions
from webapp.reports.picture.address import default_lanes, partitions_of
from webapp.reports.picture.partitions import span_of_all
from webapp.reports.proof import make_cards
from webapp.reports.queries.damage import damage_of, damaged_ranges
from webapp.reports.queries.partitions import starts
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.report import Report, ReportFinding, beside_damage
from webapp.reports.ticket import headline, ticket_texts
from webapp.reports.ticket.creation import created_by

CARDS_SHOWN = 12  # notes
MINOR_SHOWN = 3
ROWS_SHOWN = 200
MAX_REVIEWED = 400  # findings whose review state is read
LANES_IN_STRIP = 8


@report_page
def overview(page: Page) -> HttpResponse:
    """The report's first page."""
    causes, remarks = page.report.causes, page.report.remarks
    root = page.report.root_of(page.request.GET.get("finding", ""))
    minor = with_shown([cause for cause in causes if cause.severity == "low"], root, MINOR_SHOWN)
    remarks = with_shown(remarks, root, CARDS_SHOWN)
    every_incident, rest = incident_cards(page, causes, root)
    repair = every_incident[0].first.repair if every_incident else None
    incidents, further = with_rows(chosen_first(page, every_incident))
    link = absolute(page.request, page.url("report-overview"))
    steps_at = repair.newer.dump.url if repair and repair.newer else page.url("report-repair")
    repair_link = absolute(page.request, steps_at) if repair and repair.url else ""
    tickets = ticket_texts(page.report, link, page.source.opens, repair, repair_link)
    inspection = page.source.inspection
    rest += minor[MINOR_SHOWN:]
    return page.render(
        "reports/overview.html",
        {
            "incidents": incidents,
            "are_of_others": are_of_others(page, every_incident),
            "incident_count": page.report.more_incidents + 1,
            "further_incidents": further,
            "more_causes": rest[:ROWS_SHOWN],
            "hidden_causes": max(0, len(rest) - ROWS_SHOWN),
            "more_incidents": len({cause.incident or cause.id for cause in rest}),
            "minor": make_cards(page, minor[:MINOR_SHOWN]),
            "causes": len(causes),
            "ignored": sum(file.get("kind") == "ignored" for file in page.report.document["files"]),
            "remarks": make_cards(page, remarks[:CARDS_SHOWN]),
            "remark_count": len(remarks),
            "checked": limits_of_checks(page.report),
            "missing": missing_in_words(page.partition),
            "starts": starts(page.partition),
            "damage": damage_of(page.partition),
            "intact": intact(page.report.coverage, *page.replica),
            "log_faults": beside_damage(
                page.report.log_findings(page.replica), damaged_ranges(page.partition)
            ),
            "tickets": tickets,
            "create_ticket": inspection
            and created_by(inspection.journal.project, " ".join(headline(page.report)), tickets, link),
            "figure_url": page.url("report-strip-figure"),
            "timeline_url": page.url("report-timeline"),
            **context_of_cards(inspection, page.request.user, causes[:MAX_REVIEWED]),
        },
    )


def with_shown(
    findings: list[ReportFinding], selected: ReportFinding | None, count: int
) -> list[ReportFinding]:
    """The findings with `selected` among the first `count`."""
    at = findings.index(selected) if selected in findings else 0
    if at < count:
        return findings
    return [*findings[: count - 1], findings[at], *findings[count - 1 : at], *findings[at + 1 :]]


def limits_of_checks(report: Report) -> list[str]:
    """What ran, and all that limits it, as the clauses of one line."""
    document, coverage = report.document, report.coverage
    found_nothing, others = document["clean"], document.get("not_run", [])
    finders = len({finding.detector for finding in report.findings}) if others and not found_nothing else 0
    reasons = Counter(entry.get("reason", "") for entry in others)
    ignored = sum(file.get("kind") == "ignored" for file in document["files"])
    clauses = [
        (finders, "check found something", "checks found something"),
        (len(found_nothing), "check found nothing", "checks found nothing"),
        (reasons["better-data"], "more needs better data", "more need better data"),
        (reasons["failed"], "check failed", "checks failed"),
        (
            reasons["other-journal-type"] + reasons["does-not-apply"],
            "check does not apply",
            "checks do not apply",
        ),
        (reasons[""], "check did not run", "checks did not run"),
        (len(report.remarks), "note", "notes"),
        (ignored, "file was not read", "files were not read"),
        (coverage.get("unread_lines", 0), "line was not read", "lines were not read"),
    ]
    limits = ["isolation level unknown"] if coverage.get("isolation") == "unknown" else []
    limits += ["no offsets in the dump"] if not coverage.get("has_offsets", True) else []
    return [plural(count, singular, many) for count, singular, many in clauses if count] + limits


def are_compared(page: Page) -> bool:
    """Whether the figure shows how replicas of the page's partition differ."""
    return len(page.survey.facts) > 1 and default_lanes(page) == "partition"


def draw_replicas(page: Page, request: TimelineRequest) -> TimelineAnswer:
    """A lane for each replica of the page's partition."""
    topic_partition = page.replica[:2]
    replicas = [tables for tables in partitions_of(page)[0] if tables.replica[:2] == topic_partition]
    span = span_of_all(replicas, "offset") or request.span
    return draw_partitions(replicas, 0, page.report, replace(request, span=span, by="partition"))


@report_page
def strip(page: Page) -> HttpResponse:
    """The small figure: marks in lanes while they are few, the density of records when not."""
    span = whole_span(page.facts, "offset")
    if span is None:
        return figure_response(page.request, {"figure": None, "notes": []})
    few = len(page.survey.lanes_of(page.replica)) <= LANES_IN_STRIP and not page.report.document.get(
        "incidents"
    )
    request = TimelineRequest(
        span,
        "type" if few else "victims",
        compact=True,
        names_above=page.request.GET.get("names") == "above",
        pixels=plot_pixels(page.request),
        zone=page.request.GET.get("zone", "")[:60],
    )
    drawn = draw_replicas(page, request) if are_compared(page) else draw(page.partition, page.report, request)
    figure = timeline.figure(drawn.picture, theme_of(page.request))
    legend = legend_of(drawn.picture.window, drawn.picture)
    return figure_response(page.request, {"figure": figure, "notes": drawn.notes, "legend": legend})


page = ReportPage(
    name="report-overview",
    path="",
    view=overview,
    title="Overview",
    position=10,
    of_files=True,
    read_as="report.read",
    shared=True,
    further=(
        ReportAddress(
            "report-strip-figure", "strip.json", strip, read_as="figure.read", reader="rows", shared=True
        ),
    ),
)
