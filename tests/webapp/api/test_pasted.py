"""A text as the body: a journal of it, or a preview that stores nothing."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.spark.sources._wrapping.sorted_texts import kcat
from webapp.journals import pasted
from webapp.journals.models import Journal, Upload

TEXT = b"```\n" + kcat(0) + b"\n" + kcat(1) + b"\n```\n"


def posted(caller: Any, path: str, text: bytes, kind: str = "text/plain; charset=utf-8") -> Any:
    headers = {"Authorization": f"Bearer {caller.text}"}
    return Client(enforce_csrf_checks=True).generic("POST", f"/api/v1{path}", text, kind, headers=headers)


def test_a_text_becomes_a_journal_whose_inspection_is_queued(owner: Any, program: Any) -> None:
    caller = program(owner, "read", "upload")
    answer = posted(caller, "/journals/text/?name=from%20a%20ticket", TEXT)
    assert answer.status_code == 201, answer.content
    journal = answer.json()
    assert (journal["name"], journal["newest"]["state"]) == ("from a ticket", "queued")
    assert [(file["name"], file["size_bytes"]) for file in journal["files"]] == [("pasted.txt", len(TEXT))]


def test_the_file_may_have_a_name_of_its_own(owner: Any, program: Any) -> None:
    answer = posted(program(owner), "/journals/text/?file=orders-0.txt", TEXT)
    assert (answer.json()["name"], answer.json()["files"][0]["name"]) == ("orders-0.txt", "orders-0.txt")
    refused = posted(program(owner), "/journals/text/?file=../x", TEXT)
    assert (refused.status_code, "leaves its folder" in refused.json()["error"]) == (400, True)


def test_a_preview_says_what_would_be_read_and_stores_nothing(owner: Any, program: Any) -> None:
    answer = posted(program(owner, "upload"), "/journals/text/preview/", TEXT)
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert [(part["layout"], part["records"]) for part in found["parts"]] == [("kcat-json", 2)]
    assert found["set_aside"] == {"fence": 2}
    assert found["runs"][0] == [1, 1, 0, "fence"]
    assert [Journal.objects.count(), Upload.objects.count()] == [0, 0]


def test_what_is_no_journal_is_refused_in_the_preview(owner: Any, program: Any) -> None:
    found = posted(program(owner), "/journals/text/preview/", b"orders:0:5\norders:1:0\norders:2:7\n").json()
    assert "GetOffsetShell" in found["refused"]
    assert found["parts"] == []


def test_too_much_no_text_and_other_bodies_are_refused_in_a_sentence(
    owner: Any, program: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(pasted, "MAX_BYTES", 1 << 20)
    for path in ("/journals/text/", "/journals/text/preview/"):
        large = posted(program(owner), path, b"x" * ((1 << 20) + 1))
        assert (large.status_code, "larger than 1 MB" in large.json()["error"]) == (413, True)
        assert posted(program(owner), path, b"").status_code == 400
        assert posted(program(owner), path, b" \n").status_code == 400
        assert posted(program(owner), path, b"{}", "application/json").status_code == 415
    assert not Journal.objects.exists()


def test_both_need_the_scope_and_the_role(owner: Any, viewer: Any, program: Any) -> None:
    for path in ("/journals/text/", "/journals/text/preview/"):
        assert posted(program(owner, "read"), path, TEXT).status_code == 403
        assert posted(program(viewer), path, TEXT).status_code == 403
    assert not Journal.objects.exists()


def test_a_text_that_continues_a_journal_keeps_its_lineage(owner: Any, project: Any, program: Any) -> None:
    older = Journal.objects.create(project=project, name="older", created_by=owner)
    journal = posted(program(owner), f"/journals/text/?continues={older.pk}", TEXT).json()
    assert journal["lineage"] == str(older.lineage)
