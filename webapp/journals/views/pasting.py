"""The preview of a pasted text: what was recognised and what was set aside. Nothing of it is kept."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from webapp.journals import pasted
from webapp.journals.access import require_adding
from webapp.journals.previews import words
from webapp.rejected import Rejected


@require_POST
def preview(request: HttpRequest) -> HttpResponse:
    """The body is the text; returns HTML of the preview."""
    require_adding(request.user)
    try:
        document = pasted.preview(pasted.read_body(request))
    except Rejected as rejection:
        context: dict[str, Any] = {"error": str(rejection)}
        return render(request, "journals/preview.html", context, status=rejection.status)
    return render(request, "journals/preview.html", context_of(document))


def context_of(document: dict[str, Any]) -> dict[str, Any]:
    parts = document["parts"]
    return {
        "document": document,
        "parts": [words.part_view(part, document["is_counted"]) for part in parts],
        "set_aside": sum(document["set_aside"].values()),
        "set_aside_words": words.set_aside_words(document),
        "counting_seconds": pasted.COUNTING_SECONDS,
        "told": {
            "runs": words.runs_for_page(document),
            "to": document["runs_to_line"],
            "lines": document["lines"],
            "parts": len(parts),
            "records": sum(part["records"] for part in parts),
            "is_counted": document["is_counted"],
            "name": words.suggested_name(document),
        },
    }
