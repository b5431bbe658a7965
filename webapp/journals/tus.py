"""tus 1.0.0 on the server's side: creation, creation-with-upload, checksum, termination, expiration.

    POST    /uploads/        announce one file (several at once: the journal-create view)
    HEAD    /uploads/<id>/   how many bytes are here: the size of the partial file, which no restart changes
    PATCH   /uploads/<id>/   more bytes, appended as they arrive; what arrived before a broken line is kept
    DELETE  /uploads/<id>/   forget it

PATCH and DELETE may also come as POST with X-HTTP-Method-Override; on any other method that header counts for nothing.

Source: tus.io, "Resumable upload protocol 1.0.x". The packages that exist keep rows and rights of their own.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import format_datetime
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.urls import reverse
from django.views.decorators.cache import never_cache

from webapp.journals import deletion, durable, uploads
from webapp.journals.access import get_journal_for_user, get_own_upload, project_to_add_to, require_adding
from webapp.journals.models import Journal, Upload
from webapp.journals.tus_headers import CHECKSUMS, checksum, metadata, method_of, number
from webapp.rejected import Rejected

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,checksum,termination,expiration"
BODY = "application/offset+octet-stream"
BLOCK_BYTES = 256 * 1024
LOCK_SECONDS = 3.0


class ChecksumMismatch(Rejected):
    """The bytes are not those the client hashed; none of them is kept."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The checksum of {name} does not fit its bytes. They are sent again from there.", 460
        )


@login_not_required  # answered below with 401: a redirect to the sign-in page would look like a success
@never_cache
def collection(request: HttpRequest) -> HttpResponse:
    """OPTIONS and POST on the address where uploads are made."""
    return _answer(request, {"OPTIONS": _options, "POST": _create})


@login_not_required
@never_cache
def resource(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """OPTIONS, HEAD, PATCH and DELETE on one upload."""
    return _answer(
        request, {"OPTIONS": _options, "HEAD": _head, "PATCH": _patch, "DELETE": _delete}, upload_id
    )


def _answer(request: HttpRequest, methods: dict[str, Any], *args: Any) -> HttpResponse:
    try:
        response = _dispatch(request, method_of(request), methods, *args)
    except Rejected as refusal:
        response = HttpResponse(str(refusal), status=refusal.status, content_type="text/plain; charset=utf-8")
    response["Tus-Resumable"] = VERSION
    return response


def _dispatch(request: HttpRequest, method: str, methods: dict[str, Any], *args: Any) -> HttpResponse:
    if method not in methods:
        response = HttpResponse(f"{method} is not part of the upload protocol here.", status=405)
        response["Allow"] = ", ".join(methods)
        return response
    if not request.user.is_authenticated:
        raise Rejected(
            "You are not signed in any more. Sign in again; the upload goes on where it stopped.", 401
        )
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
    if not upload.blob_id:
        _settle(upload)
    response = _with_state(HttpResponse(status=200), upload)
    response["Upload-Length"] = str(upload.size_bytes)
    return response


def _settle(upload: Upload) -> None:
    """Let a request that is ending end, so that the offset is true; finish what a crash left with all its bytes."""
    with suppress(Rejected, Upload.DoesNotExist), _locked(upload):
        upload.refresh_from_db()
        if not upload.blob_id and uploads.offset_of(upload) == upload.size_bytes:
            _note(upload)


def _patch(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    upload = get_own_upload(request.user, upload_id)
    if request.content_type != BODY:
        raise Rejected(f"Bytes come as {BODY}, not as {request.content_type or 'nothing'}.", 415)
    _append(request, upload, number(request, "Upload-Offset"))
    return _with_state(HttpResponse(status=204), upload)


def _delete(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    upload = get_own_upload(request.user, upload_id)
    if upload.blob_id:
        raise Rejected(f"{upload.name} is complete. Delete it on its journal's page.", 409)
    with _locked(upload):
        deletion.delete_upload(upload)
    return HttpResponse(status=204)


def _append(request: HttpRequest, upload: Upload, offset: int) -> None:
    """The body goes to the end of the partial file; with its last byte the file is finished."""
    if "Content-Length" not in request.headers:
        raise Rejected("Content-Length is missing; bytes in chunks of unknown length cannot be taken.", 411)
    announced = checksum(request)
    with _locked(upload) as file:
        _check_place(upload, offset, number(request, "Content-Length"))
        sha256 = _receive(request, upload, file, offset, announced)
        # a hash of the whole file exists when one request brought all of it
        _note(upload, sha256 if offset == 0 else None)


def _note(upload: Upload, sha256: str | None = None) -> None:
    """Write down how far it is; with the last byte it is finished."""
    upload.received_bytes, upload.expires_at = uploads.offset_of(upload), uploads.next_expiry()
    upload.save(update_fields=["received_bytes", "expires_at"])
    if upload.received_bytes == upload.size_bytes:
        uploads.finish(upload, sha256)


def _check_place(upload: Upload, offset: int, length_bytes: int) -> None:
    try:
        upload.refresh_from_db()
    except Upload.DoesNotExist:
        raise Http404 from None
    here = uploads.offset_of(upload)
    if offset != here:
        raise Rejected(
            f"{upload.name} has {here} bytes here, so the next offset is {here}, not {offset}.", 409
        )
    if offset + length_bytes > upload.size_bytes:
        raise Rejected(
            f"{upload.name} was announced with {upload.size_bytes} bytes; this would be more.", 413
        )


def _receive(
    request: HttpRequest, upload: Upload, file: BinaryIO, offset: int, announced: tuple[str, bytes] | None
) -> str:
    """Append the body and return its SHA-256. A broken line keeps what came; a wrong checksum keeps nothing."""
    sha256 = hashlib.sha256()
    check = hashlib.new(announced[0], usedforsecurity=False) if announced else None
    file.seek(offset)
    try:
        for block in _blocks(request):
            _write(file, block)
            sha256.update(block)
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
    return sha256.hexdigest()


def _write(file: BinaryIO, block: bytes) -> None:
    left = memoryview(block)
    try:
        while left:
            left = left[file.write(left) :]
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise Rejected(
                "The server's disk is full. When an admin has made room, the upload goes on.", 507
            ) from error
        raise


def _blocks(request: HttpRequest) -> Iterator[bytes]:
    """The body in pieces, until its end or until the line breaks."""
    try:
        while block := request.read(BLOCK_BYTES):
            yield block
    except (
        UnreadablePostError
    ):  # also when the client stalls: the web server waits no longer than its limits say
        return


def _get_lock(file: BinaryIO) -> bool:
    """Wait a little: the request that a reload or a broken line cut off ends as soon as its last bytes are read."""
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)


@contextmanager
def _locked(upload: Upload) -> Iterator[BinaryIO]:
    """The partial file, open for writing by nobody else; 423 when somebody is at it."""
    path = uploads.partial_path(upload)
    durable.make_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    # unbuffered: what was written is in the file, whatever happens next
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        if not _get_lock(file):
            raise Rejected(
                f"{upload.name} is being sent already, from another page. Try again shortly.", 423
            ) from None
        yield file
        if not Upload.objects.filter(pk=upload.pk, blob=None).exists():
            path.unlink(missing_ok=True)


def _with_state(response: HttpResponse, upload: Upload) -> HttpResponse:
    response["Upload-Offset"] = str(uploads.offset_of(upload))
    if upload.expires_at:
        response["Upload-Expires"] = format_datetime(upload.expires_at, usegmt=True)
    return response
