"""A finding's own page: what the last report says, decisions and comments, and the findings before and after it.

`within` is the query of the filter that the page was opened from, `at` the finding's position in it. A decided finding may
have left the filter; the finding that moved up to its position is the next one then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from webapp.rejected import Rejected
from webapp.review import comments
from webapp.review.access import can_comment, can_judge, get_finding_for_user, members_of
from webapp.review.cards import ACTIONS
from webapp.review.filters import Filter
from webapp.review.finding_page import history_of, last_report_of
from webapp.review.models import Finding
from webapp.review.rates import earlier_false_positives, rates
from webapp.review.views.queue import moments

SIGHTINGS_SHOWN = 20
MAX_FINDINGS = 5000  # of a filter that can be walked through


@require_GET
def finding(request: HttpRequest, finding_id: int) -> HttpResponse:
    finding = get_finding_for_user(request.user, finding_id)
    return render(request, "review/finding.html", _context(request, finding))


@require_POST
def comment(request: HttpRequest, finding_id: int) -> HttpResponse:
    finding = get_finding_for_user(request.user, finding_id)
    text = request.POST.get("text", "")
    try:
        made = comments.comment(finding, request.user, text, records=request.POST.get("records", ""))
    except Rejected as refusal:
        messages.error(request, str(refusal))
        return render(
            request, "review/finding.html", _context(request, finding) | {"draft": request.POST}, status=422
        )
    for name in comments.not_mentioned(text, list(made.mentions.all())):
        messages.warning(request, f"@{name} is not a member of this project, so nobody was notified.")
    return redirect(f"{back_to(finding.pk, request.POST)}#comment-{made.pk}")


def back_to(finding_id: int, params: QueryDict) -> str:
    """The finding's page, with the queue it was opened from."""
    if "within" not in params:
        return reverse("review-finding", args=[finding_id])
    return address(finding_id, Filter.of_text(str(params["within"])).query, params.get("at", "")[:9])


def _context(request: HttpRequest, finding: Finding) -> dict[str, Any]:
    sightings = finding.sightings.select_related("inspection__journal").order_by("-inspection__created_at")
    judges = can_judge(request.user, finding.project_id)
    params = request.POST if request.method == "POST" else request.GET
    return {
        "neighbours": neighbours_of(request.user, finding, params["within"], params.get("at", ""))
        if judges and "within" in params
        else None,
        "finding": finding,
        "proof": last_report_of(finding),
        "history": history_of(finding),
        "earlier": earlier_false_positives(request.user, finding),
        "rates": rates(request.user, finding.detector),
        "sightings": sightings[:SIGHTINGS_SHOWN],
        "sighting_count": sightings.count(),
        "can_judge": judges,
        "can_comment": can_comment(request.user, finding.project_id),
        "people": list(members_of([finding.project_id], "reviewer")) if judges else [],
        "members": list(members_of([finding.project_id]).values_list("username", flat=True)[:200]),
        "actions": ACTIONS,
        "section": "review",
        **moments(),
    }


@dataclass(frozen=True)
class Neighbours:
    """Addresses of the previous and next finding; empty at the ends."""

    within: str
    at: int
    total: int
    queue: str
    previous: str
    following: str


def neighbours_of(user: Any, finding: Finding, within: str, at: str) -> Neighbours:
    queue = Filter.of_text(within)
    ids = list(queue.findings(user).values_list("pk", flat=True)[:MAX_FINDINGS])
    if finding.pk in ids:
        position = ids.index(finding.pk)
        following = position + 1
    else:
        position = min(int(at), len(ids)) if at.isdecimal() and len(at) < 9 else 0
        following = position
    query = queue.query
    return Neighbours(
        query,
        position,
        len(ids),
        reverse("review") + (f"?{query}" if query else ""),
        _address(ids, position - 1, query),
        _address(ids, following, query),
    )


def address(finding_id: int, within: str, at: int | str) -> str:
    """A finding's page that knows the queue it was opened from."""
    return f"{reverse('review-finding', args=[finding_id])}?{urlencode({'within': within, 'at': at})}"


def _address(ids: list[int], position: int, within: str) -> str:
    return address(ids[position], within, position) if 0 <= position < len(ids) else ""
