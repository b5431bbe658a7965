"""One inspection from the queue to its report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from webapp.journals import storage
from webapp.journals.models import Inspection
from webapp.review.findings import take_in_safely
from webapp.rules.pinning import pin
from workers.attempts import Attempt
from workers.ingest.inputs import Named, opened
from workers.ingest.limits import ArchiveLimits
from workers.summary import summary

if TYPE_CHECKING:
    from pyspark import SparkContext

    from spark.sources import InputFile


class Inspecting(Attempt):
    """The pipeline over the journal's files."""

    model = Inspection
    defect = "The inspection broke off because of a defect in Journalscope, not in the input. An admin finds the details in the worker's log."
    disk_full = "The server's disk is full, so the inspection could not be finished. Ask an admin to make room, then try again."

    def made(self, context: Callable[[], SparkContext]) -> dict[str, Any]:
        """The report in its folder; verdict and summary for the row."""
        from spark.pipeline import Limits, inspect
        from spark.rules.asking import Given

        self.progress.stage("plan")
        files = input_files(self.run, self.place.scratch)
        self.progress.raise_if_cancelled()
        rules = [Given(**rule) for rule in pin(self.run)]
        limits = Limits(settings.MAX_BATCH_BYTES, self.run.read_as, rules)
        report = inspect(context, files, self.place.partial, self.progress, limits)
        return {
            "verdict_level": report["verdict"]["level"],
            "verdict_sentence": report["verdict"]["sentence"],
            "summary": summary(report),
        }

    def kept(self) -> None:
        """Its findings go into the review queue."""
        take_in_safely(self.run)


def input_files(inspection: Inspection, scratch: Path) -> list[InputFile]:
    """The journal's files, archives unpacked into `scratch`, remote ones fetched there."""
    limits = ArchiveLimits.of_settings()
    found = []
    for upload in inspection.journal.uploads.exclude(blob=None).order_by("name"):
        path = storage.fetch(upload.blob_id, scratch / "raw")
        found += opened(Named(upload.name, path), scratch, limits, upload.blob_id)
    return found
