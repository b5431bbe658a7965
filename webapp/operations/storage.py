"""What is stored, for whom, and what is free."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, Sum

from webapp.accounts.models import Project
from webapp.journals.disk.sizes import folder_size, result_sizes
from webapp.journals.models import Blob, Inspection, Journal, Repair, Upload
from webapp.sharing.models import Share

JOURNALS_SHOWN = 20


@dataclass
class Stored:
    """Bytes of a project or a journal by kind."""

    raw_bytes: int = 0
    result_bytes: int = 0
    share_bytes: int = 0
    journals: int = 0
    inspections: int = 0

    @property
    def total_bytes(self) -> int:
        return self.raw_bytes + self.result_bytes + self.share_bytes


@dataclass
class StorageSurvey:
    """Bytes of the projects that a user administers, and their largest journals."""

    projects: list[tuple[Project, Stored]] = field(default_factory=list)
    largest: list[tuple[Journal, Stored]] = field(default_factory=list)

    @property
    def total_bytes(self) -> int:
        """Bytes shared by two projects count twice."""
        return sum(stored.total_bytes for _, stored in self.projects)


def survey(projects: Iterable[Project]) -> StorageSurvey:
    chosen = list(projects)
    journals = _journals(chosen)
    by_journal = _by_journal(chosen, journals)
    result = StorageSurvey([(project, _of_project(project, journals, by_journal)) for project in chosen])
    result.projects.sort(key=lambda pair: -pair[1].total_bytes)
    largest = sorted(journals.values(), key=lambda journal: -by_journal[journal.pk].total_bytes)[
        :JOURNALS_SHOWN
    ]
    result.largest = [
        (journal, by_journal[journal.pk]) for journal in largest if by_journal[journal.pk].total_bytes
    ]
    return result


def site() -> dict[str, int]:
    """Bytes of the whole installation; shared bytes count once."""
    shares = result_sizes(Share.objects.values_list("pk", flat=True))
    runs = [*Inspection.objects.values_list("pk", flat=True), *Repair.objects.values_list("pk", flat=True)]
    return {
        "raw_bytes": Blob.objects.aggregate(total=Sum("size_bytes"))["total"] or 0,
        "result_bytes": sum(result_sizes(runs).values()),
        "share_bytes": sum(shares.values()),
        "upload_bytes": folder_size(Path(settings.UPLOADS_DIR)),
        "uploads": Upload.objects.filter(blob=None).count(),
        "capture_bytes": folder_size(Path(settings.CAPTURES_DIR)),
        "scratch_bytes": folder_size(Path(settings.SCRATCH_DIR)),
        "free_bytes": free_bytes(),
    }


def free_bytes() -> int:
    """Of the fuller of the two disks: data and results."""
    folders = [Path(settings.DATA_DIR), Path(settings.RESULTS_DIR)]
    return min(shutil.disk_usage(_existing(folder)).free for folder in folders)


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _journals(projects: list[Project]) -> dict[Any, Any]:
    counted = Journal.objects.filter(project__in=projects).select_related("project")
    counted = counted.annotate(
        file_bytes=Sum("uploads__size_bytes", filter=Q(uploads__blob__isnull=False)),
        file_count=Count("uploads"),
    )
    return {journal.pk: journal for journal in counted}


def _by_journal(projects: list[Project], journals: dict[Any, Any]) -> dict[Any, Stored]:
    stored: dict[Any, Stored] = defaultdict(Stored)
    for journal in journals.values():
        stored[journal.pk].raw_bytes = journal.file_bytes or 0
    in_these = {"journal__project__in": projects}
    inspections = list(Inspection.objects.filter(**in_these).values_list("pk", "journal_id"))
    repairs = Repair.objects.filter(inspection__journal__project__in=projects)
    for _, journal_id in inspections:
        stored[journal_id].inspections += 1
    runs = [*inspections, *repairs.values_list("pk", "inspection__journal_id")]
    sizes = result_sizes(pk for pk, _ in runs)
    for pk, journal_id in runs:
        stored[journal_id].result_bytes += sizes.get(str(pk), 0)
    _add_shares(stored, projects)
    return stored


def _add_shares(stored: dict[Any, Stored], projects: list[Project]) -> None:
    """Shares of deleted inspections have no tables."""
    shares = Share.objects.filter(inspection__journal__project__in=projects)
    rows = list(shares.values_list("pk", "inspection__journal_id"))
    sizes = result_sizes(pk for pk, _ in rows)
    for pk, journal_id in rows:
        stored[journal_id].share_bytes += sizes.get(str(pk), 0)


def _of_project(project: Project, journals: dict[Any, Journal], by_journal: dict[Any, Stored]) -> Stored:
    """Sum of its journals; raw bytes that they share count once."""
    stored = [by_journal[pk] for pk, journal in journals.items() if journal.project_id == project.pk]
    raw = Blob.objects.filter(upload__journal__project=project).values_list("pk", "size_bytes").distinct()
    return Stored(
        raw_bytes=sum(size_bytes for _, size_bytes in raw),
        result_bytes=sum(project.result_bytes for project in stored),
        share_bytes=sum(project.share_bytes for project in stored),
        journals=len(stored),
        inspections=sum(project.inspections for project in stored),
    )
