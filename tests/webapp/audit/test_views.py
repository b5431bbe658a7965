"""The audit log's page: who sees which events, search, pages, files."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.audit import log
from webapp.audit.models import Event
from webapp.audit.views import _runs


@pytest.fixture
def elsewhere(db: None) -> Project:
    return Project.objects.create(slug="elsewhere", name="Elsewhere")


@pytest.fixture
def logged(project: Any, elsewhere: Project, owner: Any) -> None:
    log.record("journal.created", actor=owner, project_id=project.pk, target=project, files=3)
    log.record("journal.deleted", project_id=elsewhere.pk, target=elsewhere)
    log.record("retention.ran")


def shown(answer: Any) -> list[str]:
    return [row["event"].action for row in answer.context["rows"] if "session" not in row["event"].action]


@pytest.mark.parametrize(
    ("who", "status"), [("admin", 200), ("reviewer", 403), ("owner", 403), ("viewer", 403), ("stranger", 404)]
)
@pytest.mark.parametrize("path", ["/audit/", "/audit/export.csv"])
def test_admins_only(logged: None, request: Any, sign_in: Any, path: str, who: str, status: int) -> None:
    assert sign_in(request.getfixturevalue(who)).get(path).status_code == status


def test_an_admin_sees_their_projects_events_and_no_trace_of_others(
    logged: None, admin: Any, sign_in: Any
) -> None:
    answer = sign_in(admin).get("/audit/")
    assert shown(answer) == ["journal.created"]
    assert "lsewhere" not in answer.content.decode()
    assert shown(sign_in(admin).get("/audit/?project=elsewhere")) == []


def test_a_superuser_sees_all(logged: None, admin: Any, sign_in: Any) -> None:
    admin.is_superuser = True
    admin.save()
    assert shown(sign_in(admin).get("/audit/")) == ["retention.ran", "journal.deleted", "journal.created"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("actor=own", 1),
        ("actor=nobody", 0),
        ("action=journal.", 1),
        ("action=deleted", 0),
        ("target=default", 1),
        ("project=default", 1),
        ("since={today}", 1),
        ("since={tomorrow}", 0),
        ("until={today}", 1),
        ("until=2020-01-31 10:30", 0),
        ("request=00000000", 0),
    ],
)
def test_search(logged: None, admin: Any, sign_in: Any, query: str, count: int) -> None:
    now = timezone.now()
    days = {"today": f"{now:%Y-%m-%d}", "tomorrow": f"{now + timedelta(days=1):%Y-%m-%d}"}
    assert len(shown(sign_in(admin).get(f"/audit/?{query.format(**days)}"))) == count


def test_times_are_in_the_zone_of_the_page(logged: None, admin: Any, sign_in: Any) -> None:
    ahead = timezone.now() + timedelta(hours=1)
    client = sign_in(admin)
    in_utc = client.get(f"/audit/?since={ahead:%Y-%m-%d %H:%M}")
    assert shown(in_utc) == []
    assert ">Since, UTC</label>" in in_utc.content.decode()
    local = client.get(f"/audit/?since={ahead:%Y-%m-%d %H:%M}&zone=Asia/Tokyo")
    assert shown(local) == ["journal.created"]
    assert ">Since, Asia/Tokyo</label>" in local.content.decode()
    assert ">Clear</a>" not in client.get("/audit/?zone=Asia/Tokyo").content.decode()


def test_a_time_that_is_none_says_so(logged: None, admin: Any, sign_in: Any) -> None:
    answer = sign_in(admin).get("/audit/?since=yesterday")
    assert "“yesterday” is not a time" in answer.content.decode()
    assert shown(answer) == ["journal.created"]


def test_pages_say_what_they_show(project: Any, admin: Any, sign_in: Any) -> None:
    for _ in range(120):
        log.record("retention.ran", project_id=project.pk)
    client = sign_in(admin)
    assert "Showing 1 to 50 of 120" in client.get("/audit/").content.decode()
    assert len(shown(client.get("/audit/?page=3"))) == 20


def test_a_search_without_hits_says_which_part_excludes_everything(
    logged: None, admin: Any, sign_in: Any
) -> None:
    answer = sign_in(admin).get("/audit/?action=journal&actor=nobody")
    assert [(row.words, row.address, row.count) for row in answer.context["excluded_by"]] == [
        ("who “nobody”", "/audit/?action=journal", 1)
    ]


def test_exports_hold_what_the_page_lists_and_are_events_themselves(
    logged: None, admin: Any, sign_in: Any
) -> None:
    client = sign_in(admin)
    lines = (
        b"".join(client.get("/audit/export.ndjson?action=journal").streaming_content).decode().splitlines()
    )
    assert [json.loads(line)["detail"] for line in lines] == [{"files": 3}]
    table = b"".join(client.get("/audit/export.csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["action"] for row in rows] == ["journal.created"]
    taken = Event.objects.filter(action="audit.exported").order_by("pk")
    assert [event.detail["rows"] for event in taken] == [1, 1]
    assert taken[0].detail["filters"] == {"action": "journal"}
    assert client.get("/audit/export.exe").status_code == 404


def test_a_spreadsheet_does_not_run_a_name(project: Any, admin: Any, sign_in: Any) -> None:
    Project.objects.filter(pk=project.pk).update(name="=1+1")
    project.refresh_from_db()
    log.record("project.renamed", project_id=project.pk, target=project)
    table = b"".join(sign_in(admin).get("/audit/export.csv").streaming_content).decode()
    assert ",'=1+1," in table


def test_reads_of_figures_that_follow_each_other_are_one_row() -> None:
    def event(action: str, actor: str = "anna", target: str = "orders-0") -> Event:
        return Event(action=action, actor_name=actor, target_name=target)

    figure = "figure.read"
    runs = _runs([event(figure), event(figure), event("record.read"), event(figure), event(figure, "ben")])
    assert [len(run) for run in runs] == [2, 1, 1, 1]


def test_details_are_words_for_readers_who_do_not_know_the_addresses(
    project: Any, admin: Any, sign_in: Any
) -> None:
    log.record("records.read", project_id=project.pk, searched=["filter", "key"])
    log.record("repair.asked", project_id=project.pk, older=1, other_id="7")
    page = sign_in(admin).get("/audit/").content.decode()
    assert "with a search by: record filter, key" in page
    assert "older dumps searched: 1" in page
    assert "ID of that inspection: 7" in page
