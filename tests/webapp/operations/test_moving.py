"""Moving a journal to another project: everything of it goes, by who is an admin of both, and not from under a hold."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.journals.models import Inspection, Journal
from webapp.review.models import Finding


@pytest.fixture
def elsewhere(db: None) -> Project:
    return Project.objects.create(slug="elsewhere", name="Elsewhere")


@pytest.fixture
def both(admin: Any, elsewhere: Project) -> Any:
    """An admin of both projects."""
    elsewhere.memberships.create(user=admin, role="admin")
    return admin


@pytest.fixture
def finding(journal: Journal, reviewer: Any) -> Finding:
    now = timezone.now()
    return Finding.objects.create(
        lineage=journal.lineage, fingerprint="a", project=journal.project, journal=journal, detector="d",
        severity="high", rank=1, title="t", topic="x", first_seen_at=now, last_seen_at=now, assignee=reviewer,
    )  # fmt: skip


def move(client: Any, journal: Journal, project: str = "elsewhere") -> str:
    return str(
        client.post(f"/journals/{journal.pk}/move/", {"project": project}, follow=True).content.decode()
    )


def test_all_dumps_go_with_findings_and_reports(
    done: Inspection, finding: Finding, both: Any, owner: Any, elsewhere: Project, sign_in: Any
) -> None:
    newer = Journal.objects.create(project=done.journal.project, name="newer", lineage=done.journal.lineage)
    assert "is in Elsewhere now with all its 2 dumps" in move(sign_in(both), done.journal)
    assert set(Journal.objects.values_list("project__slug", flat=True)) == {"elsewhere"}
    finding.refresh_from_db()
    assert (finding.project, finding.assignee) == (elsewhere, None)
    for address in (f"/journals/{newer.pk}/", f"/inspections/{done.pk}/"):
        assert sign_in(owner).get(address).status_code == 404
    moved = Event.objects.filter(action="journal.moved")
    assert {event.project_id for event in moved} == {elsewhere.pk, Project.objects.get(slug="default").pk}


def test_who_reviews_there_too_keeps_what_is_theirs(
    journal: Journal, finding: Finding, both: Any, reviewer: Any, elsewhere: Project, sign_in: Any
) -> None:
    elsewhere.memberships.create(user=reviewer, role="reviewer")
    move(sign_in(both), journal)
    finding.refresh_from_db()
    assert finding.assignee == reviewer


def test_the_page_offers_only_projects_one_administers(
    journal: Journal, both: Any, admin: Any, sign_in: Any
) -> None:
    Project.objects.create(slug="third", name="Third")
    page = sign_in(both).get(f"/journals/{journal.pk}/").content.decode()
    assert '<option value="elsewhere">' in page
    assert "Third" not in page
    assert "Choose another project" in move(sign_in(both), journal, "third")


@pytest.mark.parametrize("role", [None, "viewer", "reviewer"])
def test_an_admin_of_one_side_moves_nothing(
    role: str | None, journal: Journal, admin: Any, elsewhere: Project, sign_in: Any
) -> None:
    if role:
        elsewhere.memberships.create(user=admin, role=role)
    assert "Choose another project" in move(sign_in(admin), journal)
    journal.refresh_from_db()
    assert journal.project.slug == "default"


@pytest.mark.parametrize(("who", "status"), [("owner", 403), ("reviewer", 403), ("stranger", 404)])
def test_others_do_not(who: str, status: int, journal: Journal, request: Any, sign_in: Any) -> None:
    client = sign_in(request.getfixturevalue(who))
    assert client.post(f"/journals/{journal.pk}/move/", {"project": "elsewhere"}).status_code == status


def test_what_is_held_stays(journal: Journal, both: Any, sign_in: Any) -> None:
    Journal.objects.update(is_on_hold=True)
    assert "is under legal hold" in move(sign_in(both), journal)
    journal.refresh_from_db()
    assert journal.project.slug == "default"


def test_a_full_project_takes_nothing(journal: Journal, both: Any, elsewhere: Project, sign_in: Any) -> None:
    Project.objects.filter(pk=elsewhere.pk).update(quota_bytes=4)
    assert "The project Elsewhere has no room for" in move(sign_in(both), journal)
    journal.refresh_from_db()
    assert journal.project.slug == "default"
