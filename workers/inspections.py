"""One inspection from the queue to its report: take it, run it, keep the outcome.

Every change of state is one conditional UPDATE, so that a message that comes twice, a page that cancels and a
worker that finishes cannot overwrite each other.
"""

from __future__ import annotations

import errno
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from spark.errors import UnreadableInput
from spark.java import NoJava
from webapp.journals import storage
from webapp.journals.models import Inspection
from workers import spark_runner
from workers.ingest.inputs import Named, opened
from workers.ingest.limits import ArchiveLimits
from workers.progress import Cancelled, Progress, WorkerStops, is_cancelled, say_alive, say_gone
from workers.summary import summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from spark.sources import InputFile

logger = logging.getLogger(__name__)
State = Inspection.State

DEFECT = "The inspection broke off because of a defect in Journalscope, not in the input. An admin finds the details in the worker's log."
DISK_FULL = "The server's disk is full, so the inspection could not be finished. Ask an admin to make room, then try again."


@dataclass(frozen=True)
class Place:
    """Where an inspection works and where its result goes."""

    partial: Path
    final: Path
    scratch: Path

    @classmethod
    def of(cls, inspection: Inspection) -> Place:
        """The folders of an inspection."""
        final = inspection.results
        return cls(final.with_name(f"{final.name}.partial"), final, Path(settings.SCRATCH_DIR) / final.name)

    def clear(self) -> None:
        """Remove whatever is half-made."""
        for folder in (self.partial, self.scratch):
            shutil.rmtree(folder, ignore_errors=True)

    def finish(self) -> None:
        """Show the result, whole."""
        shutil.rmtree(self.final, ignore_errors=True)
        self.partial.rename(self.final)


def perform(inspection_id: str) -> None:
    """What the task does. Nothing when the inspection is not waiting: it is done, or somebody else's."""
    inspection = _take(inspection_id)
    if inspection is None:
        return
    place = Place.of(inspection)
    place.clear()
    try:
        _run(inspection, place)
    finally:
        place.clear()
        say_gone(inspection.pk)


def _take(inspection_id: str) -> Inspection | None:
    waiting = Inspection.objects.filter(pk=inspection_id, state=State.QUEUED)
    if not waiting.exists():
        return None
    say_alive(inspection_id)
    mine = waiting.update(
        state=State.RUNNING, started_at=timezone.now(), attempts=F("attempts") + 1, error=""
    )
    return Inspection.objects.select_related("journal").get(pk=inspection_id) if mine else None


def _run(inspection: Inspection, place: Place) -> None:
    """The one place that catches broadly: to keep the outcome, and raise again what nobody foresaw."""
    try:
        report = _inspect(inspection, place)
        _done(inspection, place, report)
    except Cancelled:
        _settle(inspection, State.CANCELLED)
    except WorkerStops:
        _back_into_the_queue(inspection)
    except (UnreadableInput, NoJava) as problem:
        _settle(inspection, State.FAILED, str(problem))
    except Exception as problem:
        full = isinstance(problem, OSError) and problem.errno in {errno.ENOSPC, errno.EDQUOT}
        logger.exception("Inspection %s broke off.", inspection.pk)
        _settle(inspection, State.FAILED, DISK_FULL if full else DEFECT)
        raise


def _inspect(inspection: Inspection, place: Place) -> dict[str, Any]:
    from spark.pipeline import Limits, inspect

    progress = Progress(inspection.pk)
    if is_cancelled(inspection.pk):
        raise Cancelled
    limits = Limits(max_batch_bytes=settings.MAX_BATCH_BYTES, read_as=inspection.read_as)

    def attempt(session: Callable[[], SparkSession]) -> dict[str, Any]:
        place.clear()
        progress.stage("plan")
        files = input_files(inspection, place.scratch)
        progress.raise_if_cancelled()
        return inspect(session, files, place.partial, progress, limits)

    report = spark_runner.run(progress, attempt)
    progress.raise_if_cancelled()
    progress.finish()
    return report


def input_files(inspection: Inspection, scratch: Path) -> list[InputFile]:
    """The journal's files, archives unpacked into `scratch`, remote ones fetched there."""
    limits = ArchiveLimits.of_settings()
    found = []
    for upload in inspection.journal.uploads.exclude(blob=None).order_by("name"):
        path = storage.fetch(upload.blob_id, scratch / "raw")
        found += opened(Named(upload.name, path), scratch, limits, upload.blob_id)
    return found


def _mine(inspection: Inspection) -> Any:
    """The row, if it is still this attempt's."""
    return Inspection.objects.filter(pk=inspection.pk, state=State.RUNNING, attempts=inspection.attempts)


def _done(inspection: Inspection, place: Place, report: dict[str, Any]) -> None:
    if not _mine(inspection).exists():  # deleted, cancelled or given up meanwhile
        return
    told = summary(report)
    place.finish()
    kept = _mine(inspection).update(
        state=State.DONE,
        finished_at=timezone.now(),
        verdict_level=report["verdict"]["level"],
        verdict_sentence=report["verdict"]["sentence"],
        summary=told,
    )
    if not kept:
        shutil.rmtree(place.final, ignore_errors=True)


def _settle(inspection: Inspection, state: str, error: str = "") -> None:
    _mine(inspection).update(state=state, error=error, finished_at=timezone.now())


def _back_into_the_queue(inspection: Inspection) -> None:
    """This attempt does not count; housekeeping sends the inspection again."""
    _mine(inspection).update(state=State.QUEUED, attempts=F("attempts") - 1, started_at=None)
