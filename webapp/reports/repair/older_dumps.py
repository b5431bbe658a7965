"""Which inspections may be older dumps of a journal that is repaired, as conditions of a query."""

from __future__ import annotations

from django.db.models import Q

from spark.terms.marked import UNNAMED
from webapp.journals.models import Inspection, Journal
from webapp.reports.repair.topic import repairable
from webapp.reports.report import Report

ANY_SERVICE = '"'  # in a list of names as JSON


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


def of_another_service(inspection: Inspection) -> Q:
    """Written by another service that uses such topics, as far as both services are known."""
    same = Q(pk=None)
    for service in inspection.summary.get("services") or [ANY_SERVICE]:
        same |= Q(summary__services__icontains=service)
    return Q(summary__services__icontains=ANY_SERVICE) & ~same
