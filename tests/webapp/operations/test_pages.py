"""The storage and the jobs page: whose numbers they show, and what their buttons do."""

from __future__ import annotations

import json
import shutil
import time
from typing import Any

import pytest
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.jobs import progress
from webapp.journals.models import Comparison, Inspection
from webapp.operations import heartbeats
from webapp.operations.storage import site, survey
from webapp.sharing.models import Share

ROLES = [("admin", 200), ("reviewer", 403), ("owner", 403), ("viewer", 403), ("stranger", 404)]


@pytest.mark.parametrize(("who", "status"), ROLES)
@pytest.mark.parametrize("page", ["storage", "jobs"])
def test_admins_only(
    request: Any, sign_in: Any, house: Any, project: Any, page: str, who: str, status: int
) -> None:
    assert sign_in(request.getfixturevalue(who)).get(f"/operations/{page}/").status_code == status


def test_bytes_by_project_and_journal(make: Any, project: Any, elsewhere: Project) -> None:
    large, small = make("large", b"x" * 50), make("small", b"y" * 10)
    make("copy", b"x" * 50), make("as large", b"w" * 50)
    make("other", b"z" * 7, of=elsewhere)
    found = survey([project])
    stored = found.projects[0][1]
    assert (stored.raw_bytes, stored.journals, stored.result_bytes) == (110, 4, 400)
    assert [journal.name for journal, _ in found.largest][-1] == small.name
    assert found.largest[0][0].name in {large.name, "copy", "as large"}
    assert {
        name: value for name, value in site().items() if name in {"raw_bytes", "result_bytes", "uploads"}
    } == {
        "raw_bytes": 117,
        "result_bytes": 500,
        "uploads": 0,
    }


def test_an_admin_sees_nothing_of_other_projects_and_of_the_site(
    make: Any, admin: Any, elsewhere: Project, sign_in: Any
) -> None:
    make("mine", b"1"), make("unseen", b"2", of=elsewhere)
    for page in ("storage", "jobs"):
        text = sign_in(admin).get(f"/operations/{page}/").content.decode()
        assert "unseen" not in text
        assert "lsewhere" not in text
        assert "This installation" not in text


def test_a_superuser_sees_the_installation(
    make: Any, superuser: Any, elsewhere: Project, sign_in: Any
) -> None:
    make("mine", b"1"), make("theirs", b"2", of=elsewhere)
    text = sign_in(superuser).get("/operations/storage/").content.decode()
    assert "This installation" in text
    assert "Elsewhere" in text
    assert "theirs" in text


def test_htmx_gets_the_part_that_changes(admin: Any, sign_in: Any, house: Any) -> None:
    for page in ("storage", "jobs"):
        part = sign_in(admin).get(f"/operations/{page}/", headers={"HX-Request": "true"}).content.decode()
        assert part.startswith(f'<div id="{page}-now"')
        assert "<html" not in part


@pytest.fixture
def running(make: Any, house: Any) -> Inspection:
    inspection = make("payments").inspections.get()
    Inspection.objects.filter(pk=inspection.pk).update(state="running", started_at=timezone.now())
    stages = [{"name": "decode", "state": "running", "done": 1, "total": 2, "seconds": 3.25, "note": ""}]
    house.set(progress.key("progress", inspection.pk), json.dumps({"stage": "decode", "stages": stages}))
    house.set(progress.key("alive", inspection.pk), 1)
    inspection.refresh_from_db()
    return inspection


def test_what_runs_shows_its_stage_and_can_be_cancelled(
    running: Inspection, admin: Any, sign_in: Any, house: Any
) -> None:
    client = sign_in(admin)
    page = client.get("/operations/jobs/").content.decode()
    assert "payments" in page
    assert "decode" in page
    assert "3.2 s" in page
    assert "the system" not in page
    Inspection.objects.update(requested_by=None)
    assert "the system" in client.get("/operations/jobs/").content.decode()
    assert client.post(f"/operations/jobs/inspection/{running.pk}/cancel/").status_code == 302
    assert house.exists(progress.key("cancel", running.pk))


