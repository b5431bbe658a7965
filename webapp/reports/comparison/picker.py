"""What a report can be compared with: dumps of the same journal first, then of the same topics and the same time, each the one
with the newest record first; and the copies within one input."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import BigIntegerField, Case, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, NullIf
from django.db.models.lookups import GreaterThan, LessThan

from spark.terms.marked import UNNAMED
from webapp.journals.access import finished_inspections
from webapp.journals.models import Inspection
from webapp.reports.page import Page

SAME_LINEAGE, SAME_TOPIC, OTHER_TIME, SAME_FILES, OTHER = range(5)
WORDS = {
    SAME_LINEAGE: "another dump of this journal",
    SAME_TOPIC: "same topic",
    OTHER_TIME: "same topic, other time",
    SAME_FILES: "same files",
}
# JSON's null is a value that the databases compare with numbers; SQLite returns its name.
OLDEST_RECORD, NEWEST_RECORD = (
    Cast(NullIf(KT(f"summary__{name}_timestamp_ms"), Value("null")), BigIntegerField())
    for name in ("first", "last")
)
GROUPS = {
    SAME_LINEAGE: "dumps of this journal",
    SAME_TOPIC: "dumps of the same topic",
    OTHER_TIME: "dumps of the same topic from another time",
    SAME_FILES: "inspections of the same files",
}
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


def choices(page: Page, text: str) -> tuple[QuerySet[Inspection], QuerySet[Inspection]]:
    """The newest finished inspection of each journal that the user may see, but this one, each with its `rank`: those of the same
    journal or topic, and the others."""
    finished = finished_inspections(page.request.user)
    newest = finished.filter(journal=OuterRef("journal")).order_by("-created_at", "-pk").values("pk")[:1]
    others = finished.filter(pk=Subquery(newest)).exclude(pk=page.inspection.pk)
    ranked = others.select_related("journal").annotate(rank=rank_beside(page.inspection))
    if text:
        ranked = ranked.filter(journal__name__icontains=text)
    in_order = ranked.order_by("rank", NEWEST_RECORD.desc(nulls_last=True), "-created_at", "-pk")
    return in_order.exclude(rank=OTHER), in_order.filter(rank=OTHER)


def order_words(ranks: Iterable[int]) -> str:
    """The order of inspections with these ranks."""
    groups = [GROUPS[rank] for rank in sorted(set(ranks))]
    if len(groups) < 2:
        return "the newest record first"
    return f"{groups[0]} first, then {', then '.join(groups[1:])}; in each group, the newest record first"


def rank_beside(inspection: Inspection) -> Case:
    """Another inspection of the same files shows no loss, so it comes after other dumps of the topics. A sample is no dump of
    a user's topic."""
    summary = inspection.summary
    topics = summary.get("topics") or []
    samples = [] if inspection.journal.is_sample else [When(journal__is_sample=True, then=Value(OTHER))]
    return Case(
        When(journal=inspection.journal, then=Value(SAME_FILES)),
        When(journal__lineage=inspection.journal.lineage, then=Value(SAME_LINEAGE)),
        *samples,
        *(_of_topics(topics, summary) if set(topics) - {UNNAMED} else []),
        default=Value(OTHER),
        output_field=IntegerField(),
    )


def _of_topics(topics: list[str], summary: dict[str, Any]) -> list[When]:
    """Two dumps of one log have records of the same time, unless the log lost them all."""
    first, last = summary.get("first_timestamp_ms"), summary.get("last_timestamp_ms")
    if first is None or last is None:
        return [When(summary__topics=topics, then=Value(SAME_TOPIC))]
    is_apart = Q(GreaterThan(OLDEST_RECORD, last)) | Q(LessThan(NEWEST_RECORD, first))
    return [
        When(is_apart, summary__topics=topics, then=Value(OTHER_TIME)),
        When(summary__topics=topics, then=Value(SAME_TOPIC)),
    ]


def partitions_with_replicas(page: Page) -> list[str]:
    """Partitions of which this inspection holds several brokers' copies, as the comparison will see it."""
    brokers: dict[tuple[str, int, str, str], set[str]] = defaultdict(set)
    copies = {row["replica"]: row for row in page.results.rows(COPIES)}
    for replica in page.survey.replicas:
        copy = copies.get(replica.replica, {"layouts": "", "broker": replica.replica, "cluster": ""})
        if replica.topic != UNNAMED and not LEFTOVER.search(replica.replica):
            brokers[replica.topic, replica.partition, copy["layouts"], copy["cluster"]].add(copy["broker"])
    return sorted({f"{topic}-{number}" for (topic, number, *_), of in brokers.items() if len(of) > 1})
