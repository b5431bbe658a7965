"""Overview: the verdict, what caused it with the records that prove it, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse

from webapp.reports.card_context import context_of_cards
from webapp.reports.charts import density, timeline
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.proof import Card, make_cards
from webapp.reports.prose import short_steps
from webapp.reports.queries.damage import damage_of
from webapp.reports.queries.marks import whole_span
from webapp.reports.queries.partitions import missing_offsets
from webapp.reports.report import Finding
from webapp.reports.ticket import ticket_texts
from webapp.reports.views.figures import figure_response, theme_of
from webapp.reports.views.page import Page, report_page

CARDS_SHOWN = 12
ROWS_SHOWN = 200
REMEDIES_SHOWN = 3
MARKS_IN_STRIP = 400
LANES_IN_STRIP = 8


@report_page
def overview(page: Page) -> HttpResponse:
    """The report's first page."""
    causes, remarks = page.report.causes, page.report.remarks
    root = page.report.root_of(page.request.GET.get("finding", ""))
    causes, remarks = with_shown(causes, root), with_shown(remarks, root)
    cards = make_cards(page, causes[:CARDS_SHOWN])
    return page.render(
        "reports/overview.html",
        {
            "groups": _groups(cards),
            "more_causes": causes[CARDS_SHOWN : CARDS_SHOWN + ROWS_SHOWN],
            "causes": len(causes),
            "ignored": sum(file.get("kind") == "ignored" for file in page.report.document["files"]),
            "causes_shown": min(len(causes), CARDS_SHOWN + ROWS_SHOWN),
            "remarks": make_cards(page, remarks[:CARDS_SHOWN]),
            "remark_count": len(remarks),
            "missing": missing_offsets(page.results, page.place),
            "damage": damage_of(page.results, page.place),
            "to_do": _to_do(cards),
            "tickets": ticket_texts(page.report, page.absolute(page.url("report-overview"))),
            "figure_url": page.url("report-strip-figure"),
            "timeline_url": page.url("report-timeline"),
            **context_of_cards(page.source.inspection, page.request.user, causes[: CARDS_SHOWN + ROWS_SHOWN]),
        },
    )


def with_shown(findings: list[Finding], wanted: Finding | None) -> list[Finding]:
    """With a finding that somebody asks for among those that get a card."""
    at = findings.index(wanted) if wanted in findings else 0
    if at < CARDS_SHOWN:
        return findings
    return [*findings[: CARDS_SHOWN - 1], findings[at], *findings[CARDS_SHOWN - 1 : at], *findings[at + 1 :]]


@report_page
def strip(page: Page) -> HttpResponse:
    """The small figure: marks in lanes while they are few, the density of records when not."""
    span = whole_span(page.facts, "offset")
    if span is None:
        return figure_response(page.request, {"figure": None, "notes": []})
    few = page.facts.marks <= MARKS_IN_STRIP and len(page.survey.lanes_of(page.place)) <= LANES_IN_STRIP
    drawn = draw(page.results, page.survey, page.report, page.place, TimelineRequest(span, compact=True))
    chart = timeline if few else density
    figure = chart.figure(drawn.picture, theme_of(page.request))
    return figure_response(page.request, {"figure": figure, "notes": drawn.notes})


@dataclass(frozen=True)
class Group:
    """The findings of one detector: near the same words, so the worst is shown and the others are folded."""

    shown: Card
    folded: list[Card]


def _by_detector(cards: list[Card]) -> list[list[Card]]:
    """Detectors in the order of their worst finding."""
    found: dict[str, list[Card]] = {}
    for card in cards:
        found.setdefault(card.finding.detector, []).append(card)
    return list(found.values())


def _groups(cards: list[Card]) -> list[Group]:
    return [Group(first, others) for first, *others in _by_detector(cards)]


@dataclass(frozen=True)
class ToDo:
    """A remedy in short, said once for all the findings of a detector; the card has it whole."""

    steps: list[str]
    cards: list[Card]

    @property
    def card(self) -> Card:
        """The worst of its findings."""
        return self.cards[0]


def _to_do(cards: list[Card]) -> list[ToDo]:
    """Remedies in the order of their worst finding."""
    with_remedy = _by_detector([card for card in cards if card.finding.remedy])
    return [ToDo(short_steps(of[0].finding.remedy), of) for of in with_remedy[:REMEDIES_SHOWN]]
