"""Asking for a repair with the files that may help, asking again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet

from webapp.audit import log
from webapp.jobs import lifecycle
from webapp.journals import names, topic_names, uploads
from webapp.journals.access import journals_seen_with
from webapp.journals.models import Inspection, Repair, RepairFile
from webapp.journals.templatetags.journalscope import size as in_words
from webapp.rejected import Rejected

DIALECTS = frozenset(
    {"apicurio-v2", "schema-registry"}
)  # whose journals can be repaired; a test holds it against the dialects
StoredFile = tuple[str, str]  # name, SHA-256
MAX_OLDER = 20
MAX_FILES = 50
MAX_FILE_BYTES = 32_000_000
NOT_A_TOPIC = (
    "{topic!r} is not a topic name that Kafka allows. Enter 1 to 249 letters, digits, dots, underscores and hyphens, such "
    "as kafkasql-journal."
)


def request_repair(
    inspection: Inspection,
    older: Sequence[Inspection],
    files: Sequence[UploadedFile[Any]],
    user: Any,
    topic: str = "",
    stored: Sequence[StoredFile] = (),
) -> Repair:
    """A repair of this inspection's journal, its files stored, sent to the workers; the one on its way with the same dumps,
    files and topic, if there is one. `topic`: its name, where the dump does not give it; `stored`: files of an earlier
    repair. Raises Rejected."""
    _check(older, files, topic)
    with tempfile.TemporaryDirectory() as folder:
        received = [_received(file, Path(folder) / str(number)) for number, file in enumerate(files)]
        every = [*stored, *((name, sha256) for name, _, sha256 in received)]
        with transaction.atomic():
            repair, is_new = _row(inspection, older, every, topic, user)
            if not is_new:
                return repair
            for name, sha256 in stored:
                RepairFile.objects.create(repair=repair, name=name, blob_id=sha256)
            for name, path, sha256 in received:
                _add(repair, name, path, sha256)
            _note(repair, user)
            lifecycle.send(repair)
    return repair


def _row(
    inspection: Inspection,
    older: Iterable[Inspection],
    files: Iterable[StoredFile],
    topic: str,
    user: Any,
) -> tuple[Repair, bool]:
    """The repair with its older dumps, and whether it was created."""
    dumps = list(older)
    details = [sorted(str(dump.pk) for dump in dumps), sorted(files), topic]
    repair, is_new = lifecycle.request(
        Repair, inspection, details, inspection=inspection, topic=topic, requested_by=user
    )
    if is_new:
        repair.older.set(dumps)
    return repair, is_new


def _note(repair: Repair, user: Any) -> None:
    project_id = repair.inspection.journal.project_id
    log.record("repair.asked", actor=user, project_id=project_id, target=repair, older=repair.older.count())


def _check(older: Sequence[Inspection], files: Sequence[UploadedFile[Any]], topic: str) -> None:
    if topic and not topic_names.is_legal(topic):
        raise Rejected(NOT_A_TOPIC.format(topic=topic))
    if len(older) > MAX_OLDER:
        raise Rejected(f"{len(older)} older dumps are selected. Select at most {MAX_OLDER}.")
    if len(files) > MAX_FILES:
        raise Rejected(f"{len(files)} files were added. Add at most {MAX_FILES}.")
    for file in files:
        if (file.size or 0) > MAX_FILE_BYTES:
            raise Rejected(
                f"{file.name} has {in_words(file.size)}; a schema's text of up to {in_words(MAX_FILE_BYTES)} is read. "
                "A dump belongs on the page Journals: upload it there, then choose it here."
            )


def _received(file: UploadedFile[Any], path: Path) -> tuple[str, Path, str]:
    """Name, path and hash of an uploaded file."""
    with path.open("wb") as copy:
        for chunk in file.chunks():
            copy.write(chunk)
    return names.clean(file.name or ""), path, uploads.hash_of(path)


def _add(repair: Repair, name: str, path: Path, sha256: str) -> None:
    def keep() -> None:
        RepairFile.objects.create(repair=repair, name=name, blob_id=sha256)

    uploads.store(path, sha256, name, keep)


@transaction.atomic
def again(repair: Repair, user: Any) -> Repair:
    """A new repair with the same older dumps and files, or the pending one."""
    lifecycle.replace(repair)
    return request_repair(
        repair.inspection, list(repair.older.all()), [], user, repair.topic, added_files(repair)
    )


def added_files(repair: Repair) -> list[StoredFile]:
    return list(repair.files.values_list("name", "blob_id"))


def repairs_of_other_dumps(inspection: Inspection) -> QuerySet[Repair]:
    """Repairs of other dumps of the journal that everybody with access to this one can see, newest first."""
    journals = journals_seen_with(inspection.journal).filter(lineage=inspection.journal.lineage)
    others = journals.exclude(pk=inspection.journal_id)
    return (
        Repair.objects.filter(inspection__journal__in=others)
        .select_related("inspection")
        .order_by("-created_at")
    )


def may_start_again(repair: Repair) -> bool:
    """It has ended, or its worker is gone."""
    return repair.is_over or lifecycle.is_abandoned(repair)
