"""The kinds of work that the jobs page lists: what differs between inspections, repairs, captures, comparisons and shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Model
from django.urls import reverse

from webapp.clusters import captures
from webapp.clusters.models import Capture
from webapp.journals import comparisons, inspections, repairs
from webapp.journals.models import Comparison, Inspection, Repair, Run
from webapp.journals.refused import Refused
from webapp.sharing.models import Share

State = Run.State
LOST = (State.FAILED, State.CANCELLED)


class Kind(ABC):
    """One kind. Rows of all kinds have `state` and `error`."""

    name: ClassVar[str]
    model: ClassVar[type[Model]]
    to_project: ClassVar[str]  # from a row, as a query spells it
    related: ClassVar[tuple[str, ...]]
    asked: ClassVar[str] = "created_at"
    asker: ClassVar[str] = "requested_by"
    ended: ClassVar[str] = "finished_at"
    can_cancel: ClassVar[bool] = True

    @abstractmethod
    def title(self, row: Any) -> str:
        """Name of the journal."""

    @abstractmethod
    def project(self, row: Any) -> Any:
        """Whose it is."""

    @abstractmethod
    def url(self, row: Any) -> str:
        """Its own page."""

    def started_at(self, row: Any) -> datetime:
        """When a worker took it; else when it was asked for."""
        return getattr(row, "started_at", None) or getattr(row, self.asked)

    def is_abandoned(self, row: Any) -> bool:
        """Whether it should be running and no worker says that it is."""
        return False

    def may_start_again(self, row: Any) -> bool:
        """Over without a result, or its worker is gone; and what it needs is still there."""
        return False

    def cancel(self, row: Any) -> None:
        """Stop it. Raises Refused."""
        raise Refused(f"A {self.name} ends by itself within seconds; it cannot be stopped.", 409)

    def start_again(self, row: Any, user: Any) -> None:
        """The same once more. Raises Refused."""
        raise Refused(f"A {self.name} cannot be started again here.", 409)


class Inspections(Kind):
    """Of the pipeline."""

    name, model, to_project = "inspection", Inspection, "journal__project"
    related = ("journal__project", "requested_by")

    def title(self, row: Any) -> str:
        return str(row.journal.name)

    def project(self, row: Any) -> Any:
        return row.journal.project

    def url(self, row: Any) -> str:
        return reverse("inspection", args=[row.pk])

    def is_abandoned(self, row: Any) -> bool:
        return inspections.is_abandoned(row)

    def may_start_again(self, row: Any) -> bool:
        is_lost = row.state in LOST or self.is_abandoned(row)
        return is_lost and row.journal.uploads.exclude(blob=None).exists()

    def cancel(self, row: Any) -> None:
        inspections.cancel(row)

    def start_again(self, row: Any, user: Any) -> None:
        inspections.retry(row, user)


class Repairs(Kind):
    """Of a journal that an inspection found broken."""

    name, model, to_project = "repair", Repair, "inspection__journal__project"
    related = ("inspection__journal__project", "requested_by")

    def title(self, row: Any) -> str:
        return str(row.inspection.journal.name)

    def project(self, row: Any) -> Any:
        return row.inspection.journal.project

    def url(self, row: Any) -> str:
        return reverse("report-repair-result", args=[row.inspection_id, row.pk])

    def is_abandoned(self, row: Any) -> bool:
        return repairs.is_abandoned(row)

    def may_start_again(self, row: Any) -> bool:
        return bool(repairs.may_start_again(row))

    def cancel(self, row: Any) -> None:
        repairs.cancel(row)

    def start_again(self, row: Any, user: Any) -> None:
        repairs.again(row, user)


class Captures(Kind):
    """Of a topic of a cluster."""

    name, model, to_project = "capture", Capture, "project"
    related = ("project", "cluster", "requested_by")

    def title(self, row: Any) -> str:
        return f"{row.topic} of {row.cluster_name}"

    def project(self, row: Any) -> Any:
        return row.project

    def url(self, row: Any) -> str:
        return reverse("capture", args=[row.pk])

    def is_abandoned(self, row: Any) -> bool:
        return captures.is_abandoned(row)

    def may_start_again(self, row: Any) -> bool:
        return row.state == Capture.State.FAILED and bool(row.cluster_id or row.journal_id)

    def cancel(self, row: Any) -> None:
        captures.stop(row, None)

    def start_again(self, row: Any, user: Any) -> None:
        captures.resume(row, user)


class Comparisons(Kind):
    """Of two inspections."""

    name, model, to_project = "comparison", Comparison, "left__journal__project"
    related = ("left__journal__project", "right__journal", "requested_by")
    asked = ended = "requested_at"
    can_cancel = False

    def title(self, row: Any) -> str:
        return str(row.left.journal.name)

    def project(self, row: Any) -> Any:
        return row.left.journal.project

    def url(self, row: Any) -> str:
        return reverse("report-comparison", args=[row.left_id, row.right_id])

    def may_start_again(self, row: Any) -> bool:
        return bool(comparisons.may_ask_again(row))

    def start_again(self, row: Any, user: Any) -> None:
        comparisons.request_comparison(row.left, row.right, user)


class Shares(Kind):
    """Tables of a share link."""

    name, model, to_project = "share", Share, "project"
    related = ("project", "created_by")
    asker, ended = "created_by", "created_at"
    can_cancel = False

    def title(self, row: Any) -> str:
        return str(row.journal_name)

    def project(self, row: Any) -> Any:
        return row.project

    def url(self, row: Any) -> str:
        return reverse("share-log", args=[row.pk])


KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Inspections(), Repairs(), Captures(), Comparisons(), Shares())
}
