"""Jobs over journals: inspections, repairs, comparisons."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from webapp.jobs import lifecycle
from webapp.jobs.kinds import DEFECT, DISK_FULL, REPLACED, WORKER_LOST, Kind
from webapp.jobs.models import State
from webapp.journals import comparisons, inspections, repairs
from webapp.journals.models import Comparison, Inspection, Repair

LOST = (State.FAILED, State.CANCELLED)
LOST_TWICE = (
    "The worker stopped while it was {doing} this journal, and again at the second attempt; it may need more memory "
    "than the server has. Try again, or ask an admin to look into the worker's log."
)


class Inspections(Kind):
    name, model, to_project = "inspection", Inspection, "journal__project"
    to_title = "journal__name"
    task, queue = "journalscope.inspect", "inspections"
    related = ("journal__project", "requested_by")
    stages = ("plan", "decode", "relate", "replay", "detect", "summarise")
    defect = "The inspection failed because of a bug in Journalscope. Your files are not the cause. Ask an admin to check the worker's log."
    disk_full = DISK_FULL.format(what="inspection", again="try again")
    worker_lost = LOST_TWICE.format(doing="inspecting")
    replaced = REPLACED.format(what="inspection")

    def url(self, row: Any) -> str:
        return reverse("inspection", args=[row.pk])

    def may_start_again(self, row: Any) -> bool:
        is_lost = row.state in LOST or lifecycle.is_abandoned(row)
        return is_lost and row.journal.uploads.exclude(blob=None).exists()

    def cancel(self, row: Any) -> None:
        inspections.cancel(row)

    def start_again(self, row: Any, user: Any) -> None:
        inspections.retry(row, user)


class Repairs(Kind):
    name, model, to_project = "repair", Repair, "inspection__journal__project"
    to_title = "inspection__journal__name"
    task, queue = "journalscope.repair", "inspections"
    related = ("inspection__journal__project", "requested_by")
    stages = ("gather", "build", "append", "copy")
    defect = DEFECT.format(what="repair")
    disk_full = DISK_FULL.format(what="repair", again="start again")
    worker_lost = LOST_TWICE.format(doing="repairing")
    replaced = REPLACED.format(what="repair")

    def url(self, row: Any) -> str:
        return reverse("report-repair-result", args=[row.inspection_id, row.pk])

    def may_start_again(self, row: Any) -> bool:
        return repairs.may_start_again(row)

    def cancel(self, row: Any) -> None:
        lifecycle.cancel(row)

    def start_again(self, row: Any, user: Any) -> None:
        repairs.again(row, user)


class Comparisons(Kind):
    name, model, to_project = "comparison", Comparison, "left__journal__project"
    to_title = "left__journal__name"
    task, queue = "journalscope.compare", "inspections"
    related = ("left__journal__project", "right__journal", "requested_by")
    asked_column = "requested_at"
    can_cancel = False
    defect = DEFECT.format(what="comparison")
    disk_full = DISK_FULL.format(what="comparison", again="compare again")
    worker_lost = WORKER_LOST.format(what="comparison")

    def url(self, row: Any) -> str:
        return reverse("report-comparison", args=[row.left_id, row.right_id])

    def may_start_again(self, row: Any) -> bool:
        return comparisons.may_ask_again(row)

    def start_again(self, row: Any, user: Any) -> None:
        comparisons.request_comparison(row.left, row.right, user)
