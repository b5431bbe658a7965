"""Run by test_at_once.py on a database of its own: reviewers decide while inspections are taken in, all in threads."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from tests.webapp.reports.result_folder import finding, report_document, write_results  # noqa: E402
from webapp.accounts.models import Project  # noqa: E402
from webapp.journals.models import Inspection, Journal  # noqa: E402
from webapp.review import decisions  # noqa: E402
from webapp.review.findings import ingest_findings  # noqa: E402
from webapp.review.models import Finding, Intake  # noqa: E402

FINDINGS, INSPECTIONS, REVIEWERS, TURNS = 60, 4, 3, 5
STATES = ("confirmed", "resolved", "suppressed", "acknowledged")
errors: list[str] = []


def in_thread(act: Callable[[], None]) -> threading.Thread:
    """A thread with a connection of its own that keeps what goes wrong."""

    def acting() -> None:
        try:
            act()
        except Exception as error:
            errors.append(repr(error))
        finally:
            connection.close()

    return threading.Thread(target=acting)


def inspected(journal: Journal, number: int) -> Inspection:
    """An inspection that finds the same as the others, at times worse."""
    made = Inspection.objects.create(journal=journal, state="done", finished_at=timezone.now())
    severity = "critical" if number % 2 else "high"
    found = [finding(f"f{n}", severity=severity) for n in range(FINDINGS)]
    write_results(made.results, report_document(findings=found))
    return made


def work_off(user: Any, others: list[Any]) -> None:
    """Decide and assign at random."""
    ids = list(Finding.objects.values_list("pk", flat=True))
    for _ in range(TURNS):
        some = random.sample(ids, FINDINGS // 2)
        decisions.decide(some, user, random.choice(STATES), seen_at=timezone.now())
        decisions.assign(some, user, random.choice(others))


def broken_links(row: Finding) -> int:
    """Places where a history does not say what was replaced, or does not end at what is."""
    broken = 0
    for what, first, now in (
        ("state", "new", row.state),
        ("assignee", "", getattr(row.assignee, "username", "")),
    ):
        last = first
        for change in row.changes.filter(what=what).order_by("pk"):
            broken += change.before != last
            last = change.after
        broken += last != now
    return broken


call_command("migrate", verbosity=0)
project = Project.objects.get(slug="default")
reviewers = [User.objects.create_user(f"reviewer-{n}") for n in range(REVIEWERS)]
for reviewer in reviewers:
    project.memberships.create(user=reviewer, role="reviewer")
runs = [inspected(Journal.objects.create(project=project, name="journal"), 0)]
runs += [inspected(runs[0].journal, number) for number in range(1, INSPECTIONS)]
ingest_findings(runs[0])
threads = [in_thread(lambda user=user: work_off(user, reviewers)) for user in reviewers]  # type: ignore[misc]
threads += [in_thread(lambda: [ingest_findings(run) for run in runs] and None) for _ in range(2)]  # type: ignore[func-returns-value]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(errors, Finding.objects.count(), Intake.objects.count(), sum(map(broken_links, Finding.objects.all())))
