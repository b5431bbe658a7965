"""Holds, moves and the preview of retention by API; projects made and removed; jobs stopped and started again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.journals.models import Inspection, Journal

RETENTION = "/projects/default/retention/"


@pytest.fixture
def journal(project: Any, owner: Any) -> Journal:
    """Three days old."""
    made = Journal.objects.create(project=project, name="orders", created_by=owner)
    Journal.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(days=3))
    return made


def test_under_hold_nothing_is_deleted_and_an_admin_ends_it(
    admin: Any, program: Any, journal: Journal
) -> None:
    caller, one = program(admin), f"/journals/{journal.pk}/"
    held = caller.post(f"{one}hold/", {"is_on_hold": True})
    assert (held.status_code, held.json()["is_on_hold"]) == (200, True)
    refused = caller.delete(one)
    assert (refused.status_code, "legal hold" in refused.json()["error"]) == (409, True)
    assert caller.post(f"{one}hold/", {"is_on_hold": False}).json()["is_on_hold"] is False
    assert caller.delete(one).status_code == 204
    events = Event.objects.filter(action__in=("journal.held", "journal.released")).order_by("pk")
    assert [(event.action, bool(event.detail["token"])) for event in events] == [
        ("journal.held", True),
        ("journal.released", True),
    ]


def test_a_journal_moves_between_projects_of_one_admin_and_nowhere_else(
    admin: Any, program: Any, journal: Journal, theirs: Any
) -> None:
    other = Project.objects.create(slug="other", name="Other")
    caller, move = program(admin), f"/journals/{journal.pk}/move/"
    for slug in ("other", theirs.project.slug, "default"):
        refused = caller.post(move, {"project": slug})
        assert (refused.status_code, refused.json()["field"]) == (400, "project")
        assert "HIDDENMARK" not in refused.json()["error"]
    other.memberships.create(user=admin, role="admin")
    assert program(admin).post(move, {"project": "other"}).json()["project"] == "other"
    journal.refresh_from_db()
    assert journal.project == other
    assert Event.objects.filter(action="journal.moved").count() == 2
    caller.post(f"/journals/{journal.pk}/hold/", {"is_on_hold": True})
    assert caller.post(move, {"project": "default"}).status_code == 409


def test_what_retention_would_delete_is_counted_and_nothing_is_deleted(
    admin: Any, program: Any, journal: Journal
) -> None:
    caller = program(admin, "admin")
    kept = caller.get(RETENTION).json()
    assert (kept["days"], kept["going"], kept["removal"]["journals"]) == (None, [], 0)
    told = caller.get(f"{RETENTION}?days=2").json()
    assert (told["days"], told["going_count"], told["removal"]["journals"]) == (2, 1, 1)
    assert told["going"][0]["id"] == str(journal.pk)
    assert told["removal"]["sentence"].startswith("Removed for everybody: 1 journal.")
    assert caller.get(f"{RETENTION}?days=9").json()["soon_count"] == 1
    assert caller.get(f"{RETENTION}?days=0").json()["field"] == "days"
    caller.patch("/projects/default/settings/", {"retention_days": 1})
    assert caller.get(RETENTION).json()["going_count"] == 1
    assert Journal.objects.filter(pk=journal.pk).exists()


def test_projects_are_made_and_removed_by_a_superuser_who_is_signed_in(
    admin: Any, program: Any, sign_in: Any, journal: Journal
) -> None:
    boss = User.objects.create_superuser("boss")
    for caller in (program(admin), program(boss)):
        refused = caller.post("/projects/", {"name": "Payments"})
        assert (refused.status_code, "superuser" in refused.json()["error"]) == (403, True)
        assert caller.delete("/projects/default/").status_code == 403
    browser = sign_in(boss)

    def create(name: str) -> Any:
        return browser.post("/api/v1/projects/", {"name": name}, content_type="application/json")

    made = create("Payments")
    assert (made.status_code, made.json()["slug"]) == (201, "payments")
    assert create("Payments").json()["field"] == "name"
    assert browser.delete("/api/v1/projects/payments/").status_code == 204
    full = browser.delete("/api/v1/projects/default/")
    assert (full.status_code, "1 journal" in full.json()["error"]) == (409, True)
    actions = Event.objects.filter(action__startswith="project.").order_by("pk")
    assert list(actions.values_list("action", flat=True)) == ["project.created", "project.deleted"]


def test_an_admin_stops_a_job_and_starts_it_again(admin: Any, program: Any, journal: Journal) -> None:
    waiting = Inspection.objects.create(journal=journal)
    caller, job = program(admin, "admin"), f"/jobs/inspection/{waiting.pk}/"
    refused = caller.post(f"{job}again/")
    assert (refused.status_code, "has not finished" in refused.json()["error"]) == (409, True)
    assert caller.post(f"{job}cancel/").json()["state"] == "cancelled"
    assert caller.post(f"/jobs/dance/{waiting.pk}/cancel/").status_code == 404
    assert program(admin, "read", "inspect").post(f"{job}cancel/").status_code == 403
