"""tus 1.0.0 on the server's side: creation, creation-with-upload, checksum, termination, expiration.

    POST    /uploads/        announce one file (several at once: the journal-create view)
    HEAD    /uploads/<id>/   how many bytes are here: the size of the partial file, which no restart changes
    PATCH   /uploads/<id>/   more bytes, appended as they arrive; what arrived before a broken line is kept
    DELETE  /uploads/<id>/   forget it

PATCH and DELETE may also come as POST with X-HTTP-Method-Override; on any other method that header counts for nothing.

Source: tus.io, "Resumable upload protocol 1.0.x". The packages that exist keep rows and rights of their own.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from email.utils import format_datetime
from functools import partial
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.urls import reverse

from webapp.journals import deletion, uploads
from webapp.journals.access import get_journal_for_user, get_own_upload, project_to_add_to, require_adding
from webapp.journals.disk import durable
from webapp.journals.models import Journal, Upload
from webapp.journals.receiving import partial_file, storing
from webapp.journals.receiving.tus_headers import CHECKSUMS, checksum, metadata, method_of, number
from webapp.rejected import Rejected

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,checksum,termination,expiration"
BODY = "application/offset+octet-stream"
BLOCK_BYTES = 256 * 1024


class ChecksumMismatch(Rejected):
    """The bytes do not match the client's checksum and are discarded."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The checksum of {name} does not match its bytes. The upload continues from there.", 460
        )


@login_not_required  # answered below with 401: a redirect to the sign-in page would look like a success
def collection(request: HttpRequest) -> HttpResponse:
    """OPTIONS and POST: create uploads."""
    return _answer(request, {"OPTIONS": _options, "POST": _create})


