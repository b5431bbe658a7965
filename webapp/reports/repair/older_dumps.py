"""Which inspections are dumps of a report's topic, older or newer, as conditions of a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from spark.tables.replica import PartitionReplica
from spark.terms.marked import UNNAMED
from webapp.journals.access import finished_inspections
from webapp.journals.models import Inspection, Journal
from webapp.reports.queries.partitions import Survey, survey
from webapp.reports.queries.same_log import is_of_one_log
from webapp.reports.repair.topic import repairable
from webapp.reports.report import Report
from webapp.reports.results import PartitionResults, ResultsGone, open_results

if TYPE_CHECKING:
    from webapp.reports.page import Page

BETWEEN_SERVICES = re.compile(r", then | or ")  # in the profile of a journal
VERSION = re.compile(r" (\(.*|[\d.]+)$")
OFFSETS_COMPARED = 10_000  # the last ones that both dumps can have
PROVED = 20  # dumps, the first ones: whether they are of this log is asked of their records
MAX_READ = 100  # reports that are read because their summary does not name the service


def dumps_beside(page: Page) -> QuerySet[Inspection]:
    """Of each other journal that the user may see, the newest finished inspection, if it is of the same topic and service. A
    sample is no dump of a user's topic."""
    ours = page.inspection
    finished = finished_inspections(page.request.user)
    newest = finished.filter(journal=OuterRef("journal")).order_by("-created_at", "-pk").values("pk")[:1]
    others = finished.filter(of_the_same_topic(page.report), pk=Subquery(newest))
    others = others.exclude(of_the_same_files(ours.journal))
    if not ours.journal.is_sample:
        others = others.exclude(journal__is_sample=True)
    foreign = others.filter(of_another_service(page, others)).exclude(journal__lineage=ours.journal.lineage)
    return others.exclude(pk__in=foreign.values("pk"))


def of_the_same_topic(report: Report) -> Q:
    """Of the same journal language and topic, as far as the layouts name the topic."""
    condition = Q()
    for journal in repairable(report.document.get("journals", [])):
        same = Q(summary__dialects__icontains=journal.get("dialect_title") or journal["dialect"])
        if journal["topic"] != UNNAMED:
            topics = Q(summary__topics__icontains=f'"{journal["topic"]}"')
            same &= topics | Q(summary__topics__icontains=f'"{UNNAMED}"')
        condition |= same
    return condition or Q(pk=None)


def of_the_same_files(journal: Journal) -> Q:
    """Of the journal itself, or of its files under another name: they contain no more than it."""
    same = Q(journal=journal)
    return same | Q(journal__input_digest=journal.input_digest) if journal.input_digest else same


def of_another_service(page: Page, others: QuerySet[Inspection]) -> Q:
    """Written by another service that uses such topics, as far as both services are known. Of an inspection from before
    summaries named the services, its report tells them."""
    summary = page.inspection.summary
    services = summary["services"] if "services" in summary else services_in(page.report.document)
    if not services:
        return Q(pk=None)
    same = Q()
    for service in services:
        same |= Q(summary__services__icontains=service)
    unnamed = others.filter(summary__services__isnull=True)[:MAX_READ]
    foreign = [
        theirs.pk for theirs in unnamed if not (read_services(theirs) or set(services)) & set(services)
    ]
    return (Q(summary__services__icontains='"') & ~same) | Q(pk__in=foreign)


def read_services(inspection: Inspection) -> set[str]:
    """Those that its report names; empty without a report."""
    try:
        with open_results(inspection.results) as results:
            return services_in(results.document)
    except ResultsGone:
        return set()


def services_in(document: dict[str, Any]) -> set[str]:
    """By which services the repairable journals of a report were written: `Karapace` of `Karapace 3.9.0`."""
    profiles = [journal.get("profile") or "" for journal in repairable(document.get("journals", []))]
    names = (VERSION.sub("", name) for profile in profiles for name in BETWEEN_SERVICES.split(profile))
    return {name for name in names if name}


def can_be_proven(page: Page) -> bool:
    """Whether records in common can show which dumps are of this log."""
    return bool(repairable(page.report.document.get("journals", [])))


def unproven_dumps(page: Page, dumps: Sequence[Inspection]) -> list[Any]:
    """Of the first dumps, those that no record in common shows to be of this log, where records can show it."""
    first = dumps[:PROVED] if can_be_proven(page) else ()
    return [dump.pk for dump in first if not is_of_this_log(page, dump)]


def is_of_this_log(page: Page, theirs: Inspection) -> bool:
    """Whether the records that both dumps have prove it, of a journal that can be repaired."""

    def ask() -> bool:
        try:
            with open_results(theirs.results) as results:
                others = survey(results)
                return any(
                    _is_one_log(page, ours, results.of(other), others)
                    for ours in page.survey.replicas
                    if ours.topic in topics
                    for other in others.replicas
                )
        except ResultsGone:
            return False

    topics = {journal["topic"] for journal in repairable(page.report.document.get("journals", []))}
    return page.results.remembered(("of this log", str(theirs.pk)), ask)


def _is_one_log(page: Page, ours: PartitionReplica, theirs: PartitionResults, others: Survey) -> bool:
    """By the last offsets that both can have."""
    ends = [page.survey.facts[ours].last_offset, others.facts[theirs.replica].last_offset]
    last = min((end for end in ends if end is not None), default=-1)
    return is_of_one_log(page.results.of(ours), theirs, last - OFFSETS_COMPARED, last)