def test_what_failed_says_why_and_can_be_started_again(running: Inspection, admin: Any, sign_in: Any) -> None:
    Inspection.objects.update(state="failed", error="The disk is full.", finished_at=timezone.now())
    client = sign_in(admin)
    assert "The disk is full." in client.get("/operations/jobs/").content.decode()
    answer = client.post(f"/operations/jobs/inspection/{running.pk}/again/", follow=True)
    assert "payments waits for a worker again." in answer.content.decode()
    assert sorted(Inspection.objects.values_list("state", flat=True)) == ["failed", "queued"]


def test_what_runs_is_not_started_a_second_time(running: Inspection, admin: Any, sign_in: Any) -> None:
    answer = sign_in(admin).post(f"/operations/jobs/inspection/{running.pk}/again/", follow=True)
    assert "cannot be restarted" in answer.content.decode()
    assert Inspection.objects.count() == 1


@pytest.mark.parametrize("verb", ["cancel", "again"])
@pytest.mark.parametrize(("who", "status"), [("reviewer", 403), ("owner", 403), ("stranger", 404)])
def test_nobody_else_touches_jobs(
    running: Inspection, request: Any, sign_in: Any, who: str, status: int, verb: str
) -> None:
    client = sign_in(request.getfixturevalue(who))
    assert client.post(f"/operations/jobs/inspection/{running.pk}/{verb}/").status_code == status


def test_another_project_s_job_does_not_exist(
    make: Any, admin: Any, elsewhere: Project, sign_in: Any
) -> None:
    theirs = make("theirs", of=elsewhere).inspections.get()
    assert sign_in(admin).post(f"/operations/jobs/inspection/{theirs.pk}/cancel/").status_code == 404
    assert sign_in(admin).post(f"/operations/jobs/nothing/{theirs.pk}/cancel/").status_code == 404


def test_workers_are_alive_as_long_as_they_say_so(superuser: Any, sign_in: Any, house: Any) -> None:
    client = sign_in(superuser)
    assert "No worker is running" in client.get("/operations/jobs/").content.decode()
    now_ms = int(time.time() * 1000)
    house.set(heartbeats.key("spark-1", 77), heartbeats.text("spark-1", 77, now_ms, now_ms))
    page = client.get("/operations/jobs/").content.decode()
    assert "1 worker alive" in page
    assert "spark-1" in page


def test_without_a_broker_the_page_says_so(admin: Any, sign_in: Any, settings: Any) -> None:
    client = sign_in(admin)
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    progress.connection.cache_clear()
    assert "The queue cannot be reached" in client.get("/operations/jobs/").content.decode()
    assert client.get("/operations/storage/").status_code == 200


def test_comparisons_and_shares_are_jobs_too(
    make: Any, project: Any, admin: Any, owner: Any, sign_in: Any
) -> None:
    inspection = make("payments").inspections.get()
    compared = Comparison.objects.create(
        left=inspection,
        right=inspection,
        state="failed",
        error="The results no longer exist.",
        requested_by=owner,
        requested_at=timezone.now(),
    )
    share = Share.objects.create(
        project=project,
        inspection=inspection,
        journal_name="payments",
        created_by=owner,
        token_sha256="0" * 64,
        scope={},
        options={},
        salt=b"",
        expires_at=timezone.now(),
    )
    client = sign_in(admin)
    page = client.get("/operations/jobs/").content.decode()
    assert "The results no longer exist." in page
    assert f"/shares/{share.pk}/" in page
    refused = client.post(f"/operations/jobs/share/{share.pk}/cancel/", follow=True).content.decode()
    assert "You cannot stop it" in refused
    client.post(f"/operations/jobs/comparison/{compared.pk}/again/")
    compared.refresh_from_db()
    assert compared.state == "queued"


def test_result_folders_that_were_removed_count_nothing(make: Any, project: Any) -> None:
    journal = make("journal")
    assert survey([project]).projects[0][1].result_bytes == 100
    shutil.rmtree(journal.inspections.get().results)
    assert survey([project]).projects[0][1].result_bytes == 0
