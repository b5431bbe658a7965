"""The trial of a repair that nobody has to ask for: an inspection that found a loss in a small journal starts it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from webapp.journals.models import Inspection, Repair
from webapp.journals.repairs import request_repair
from webapp.reports.repair.page import repairable_findings, repairable_journals
from webapp.reports.repair.topic import is_topic_needed
from webapp.reports.report import Report, read_report
from webapp.reports.results import ResultsGone, open_results

MAX_RECORDS = 100_000  # of a journal whose trial takes seconds
LOSSES = ("critical", "high")
logger = logging.getLogger(__name__)


def request_trial_logged(inspection: Inspection, older: Sequence[Inspection] = ()) -> None:
    """The same for who has a report to keep: what goes wrong here is logged, and a user can still start the repair."""
    try:
        request_trial(inspection, older)
    except ResultsGone:
        logger.warning("The report of inspection %s is gone: its repair is not tried.", inspection.pk)
    except Exception:
        logger.exception("The repair of inspection %s could not be requested.", inspection.pk)


def request_trial(inspection: Inspection, older: Sequence[Inspection] = ()) -> Repair | None:
    """A repair of a finished inspection that needs one and has none; nobody requested it."""
    is_done = Inspection.objects.filter(pk=inspection.pk, state=Inspection.State.DONE, repairs=None).exists()
    if not is_done:
        return None
    with open_results(inspection.results) as results:
        is_due = is_worth_a_trial(read_report(results.document))
    return request_repair(inspection, older, [], None) if is_due else None


def is_worth_a_trial(report: Report) -> bool:
    """A loss that a repair can take away, in a journal small enough whose topic is named."""
    is_small = report.coverage.get("records", 0) < MAX_RECORDS
    losses = [finding for finding in repairable_findings(report) if finding.severity in LOSSES]
    return is_small and bool(losses) and not is_topic_needed(repairable_journals(report))
