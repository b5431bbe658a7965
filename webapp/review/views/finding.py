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
from webapp.review.filters import Filter, first_of_incidents
from webapp.review.finding_page import history_of, last_report_of
from webapp.review.incident import HISTORY_SHOWN, cause_of, incident_of, report_of_finding
from webapp.review.models import Finding
from webapp.review.rates import earlier_false_positives, rates
from webapp.review.views.queue import FOOT, moments

SIGHTINGS_SHOWN = 20
MAX_FINDINGS = 5000  # of a filter that can be walked through


@require_GET
def finding(request: HttpRequest, finding_id: int) -> HttpResponse:
    finding = get_finding_for_user(request.user, finding_id)
    return render(request, "review/finding.html", _context(request, finding))


@require_GET
def incident(request: HttpRequest, finding_id: int) -> HttpResponse:
    """The incident of a finding: what happened to whom, its findings, decisions about all of them."""
    finding = get_finding_for_user(request.user, finding_id)
    reviewed = incident_of(request, finding)
    return render(
        request,
        "review/incident.html",
        _context(request, finding) | {"incident": reviewed, "history": reviewed.history},
    )


@require_GET
def preview(request: HttpRequest, finding_id: int) -> HttpResponse:
    """The same in short, beside the queue."""
    reviewed = incident_of(request, get_finding_for_user(request.user, finding_id))
    context = {
        "incident": reviewed,
        "finding": reviewed.head,
        "history": reviewed.history[:HISTORY_SHOWN],
    }
    return render(request, "review/preview.html", context)


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
    """The page of the finding, or of its incident if the form stood there, with the queue it was opened from."""
    name = "review-incident" if params.get("of") == "incident" else "review-finding"
    if "within" not in params:
        return reverse(name, args=[finding_id])
    return address(finding_id, Filter.of_text(str(params["within"])).query, params.get("at", "")[:9], name)


def _context(request: HttpRequest, finding: Finding) -> dict[str, Any]:
    sightings = finding.sightings.select_related("inspection__journal").order_by("-inspection__created_at")
    judges = can_judge(request.user, finding.project_id)
    params = request.POST if request.method == "POST" else request.GET
    return {
        "neighbours": neighbours_of(request.user, finding, params["within"], params.get("at", ""))
        if judges and "within" in params
        else None,
        "finding": finding,
        "cause": cause_of(finding),
        "proof": last_report_of(finding),
        "report": report_of_finding(request, finding),
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
        "foot_states": FOOT,
        "section": "review",
        **moments(),
    }


@dataclass(frozen=True)
class Neighbours:
    """Addresses of the previous and next incident; empty at the ends. `rank`: counted from 1, 0 outside of the filter."""

    within: str
    at: int
    rank: int
    total: int
    queue: str
    previous: str
    following: str


def neighbours_of(user: Any, finding: Finding, within: str, at: str) -> Neighbours:
    queue = Filter.of_text(within)
    columns = ("pk", "incident_title", "lineage", "incident")
    heads = list(first_of_incidents(queue.findings(user)).values_list(*columns)[:MAX_FINDINGS])
    ids = [(pk, bool(title)) for pk, title, _, _ in heads]
    incidents = [tuple(names) for _, _, *names in heads]
    if finding.incident_key in incidents:
        position = incidents.index(finding.incident_key)
        following = position + 1
    else:
        position = min(int(at), len(ids)) if at.isdecimal() and len(at) < 9 else 0
        following = position
    query = queue.query
    return Neighbours(
        query,
        position,
        position + 1 if following > position else 0,
        len(ids),
        reverse("review") + (f"?{query}" if query else ""),
        _address(ids, position - 1, query),
        _address(ids, following, query),
    )


def address(finding_id: int, within: str, at: int | str, name: str = "review-finding") -> str:
    """A page that knows the queue it was opened from: of a finding, or of its incident."""
    return f"{reverse(name, args=[finding_id])}?{urlencode({'within': within, 'at': at})}"


def _address(ids: list[tuple[int, bool]], position: int, within: str) -> str:
    if not 0 <= position < len(ids):
        return ""
    pk, is_several = ids[position]
    return address(pk, within, position, "review-incident" if is_several else "review-finding")
