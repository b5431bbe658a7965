"""A journal's history: every dump of its lineage with what its newest inspection found, and what changed since one of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Sum
from django.urls import reverse

from spark.tables.replica import PartitionReplica
from webapp.journals.access import journals_for_user
from webapp.journals.models import Inspection, Journal
from webapp.reports.queries.latest import count_key_differences
from webapp.reports.queries.partitions import survey
from webapp.reports.results import ResultsGone, open_results, replica_query

MAX_POINTS = 500
PARTITIONS_SHOWN = 50
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Point:
    """An inspected dump."""

    journal: Journal
    inspection: Inspection
    at: datetime
    size_bytes: int

    @property
    def records(self) -> int:
        """Number of data records."""
        return self.inspection.summary.get("records") or 0

    @property
    def keys(self) -> int | None:
        """Distinct keys of all partitions; None where the inspection did not count them."""
        return self.inspection.summary.get("keys")

    @property
    def findings(self) -> dict[str, int]:
        """Number of open root findings by severity."""
        return self.inspection.summary.get("open_findings") or {}


def points(journal: Journal, user: Any) -> list[Point]:
    """The newest inspected dumps of the lineage that the user may see, oldest first."""
    dumps = journals_for_user(user).filter(lineage=journal.lineage, project=journal.project_id)
    newest = dumps.annotate(size_bytes=Sum("uploads__size_bytes")).order_by("-created_at")[:MAX_POINTS]
    by_id = {dump.pk: dump for dump in newest}
    done = Inspection.objects.filter(journal__in=list(by_id), state=Inspection.State.DONE)
    last = {inspection.journal_id: inspection for inspection in done.order_by("finished_at")}
    return [
        Point(dump, last[dump.pk], dump.complete_at or dump.created_at, dump.size_bytes or 0)
        for dump in reversed(by_id.values())
        if dump.pk in last
    ]


def a_day_before(history: list[Point]) -> Point | None:
    """The newest point at least a day older than the last one; the oldest of a shorter history."""
    if len(history) < 2:
        return None
    border = history[-1].at - DAY
    return next((point for point in reversed(history[:-1]) if point.at <= border), history[0])


@dataclass(frozen=True)
class PartitionChange:
    """Changes in one partition: number of keys by kind of change, and a link to the difference of states."""

    replica: PartitionReplica
    first_offset: int
    last_offset: int
    added: int
    changed: int
    removed: int
    state_url: str
    records_url: str

    @property
    def offsets(self) -> int:
        """Number of new offsets."""
        return max(0, self.last_offset - self.first_offset)


@dataclass(frozen=True)
class Changes:
    """Between two dumps of one log; `note` says why there are none."""

    before: Point
    after: Point
    rows: list[PartitionChange]
    unchanged: int = 0
    left_out: int = 0
    note: str = ""


def changes(before: Point, after: Point) -> Changes:
    """Changes since the end of the older dump. The newer dump must contain the whole log."""
    try:
        with open_results(before.inspection.results) as results:
            ends = {replica: facts.bounds[1] for replica, facts in survey(results).facts.items()}
        with open_results(after.inspection.results) as results:
            every = [(replica, *facts.bounds) for replica, facts in sorted(survey(results).facts.items())]
            grown = [
                (replica, first, last)
                for replica, first, last in every
                if last > ends.get(replica, first - 1)
            ]
            rows = [
                _change(results, after, replica, ends.get(replica, first - 1), last)
                for replica, first, last in grown[:PARTITIONS_SHOWN]
            ]
    except ResultsGone:
        gone = "The results of one of the two inspections no longer exist. Inspect that journal again."
        return Changes(before, after, [], note=gone)
    return Changes(before, after, rows, len(every) - len(grown), len(grown) - len(rows))


def _change(results: Any, after: Point, replica: PartitionReplica, before: int, last: int) -> PartitionChange:
    counts = {
        row["difference"]: row["entities"] for row in count_key_differences(results.of(replica), before, last)
    }
    named = replica_query(replica)
    id = after.inspection.pk
    return PartitionChange(
        replica,
        before,
        last,
        counts.get("added", 0),
        counts.get("changed", 0),
        counts.get("removed", 0),
        f"{reverse('report-state', args=[id])}?{urlencode({**named, 'from': before, 'to': last})}",
        f"{reverse('report-records', args=[id])}?{urlencode({**named, 'offset': before + 1})}",
    )
