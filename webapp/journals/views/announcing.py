"""Announcing a journal's files before their bytes: the page sends the list, and gets an upload address for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from spark.codecs import json_text
from webapp.journals import uploads
from webapp.journals.access import get_journal_for_user, project_to_add_to, require_adding
from webapp.journals.models import Journal, Upload
from webapp.rejected import Rejected


@require_POST
def create(request: HttpRequest) -> JsonResponse:
    """`{"name", "ticket", "project", "continues", "files": [{"name", "size"}]}` -> `{"journal", "next", "uploads": [{"name", "url"}]}`.

    `project` is a slug, by default the user's first; `continues` is a journal of which this is a newer dump.
    """
    require_adding(request.user)
    try:
        announced = _read(request.body)
        older = older_journal(request, announced.continues)
        project = older.project if older else project_to_add_to(request.user, announced.project)
        journal = uploads.announce(
            request.user, project, announced.name, announced.files, older, announced.ticket
        )
        answer = {
            "journal": str(journal.pk),
            "next": reverse("journal-next", args=[journal.pk]),
            "uploads": [_address(upload) for upload in journal.uploads.all()],
        }
        return JsonResponse(answer, status=201)
    except Rejected as rejection:
        return JsonResponse({"error": str(rejection)}, status=rejection.status)


@require_GET
def files(request: HttpRequest, journal_id: UUID) -> JsonResponse:
    """Which files of a journal have arrived; the page resumes the others after a reload."""
    journal = get_journal_for_user(request.user, journal_id)
    rows = list(journal.uploads.all())
    arrived = [{"name": upload.name, "size": upload.size_bytes} for upload in rows if upload.is_whole]
    missing = [_address(upload) | {"size": upload.size_bytes} for upload in rows if not upload.is_whole]
    return JsonResponse(
        {"arrived": arrived, "missing": missing, "next": reverse("journal-next", args=[journal.pk])}
    )


@dataclass(frozen=True)
class _Announcement:
    """Names and sizes of the files to upload."""

    name: str
    ticket: str
    project: str
    continues: str
    files: list[tuple[str, int]]


def _read(body: bytes) -> _Announcement:
    try:
        document = json_text.read(body)
        files = [(str(file["name"]), int(file["size"])) for file in document["files"]]
        name, ticket, project, continues = (
            str(document.get(key) or "").strip() for key in ("name", "ticket", "project", "continues")
        )
        return _Announcement(name[:200], ticket[:100], project, continues, files)
    except json_text.TooDeep as deep:
        raise Rejected(str(deep)) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Rejected(
            "The list of files could not be read. Reload the page and choose them again."
        ) from None


def older_journal(request: HttpRequest, journal_id: str) -> Journal | None:
    if not journal_id:
        return None
    try:
        older = get_journal_for_user(request.user, UUID(journal_id))
    except ValueError:
        raise Rejected(
            "The older journal's ID is invalid. Reload the page and choose the files again."
        ) from None
    require_adding(request.user, older.project_id)
    return older


def _address(upload: Upload) -> dict[str, Any]:
    return {"name": upload.name, "url": reverse("tus-upload", args=[upload.pk])}
