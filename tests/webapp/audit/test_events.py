"""What people do leaves events: signing in, changing, deleting, read_events."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from tests.webapp.reports.result_folder import incident
from webapp.audit import read_events, spool
from webapp.audit.models import Event
from webapp.journals.models import Inspection, Journal
from webapp.reports.logged_address import place_and_filters
from webapp.review.findings import ingest_findings
from webapp.review.models import Finding


def actions() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("action", flat=True))


def test_signing_in_and_out_is_kept(owner: Any) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    answer = client.post("/accounts/login/", {"login": "owner", "password": "a long pass phrase"})
    assert answer.status_code == 302
    client.post("/accounts/logout/")
    assert actions() == ["session.signed-in", "session.signed-out"]
    assert {(e.actor_name, e.address) for e in Event.objects.all()} == {("owner", "192.0.2.7")}


def test_a_failed_sign_in_names_a_known_account_and_no_unknown_words(owner: Any) -> None:
    for typed in ("owner", "my secret pass phrase"):
        Client().post("/accounts/login/", {"login": typed, "password": "wrong"})
    named, unnamed = Event.objects.filter(action="session.failed").order_by("pk")
    assert (named.target_name, named.detail["is_known"]) == ("owner", True)
    assert (unnamed.target_name, unnamed.detail["is_known"]) == ("", False)
    assert "secret" not in str(unnamed.__dict__)


def test_a_journal_s_life_is_kept_with_its_project_and_the_request_s_id(
    owner: Any, project: Any, sign_in: Any, house: Any
) -> None:
    client = sign_in(owner)
    asked = {"name": "", "files": [{"name": "a.log", "size": 0}]}
    made = client.post(
        "/journals/", asked, content_type="application/json", headers={"X-Request-ID": "a" * 32}
    )
    journal_id = made.json()["journal"]
    client.post(f"/journals/{journal_id}/edit/", {"name": "Payments"})
    client.post(f"/journals/{journal_id}/edit/", {"name": "Payments"})
    client.post(f"/inspections/{Inspection.objects.get().pk}/cancel/")
    client.post(f"/journals/{journal_id}/delete/")
    assert [action for action in actions() if not action.startswith("session")] == [
        "journal.created",
        "inspection.started",
        "journal.edited",
        "inspection.cancelled",
        "journal.deleted",
    ]
    assert set(Event.objects.values_list("project_id", "actor_name")) >= {(project.pk, "owner")}
    first = Event.objects.get(action="journal.created")
    assert first.request_id == "a" * 32
    assert Event.objects.get(action="journal.deleted").target_id == journal_id
    assert Event.objects.get(action="journal.edited").detail == {"changed": ["name"]}


@pytest.fixture
def inspected(owner: Any, project: Any) -> Inspection:
    journal = Journal.objects.create(project=project, name="kafkasql-journal", created_by=owner)
    made = Inspection.objects.create(journal=journal, state=Inspection.State.DONE)
    made.results.mkdir(parents=True)
    incident(made.results)
    return made


@pytest.mark.parametrize(
    ("path", "action", "detail"),
    [
        ("", "report.read", {}),
        ("records/?first=1&last=3", "records.read", {"first": "1", "last": "3"}),
        ("records/0/", "record.read", {"offset": "0"}),
        ("records/0/key.bin", "record.downloaded", {"offset": "0", "part": "key"}),
        ("keys/", "keys.read", {}),
    ],
)
def test_a_read_of_payloads_is_one_event(
    inspected: Inspection, viewer: Any, sign_in: Any, path: str, action: str, detail: dict[str, str]
) -> None:
    client = sign_in(viewer)
    answer = client.get(f"/inspections/{inspected.pk}/report/{path}")
    assert answer.status_code == 200
    read = Event.objects.exclude(action__startswith="session").get()
    assert (read.action, read.actor_name, read.target_id) == (action, "viewer", str(inspected.pk))
    assert read.detail == detail


def test_figures_that_name_keys_and_findings_are_one_event_however_often_they_are_drawn(
    inspected: Inspection, viewer: Any, owner: Any, sign_in: Any
) -> None:
    client, report = sign_in(viewer), f"/inspections/{inspected.pk}/report/"
    for window in ("", "?from=0&to=2", "?from=1&to=2", "?lanes=key"):
        assert client.get(f"{report}timeline/figure.json{window}").status_code == 200
    assert client.get(f"{report}log/figure.json").status_code == 200
    assert actions()[1:] == ["figure.read"]
    client.get(f"{report}timeline/figure.json?topic=journal&partition=0")
    client.get(f"{report}strip.json")
    assert sign_in(owner).get(f"{report}timeline/figure.json").status_code == 200
    assert actions().count("figure.read") == 4


def test_a_figure_whose_event_could_not_be_kept_is_withheld_and_counts_next_time(
    inspected: Inspection, viewer: Any, sign_in: Any, monkeypatch: Any
) -> None:
    client, figure = sign_in(viewer), f"/inspections/{inspected.pk}/report/strip.json"
    with monkeypatch.context() as patched:
        patched.setattr(read_events, "_saved", lambda event: False)
        assert client.get(figure).status_code == 503
    assert client.get(figure).status_code == 200
    assert actions()[1:] == ["figure.read"]


def test_the_page_of_a_finding_is_a_read_of_it(inspected: Inspection, viewer: Any, sign_in: Any) -> None:
    ingest_findings(inspected)
    one = Finding.objects.order_by("pk")[0]
    assert sign_in(viewer).get(f"/review/{one.pk}/").status_code == 200
    read = Event.objects.get(action="finding.read")
    assert (read.target_id, read.project_id) == (str(one.pk), inspected.journal.project_id)
    assert one.title not in str(read.__dict__)


@pytest.mark.parametrize(
    ("path", "action"),
    [("report/", "report.read"), ("records/?first=1", "records.read"), ("keys/", "keys.read")],
)
def test_a_read_through_the_api_is_one_event(
    inspected: Inspection, viewer: Any, sign_in: Any, path: str, action: str
) -> None:
    answer = sign_in(viewer).get(f"/api/v1/inspections/{inspected.pk}/{path}")
    assert answer.status_code == 200
    read = Event.objects.exclude(action__startswith="session").get()
    assert (read.action, read.actor_name, read.target_id) == (action, "viewer", str(inspected.pk))


def test_a_page_that_was_not_sent_again_was_not_read_again(
    inspected: Inspection, viewer: Any, sign_in: Any
) -> None:
    client = sign_in(viewer)
    path = f"/api/v1/inspections/{inspected.pk}/records/"
    tag = client.get(path)["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    assert Event.objects.filter(action="records.read").count() == 1


def test_a_stranger_s_attempt_shows_nothing_and_is_no_read(
    inspected: Inspection, stranger: Any, sign_in: Any
) -> None:
    assert sign_in(stranger).get(f"/inspections/{inspected.pk}/report/records/0/").status_code == 404
    assert not Event.objects.filter(action="record.read").exists()


def test_what_was_searched_for_is_not_written_down() -> None:
    query = {
        "key": "customer 4711",
        "value": "secret",
        "first": "12",
        "since": "<script>",
        "kind": "tombstone",
    }
    assert place_and_filters({}, query) == {"first": "12", "kind": "tombstone", "searched": ["key", "value"]}


def test_a_read_that_the_database_cannot_take_waits_in_the_broker(
    inspected: Inspection, viewer: Any, sign_in: Any, monkeypatch: Any
) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise DatabaseError("database is locked")

    client = sign_in(viewer)
    with monkeypatch.context() as patched:
        patched.setattr(Event, "save", busy)
        assert client.get(f"/inspections/{inspected.pk}/report/records/0/").status_code == 200
        assert not Event.objects.filter(action="record.read").exists()
    assert spool.bring_in() == 1
    read = Event.objects.get(action="record.read")
    assert (read.actor_name, read.detail) == ("viewer", {"offset": "0"})
    assert spool.bring_in() == 0


def test_nothing_is_shown_where_neither_can_take_the_event(
    inspected: Inspection, viewer: Any, sign_in: Any, monkeypatch: Any
) -> None:
    from redis.exceptions import ConnectionError as NoBroker

    def busy(*_: Any, **__: Any) -> None:
        raise DatabaseError("database is locked")

    def gone(*_: Any) -> None:
        raise NoBroker

    client = sign_in(viewer)
    monkeypatch.setattr(Event, "save", busy)
    monkeypatch.setattr(spool, "keep", gone)
    answer = client.get(f"/inspections/{inspected.pk}/report/records/0/")
    assert answer.status_code == 503
    assert b"Try again" in answer.content
