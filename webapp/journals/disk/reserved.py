"""Space on the disk that announced uploads will need: theirs until they are whole, deleted or expired."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from webapp.journals.disk import durable
from webapp.journals.models import Upload
from webapp.journals.templatetags.journalscope import size as in_words
from webapp.rejected import Rejected

LOCK = 0x6A73_7264  # of PostgreSQL, any number that is ours alone


def reserved_bytes() -> int:
    """Announced bytes that have not arrived yet, over all projects."""
    arrived_bytes = _arrived()
    # files that a capture stores have no expiry: their bytes are on the disk already
    waiting = Upload.objects.filter(blob=None, expires_at__gt=timezone.now()).values_list("pk", "size_bytes")
    return sum(max(0, size_bytes - arrived_bytes.get(f"{pk}.part", 0)) for pk, size_bytes in waiting)


def require_disk(more_bytes: int) -> None:
    """Raise Rejected (413) if the disk has less free and unreserved space. Call it in the transaction that announces the files."""
    _one_at_a_time()
    folder = Path(settings.UPLOADS_DIR)
    durable.make_folder(folder)
    free_bytes, reserved = shutil.disk_usage(folder).free, reserved_bytes()
    if more_bytes <= free_bytes - reserved:
        return
    needed, free = in_words(more_bytes), in_words(free_bytes)
    if more_bytes > free_bytes:
        advice = f"{free} are free. Ask an admin to make room."
    else:
        advice = (
            f"{free} are free, and {in_words(reserved)} of them are reserved for uploads that are not complete. "
            "Try again when these are complete, or ask an admin to make room."
        )
    raise Rejected(f"The server's disk has no room for {needed}: {advice}", 413)


def _arrived() -> dict[str, int]:
    """Size in bytes by name of the partial file."""
    try:
        with os.scandir(settings.UPLOADS_DIR) as entries:
            return {entry.name: entry.stat().st_size for entry in entries if entry.name.endswith(".part")}
    except FileNotFoundError:
        return {}


def _one_at_a_time() -> None:
    """Concurrent announcements must not count the same space; SQLite has one writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
