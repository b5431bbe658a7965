"""A newer dump of a report's log, among the journals that the reader may see: what a repair of the older state no longer matches.

Which inspections are asked is said where the Repair page says it (`older_dumps.py`); that one is of the log is proven by its records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from spark.difference.same_log import RECORDS
from spark.tables.replica import PartitionReplica
from spark.terms.verdict_word import verdict_word, without_word
from webapp.journals.models import Inspection
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.same_log import is_of_one_log
from webapp.reports.repair.older_dumps import dumps_beside
from webapp.reports.repair.origins import OriginDump, dump_named
from webapp.reports.repair.topic import repairable
from webapp.reports.results import PartitionResults, Results, ResultsGone, open_results

if TYPE_CHECKING:
    from webapp.reports.page import Page

MAX_ASKED = 20  # dumps, the newest first
OFFSETS_COMPARED = 10_000  # the last ones of the older dump
BEHIND = f'SELECT count(*) FROM ({RECORDS}) WHERE "offset" > $high'


@dataclass(frozen=True)
class NewerDump:
    """A dump that reaches further than this one. `records`: it has so many behind `last_offset`, the last one of this dump."""

    dump: OriginDump
    inspection: Inspection
    replica: PartitionReplica
    last_offset: int
    records: int

    @property
    def verdict(self) -> str:
        """`The newer dump later: Critical. 4 artifacts return 404.`"""
        level, sentence = self.inspection.verdict_level or "info", self.inspection.headline
        return f"The newer dump {self.dump.name}: {verdict_word(level, sentence)}. {without_word(level, sentence).removesuffix('.')}."

    def is_of(self, replica: PartitionReplica) -> bool:
        """Whether it shows what became of this partition."""
        return replica[:2] == self.replica[:2]


def newer_dump(page: Page) -> NewerDump | None:
    """Of those that are proven to be of the log of a repairable journal, the one that ends last; None in a share."""
    ours = page.source.inspection
    if ours is None or not page.report.coverage.get("has_offsets", True):
        return None
    topics = {journal["topic"] for journal in repairable(page.report.document.get("journals", []))}
    replicas = [replica for replica in page.survey.replicas if replica.topic in topics]
    for theirs in later_dumps(page, ours) if replicas else ():
        for replica in replicas:
            last = page.survey.facts[replica].last_offset
            if last is not None and (records := records_behind(page.results.of(replica), theirs, last)):
                return NewerDump(dump_named(theirs, ours), theirs, replica, last, records)
    return None


def later_dumps(page: Page, ours: Inspection) -> QuerySet[Inspection]:
    """Of the same topic and service, with a newer record and with one that this dump can have, too; the newest first."""
    last_ms = ours.summary.get("last_timestamp_ms")
    if last_ms is None:
        return Inspection.objects.none()
    later = dumps_beside(page).filter(
        summary__last_timestamp_ms__gt=last_ms, summary__first_timestamp_ms__lte=last_ms
    )
    return later.select_related("journal").order_by("-summary__last_timestamp_ms")[:MAX_ASKED]


def records_behind(ours: PartitionResults, theirs: Inspection, last: int) -> int:
    """How many records another dump of the same log has behind this one's last offset; 0 if it is not proven to be of the log."""

    def count() -> int:
        try:
            with open_results(theirs.results) as results:
                return _records_behind(ours, results, last)
        except ResultsGone:
            return 0

    return ours.remembered(("records behind", str(theirs.pk)), count)


def _records_behind(ours: PartitionResults, results: Results, last: int) -> int:
    for theirs in map(results.of, survey(results).replicas):
        if is_of_one_log(ours, theirs, last - OFFSETS_COMPARED, last):
            return int(theirs.value(BEHIND, {"high": last}))
    return 0
