"""The catalogue: what Journalscope looks for, understands and reads."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from webapp.catalogue.pages import SHELVES, find, pages


@require_GET
def catalogue(request: HttpRequest) -> HttpResponse:
    """All pages, shelf by shelf."""
    shelves = [(shelf, title, pages(shelf)) for shelf, title in SHELVES.items()]
    return render(request, "catalogue/catalogue.html", {"shelves": shelves, "section": "catalogue"})


@require_GET
def page(request: HttpRequest, shelf: str, name: str) -> HttpResponse:
    """One page."""
    shown = find(shelf, name)
    if shown is None:
        raise Http404
    context = {"page": shown, "shelf_title": SHELVES[shelf], "section": "catalogue"}
    return render(request, "catalogue/page.html", context)
