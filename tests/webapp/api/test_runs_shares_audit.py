"""Comparisons, repairs, links, exports and the audit log by API."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.webapp.reports.result_folder import report_document, write_results
from webapp.audit.models import Event
from webapp.journals.models import Comparison, Repair
from webapp.sharing.models import Share


def test_a_comparison_is_asked_for_and_read(owner: Any, viewer: Any, program: Any, inspected: Any) -> None:
    left, right = inspected(), inspected()
    path = f"/inspections/{left.pk}/comparisons/{right.pk}/"
    caller = program(owner)
    assert caller.get(path).status_code == 404
    assert program(viewer).post(path).status_code == 403
    asked = caller.post(path)
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    Comparison.objects.update(state="done", result={"equal": False, "sentence": "They differ."})
    told = caller.get(path).json()
    assert told["result"]["sentence"] == "They differ."
    read = Event.objects.get(action="comparison.read")
    assert read.detail["compared_with"] == "kafkasql-journal"


def test_who_opened_a_link_is_told(
    owner: Any, viewer: Any, program: Any, inspected: Any, share: Any, guest: Client
) -> None:
    inspection, other = inspected(), inspected()
    made, token = share(inspection)
    guest.get(f"/s/{token}/")
    caller, visits = program(owner, "share"), f"/shares/{made.pk}/visits/"
    (told,) = caller.get(visits).json()["results"]
    assert (told["page"], told["user"], told["is_first"]) == ("overview", None, True)
    assert told["address"] == "127.0.0.1"
    assert program(viewer).get(visits).status_code == 404
    for query, count in (
        (f"journal={inspection.journal_id}", 1),
        (f"journal={other.journal_id}", 0),
        ("whose=mine", 1),
    ):
        assert len(caller.get(f"/shares/?{query}").json()["results"]) == count


def test_a_repair_is_asked_for_stopped_and_started_again(owner: Any, program: Any, inspected: Any) -> None:
    inspection, older = inspected(), inspected()
    caller = program(owner)
    path = f"/inspections/{inspection.pk}/repairs/"
    files = [{"name": "order.json", "base64": "e30="}]
    made = caller.post(path, {"older": [str(older.pk)], "files": files})
    assert made.status_code == 202, made.content
    one = f"{path}{made.json()['id']}/"
    assert made.json()["older"] == [str(older.pk)]
    assert Repair.objects.get().files.get().name == "order.json"
    assert caller.post(f"{one}again/").status_code == 409
    assert caller.post(f"{one}cancel/").json()["state"] == "cancelled"
    assert caller.post(f"{one}again/").status_code == 202
    assert len(caller.get(path).json()["results"]) == 2
    assert caller.get(f"{one}files/append.ndjson").status_code == 404
    assert caller.post(path, {"files": [{"name": "x", "base64": "***"}]}).status_code == 400


def test_a_repairs_file_is_sent_whole(owner: Any, program: Any, inspected: Any) -> None:
    inspection = inspected()
    result = {"partitions": [{"ways": [{"files": ["0/append.ndjson"], "holds": True, "trial": [{}]}]}]}
    repair = Repair.objects.create(inspection=inspection, state="done", result=result)
    path = f"/inspections/{inspection.pk}/repairs/{repair.pk}/files/0/append.ndjson"
    assert program(owner).get(path).status_code == 410
    (repair.results / "0").mkdir(parents=True)
    (repair.results / "0" / "append.ndjson").write_bytes(b"{}\n")
    assert b"".join(program(owner).get(path).streaming_content) == b"{}\n"


def test_files_of_a_way_that_does_not_hold_are_not_sent(owner: Any, program: Any, inspected: Any) -> None:
    inspection = inspected()
    result = {"partitions": [{"ways": [{"files": ["0/append.ndjson"], "holds": False, "trial": [{}]}]}]}
    repair = Repair.objects.create(inspection=inspection, state="done", result=result)
    path = f"/inspections/{inspection.pk}/repairs/{repair.pk}/"
    assert program(owner).get(path).json()["files"] == []
    assert program(owner).get(f"{path}files/0/append.ndjson").status_code == 404


def test_a_repair_takes_the_topics_name_where_the_dump_does_not_give_it(
    owner: Any, program: Any, inspected: Any
) -> None:
    unnamed = inspected(repairable("?"))
    path, caller = f"/inspections/{unnamed.pk}/repairs/", program(owner)
    asked = caller.post(path, {})
    assert (asked.status_code, asked.json()["error"][:34]) == (400, "The dump does not name its topic, ")
    assert caller.post(path, {"topic": "two words"}).status_code == 400
    made = caller.post(path, {"topic": "kafkasql-journal"})
    assert (made.status_code, made.json()["topic"]) == (202, "kafkasql-journal")
    again = f"{path}{made.json()['id']}/"
    caller.post(f"{again}cancel/")
    assert caller.post(f"{again}again/").json()["topic"] == "kafkasql-journal"
    named = f"/inspections/{inspected(repairable('journal')).pk}/repairs/"
    assert caller.post(named, {"topic": "other"}).status_code == 400
    assert caller.post(named, {}).json()["topic"] == ""


def repairable(topic: str) -> Callable[[Path], Path]:
    """Results of a journal that can be repaired."""
    journals = [{"topic": topic, "partitions": [0], "dialect": "apicurio-v2"}]
    return lambda folder: write_results(folder, report=report_document() | {"journals": journals})


def test_a_link_is_made_and_taken_back(owner: Any, viewer: Any, program: Any, inspected: Any) -> None:
    inspection = inspected()
    caller = program(owner, "read", "share")
    path = f"/inspections/{inspection.pk}/shares/"
    assert program(viewer).post(path, {}).status_code == 403
    made = caller.post(f"{path}?what=record&of=7", {"days": 3, "payloads": True})
    assert made.status_code == 201, made.content
    told = made.json()
    assert told["what"] == "record"
    assert told["options"]["payloads"] is True
    assert "password" in " ".join(told["options"]["fields"])  # the careful default
    assert "/s/" in told["url"]
    seen = caller.get(f"/shares/{told['id']}/").json()
    assert "url" not in seen
    assert [one["id"] for one in caller.get("/shares/").json()["results"]] == [told["id"]]
    assert caller.delete(f"/shares/{told['id']}/").status_code == 204
    assert Share.objects.get().revoked_at
    assert caller.get(f"/shares/{told['id']}/").json()["closed"] == "revoked"
    assert caller.post(f"{path}?what=finding&of=nothing", {}).status_code == 404
    broken = caller.post(path, {"patterns": ["("]})
    assert (broken.status_code, broken.json()["field"]) == (400, "patterns")


def test_records_are_exported_with_the_filters_of_their_page(
    owner: Any, viewer: Any, program: Any, inspected: Any
) -> None:
    path = f"/inspections/{inspected().pk}/exports/records.csv?type=Content"
    assert program(viewer).get(path).status_code == 403
    response = program(owner).get(path)
    content = b"".join(response.streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith(".csv")]
        assert b"one, mended" in packed.read(name)
    assert Event.objects.get(action="export.made").detail["records"] == 3
    assert program(owner).get(path.replace("csv", "doc")).status_code == 404
    gone = f"/inspections/{inspected(lambda folder: folder).pk}/exports/records.csv"
    assert (
        program(owner).get(gone).json()["error"].startswith("The results of this inspection no longer exist")
    )


def test_a_bundle_of_evidence_is_whole(
    owner: Any, viewer: Any, program: Any, inspected: Any, tmp_path: Path
) -> None:
    from django.core.management import call_command

    path = f"/inspections/{inspected().pk}/evidence/"
    assert program(viewer).post(path, {}).status_code == 403
    response = program(owner).post(path, {"payloads": False})
    assert response.status_code == 200, response.content
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(b"".join(response.streaming_content))
    with pytest.raises(SystemExit) as ended:
        call_command("verify_evidence", str(bundle))
    assert ended.value.code == 0
    with zipfile.ZipFile(bundle) as packed:
        assert not any(b"one, mended" in packed.read(name) for name in packed.namelist())
    assert Event.objects.get(action="export.made").detail["what"] == "evidence"


def test_the_audit_log_is_for_admins_with_a_token_for_it(
    owner: Any, admin: Any, program: Any, inspected: Any
) -> None:
    inspection = inspected()
    program(owner).get(f"/inspections/{inspection.pk}/report/")
    assert program(owner).get("/audit/").status_code == 403
    assert program(admin, "read").get("/audit/").status_code == 403
    caller = program(admin, "admin")
    events = caller.get("/audit/?action=report.").json()["results"]
    assert [(event["action"], event["actor"]) for event in events] == [("report.read", "owner")]
    assert caller.get("/audit/?since=whenever").status_code == 400


def test_what_is_not_ones_own_does_not_exist(owner: Any, program: Any, inspected: Any, theirs: Any) -> None:
    caller = program(owner)
    mine, hidden = inspected().pk, theirs.latest.pk
    for method, path in (
        ("GET", f"/inspections/{mine}/comparisons/{hidden}/"),
        ("POST", f"/inspections/{mine}/comparisons/{hidden}/"),
        ("POST", f"/inspections/{hidden}/comparisons/{mine}/"),
        ("GET", f"/inspections/{hidden}/repairs/"),
        ("POST", f"/inspections/{hidden}/repairs/"),
        ("POST", f"/inspections/{hidden}/shares/"),
        ("GET", f"/inspections/{hidden}/exports/records.csv"),
    ):
        assert caller.send(method, path, {} if method == "POST" else None).status_code == 404
    assert caller.post(f"/inspections/{mine}/repairs/", {"older": [str(hidden)]}).status_code == 404


def test_the_page_and_the_schema_are_for_who_is_signed_in(
    owner: Any, stranger: Any, sign_in: Any, program: Any, db: None
) -> None:
    page = sign_in(owner).get("/api/").content.decode()
    assert "/api/v1/inspections/{inspection_id}/records/" in page
    assert "<script>" not in page
    assert program(owner).get("/api/schema/").json()["openapi"].startswith("3.")
    assert Client().get("/api/schema/").status_code == 401
    assert sign_in(stranger).get("/api/").status_code == 404
    assert sign_in(stranger).get("/api/schema/").status_code == 404
