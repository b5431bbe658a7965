"""The preview of a pasted text: what was recognised and what was set aside, of which nothing is kept. Where columns or a format are
params for, the answer is chosen next to the preview and the text is stored with it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST

from webapp.journals import pasted, text_formats
from webapp.journals.access import project_to_add_to, require_adding
from webapp.journals.outcome.failure import NEAREST, UNKNOWN, checked_formats
from webapp.journals.previews import words
from webapp.journals.views.announcing import older_journal
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


@require_POST
def inspect(request: HttpRequest) -> JsonResponse:
    """The body is the text; the address says the name, the project, and how to read it. -> `{"next"}` or `{"error"}`."""
    require_adding(request.user)
    params = request.GET
    text = text_formats.cleaned(params.get("format", "")) or text_formats.of_choices(params.dict())
    try:
        older = older_journal(request, params.get("continues", ""))
        project = older.project if older else project_to_add_to(request.user, params.get("project", ""))
        if complaint := text_formats.complaint(text):
            raise Rejected(complaint)
        name, ticket = params.get("name", "").strip()[:200], params.get("ticket", "").strip()[:100]
        content = pasted.read_body(request)
        journal = pasted.store(
            request.user, project, name, content, continues=older, text_format=text, ticket=ticket
        )
    except Rejected as rejection:
        return JsonResponse({"error": str(rejection)}, status=rejection.status)
    return JsonResponse({"next": reverse("journal-next", args=[journal.pk])}, status=201)


def context_of(document: dict[str, Any]) -> dict[str, Any]:
    parts, question = document["parts"], document["question"]
    formats = checked_formats(document["tried"]) if document["refused"].startswith(UNKNOWN) else []
    return {
        "document": document,
        "nearest": formats[:NEAREST],
        "others": formats[NEAREST:],
        "choices": text_formats.choices(question) if question and question["columns"] else [],
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
            "ticket": document["ticket"],
        },
    }
