"""Making a bundle and the page of the key. A bundle holds proof only, so it is made while the reader waits."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from spark.redaction.process import TooLong
from webapp.audit.log import record
from webapp.journals.models import Inspection
from webapp.reports.page import Page
from webapp.reports.results import ResultsGone
from webapp.sharing.access import get_shareable_inspection
from webapp.sharing.evidence.bundle import write_bundle
from webapp.sharing.evidence.content import read_content
from webapp.sharing.evidence.keys import UnusableKey, fingerprint, private_key, public_pem
from webapp.sharing.evidence.members import members_of
from webapp.sharing.evidence.source import BundleOrigin, of_inspection, of_share
from webapp.sharing.forms import EvidenceForm


@require_http_methods(["GET", "HEAD", "POST"])
def evidence(request: HttpRequest, inspection_id: UUID) -> HttpResponse | FileResponse:
    """The form, and after it the bundle."""
    inspection = get_shareable_inspection(request.user, inspection_id)
    form = EvidenceForm(request.POST or None, initial=EvidenceForm.first_values(inspection.journal.project))
    context: dict[str, Any] = {"inspection": inspection, "form": form, "section": "journals"}
    if request.method != "POST" or not form.is_valid():
        status = 400 if request.method == "POST" else 200
        return render(request, "sharing/evidence/make.html", context, status=status)
    try:
        return evidence_of(request, inspection, form.options())
    except (ResultsGone, FileNotFoundError):
        return render(request, "reports/gone.html", context, status=410)
    except (UnusableKey, TooLong) as problem:
        return render(request, "sharing/evidence/make.html", context | {"problem": str(problem)}, status=503)


def shared_evidence(page: Page) -> HttpResponse | FileResponse:
    """The bundle of a share."""
    share = page.source.share
    if share is None:
        raise Http404("Only a shared report has such a page.")
    try:
        bundle = _bundle(
            page.request,
            of_share(share, page.source),
            inspection=None,
            inspected_at=share.pinned.get("inspected_at"),
            snapshot={name: share.pinned.get(name) for name in ("checks", "rules", "redaction")},
        )
    except UnusableKey as problem:
        return HttpResponse(str(problem), status=503, content_type="text/plain; charset=utf-8")
    record("export.made", project_id=share.project_id, target=share, what="evidence")
    return bundle


@login_not_required
@require_safe
def key(request: HttpRequest) -> HttpResponse:
    """The public key with which a receiver checks a bundle; public, because receivers have no account."""
    try:
        public = private_key().public_key()
    except UnusableKey as problem:
        return render(request, "sharing/evidence/key.html", {"problem": str(problem)}, status=503)
    context = {"fingerprint": fingerprint(public), "pem": public_pem(public).decode()}
    return render(request, "sharing/evidence/key.html", context)


@login_not_required
@require_safe
def key_file(request: HttpRequest) -> HttpResponse:
    """The public key as a file, for `verify_evidence --key`."""
    try:
        pem = public_pem(private_key().public_key())
    except UnusableKey as problem:
        return HttpResponse(str(problem), status=503, content_type="text/plain; charset=utf-8")
    headers = {"Content-Disposition": 'attachment; filename="journalscope-evidence-key.pem"'}
    return HttpResponse(pem, content_type="application/x-pem-file", headers=headers)


def evidence_of(request: HttpRequest, inspection: Inspection, options: dict[str, Any]) -> FileResponse:
    """The bundle, and that it was made; raises ResultsGone or UnusableKey. Who may have it was settled before."""
    finished = inspection.finished_at
    bundle = _bundle(
        request,
        of_inspection(inspection, options),
        inspection=str(inspection.pk),
        inspected_at=finished.isoformat() if finished else None,
    )
    shown_parts = {name: options[name] for name in ("payloads", "keys", "headers", "names")}
    record(
        "export.made",
        project_id=inspection.journal.project_id,
        target=inspection,
        what="evidence",
        shown=shown_parts,
    )
    return bundle


def _bundle(request: HttpRequest, opened: AbstractContextManager[BundleOrigin], **facts: Any) -> FileResponse:
    signing, made_at = private_key(), timezone.now()
    with opened as origin:
        content = read_content(request, origin, made_at, **facts)
        members = members_of(content, signing.public_key())
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    write_bundle(file, members, signing, made_at)
    file.seek(0)
    name = f"{content.slug}-evidence-{made_at:%Y%m%d-%H%M%S}.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
