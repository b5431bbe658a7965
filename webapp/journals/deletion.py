"""Deleting files, inspections and journals, with their results, and raw bytes that nothing else uses."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from copy import copy
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from spark.storage.stored_path import remove_tree
from webapp.audit import log
from webapp.jobs import kinds, results
from webapp.jobs.models import Job
from webapp.journals import uploads
from webapp.journals.disk import sizes
from webapp.journals.holds import require_no_hold
from webapp.journals.models import Inspection, Journal, Repair, RepairFile, Upload
from webapp.rejected import Rejected


def delete_journal(journal: Journal, **why: Any) -> None:
    """Delete a journal and everything that belongs to it; `why` goes into the audit log."""
    require_no_hold(journal)
    _require_whole_captures(journal)
    repairs = Repair.objects.filter(inspection__journal=journal)
    jobs = [*journal.inspections.all(), *repairs]
    _stop(jobs)
    added = _blobs_of(repairs)
    with transaction.atomic():
        _lock(journal)
        require_no_hold(journal)
        jobs = [*journal.inspections.all(), *repairs.all()]
        files = list(journal.uploads.select_for_update())  # a worker may be storing one
        why |= {"files": len(files), "size_bytes": sum(file.size_bytes for file in files)}
        log.record("journal.deleted", project_id=journal.project_id, target=journal, **why)
        journal.delete()
    for job in jobs:
        remove_results(job)
    _remove_bytes(files)
    for sha256 in added:
        uploads.remove_unused(sha256)


def delete_inspection(inspection: Inspection) -> None:
    """Delete an inspection with its repairs and results; the journal's files stay."""
    require_no_hold(inspection.journal)
    repairs = inspection.repairs.all()
    jobs = [copy(inspection), *repairs]
    _stop(jobs)
    added = _blobs_of(repairs)
    with transaction.atomic():
        Inspection.objects.select_for_update().get(pk=inspection.pk)
        require_no_hold(inspection.journal)
        jobs = [copy(inspection), *repairs.all()]
        log.record("inspection.deleted", project_id=inspection.journal.project_id, target=inspection)
        inspection.delete()
    for job in jobs:
        remove_results(job)
    for sha256 in added:
        uploads.remove_unused(sha256)


def delete_upload(upload: Upload) -> None:
    """One file. An unfinished journal may be whole without it; one without files is no journal.

    A hold keeps what has arrived; an upload that never did may go.
    """
    journal = upload.journal
    if upload.is_whole:
        require_no_hold(journal)
    _stop(journal.inspections.all())
    with transaction.atomic():
        # a worker may be storing it
        upload = Upload.objects.select_for_update().filter(pk=upload.pk).first() or upload
        gone = copy(upload)  # deleting takes the id away from the row in hand
        log.record(
            "upload.deleted",
            project_id=journal.project_id,
            target=upload,
            size_bytes=upload.size_bytes,
            is_whole=upload.is_whole,
        )
        upload.delete()
    _remove_bytes([gone])
    remaining = list(journal.uploads.values_list("name", "blob_id"))
    if not remaining and not journal.inspections.exists():
        with transaction.atomic():
            log.record("journal.deleted", project_id=journal.project_id, target=journal, why="no file left")
            journal.delete()
    elif journal.complete_at:
        journal.input_digest = uploads.digest(remaining) if remaining else ""
        journal.save(update_fields=["input_digest"])
    else:
        uploads.complete_if_whole(journal)


def _lock(journal: Journal) -> None:
    """Concurrent inserts wait and then fail. Raises DoesNotExist if the journal was deleted meanwhile."""
    Journal.objects.select_for_update().get(pk=journal.pk)
    list(journal.inspections.select_for_update())


def _require_whole_captures(journal: Journal) -> None:
    """A worker that stores a capture needs the rows of its files."""
    if journal.captures.filter(state__in=("queued", "running")).exists():
        raise Rejected("What was captured is still being stored. Delete again in a moment.", 409)


def _stop(jobs: Iterable[Job]) -> None:
    for job in jobs:
        if job.is_over:
            continue
        kinds.of(job).cancel(job)
        job.refresh_from_db()
        if not job.is_over:
            subject = "An inspection" if isinstance(job, Inspection) else "A repair"
            raise Rejected(
                f"{subject} is still running; it was asked to stop. Delete again in a moment.", 409
            )


def _blobs_of(repairs: QuerySet[Repair]) -> list[str]:
    return list(RepairFile.objects.filter(repair__in=repairs).values_list("blob_id", flat=True).distinct())


def remove_results(job: Job) -> None:
    """Delete a job's result and its partial attempts. What a store refuses now, housekeeping deletes."""
    folder, stored = results.folder_of(job.pk), results.stored_folder_of(job.pk)
    for path in [folder, *folder.parent.glob(f"{folder.name}.*partial")]:
        shutil.rmtree(path, ignore_errors=True)
    if stored is not None:
        remove_tree(stored)
    sizes.forget(job.pk)


def _remove_bytes(files: Iterable[Upload]) -> None:
    for upload in files:
        uploads.partial_path(upload).unlink(missing_ok=True)
        if upload.blob_id:
            uploads.remove_unused(upload.blob_id)
