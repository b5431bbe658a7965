"""The catalogue: what Journalscope looks for, understands and reads. The documentation: every file below docs/."""

from __future__ import annotations

import re

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from webapp.catalogue import docs
from webapp.catalogue.groups import SEVERITIES, groups
from webapp.catalogue.pages import SHELVES, CataloguePage, find
from webapp.catalogue.places import FIRST_PAGE
from webapp.review.rates import rates
from webapp.rules.access import get_rule_for_user

RULE = re.compile(r"rule:([\w-]+)/([\w-]+)", re.ASCII)


@require_GET
def catalogue(request: HttpRequest) -> HttpResponse:
    """Checks by journal, journal types and file formats; `open`: a shelf that is unfolded."""
    words, severity = request.GET.get("q", "").strip()[:200], request.GET.get("severity", "")
    context = {
        "groups": groups(words, severity if severity in SEVERITIES else ""),
        "words": words,
        "severity": severity,
        "severities": SEVERITIES,
        "open": request.GET.get("open", ""),
        "is_narrowed": bool(words or severity in SEVERITIES),
        "section": "catalogue",
    }
    return render(request, "catalogue/catalogue.html", context)


@require_GET
def page(request: HttpRequest, shelf: str, name: str) -> HttpResponse:
    """One page; findings of rules name the rule where others name a detector, and it has a page of its own."""
    if shelf == "detectors" and (rule := RULE.fullmatch(name)):
        return redirect(get_rule_for_user(request.user, *rule.groups()))
    shown = find(shelf, name)
    if shown is None:
        raise Http404
    context = {"page": shown, "shelf_title": SHELVES[shelf], "section": "catalogue"}
    if shelf == "detectors":
        context["rates"] = rates(request.user, name)
    return render(request, "catalogue/page.html", context)


@require_GET
def documentation(request: HttpRequest, path: str = FIRST_PAGE) -> HttpResponseBase:
    """A page, the index of the search, or a file that pages link to, as text."""
    if path == docs.INDEX:
        return JsonResponse(docs.search_index(), safe=False)
    document = docs.find(path)
    if document is None:
        raise Http404
    if isinstance(document, CataloguePage):
        frame = {"frame": "docs/frame.html", "search_action": reverse("search"), "section": "docs"}
        return render(request, "docs/page.html", docs.context(document) | frame)
    kind = "image/png" if document.suffix == ".png" else "text/plain; charset=utf-8"
    return FileResponse(document.open("rb"), content_type=kind)
