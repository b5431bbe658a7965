"""What a report can be compared with: dumps of the same topics first, newest first; and the copies within one input."""

from __future__ import annotations

import re
from collections import defaultdict

from django.db.models import Case, IntegerField, QuerySet, Value, When

from webapp.journals.access import finished_inspections
from webapp.journals.models import Inspection
from webapp.reports.page import Page
from webapp.reports.results import UNKNOWN_TOPIC

SAME_TOPIC, SAME_JOURNAL, OTHER = range(3)
LEFTOVER = re.compile(r"-(delete|future|stray)$")  # folders that a deletion or a move left behind
# By the name of a copy: how it is laid out, on which broker it lies, of which cluster it is.
COPIES = r"""
SELECT replica, coalesce(layouts, '') AS layouts, coalesce(broker, replica) AS broker,
       regexp_extract(replica, ' \(cluster (.+)\)$', 1) AS cluster
FROM (SELECT replica, string_agg(DISTINCT layout, ' ' ORDER BY layout) AS layouts FROM files
      WHERE kind IN ('segment', 'export') GROUP BY replica)
LEFT JOIN (SELECT replica, max(value) FILTER (name IN ('broker.id', 'node.id'))
               || '@' || coalesce(max(value) FILTER (name = 'cluster.id'), '') AS broker
           FROM properties WHERE name IN ('broker.id', 'node.id', 'cluster.id') AND replica <> '' GROUP BY replica)
USING (replica)
"""


def choices(page: Page, text: str) -> QuerySet[Inspection]:
    """Other finished inspections that the user may see, each with its `rank`."""
    others = finished_inspections(page.request.user).exclude(pk=page.inspection.pk)
    ranked = others.select_related("journal").annotate(rank=_rank(page.inspection))
    if text:
        ranked = ranked.filter(journal__name__icontains=text)
    return ranked.order_by("rank", "-created_at")


def _rank(inspection: Inspection) -> Case:
    """Another inspection of the same files shows no loss, so it comes after other dumps of the topics."""
    topics = inspection.summary.get("topics") or []
    same_topics = (
        [When(summary__topics=topics, then=Value(SAME_TOPIC))] if set(topics) - {UNKNOWN_TOPIC} else []
    )
    return Case(
        When(journal=inspection.journal, then=Value(SAME_JOURNAL)),
        When(journal__lineage=inspection.journal.lineage, then=Value(SAME_TOPIC)),
        *same_topics,
        default=Value(OTHER),
        output_field=IntegerField(),
    )


def partitions_with_replicas(page: Page) -> list[str]:
    """Partitions of which this inspection holds several brokers' copies, as the comparison will see it."""
    brokers: dict[tuple[str, int, str, str], set[str]] = defaultdict(set)
    copies = {row["replica"]: row for row in page.results.rows(COPIES)}
    for replica in page.survey.replicas:
        copy = copies.get(replica.replica, {"layouts": "", "broker": replica.replica, "cluster": ""})
        if replica.topic != UNKNOWN_TOPIC and not LEFTOVER.search(replica.replica):
            brokers[replica.topic, replica.partition, copy["layouts"], copy["cluster"]].add(copy["broker"])
    return sorted({f"{topic}-{number}" for (topic, number, *_), of in brokers.items() if len(of) > 1})
