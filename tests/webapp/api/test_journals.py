"""Journals by API: announced, sent by tus, listed, renamed, deleted."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.journals.models import Inspection, Journal

CONTENT = bytes(range(256)) * 4


def test_a_journal_is_announced_and_sent_with_a_token_alone(
    owner: Any, program: Any, store_uploads: Any
) -> None:
    caller = program(owner, "read", "upload")
    announced = caller.post(
        "/journals/", {"name": "nightly", "files": [{"name": "a.log", "size": len(CONTENT)}]}
    )
    assert announced.status_code == 201
    file = announced.json()["files"][0]
    sent = Client(enforce_csrf_checks=True).generic(
        "PATCH",
        file["upload"],
        CONTENT,
        "application/offset+octet-stream",
        headers={
            "Authorization": f"Bearer {caller.text}",
            "Tus-Resumable": "1.0.0",
            "Upload-Offset": "0",
            "Upload-Checksum": f"sha256 {base64.b64encode(hashlib.sha256(CONTENT).digest()).decode()}",
        },
    )
    assert sent.status_code == 204, sent.content
    journal = caller.get(f"/journals/{announced.json()['id']}/").json()
    (arrived,) = caller.get(f"/journals/{journal['id']}/files/").json()["results"]
    assert (journal["complete_at"], arrived["received_bytes"], arrived["sha256"]) == (
        None,
        len(CONTENT),
        None,
    )
    refused = program(owner).post(f"/journals/{journal['id']}/inspections/", {})
    assert (refused.status_code, "being stored" in refused.json()["error"]) == (409, True)
    store_uploads()
    journal = caller.get(f"/journals/{announced.json()['id']}/").json()
    assert journal["complete_at"]
    assert journal["newest"]["state"] == "queued"
    files = caller.get(f"/journals/{journal['id']}/files/").json()["results"]
    assert files[0]["sha256"] == hashlib.sha256(CONTENT).hexdigest()


def test_bytes_need_the_scope_upload(owner: Any, program: Any) -> None:
    caller = program(owner, "read", "upload")
    file = caller.post("/journals/", {"files": [{"name": "a.log", "size": 3}]}).json()["files"][0]
    reader = program(owner, "read", "inspect")
    response = reader.send("HEAD", file["upload"], Tus_Resumable="1.0.0")
    assert response.status_code == 403
    assert caller.send("HEAD", file["upload"], Tus_Resumable="1.0.0").status_code == 200


def test_what_cannot_be_announced_says_which_field(owner: Any, program: Any) -> None:
    caller = program(owner)
    response = caller.post("/journals/", {"files": [{"name": "a.log", "size": -1}]})
    assert response.status_code == 400
    assert response.json()["field"] == "files.0.size"
    assert caller.post("/journals/", {"files": []}).status_code == 400
    assert caller.post("/journals/", [1]).status_code == 400


def test_the_list_goes_on_at_next_and_shows_each_once(owner: Any, project: Any, program: Any) -> None:
    names = {f"journal {n}" for n in range(7)}
    for name in sorted(names):
        Journal.objects.create(project=project, name=name, created_by=owner)
    caller = program(owner, "read")
    seen: list[str] = []
    address: str | None = "/journals/?limit=3"
    while address:
        page = caller.get(address).json()
        seen += [one["name"] for one in page["results"]]
        address = page["next"]
    assert seen == sorted(names, reverse=True)


def test_filters_narrow_the_list(owner: Any, viewer: Any, project: Any, program: Any) -> None:
    good = Journal.objects.create(project=project, name="good", ticket="T-1", created_by=owner)
    bad = Journal.objects.create(project=project, name="bad", created_by=viewer)
    Inspection.objects.create(journal=good, state="done", verdict_level="healthy")
    Inspection.objects.create(journal=bad, state="done", verdict_level="critical")
    caller = program(owner, "read")

    def names(query: str) -> list[str]:
        return [one["name"] for one in caller.get(f"/journals/?{query}").json()["results"]]

    assert names("verdict=critical") == ["bad"]
    assert names("whose=mine") == ["good"]
    assert names("ticket=t-1") == ["good"]
    assert names("q=oo") == ["good"]
    assert names("project=default") == ["bad", "good"]
    assert names("project=other") == []
    assert caller.get("/journals/?verdict=purple").status_code == 400
    assert caller.get("/journals/?cursor=nonsense").status_code == 400


def test_of_two_who_rename_the_second_is_told(owner: Any, program: Any, inspected: Any) -> None:
    journal = inspected().journal
    caller = program(owner)
    path = f"/journals/{journal.pk}/"
    etag = caller.get(path)["ETag"]
    assert caller.get(path, If_None_Match=etag).status_code == 304
    assert caller.patch(path, {"name": "first"}, If_Match=etag).status_code == 200
    late = caller.patch(path, {"name": "second"}, If_Match=etag)
    assert late.status_code == 412
    assert "Read it again" in late.json()["hint"]
    journal.refresh_from_db()
    assert journal.name == "first"
    assert caller.get(path, If_None_Match=etag).status_code == 200
    event = Event.objects.filter(action="journal.edited").get()
    assert event.detail["changed"] == ["name"]


@pytest.fixture
def uploaded(store_uploads: Callable[[], None]) -> Callable[[Any, bytes], str]:
    """`uploaded(caller, b"...")`: the id of a journal whose bytes are stored."""

    def run(caller: Any, content: bytes) -> str:
        journal_id = _uploaded(caller, content)
        store_uploads()
        return journal_id

    return run


def _uploaded(caller: Any, content: bytes, name: str = "dump.json") -> str:
    journal = caller.post("/journals/", {"files": [{"name": name, "size": len(content)}]}).json()
    headers = {"Authorization": f"Bearer {caller.text}", "Tus-Resumable": "1.0.0", "Upload-Offset": "0"}
    body = "application/offset+octet-stream"
    sent = Client().generic("PATCH", journal["files"][0]["upload"], content, body, headers=headers)
    assert sent.status_code == 204
    return str(journal["id"])


def test_bytes_that_were_inspected_before_lead_to_that_inspection(
    owner: Any, program: Any, uploaded: Any
) -> None:
    caller = program(owner)
    first, second = uploaded(caller, b"[1]"), uploaded(caller, b"[1]")
    inspection = Inspection.objects.get()
    assert caller.get(f"/journals/{first}/").json()["same_input"] is None
    told = caller.get(f"/journals/{second}/")
    assert told.json()["newest"] is None
    same = {"id": str(inspection.pk), "journal": first, "state": "queued", "verdict_level": ""}
    assert told.json()["same_input"] == same
    Inspection.objects.update(state="done", verdict_level="critical")
    later = caller.get(f"/journals/{second}/", If_None_Match=told["ETag"])
    assert later.json()["same_input"] == same | {"state": "done", "verdict_level": "critical"}
    Inspection.objects.update(state="failed")
    assert caller.get(f"/journals/{second}/").json()["same_input"] is None


def test_the_same_bytes_in_another_project_lead_nowhere(owner: Any, program: Any, uploaded: Any) -> None:
    caller = program(owner)
    uploaded(caller, b"[2]")
    other = Project.objects.create(slug="elsewhere", name="Elsewhere")
    Journal.objects.update(project=other)
    second = uploaded(caller, b"[2]")
    Inspection.objects.filter(journal=second).delete()
    assert caller.get(f"/journals/{second}/").json()["same_input"] is None


def test_who_uploaded_it_deletes_it(owner: Any, viewer: Any, program: Any, inspected: Any) -> None:
    journal = inspected().journal
    assert program(viewer).delete(f"/journals/{journal.pk}/").status_code == 403
    assert program(owner).delete(f"/journals/{journal.pk}/").status_code == 204
    assert not Journal.objects.exists()


def test_what_is_not_ones_own_does_not_exist(owner: Any, program: Any, theirs: Any) -> None:
    caller = program(owner)
    path = f"/journals/{theirs.pk}/"
    for response in (
        caller.get(path),
        caller.patch(path, {"name": "x"}),
        caller.delete(path),
        caller.get(f"{path}files/"),
        caller.get(f"{path}inspections/"),
        caller.post(f"{path}inspections/"),
        caller.get("/projects/hidden-project/"),
        caller.get("/projects/hidden-project/members/"),
        caller.post("/journals/", {"continues": str(theirs.pk), "files": [{"name": "a", "size": 1}]}),
        caller.get(f"/inspections/{theirs.latest.pk}/"),
        caller.get(f"/inspections/{theirs.latest.pk}/report/"),
    ):
        assert response.status_code == 404
        assert "HIDDENMARK" not in response.content.decode()
    assert "HIDDENMARK" not in caller.get("/journals/").content.decode()


def test_an_address_that_is_none_is_404_in_json(owner: Any, program: Any) -> None:
    response = program(owner).get("/nothing/here/")
    assert response.status_code == 404
    assert response.json() == {"error": "Not found, or you do not have permission to see it."}


def test_a_stranger_is_told_that_nothing_is_here(stranger: Any, program: Any) -> None:
    assert program(stranger).get("/journals/").status_code == 404


def test_a_body_that_is_too_large_is_refused_before_it_is_read(owner: Any, program: Any) -> None:
    caller = program(owner)
    response = caller.send("POST", "/journals/", {}, Content_Length=str(33 << 20))
    assert response.status_code == 413
    assert "32 MB" in response.json()["error"]


def test_what_is_no_json_is_refused_in_words(owner: Any, program: Any) -> None:
    headers = {"Authorization": f"Bearer {program(owner).text}"}
    broken = Client().post("/api/v1/journals/", b"{", "application/json", headers=headers)
    assert broken.status_code == 400
    assert "JSON" in broken.json()["error"]
    form = Client().post("/api/v1/journals/", {"name": "x"}, headers=headers)
    assert form.status_code == 415


def test_an_inspection_takes_a_format_of_kcat(owner: Any, project: Any, program: Any) -> None:
    caller = program(owner)
    journal = caller.post("/journals/", {"files": [{"name": "a.txt", "size": 0}]}).json()
    path = f"/journals/{journal['id']}/inspections/"
    refused = caller.post(path, {"text_format": "%t"})
    assert (refused.status_code, refused.json()["field"]) == (400, "text_format")
    started = caller.post(path, {"text_format": r"%k %s\n"}).json()
    assert started["text_format"] == r"%k %s\n"
    again = caller.post(f"/inspections/{started['id']}/read-as/", {"topic": "a", "dialect": "plain"}).json()
    assert again["text_format"] == r"%k %s\n"


def test_an_inspection_takes_columns_in_place_of_a_format(owner: Any, project: Any, program: Any) -> None:
    caller = program(owner)
    journal = caller.post("/journals/", {"files": [{"name": "a.csv", "size": 0}]}).json()
    path = f"/journals/{journal['id']}/inspections/"
    refused = caller.post(path, {"text_format": "kee=KEY"})
    assert (refused.status_code, refused.json()["field"]) == (400, "text_format")
    assert "The parts are topic, partition" in refused.json()["error"]
    assert caller.post(path, {"text_format": "key=KEY,value=#2"}).json()["text_format"] == "key=KEY,value=#2"
