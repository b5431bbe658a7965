"""Jobs with brokers: captures of topics, questions to clusters."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from webapp.clusters import captures
from webapp.clusters.models import Capture, Trial
from webapp.jobs.kinds import DISK_FULL, WORKER_LOST, Kind
from webapp.jobs.models import State


class Captures(Kind):
    name, model, to_project = "capture", Capture, "project"
    task, queue = "journalscope.capture", "transfers"
    related = ("project", "cluster", "requested_by")
    defect = (
        "The capture failed because of a bug in Journalscope. The captured data is kept. Continue the capture or end it here. "
        "Ask an admin to check the worker's log."
    )
    disk_full = "The server's disk is full. The captured data is kept. Ask an admin to free disk space, then continue."
    worker_lost = (
        "The worker stopped during this capture, and again at the second attempt. The captured data is kept. Continue the capture "
        "or end it here. Ask an admin to check the worker's log."
    )

    def title(self, row: Any) -> str:
        return f"{row.topic} of {row.cluster_name}"

    def url(self, row: Any) -> str:
        return reverse("capture", args=[row.pk])

    def may_start_again(self, row: Any) -> bool:
        return row.state == State.FAILED and bool(row.cluster_id or row.journal_id)

    def cancel(self, row: Any) -> None:
        captures.stop(row, None)

    def start_again(self, row: Any, user: Any) -> None:
        captures.resume(row, user)

    def clean_up(self) -> None:
        """Turn captures that were paused or failed long ago into journals, and delete folders of finished captures."""
        folder = Path(settings.CAPTURES_DIR)
        # first: a capture begun after this look is not in it
        folders = list(folder.iterdir()) if folder.is_dir() else []
        old = timezone.now() - timedelta(hours=settings.UPLOAD_EXPIRY_HOURS)
        idle = Capture.objects.filter(
            state__in=[State.PAUSED, State.FAILED], finished_at__lt=old, journal=None
        )
        for capture in idle.exclude(size_bytes=0):
            captures.stop(capture, None)
        unfinished = Capture.objects.exclude(state__in=[State.DONE, State.CANCELLED])
        needed = {str(pk) for pk in unfinished.values_list("pk", flat=True)}
        for path in folders:
            if path.name not in needed:
                shutil.rmtree(path, ignore_errors=True)


class Trials(Kind):
    name, model, to_project = "trial", Trial, "cluster__project"
    to_title = "cluster__name"
    task, queue = "journalscope.try_cluster", "quick"
    related = ("cluster__project", "requested_by")
    asked_column = "requested_at"
    can_cancel, is_listed = False, False
    defect = "This failed because of a bug in Journalscope. Ask an admin to check the worker's log."
    disk_full = DISK_FULL.format(what="question to the cluster", again="try again")
    worker_lost = WORKER_LOST.format(what="question to the cluster")

    def url(self, row: Any) -> str:
        return reverse("trial-state", args=[row.pk])
