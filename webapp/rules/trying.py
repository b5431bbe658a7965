"""What a rule would flag in a finished inspection, before anybody saves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from spark.rules.columns import NOUNS
from spark.rules.decoded import TooManyEncoded
from spark.rules.language import CheckedRule
from spark.rules.query import documents_of, fill, matches, why_unread
from spark.tables.replica import PartitionReplica
from spark.tables.store import QueryError
from spark.terms.marked import plain
from webapp.journals.access import journals_for_user
from webapp.journals.models import Inspection
from webapp.rejected import Rejected
from webapp.reports.results import Results, ResultsGone, open_results

ROWS_SHOWN = 20
SECONDS = 10  # a try may take; in an inspection a rule has longer
OFFERED = 50  # inspections to choose from, the newest


@dataclass(frozen=True)
class Tried:
    """Number of matching rows, and the first of them."""

    inspection: Inspection
    rule: CheckedRule
    count: int
    places: int
    rows: list[dict[str, Any]]

    @property
    def noun(self) -> str:
        return NOUNS[self.rule.over][self.count != 1]


def inspections_to_try(user: Any, project_id: int) -> list[Inspection]:
    """Finished inspections of the project, newest first."""
    done = Inspection.objects.filter(
        journal__in=journals_for_user(user), journal__project=project_id, state=Inspection.State.DONE
    )
    return list(done.select_related("journal").order_by("-created_at")[:OFFERED])


def try_rule(rule: CheckedRule, inspection: Inspection) -> Tried:
    """Ask the inspection's tables. Raises Rejected when they do not answer, or not in time."""
    try:
        with open_results(inspection.results) as results, results.deadline(SECONDS):
            return _asked(rule, inspection, results)
    except ResultsGone as gone:
        raise Rejected(
            "The results of this inspection no longer exist. Inspect the journal again.", 410
        ) from gone
    except TooManyEncoded as many:
        raise Rejected(f"The rule cannot run on this inspection: {many}.") from many
    except TimeoutError as late:
        raise Rejected(
            f"The rule took longer than {SECONDS} seconds on this inspection. Narrow its condition."
        ) from late
    except QueryError as problem:
        raise Rejected(
            f"The tables of this inspection cannot answer the rule ({type(problem).__name__}). They may be of an older "
            "Journalscope: inspect the journal again."
        ) from problem


def _asked(rule: CheckedRule, inspection: Inspection, results: Results) -> Tried:
    decoded = documents_of(rule, rule.over, results)
    matching, values = matches(rule, rule.over, decoded)
    counted = results.row(
        f'SELECT count(*) AS "count", count(DISTINCT (topic, "partition", replica)) AS places FROM ({matching})',
        values,
    )
    rows = results.rows(
        f'SELECT * FROM ({matching}) ORDER BY topic, "partition", replica, proof LIMIT {ROWS_SHOWN}', values
    )
    if not rows and (why := why_unread(rule, rule.over, results, decoded)):
        raise Rejected(f"The rule cannot run on this inspection: {why}.")
    shown_rows = [_shown(rule, inspection, row) for row in rows]
    counts = counted or {"count": 0, "places": 0}
    return Tried(inspection, rule, counts["count"], counts["places"], shown_rows)


def _shown(rule: CheckedRule, inspection: Inspection, row: dict[str, Any]) -> dict[str, Any]:
    replica = PartitionReplica(row["topic"], row["partition"], row["replica"] or "")
    query = urlencode({"topic": replica.topic, "partition": replica.partition, "replica": replica.replica})
    offset = row["proof"]
    address = reverse("report-record", args=[inspection.pk, offset]) if offset is not None else ""
    return {
        "place": replica.name,
        "offset": offset,
        "url": f"{address}?{query}",
        "text": plain(fill(rule, row, 1)),
    }
