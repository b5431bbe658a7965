"""What follows an inspection without anybody asking: the trial of its journal's repair, and of those that its dump completes."""

from __future__ import annotations

import logging
from functools import partial

from webapp.journals.models import Inspection, Repair
from webapp.journals.repairs import request_repair
from webapp.reports.repair.automatic import MAX_RECORDS, incomplete_repairs, is_due, is_tried, request_again
from webapp.reports.results import ResultsGone
from workers.kinds.repair_sources import partitions_of, repairable, sources_from, sources_of

logger = logging.getLogger(__name__)


def request_trials_logged(inspection: Inspection, is_watched: bool) -> None:
    """For who has a report to keep: what goes wrong here is logged, and a user can still start the repair. Of runs of a watch
    only one with losses that were not tried has its repair tried."""
    for request in (partial(request_trial, is_watched=is_watched), complete_others):
        try:
            request(inspection)
        except ResultsGone:
            logger.warning("The report of inspection %s is gone: no repair is tried with it.", inspection.pk)
        except Exception:
            logger.exception("The repair of inspection %s could not be requested.", inspection.pk)


def request_trial(inspection: Inspection, is_watched: bool = False) -> Repair | None:
    """A repair of a finished inspection that needs one and has none, with what other dumps have of it."""
    if not is_due(inspection) or (is_watched and is_tried(inspection)):
        return None
    sources = sources_of(inspection)
    return request_repair(inspection, sources.older, sources.files, None)


def complete_others(arrived: Inspection) -> list[Repair]:
    """Repairs that lacked what this inspection's dump has, requested once more with it."""
    usable = Inspection.objects.filter(repairable(), pk=arrived.pk, summary__records__lt=MAX_RECORDS)
    repairs = incomplete_repairs(arrived) if usable.exists() else []
    others = partitions_of(arrived) if repairs else []
    searches = [(repair, sources_from(arrived, others, repair)) for repair in repairs]
    return [
        request_again(repair, search.older, search.files)
        for repair, search in searches
        if not search.is_empty
    ]
