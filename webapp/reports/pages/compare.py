"""Compare: choose what to compare this report with, wait for it, then what was lost, the strips and the records."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from webapp.accounts.roles import has_role
from webapp.journals.access import can_add, get_inspection_for_user, require_adding
from webapp.journals.comparisons import may_ask_again, request_comparison
from webapp.journals.models import Comparison, Inspection
from webapp.reports.comparison.older import loss_in_time
from webapp.reports.comparison.partition import ComparedPartition, compared_partition
from webapp.reports.comparison.picker import WORDS, choices, order_words, partitions_with_replicas
from webapp.reports.comparison.states import StateSelection
from webapp.reports.page import Page, absolute, report_page
from webapp.reports.pages import NAME, SEARCH, ReportAddress, ReportPage
from webapp.reports.repair.older_dumps import unproven_dumps
from webapp.reports.ticket.comparison import comparison_texts
from webapp.reports.ticket.creation import created_by

PAIR, OF_PAIR = "compare/<uuid:other_id>", {"other_id": NAME}
CHOICES = 50
HEADLINES = 3  # of partitions that lost something
TONES = ("critical", "high", "medium")


@report_page
def compare(page: Page) -> HttpResponse:
    """Inspections that this report can be compared with."""
    text = page.request.GET.get("q", "").strip()
    related, others = choices(page, text)
    offered: list[Any] = list(related[:CHOICES])  # with their ranks
    return page.render(
        "reports/compare.html",
        {
            "asked": text,
            "choices": offered,
            "unproven": unproven_dumps(page, offered),
            "loss": loss_in_time(page, offered),
            "others": others[:CHOICES],
            "rank_words": WORDS,
            "order": order_words(choice.rank for choice in offered) if len(offered) > 1 else "",
            "copies": partitions_with_replicas(page),
            "can_add": can_add(page.request.user, page.inspection.journal.project_id),
        },
    )


@require_POST
def start(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> HttpResponse:
    """Request the comparison and redirect to it."""
    left, right = both(request, inspection_id, other_id)
    require_adding(request.user, left.journal.project_id)
    request_comparison(left, right, request.user)
    return redirect("report-comparison", inspection_id, other_id)


@require_GET
def comparison(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> HttpResponse:
    """The comparison's page, finished or not."""
    return render(request, "reports/comparison.html", context(request, inspection_id, other_id))


@require_GET
def fragment(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> HttpResponse:
    """Fragment that is polled until the comparison is finished."""
    return render(request, "reports/parts/comparison.html", context(request, inspection_id, other_id))


def both(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> tuple[Inspection, Inspection]:
    """The two inspections; 404 if the user may not see one of them."""
    left = get_inspection_for_user(request.user, inspection_id)
    return left, get_inspection_for_user(request.user, other_id)


def context(request: HttpRequest, inspection_id: UUID, other_id: UUID) -> dict[str, Any]:
    """Context of page and fragment."""
    left, right = both(request, inspection_id, other_id)
    stored = Comparison.objects.filter(left=left, right=right).first()
    result = stored.result if stored and stored.state == Comparison.State.DONE else None
    selection = StateSelection.of(request.GET)
    partitions = [
        compared_partition(entry, number, left, right, selection)
        for number, entry in enumerate((result or {}).get("partitions", []))
    ]
    sentence = headline(result, partitions)
    link = absolute(
        request, f"{reverse('report-comparison', args=[left.pk, right.pk])}?{request.GET.urlencode()}"
    ).removesuffix("?")
    tickets = comparison_texts(sentence, partitions, link) if result else []
    return {
        "left": left,
        "right": right,
        "tickets": tickets,
        "create_ticket": tickets and created_by(left.journal.project, sentence, tickets, link),
        "can_export": bool(result)
        and all(can_export(request.user, inspection) for inspection in (left, right)),
        "has_states": any(partition.states for partition in partitions),
        "comparison": stored,
        "result": result,
        "partitions": partitions,
        "selection": selection,
        "sides": partitions[0].pair if partitions and left != right else None,
        "headline": sentence,
        "rest": str(result["sentence"]).removeprefix(sentence).strip() if result else "",
        "tone": next((tone for tone in TONES if any(partition.tone == tone for partition in partitions)), ""),
        "can_start": can_add(request.user, left.journal.project_id)
        and (stored is None or may_ask_again(stored)),
        "section": "journals",
    }


def can_export(user: Any, inspection: Inspection) -> bool:
    """Whether the user may export data of this inspection: whoever may share it."""
    return has_role(user, "support", inspection.journal.project_id)


def headline(result: dict[str, Any] | None, partitions: list[ComparedPartition]) -> str:
    """Of one partition what it lost; of several what the worst of them lost, else what the whole says."""
    if len(partitions) == 1:
        return partitions[0].headline
    losses = (
        partition.headline for partition in partitions if partition.tone == "critical" and partition.states
    )
    lost = list(dict.fromkeys(losses))[:HEADLINES]
    return " ".join(lost) or (str(result["sentence"]) if result else "")


page = ReportPage(
    name="report-compare",
    path="compare/",
    view=compare,
    filters={"q": SEARCH},
    further=(
        ReportAddress(
            "report-comparison", f"{PAIR}/", comparison, filters=OF_PAIR, read_as="comparison.read"
        ),
        ReportAddress("report-comparison-start", f"{PAIR}/start/", start),
        ReportAddress(
            "report-comparison-state", f"{PAIR}/state/", fragment, filters=OF_PAIR, read_as="comparison.read"
        ),
    ),
)
