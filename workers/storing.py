"""Stores an upload whose bytes are all here: SHA-256, content store, row; with its journal's last file, an inspection.

The message may come twice, late, or beside a deletion. The lock of the partial file lets one at a time, and the row says whether
something is left to do. What fails waits: housekeeping sends it again each minute.
"""

from __future__ import annotations

import logging

from webapp.database import is_away
from webapp.journals import uploads
from webapp.journals.models import Upload
from webapp.journals.receiving import partial_file, storing
from workers.jobs.progress import unreachable_is_fine
from workers.jobs.runner import words_of

logger = logging.getLogger(__name__)
AGAIN = "Journalscope tries again every minute."
DISK_FULL = f"{{name}} is not stored because the server's disk is full. Ask an admin to make room. {AGAIN}"
READ_ONLY = (
    "{name} is not stored because the server cannot write to its data folder. Ask an admin to make the folder writable. "
    + AGAIN
)
DEFECT = f"{{name}} could not be stored. Ask an admin to check the worker's log. {AGAIN}"


def store(upload_id: str) -> None:
    """What the task does. Nothing where the upload is stored, deleted, or being stored by another worker."""
    upload = _waiting(upload_id)
    if upload is None:
        return
    try:
        with partial_file.locked(upload):
            _store(upload_id)
        with unreachable_is_fine():
            storing.forget_problem(upload_id)
    except partial_file.UploadLocked:
        logger.info("Another task stores upload %s.", upload_id)
    except Exception as problem:
        if is_away(problem):
            logger.warning("Upload %s lost the database and waits.", upload_id)
        elif _waiting(upload_id):  # else it broke because somebody deleted it
            sentence = words_of(problem, DISK_FULL, READ_ONLY, DEFECT)
            with unreachable_is_fine():
                storing.keep_problem(upload_id, sentence.format(name=upload.name))
            raise


def _store(upload_id: str) -> None:
    """Under the lock. An upload whose partial file was lost with its disk is unfinished again."""
    upload = _waiting(upload_id)
    if upload:
        partial_file.note(upload)
        if upload.is_whole:
            uploads.finish(upload)


def _waiting(upload_id: str) -> Upload | None:
    return Upload.objects.filter(pk=upload_id, blob=None).first()
