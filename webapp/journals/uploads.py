"""From announced files to a whole journal: rows first, bytes by the upload protocol, then store and inspect.

What the upload protocol brought is stored by a worker (receiving/storing.py): hashing may take minutes. Empty files and
pasted texts, of 20 MB at most, are stored at once (`finish`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.audit import log
from webapp.journals import inspections, names
from webapp.journals.disk import durable, quotas, reserved, storage
from webapp.journals.models import Blob, Journal, Upload
from webapp.journals.templatetags.journalscope import size as in_words
from webapp.rejected import Rejected

T = TypeVar("T")


def partial_path(upload: Upload) -> Path:
    """File of the bytes that have arrived; its size is the upload's offset."""
    return Path(settings.UPLOADS_DIR) / f"{upload.pk}.part"


def offset_of(upload: Upload) -> int:
    """Bytes that have arrived. The row may lag behind: it is written at the end of a request."""
    return upload.size_bytes if upload.is_whole else partial_bytes(upload)


def partial_bytes(upload: Upload) -> int:
    try:
        return partial_path(upload).stat().st_size
    except FileNotFoundError:
        return 0


def announce(
    user: Any,
    project: Project,
    name: str,
    files: Sequence[tuple[str, int]],
    continues: Journal | None = None,
    ticket: str = "",
) -> Journal:
    """A journal with its files to come; empty files are complete from the start.

    `continues`: an older dump of the same journal; what people decided about its findings holds for this one too.
    """
    cleaned = [(names.clean(file), size_bytes) for file, size_bytes in files]
    _check(cleaned)
    with transaction.atomic():
        needed_bytes = sum(size_bytes for _, size_bytes in cleaned)
        quotas.require_room(project, needed_bytes)
        reserved.require_disk(needed_bytes)
        journal = Journal.objects.create(
            name=name or names.journal_name([n for n, _ in cleaned]),
            project=project,
            created_by=user,
            ticket=ticket or (continues.ticket if continues else ""),
            **({"lineage": continues.lineage} if continues else {}),
        )
        rows = [_row(journal, file, size_bytes) for file, size_bytes in cleaned]
        Upload.objects.bulk_create(rows)
        log.record(
            "journal.created",
            actor=user,
            project_id=project.pk,
            target=journal,
            files=len(rows),
            size_bytes=sum(row.size_bytes for row in rows),
        )
    for upload in rows:
        if upload.size_bytes == 0:
            finish(upload)
    return journal


def add_file(journal: Journal, file: str, size_bytes: int) -> Upload:
    """Add a file to a journal that is not complete yet."""
    file = names.clean(file)
    if journal.complete_at or journal.is_being_stored:
        raise Rejected(f"{journal.name} is complete. Upload {file} as a separate journal.", 409)
    if journal.uploads.filter(name=file).exists():
        raise Rejected(f"{journal.name} already has a file {file}. Give this one another name.", 409)
    _check([(file, size_bytes)])
    upload = _row(journal, file, size_bytes)
    with transaction.atomic():
        quotas.require_room(journal.project, size_bytes)
        reserved.require_disk(size_bytes)
        upload.save(force_insert=True)
    return upload


def _row(journal: Journal, file: str, size_bytes: int) -> Upload:
    return Upload(journal=journal, name=file, size_bytes=size_bytes, expires_at=next_expiry())


def next_expiry() -> Any:
    """When an upload is removed if no more bytes arrive."""
    return timezone.now() + timedelta(hours=settings.UPLOAD_EXPIRY_HOURS)


def _check(files: Sequence[tuple[str, int]]) -> None:
    if not files:
        raise Rejected("No file was selected. Select at least one.")
    if len(files) > settings.MAX_JOURNAL_FILES:
        limit = f"{settings.MAX_JOURNAL_FILES:,}"
        raise Rejected(
            f"{len(files):,} files are more than the {limit} one journal may have. Pack them first.", 413
        )
    _check_sizes(files)
    names: set[str] = set()
    for file, _ in files:
        if file in names:
            raise Rejected(f"Two files are called {file}. Rename one of them.")
        names.add(file)


