"""Decisions from the queue, a report's card or a finding's page: the same forms with and without scripts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.views.decorators.http import require_POST

from spark.terms.wording import plural
from webapp.accounts.access import require_role
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection
from webapp.rejected import Rejected
from webapp.review import decisions
from webapp.review.access import get_assignee, get_finding_for_user, get_findings_for_user
from webapp.review.cards import ACTIONS
from webapp.review.decisions import DecisionOutcome, replaced_words
from webapp.review.filters import Filter
from webapp.review.finding_page import card_url
from webapp.review.models import Change, Finding, state_words
from webapp.review.states import FindingState
from webapp.review.views.finding import back_to
from webapp.review.views.queue import list_context

MAX_IDS = 1000


@require_POST
def decide(request: HttpRequest) -> HttpResponse:
    def deciding(chosen: QuerySet[Finding], **common: Any) -> DecisionOutcome:
        state = request.POST.get("state", "")
        until = _until(request.POST) if state == FindingState.SUPPRESSED else None
        return decisions.decide(chosen, request.user, state, until=until, **common)

    return _perform(request, deciding)


@require_POST
def assign(request: HttpRequest) -> HttpResponse:
    """Assign the selected findings to a user; to nobody when no name is sent."""

    def assigning(chosen: QuerySet[Finding], **common: Any) -> DecisionOutcome:
        return decisions.assign(chosen, request.user, _assignee(request), **common)

    return _perform(request, assigning)


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    require_role(request.user, "reviewer")
    ids = _numbers(request.POST.get("changes", "").split(","))
    outcome = decisions.undo(ids, request.user)
    sentence = f"Undone for {plural(len(outcome.changes), 'finding')}."
    if outcome.unchanged:
        sentence += f" {plural(outcome.unchanged, 'finding')} changed since, and stayed as they are."
    return _answer(request, sentence)


def _perform(request: HttpRequest, act: Callable[..., DecisionOutcome]) -> HttpResponse:
    require_role(request.user, "reviewer")
    chosen = _chosen(request)
    seen_at = _moment(request.POST.get("seen_at", ""))
    comment = _text(request, "comment")[:1000]
    try:
        outcome = act(chosen, comment=comment, seen_at=seen_at)
    except Rejected as refusal:
        return _answer(request, str(refusal), is_error=True)
    return _answer(request, _words(outcome), outcome)


def _chosen(request: HttpRequest) -> QuerySet[Finding]:
    """The rows that are ticked, or all that match the filter and were there when the user looked."""
    if request.POST.get("all_matching"):
        matching = Filter.of_text(request.POST.get("query", "")).findings(request.user).order_by()
        seen_at = _moment(request.POST.get("seen_at", ""))
        return matching.filter(created_at__lte=seen_at) if seen_at else matching
    return get_findings_for_user(request.user, set(_ids(request)))


def _ids(request: HttpRequest) -> list[int]:
    """Each once, in their order; the row of an incident names all its findings, with commas between them."""
    return list(dict.fromkeys(_numbers(",".join(request.POST.getlist("finding")).split(","))))


def _numbers(words: list[str]) -> list[int]:
    return [int(word) for word in words[:MAX_IDS] if word.isdecimal() and len(word) < 19]


def _text(request: HttpRequest, name: str) -> str:
    return str(request.POST.get(name, "")).replace("\0", "").strip()


def _until(data: QueryDict) -> datetime | None:
    """The end of the day that was chosen, UTC; none: until the finding changes."""
    text = data.get("until", "").strip()
    try:
        day = parse_date(text) if text else None
    except ValueError:
        day = None
    if text and day is None:
        raise Rejected(
            f"'{text[:40]}' is not a date. Enter a date such as 2026-12-31, or leave the field empty."
        )
    return datetime.combine(day, time(23, 59, 59), UTC) if day else None


def _assignee(request: HttpRequest) -> Any:
    name = _text(request, "assignee")
    return None if name in ("", "nobody") else get_assignee(request.user, name)


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _words(outcome: DecisionOutcome) -> str:
    if not outcome.changes:
        if outcome.unchanged:
            return "No change: the findings already have this state."
        return "No change: no finding is selected."
    change = outcome.changes[0]
    count = len(outcome.changes)
    if change.what == Change.What.STATE:
        sentence = f"{plural(count, 'finding')} {'is' if count == 1 else 'are'} now {state_words(change.after, change.until)}."
    else:
        sentence = f"{plural(count, 'finding')} {'is' if count == 1 else 'are'} now assigned to {change.after or 'nobody'}."
    already = f" For {outcome.unchanged:,} already in this state." if outcome.unchanged else ""
    return " ".join(filter(None, [sentence + already, replaced_words(outcome.replaced)]))


def _answer(
    request: HttpRequest, sentence: str, outcome: DecisionOutcome | None = None, is_error: bool = False
) -> HttpResponse:
    """The part of the page that changed; without scripts the page again."""
    if request.headers.get("HX-Request") != "true":
        (messages.error if is_error else messages.success)(request, sentence)
        return redirect(_back(request))
    if request.POST.get("card"):
        return _card(request, {"said": sentence, "is_error": is_error})
    answer = {"said": sentence, "is_error": is_error, "undo": ",".join(map(str, _to_undo(outcome)))}
    queue_filter = Filter.of_text(request.POST.get("query", ""))
    context = list_context(request, queue_filter, request.POST.get("page"))
    return render(request, "review/list.html", context | answer)


def _to_undo(outcome: DecisionOutcome | None) -> list[int]:
    """Decisions that can be taken back: all of them, or none where they are too many for a form."""
    decided = [change.pk for change in outcome.changes if change.what == Change.What.STATE] if outcome else []
    return decided if len(decided) <= MAX_IDS else []


def _card(request: HttpRequest, answer: dict[str, Any]) -> HttpResponse:
    """The review state of a finding, or of those of an incident, as a report's card shows it."""
    finding: Any = _first(request)
    finding.twins = _ids(request)[1:]
    common = {
        "findings": len(_ids(request)),
        "can_judge": True,
        "actions": ACTIONS,
        "inspection_id": request.POST["card"],
    }
    seen_at = timezone.now().isoformat()
    return render(request, "review/on_card.html", {"review": finding, "seen_at": seen_at, **common, **answer})


def _back(request: HttpRequest) -> str:
    """The page the form stood on: a finding's, a report's, or the queue with its filter."""
    if card := request.POST.get("card"):
        return card_url(_first(request), str(_inspection(request, card).pk))
    back = request.POST.get("back", "")
    if back.isdecimal():
        return back_to(int(back), request.POST)
    query = Filter.of_text(request.POST.get("query", "")).query
    return reverse("review") + (f"?{query}" if query else "")


def _first(request: HttpRequest) -> Finding:
    ids = _ids(request)
    if not ids:
        raise Http404
    return get_finding_for_user(request.user, ids[0])


def _inspection(request: HttpRequest, text: str) -> Inspection:
    try:
        return get_inspection_for_user(request.user, UUID(text))
    except ValueError:
        raise Http404 from None
