"""Trials of repairs that nobody has to ask for: a loss in a small journal starts one, and a dump that has what is missing
another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from webapp.journals.access import journals_seen_with
from webapp.journals.models import Inspection, Repair
from webapp.journals.repairs import MAX_OLDER, added_files, repairs_of_other_dumps, request_repair
from webapp.reports.repair.page import is_complete, is_outdated, repairable_findings, repairable_journals
from webapp.reports.repair.topic import is_topic_needed
from webapp.reports.report import Report, read_report
from webapp.reports.results import ResultsGone, open_results

MAX_RECORDS = 100_000  # of a journal whose trial takes seconds
MAX_LOOKED_AT = 100  # repairs, when a dump arrives
MAX_TRIED_AGAIN = 10  # of which those of journals that something is missing in
LOSSES = ("critical", "high")


def is_due(inspection: Inspection) -> bool:
    """Whether a finished inspection has a loss that a repair can take away, and no repair."""
    is_done = Inspection.objects.filter(pk=inspection.pk, state=Inspection.State.DONE, repairs=None).exists()
    if not is_done:
        return False
    with open_results(inspection.results) as results:
        return is_worth_a_trial(read_report(results.document))


def is_worth_a_trial(report: Report) -> bool:
    """A loss that a repair can take away, in a journal small enough whose topic is named."""
    is_small = report.coverage.get("records", 0) < MAX_RECORDS
    return is_small and bool(losses_of(report)) and not is_topic_needed(repairable_journals(report))


def losses_of(report: Report) -> set[str]:
    """Ids of the findings that start a trial."""
    return {finding.id for finding in repairable_findings(report) if finding.severity in LOSSES}


def is_tried(inspection: Inspection) -> bool:
    """Whether the last repair of another dump of the journal was for the same losses, or more."""
    last = repairs_of_other_dumps(inspection).first()
    return last is not None and reported_losses(inspection) <= reported_losses(last.inspection)


def reported_losses(inspection: Inspection) -> set[str]:
    """The same for an inspection; empty if its results are deleted."""
    try:
        with open_results(inspection.results) as results:
            return losses_of(read_report(results.document))
    except ResultsGone:
        return set()


def incomplete_repairs(arrived: Inspection) -> list[Repair]:
    """Of each other journal that everybody sees who sees this one: its last finished repair, if something stays missing."""
    seen = journals_seen_with(arrived.journal).exclude(pk=arrived.journal_id)
    repairs = Repair.objects.filter(
        inspection__journal__in=seen, inspection__summary__records__lt=MAX_RECORDS, state=Repair.State.DONE
    )
    last: dict[Any, Repair] = {}
    newest = repairs.select_related("inspection__journal__project").order_by("-created_at")[:MAX_LOOKED_AT]
    for repair in newest:
        last.setdefault(repair.inspection.journal_id, repair)
    incomplete = [
        repair for repair in last.values() if not is_outdated(repair) and is_anything_missing(repair)
    ]
    return incomplete[:MAX_TRIED_AGAIN]


def is_anything_missing(repair: Repair) -> bool:
    """Whether the repair does not recover everything."""
    return not all(map(is_complete, (repair.result or {}).get("partitions", [])))


def request_again(repair: Repair, older: Sequence[Inspection], files: Sequence[UploadedFile[Any]]) -> Repair:
    """A repair with these dumps and files beside those that it had; nobody requested it."""
    dumps = list({dump.pk: dump for dump in (*older, *repair.older.all())}.values())[:MAX_OLDER]
    return request_repair(repair.inspection, dumps, files, None, repair.topic, added_files(repair))