def _check_sizes(files: Sequence[tuple[str, int]]) -> None:
    for file, size_bytes in files:
        if size_bytes < 0:
            raise Rejected(f"{file} was announced with {size_bytes} bytes. Choose the file again.")
        if size_bytes > settings.MAX_FILE_BYTES:
            limit = in_words(settings.MAX_FILE_BYTES)
            raise Rejected(f"{file} has {in_words(size_bytes)}; the limit is {limit} (MAX_FILE_BYTES).", 413)


def finish(upload: Upload, text_format: str = "") -> None:
    """Store an upload that is complete. `text_format`: how its inspection reads texts."""
    partial = partial_path(upload)
    durable.make_folder(partial.parent)
    partial.touch()
    store_file(upload, partial, text_format)
    transaction.on_commit(lambda: partial.unlink(missing_ok=True))


def store_file(upload: Upload, path: Path, text_format: str = "") -> None:
    """Store a file of a journal, wherever its bytes are; with the journal's last file, the inspection starts. The file
    at `path` stays. Where somebody deleted the upload meanwhile, nothing is kept."""
    sha256 = hash_of(path)

    def keep() -> bool:
        upload.blob_id, upload.received_bytes, upload.expires_at = sha256, upload.size_bytes, None
        columns = {"blob": sha256, "received_bytes": upload.size_bytes, "expires_at": None}
        is_kept = bool(Upload.objects.filter(pk=upload.pk).update(**columns))
        if is_kept:
            complete_if_whole(upload.journal, text_format)
        return is_kept

    if not store(path, sha256, upload.name, keep):
        remove_unused(sha256)


def store(file: Path, sha256: str, name: str, keep: Callable[[], T]) -> T:
    """Put a file's bytes into the store; `keep` writes the row that uses them, in the same transaction."""
    size_bytes = file.stat().st_size
    for _ in range(3):
        storage.store_copy(file, sha256)
        with transaction.atomic():
            Blob.objects.get_or_create(sha256=sha256, defaults={"size_bytes": size_bytes})
            Blob.objects.select_for_update().get(pk=sha256)
            # somebody may have deleted the last other user of these bytes a moment ago
            if storage.exists(sha256):
                return keep()
    raise Rejected(f"{name} could not be stored; it was deleted at the same time. Upload it again.", 409)


@transaction.atomic
def remove_unused(sha256: str) -> None:
    """Delete the bytes while the row is locked, so that no concurrent upload of the same bytes uses them."""
    blob = Blob.objects.select_for_update().filter(pk=sha256).first()
    if blob and not blob.upload_set.exists() and not blob.repairfile_set.exists():
        blob.delete()
        storage.remove(sha256)


def hash_of(path: Path) -> str:
    """SHA-256 as hex; the file is read in chunks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(files: Sequence[tuple[str, str]]) -> str:
    """SHA-256 over sorted (name, sha256) pairs: the identity of an input."""
    lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(files))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


@transaction.atomic
def complete_if_whole(journal: Journal, text_format: str = "") -> None:
    """After the last file: set the input's digest and start an inspection, unless there is one of the same input that read
    it as its texts say."""
    locked = Journal.objects.select_for_update().get(pk=journal.pk)
    files = locked.uploads.all()
    if locked.complete_at or not files.exists() or files.filter(blob=None).exists():
        return
    locked.input_digest = digest(list(files.values_list("name", "blob_id")))
    locked.complete_at = timezone.now()
    locked.save(update_fields=["input_digest", "complete_at"])
    if not text_format and locked.of_same_input:
        return
    with suppress(Rejected):  # over the quota: the journal's page says so, and when it can be inspected
        inspections.request_inspection(locked, locked.created_by, text_format=text_format)
