"""The partial file of an upload: one process at a time, and the row says how much of it is there.

The lock is `flock(2)` on the file itself, so it ends with the process that holds it. The file goes when the upload is stored or
deleted; who waited for its lock finds that in the row.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from spark.terms.errors import DISK_FULL
from webapp.journals import uploads
from webapp.journals.disk import durable
from webapp.journals.models import Upload
from webapp.rejected import Rejected

LOCK_SECONDS = 3.0


class UploadLocked(Rejected):
    """Another request has the file, or the worker that stores it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is being sent already, from another page. Try again shortly.", 423)


@contextmanager
def locked(upload: Upload) -> Iterator[BinaryIO]:
    """The partial file, locked. Raises UploadLocked."""
    path = uploads.partial_path(upload)
    durable.make_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    # unbuffered: what was written is in the file, whatever happens next
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        if not _get_lock(file):
            raise UploadLocked(upload.name)
        try:
            yield file
        finally:
            if not Upload.objects.filter(pk=upload.pk, blob=None).exists():
                path.unlink(missing_ok=True)


def write(file: BinaryIO, block: bytes) -> None:
    """Write the whole block. Raises Rejected (507) for a full disk."""
    rest = memoryview(block)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        if error.errno in DISK_FULL:
            raise Rejected(
                "The server's disk is full. The upload continues after an admin has freed disk space.", 507
            ) from error
        raise


def note(upload: Upload) -> None:
    """Store how many bytes have arrived. Complete uploads do not expire."""
    upload.received_bytes = uploads.partial_bytes(upload)
    upload.expires_at = None if upload.is_whole else uploads.next_expiry()
    columns = {"received_bytes": upload.received_bytes, "expires_at": upload.expires_at}
    Upload.objects.filter(pk=upload.pk, blob=None).update(**columns)


def _get_lock(file: BinaryIO) -> bool:
    """Waits a little, since a request whose connection broke ends soon."""
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)
