"""What deleting journals removes: counted before anybody says yes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import QuerySet, Sum

from spark.terms.wording import listed, plural
from webapp.journals.disk.sizes import result_sizes
from webapp.journals.models import Blob, Inspection, Journal, Repair, RepairFile, Upload
from webapp.journals.templatetags.journalscope import size as in_words


@dataclass(frozen=True)
class Removal:
    """Numbers of rows and bytes. `freed_bytes` leaves out bytes that another journal uses."""

    journals: int = 0
    files: int = 0
    file_bytes: int = 0
    freed_bytes: int = 0
    inspections: int = 0
    repairs: int = 0
    result_bytes: int = 0
    shares: int = 0
    findings: int = 0
    captures: int = 0

    @property
    def parts(self) -> list[str]:
        """`2 files (3.1 MB)`, `1 inspection`, ...; zero counts are left out."""
        results = f" (results {in_words(self.result_bytes)})" if self.result_bytes else ""
        counts = [
            (self.journals, "journal", "journals", ""),
            (self.files, "file", "files", f" ({in_words(self.file_bytes)})"),
            (self.inspections, "inspection", "inspections", results),
            (self.repairs, "repair", "repairs", ""),
            (self.shares, "share link", "share links", ""),
            (self.captures, "capture", "captures", ""),
            (self.findings, "finding with its history", "findings with their history", ""),
        ]
        return [f"{plural(count, noun, nouns)}{size}" for count, noun, nouns, size in counts if count]

    @property
    def sentence(self) -> str:
        if not self.parts:
            return "Nothing is removed."
        return (
            f"Removed for everybody: {listed(self.parts)}. This frees {in_words(self.freed_bytes)} of disk."
        )


def removal_of(journals: QuerySet[Journal] | Iterable[Journal]) -> Removal:
    """Numbers of rows and bytes that are deleted with these journals."""
    ids = [journal.pk for journal in journals]
    files = Upload.objects.filter(journal__in=ids)
    runs = list(Inspection.objects.filter(journal__in=ids).values_list("pk", flat=True))
    repairs = list(Repair.objects.filter(inspection__in=runs).values_list("pk", flat=True))
    # apps above this one are asked by name: they know journals, journals do not know them
    shares = list(_of("sharing", "Share").filter(inspection__in=runs).values_list("pk", flat=True))
    result_bytes = sum(result_sizes([*runs, *repairs, *shares]).values())
    return Removal(
        journals=len(ids),
        files=files.count(),
        file_bytes=files.aggregate(total=Sum("size_bytes"))["total"] or 0,
        freed_bytes=_freed_bytes(ids, repairs) + result_bytes,
        inspections=len(runs),
        repairs=len(repairs),
        result_bytes=result_bytes,
        shares=len(shares),
        findings=_finding_count(runs),
        captures=_of("clusters", "Capture").filter(journal__in=ids).count(),
    )


def _freed_bytes(journals: list[Any], repairs: list[Any]) -> int:
    """Bytes of blobs that only these journals and repairs use."""
    of_these = set(
        Upload.objects.filter(journal__in=journals).exclude(blob=None).values_list("blob_id", flat=True)
    )
    of_these |= set(RepairFile.objects.filter(repair__in=repairs).values_list("blob_id", flat=True))
    elsewhere = set(
        Upload.objects.filter(blob__in=of_these)
        .exclude(journal__in=journals)
        .values_list("blob_id", flat=True)
    )
    elsewhere |= set(
        RepairFile.objects.filter(blob__in=of_these)
        .exclude(repair__in=repairs)
        .values_list("blob_id", flat=True)
    )
    gone = Blob.objects.filter(pk__in=of_these - elsewhere)
    return gone.aggregate(total=Sum("size_bytes"))["total"] or 0


def _of(app: str, model: str) -> QuerySet[Any]:
    return apps.get_model(app, model)._default_manager.all()


def _finding_count(runs: list[Any]) -> int:
    """Findings that no other inspection has seen."""
    sighted = _of("review", "Sighting").values("finding")
    in_runs = sighted.filter(inspection__in=runs)
    elsewhere = sighted.exclude(inspection__in=runs).filter(finding__in=in_runs)
    return in_runs.exclude(finding__in=elsewhere).distinct().count()
