"""Inspections with findings in the queue; rows of their own where a test is not about inspections."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.journals.models import Inspection, Journal
from webapp.review.findings import ingest_findings
from webapp.review.models import Finding
from webapp.review.states import rank


@pytest.fixture
def journal(project: Any, owner: Any) -> Journal:
    """A journal of the owner."""
    return Journal.objects.create(project=project, name="kafkasql-journal", created_by=owner)


@pytest.fixture
def inspect(journal: Journal) -> Callable[..., Inspection]:
    """`inspect("a", "b")`: an inspection that finds a and b and is in the queue; a dict says more of a finding."""
    moments = iter(timezone.now() - timedelta(hours=24 - hour) for hour in range(24))

    def make(
        *found: str | dict[str, Any], of: Journal = journal, taken: bool = True, incidents: Any = ()
    ) -> Inspection:
        rows = [finding(one) if isinstance(one, str) else finding(**one) for one in found]
        done = {"state": Inspection.State.DONE, "finished_at": next(moments)}
        inspection = Inspection.objects.create(journal=of, **done)
        write_results(inspection.results, report_document(findings=rows, incidents=list(incidents)))
        if taken:
            ingest_findings(inspection)
        return inspection

    return make


@pytest.fixture
def newer_dump(journal: Journal) -> Callable[[], Journal]:
    """A newer dump of the same journal."""

    def make() -> Journal:
        return Journal.objects.create(project=journal.project, name="newer dump", lineage=journal.lineage)

    return make


@pytest.fixture
def make_findings(journal: Journal) -> Callable[..., list[Finding]]:
    """`make_findings(20, severity="high")`: rows that no inspection stands behind."""

    def make(number: int, of: Journal = journal, **members: Any) -> list[Finding]:
        now = timezone.now()
        plain = {
            "detector": "content-null-update",
            "severity": "critical",
            "topic": "journal",
            "partition": 0,
            "first_seen_at": now,
            "last_seen_at": now,
            "due_at": now + timedelta(days=1),
        } | members
        plain["rank"] = rank(plain["severity"])
        place = {"journal": of, "project": of.project, "lineage": of.lineage}
        names = [uuid4().hex for _ in range(number)]
        rows = [
            Finding(fingerprint=name, **{"title": f"Content {n} is lost", "incident": name, **plain}, **place)
            for n, name in enumerate(names)
        ]
        return Finding.objects.bulk_create(rows)

    return make


@pytest.fixture
def other_project(admin: Any) -> Any:
    """A project that the cast is not in, with one journal in it."""
    from webapp.accounts.models import Project

    other = Project.objects.create(slug="other", name="Another project")
    Journal.objects.create(project=other, name="their-journal")
    return other
