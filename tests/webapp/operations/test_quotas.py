"""Quotas: bytes when files are announced, inspections within 24 hours; refusals carry the numbers."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.journals import inspections, uploads
from webapp.journals.disk import quotas
from webapp.journals.models import Inspection, Journal
from webapp.rejected import Rejected


@pytest.fixture
def narrow(project: Any) -> Project:
    project.quota_bytes, project.quota_inspections = 1000, 1
    project.save()
    return project


def test_files_that_exceed_the_quota_are_refused_with_numbers(
    narrow: Project, owner: Any, sign_in: Any, house: Any
) -> None:
    client = sign_in(owner)
    body = json.dumps({"name": "", "files": [{"name": "a", "size": 600}]})
    assert client.post("/journals/", body, content_type="application/json").status_code == 201
    answer = client.post("/journals/", body, content_type="application/json")
    assert answer.status_code == 413
    assert "no room for 600 bytes: 600 bytes of its 1.0 kB" in answer.json()["error"]
    assert Journal.objects.count() == 1


def test_the_quota_may_be_used_up_exactly(narrow: Project, owner: Any) -> None:
    journal = uploads.announce(owner, narrow, "", [("a", 400), ("b", 500)])
    uploads.add_file(journal, "c", 100)
    with pytest.raises(Rejected, match="has no room for"):
        uploads.add_file(journal, "d", 1)
    assert quotas.used_bytes(narrow) == 1000


def test_another_project_s_files_do_not_count(narrow: Project, elsewhere: Project, owner: Any) -> None:
    uploads.announce(owner, elsewhere, "", [("a", 5000)])
    uploads.announce(owner, narrow, "", [("a", 1000)])


def test_one_inspection_too_many_is_refused_with_the_time_of_the_next(
    narrow: Project, make: Any, owner: Any
) -> None:
    journal = make("journal")
    with pytest.raises(Rejected) as refusal:
        inspections.request_inspection(journal, owner)
    assert refusal.value.status == 429
    free_at = Event.objects.get(action="inspection.started").at + timedelta(hours=24)
    assert f"its limit is 1. The next can be started at {free_at:%Y-%m-%d %H:%M} UTC" in str(refusal.value)
    assert Inspection.objects.count() == 1


def test_deleting_an_inspection_does_not_give_its_start_back(narrow: Project, make: Any, owner: Any) -> None:
    journal = make("journal")
    from webapp.journals import deletion

    deletion.delete_inspection(journal.inspections.get())
    with pytest.raises(Rejected, match="its limit is 1"):
        inspections.request_inspection(journal, owner)


def test_after_24_hours_the_next_can_start(narrow: Project, owner: Any, house: Any) -> None:
    earlier = Event(action=quotas.STARTED, project_id=narrow.pk, at=timezone.now() - timedelta(hours=25))
    earlier.save_base(raw=True, force_insert=True)
    journal = Journal.objects.create(project=narrow, name="journal")
    assert inspections.request_inspection(journal, owner).pk


def test_a_journal_over_the_quota_is_whole_and_its_page_says_when_it_can_be_inspected(
    narrow: Project, make: Any, owner: Any, sign_in: Any
) -> None:
    make("first", b"1")
    second = uploads.announce(owner, narrow, "second", [("a", 0)])
    second.refresh_from_db()
    assert second.complete_at
    assert not second.inspections.exists()
    client = sign_in(owner)
    assert "The next can be started at" in client.get(f"/journals/{second.pk}/").content.decode()
    page = client.post(f"/journals/{second.pk}/inspect/", follow=True).content.decode()
    assert "its limit is 1" in page


@pytest.mark.parametrize(("who", "status"), [("superuser", 302), ("reviewer", 403), ("stranger", 404)])
def test_only_superusers_set_quotas(
    request: Any, project: Any, sign_in: Any, house: Any, who: str, status: int
) -> None:
    client = sign_in(request.getfixturevalue(who))
    answer = client.post(
        "/operations/projects/default/quotas/", {"quota_gb": "1.5", "quota_inspections": "20"}
    )
    assert answer.status_code == status
    project.refresh_from_db()
    expected = (1_500_000_000, 20) if status == 302 else (None, None)
    assert (project.quota_bytes, project.quota_inspections) == expected


def test_a_project_s_admin_may_not_raise_its_quota(
    admin: Any, project: Any, sign_in: Any, house: Any
) -> None:
    answer = sign_in(admin).post("/operations/projects/default/quotas/", {"quota_gb": "1"})
    assert answer.status_code == 403
    project.refresh_from_db()
    assert project.quota_bytes is None


def test_an_empty_quota_is_no_limit(narrow: Project, superuser: Any, sign_in: Any, house: Any) -> None:
    sign_in(superuser).post("/operations/projects/default/quotas/", {"quota_gb": "", "quota_inspections": ""})
    narrow.refresh_from_db()
    assert (narrow.quota_bytes, narrow.quota_inspections) == (None, None)
    changed = Event.objects.get(action="quota.changed").detail
    assert set(changed) == {"quota_gb", "quota_inspections"}
