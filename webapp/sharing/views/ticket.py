"""The text for a ticket with a link: one request makes the link with the defaults, the next ones wait for it.

The text is made from the link's own report, so it contains nothing that the link does not show.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST

from webapp.accounts.sealing import token_hash
from webapp.reports.repair.plan import RepairPlan
from webapp.reports.report import read_report
from webapp.reports.results import ResultsGone, open_results
from webapp.reports.ticket import first_cause, ticket_texts
from webapp.sharing.access import get_share_for_user, get_shareable_inspection
from webapp.sharing.forms import ShareForm
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import create_share, link_of
from webapp.sharing.words import hidden_words, opens


@require_POST
def make(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """A link to the whole report that hides what the dialogue hides by default."""
    inspection = get_shareable_inspection(request.user, inspection_id)
    form = ShareForm.with_defaults(inspection.journal.project)
    if not form.is_valid():
        return render(request, "sharing/ticket.html", {"problem": "The masks of the project cannot be read."})
    share, token = create_share(inspection, request.user, form.terms(Scope()))
    return _answer(request, share, token)


@require_POST
def finished(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """The text as soon as the link opens. Only who has just made the link knows its token."""
    share, token = get_share_for_user(request.user, share_id), request.POST.get("token", "")
    if token_hash(token) != share.token_sha256:
        raise Http404("The link has another token.")
    return _answer(request, share, token)


def _answer(request: HttpRequest, share: Share, token: str) -> HttpResponse:
    link = link_of(request, token)
    seconds = (timezone.now() - share.created_at).seconds
    context: dict[str, Any] = {"share": share, "token": token, "link": link, "seconds": seconds}
    if share.why_closed or share.state == Share.State.FAILED:
        context["problem"] = share.error or "The link is closed."
    elif share.state == Share.State.DONE:
        try:
            with open_results(share.results) as results:
                report = read_report(results.document)
        except ResultsGone:
            return render(
                request, "sharing/ticket.html", {"problem": "The data of the link no longer exists."}
            )
        result = share.pinned.get("trials", {}).get(first_cause(report))
        repair = RepairPlan(**result, url="") if result else None
        context["tickets"] = ticket_texts(report, link, opens(share), repair)
        context["hidden"] = hidden_words(share.options)
    return render(request, "sharing/ticket.html", context)
