"""The job that makes what a link shows."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from webapp.jobs.kinds import WORKER_LOST, Kind
from webapp.jobs.models import State
from webapp.journals.disk.sizes import result_sizes
from webapp.sharing.models import Share
from webapp.sharing.shares import remove_tables


class Shares(Kind):
    name, model, to_project = "share", Share, "project"
    to_title = "journal_name"
    task, queue = "journalscope.share", "transfers"
    related = ("project", "created_by")
    asker = "created_by"
    can_cancel = False
    defect = (
        "The link could not be made because of a bug in Journalscope. Ask an admin to check the worker's log."
    )
    disk_full = "The server's disk is full, so the link could not be made. Ask an admin to make room, then share again."
    worker_lost = WORKER_LOST.format(what="shared link")

    def url(self, row: Any) -> str:
        return reverse("share-log", args=[row.pk])

    def clean_up(self) -> None:
        """Delete the tables of shares that are closed."""
        is_closed = Q(revoked_at__isnull=False) | Q(source_deleted_at__isnull=False)
        over = Share.objects.filter(is_closed | Q(expires_at__lte=timezone.now()))
        for share in over.exclude(state=State.FAILED):
            if result_sizes([share.pk]):
                remove_tables(share)
