"""Announcing a journal's files before their bytes: the page sends the list, and gets an upload address for each."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from webapp.journals import uploads
from webapp.journals.access import get_journal_for_user, insist_on_adding
from webapp.journals.models import Journal, Upload
from webapp.journals.refused import Refused


@require_POST
def create(request: HttpRequest) -> JsonResponse:
    """`{"name": "", "files": [{"name", "size"}]}` -> `{"journal", "next", "uploads": [{"name", "url"}]}`."""
    insist_on_adding(request.user)
    try:
        name, files = _read(request.body)
        return JsonResponse(_answer(uploads.announce(request.user, name, files)), status=201)
    except Refused as refusal:
        return JsonResponse({"error": str(refusal)}, status=refusal.status)


@require_GET
def files(request: HttpRequest, journal_id: UUID) -> JsonResponse:
    """Which files of a journal arrived and which did not: for going on after a reload."""
    journal = get_journal_for_user(request.user, journal_id)
    rows = list(journal.uploads.all())
    arrived = [{"name": upload.name, "size": upload.size_bytes} for upload in rows if upload.blob_id]
    missing = [_address(upload) | {"size": upload.size_bytes} for upload in rows if not upload.blob_id]
    return JsonResponse(
        {"arrived": arrived, "missing": missing, "next": reverse("journal-next", args=[journal.pk])}
    )


def _read(body: bytes) -> tuple[str, list[tuple[str, int]]]:
    try:
        document = json.loads(body)
        files = [(str(file["name"]), int(file["size"])) for file in document["files"]]
        return str(document.get("name") or "").strip()[:200], files
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Refused("The list of files could not be read. Reload the page and choose them again.") from None


def _answer(journal: Journal) -> dict[str, Any]:
    return {
        "journal": str(journal.pk),
        "next": reverse("journal-next", args=[journal.pk]),
        "uploads": [_address(upload) for upload in journal.uploads.all()],
    }


def _address(upload: Upload) -> dict[str, Any]:
    return {"name": upload.name, "url": reverse("tus-upload", args=[upload.pk])}
