"""The dialogue that makes a share: what of the report, what is hidden, a preview, and the link, shown once."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from spark.redaction import Options, names_of
from spark.redaction.process import TooLong
from webapp.journals.models import Inspection
from webapp.reports.page import opened_page
from webapp.reports.replica_choice import REPLICAS_SHOWN
from webapp.reports.report import read_report
from webapp.reports.results import ResultsGone
from webapp.reports.source import of_inspection
from webapp.sharing.access import get_shareable_inspection
from webapp.sharing.forms import ShareForm
from webapp.sharing.models import Share
from webapp.sharing.preview import preview as sample
from webapp.sharing.scopes import Scope, scope_of, subject, title_of
from webapp.sharing.shares import create_share, link_of


@require_http_methods(["GET", "HEAD", "POST"])
def dialogue(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """The form, and after it the link."""
    inspection = get_shareable_inspection(request.user, inspection_id)
    scope, words = _scope(request, inspection)
    first = ShareForm.first_values(inspection.journal.project)
    form = ShareForm(request.POST or None, initial=first)
    context = {
        "inspection": inspection,
        "scope": scope,
        "subject": words,
        "form": form,
        "section": "journals",
    }
    if request.method == "POST" and form.is_valid():
        share, token = create_share(inspection, request.user, form.terms(scope))
        context |= {"share": share, "link": link_of(request, token), "replicas": _renamed(share, inspection)}
        return render(request, "sharing/created.html", context)
    context["scope_query"] = request.GET.urlencode()
    status = 400 if request.method == "POST" else 200
    return render(request, "sharing/dialogue.html", context, status=status)


@require_POST
def preview(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """What a reader would see with these options."""
    inspection = get_shareable_inspection(request.user, inspection_id)
    scope, _ = _scope(request, inspection)
    form = ShareForm(request.POST)
    form.is_valid()
    if form.errors.keys() & {"fields_masked", "patterns"}:
        return render(request, "sharing/preview.html", {"problem": "A mask cannot be read; see the form."})
    try:
        shared_sample = sample(request, inspection, scope, form.options())
    except TooLong as problem:
        return render(request, "sharing/preview.html", {"problem": str(problem)})
    except (ResultsGone, FileNotFoundError):
        shared_sample = None
    context: dict[str, Any] = {"problem": "There is nothing to share here."}
    if shared_sample is not None:
        context = shared_sample.context | {
            "incidents": shared_sample.incidents,
            "cards": shared_sample.cards,
            "record_html": shared_sample.record,
            "more": shared_sample.more,
            "options": form.options(),
        }
    return render(request, "sharing/preview.html", context)


def _renamed(share: Share, inspection: Inspection) -> list[tuple[str, str]]:
    """For the sender: replicas that have other names in the link, as (name in the link, own name)."""
    try:
        names = names_of(inspection.results, Options.from_share(share.options, bytes(share.salt)))
    except (ResultsGone, FileNotFoundError):
        return []
    return [(shared, own) for own, shared in names.copies.items() if own != shared][:REPLICAS_SHOWN]


def _scope(request: HttpRequest, inspection: Inspection) -> tuple[Scope, str]:
    """What the address asks to share, and that in words; 404 where the report has no such thing."""
    try:
        scope, title = requested_scope(request, inspection)
    except ResultsGone as gone:
        raise Http404("The results of this inspection no longer exist.") from gone
    return scope, subject(scope, title)


def requested_scope(request: HttpRequest, inspection: Inspection) -> tuple[Scope, str]:
    """What of the report the address names, and the title that it has there. Raises ResultsGone, and 404 for nothing."""
    with opened_page(request, of_inspection(inspection)) as page:
        scope = scope_of(request.GET.dict(), page.replica)
        title = title_of(scope, read_report(page.results.document)) if scope else None
    if scope is None or title is None:
        raise Http404("There is no such part of the report.")
    return scope, title