@login_not_required
def resource(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """OPTIONS, HEAD, PATCH and DELETE on one upload."""
    return _answer(
        request, {"OPTIONS": _options, "HEAD": _head, "PATCH": _patch, "DELETE": _delete}, upload_id
    )


def _answer(request: HttpRequest, methods: dict[str, Any], *args: Any) -> HttpResponse:
    try:
        response = _dispatch(request, method_of(request), methods, *args)
    except Rejected as rejection:
        response = HttpResponse(
            str(rejection), status=rejection.status, content_type="text/plain; charset=utf-8"
        )
    response["Tus-Resumable"] = VERSION
    return response


def _dispatch(request: HttpRequest, method: str, methods: dict[str, Any], *args: Any) -> HttpResponse:
    if method not in methods:
        response = HttpResponse(f"{method} is not part of the upload protocol here.", status=405)
        response["Allow"] = ", ".join(methods)
        return response
    if not request.user.is_authenticated:
        raise Rejected("You are signed out. Sign in again. The upload then continues.", 401)
    if method != "OPTIONS" and request.headers.get("Tus-Resumable") != VERSION:
        response = HttpResponse(
            f"This server speaks tus {VERSION}; send the header Tus-Resumable.", status=412
        )
        response["Tus-Version"] = VERSION
        return response
    result: HttpResponse = methods[method](request, *args)
    return result


def _options(request: HttpRequest, *args: Any) -> HttpResponse:
    response = HttpResponse(status=204)
    response["Tus-Version"] = VERSION
    response["Tus-Extension"] = EXTENSIONS
    response["Tus-Checksum-Algorithm"] = ",".join(CHECKSUMS)
    response["Tus-Max-Size"] = str(settings.MAX_FILE_BYTES)
    return response


def _create(request: HttpRequest) -> HttpResponse:
    require_adding(request.user)  # which project is asked below
    if "Upload-Length" not in request.headers:
        raise Rejected("Upload-Length is missing: the size of the file has to be known from the start.")
    size_bytes = number(request, "Upload-Length")
    upload = _announce(request, metadata(request), size_bytes)
    if request.content_type == BODY and number(request, "Content-Length"):
        _append(request, upload, 0)
    response = _with_state(HttpResponse(status=201), upload)
    response["Location"] = request.build_absolute_uri(reverse("tus-upload", args=[upload.pk]))
    return response


def _announce(request: HttpRequest, about: dict[str, str], size_bytes: int) -> Upload:
    name = about.get("filename") or about.get("name") or ""
    if "journal" not in about:
        project = project_to_add_to(request.user, about.get("project", ""))
        made = uploads.announce(request.user, project, "", [(name, size_bytes)])
        return made.uploads.get()
    journal = _own_journal(request, about["journal"])
    upload = uploads.add_file(journal, name, size_bytes)
    if size_bytes == 0:
        uploads.finish(upload)
    return upload


def _own_journal(request: HttpRequest, journal_id: str) -> Journal:
    try:
        journal = get_journal_for_user(request.user, UUID(journal_id))
    except ValueError:
        raise Rejected("The metadata's journal is not an id of a journal.") from None
    if journal.created_by_id != request.user.pk:
        raise Http404
    require_adding(request.user, journal.project_id)
    return journal


def _head(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    upload = get_own_upload(request.user, upload_id)
    if not upload.is_whole:
        _settle(upload)
    _ask_to_store(upload)
    response = _with_state(HttpResponse(status=200), upload)
    response["Upload-Length"] = str(upload.size_bytes)
    return response


def _settle(upload: Upload) -> None:
    """Let a request that is ending end, so that the offset is true; note that a crash left all its bytes."""
    with suppress(Rejected, Upload.DoesNotExist), partial_file.locked(upload):
        upload.refresh_from_db()
        if uploads.offset_of(upload) == upload.size_bytes and not upload.is_whole:
            partial_file.note(upload)


def _ask_to_store(upload: Upload) -> None:
    """With all its bytes on the disk; a worker hashes and stores them."""
    if upload.is_whole and not upload.blob_id:
        transaction.on_commit(partial(storing.send, upload))


def _patch(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    upload = get_own_upload(request.user, upload_id)
    if request.content_type != BODY:
        raise Rejected(f"Bytes come as {BODY}, not as {request.content_type or 'nothing'}.", 415)
    _append(request, upload, number(request, "Upload-Offset"))
    return _with_state(HttpResponse(status=204), upload)


def _delete(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    upload = get_own_upload(request.user, upload_id)
    _require_unfinished(upload)
    with partial_file.locked(upload):
        _refresh(upload)
        _require_unfinished(upload)
        deletion.delete_upload(upload)
    return HttpResponse(status=204)


def _require_unfinished(upload: Upload) -> None:
    if upload.is_whole:
        raise Rejected(f"{upload.name} is complete. Delete it on its journal's page.", 409)


def _refresh(upload: Upload) -> None:
    try:
        upload.refresh_from_db()
    except Upload.DoesNotExist:
        raise Http404 from None


def _append(request: HttpRequest, upload: Upload, offset: int) -> None:
    """Append the body to the partial file; a complete file is queued for storing."""
    if "Content-Length" not in request.headers:
        raise Rejected("Content-Length is missing; chunks of unknown length are not supported.", 411)
    announced = checksum(request)
    with partial_file.locked(upload) as file:
        _check_place(upload, offset, number(request, "Content-Length"))
        _receive(request, upload, file, offset, announced)
        partial_file.note(upload)
    _ask_to_store(upload)  # now that the worker gets the lock


def _check_place(upload: Upload, offset: int, length_bytes: int) -> None:
    _refresh(upload)
    received_bytes = uploads.offset_of(upload)
    if offset != received_bytes:
        raise Rejected(
            f"{upload.name} has {received_bytes} bytes here, so the next offset is {received_bytes}, not {offset}.",
            409,
        )
    if offset + length_bytes > upload.size_bytes:
        raise Rejected(
            f"{upload.name} was announced with {upload.size_bytes} bytes; this would be more.", 413
        )


def _receive(
    request: HttpRequest, upload: Upload, file: BinaryIO, offset: int, announced: tuple[str, bytes] | None
) -> None:
    """Append the body. A broken connection keeps what arrived; a wrong checksum keeps nothing."""
    check = hashlib.new(announced[0], usedforsecurity=False) if announced else None
    file.seek(offset)
    try:
        for block in _blocks(request):
            partial_file.write(file, block)
            if check:
                check.update(block)
    finally:
        if announced and check and check.digest() != announced[1]:
            file.truncate(offset)
        os.fsync(file.fileno())
        if offset == 0:
            durable.sync(uploads.partial_path(upload).parent)  # it is a new file
    if announced and check and check.digest() != announced[1]:
        raise ChecksumMismatch(upload.name)


def _blocks(request: HttpRequest) -> Iterator[bytes]:
    """The body in blocks, until its end or until the connection breaks."""
    try:
        while block := request.read(BLOCK_BYTES):
            yield block
    except (
        UnreadablePostError
    ):  # also when the client stalls: the web server waits no longer than its limits say
        return


def _with_state(response: HttpResponse, upload: Upload) -> HttpResponse:
    response["Upload-Offset"] = str(uploads.offset_of(upload))
    if upload.expires_at:
        response["Upload-Expires"] = format_datetime(upload.expires_at, usegmt=True)
    return response
