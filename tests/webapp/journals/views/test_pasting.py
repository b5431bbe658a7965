"""The preview of a pasted text, and the text as an upload: what is recognised, what is refused, that nothing is kept."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from tests.spark.sources._wrapping.sorted_texts import kcat
from webapp.journals import pasted
from webapp.journals.models import Blob, Inspection, Journal, Upload
from webapp.journals.previews import process as preview_process
from webapp.rejected import Rejected

TEXT = b"```\n" + kcat(0) + b"\n" + kcat(1) + b"\n```\n"


def asked(client: Any, text: bytes) -> Any:
    return client.post(reverse("paste-preview"), text, content_type="text/plain; charset=utf-8")


def test_a_preview_names_parts_and_lines_set_aside(owner: Any, sign_in: Any) -> None:
    page = asked(sign_in(owner), TEXT).content.decode()
    assert "1 · kcat -J" in page
    assert "orders-0, offsets 0-1: 2 records" in page
    assert re.search(r"<strong>2 lines set aside</strong>: fence\. ", page)


def test_a_preview_leaves_nothing_behind(owner: Any, sign_in: Any, settings: Any) -> None:
    assert asked(sign_in(owner), TEXT).status_code == 200
    kept = [path for path in Path(settings.DATA_DIR).rglob("*") if path.is_file()]
    assert kept == []
    assert [model.objects.count() for model in (Journal, Upload, Blob)] == [0, 0, 0]


def test_what_is_no_journal_is_refused_in_a_sentence(owner: Any, sign_in: Any) -> None:
    page = asked(sign_in(owner), b"orders:0:5\norders:1:0\norders:2:7\n").content.decode()
    assert "Nothing to inspect was recognised." in page
    assert "GetOffsetShell" in page


def test_a_text_that_is_too_large_is_refused_in_a_sentence(
    owner: Any, sign_in: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(pasted, "MAX_BYTES", 2 << 20)
    answer = asked(sign_in(owner), b"x" * (2 << 20) + b"x")
    assert answer.status_code == 413
    assert "larger than 2 MB" in answer.content.decode()


def test_a_text_larger_than_django_keeps_in_memory_is_read(owner: Any, sign_in: Any) -> None:
    text = b"\n".join(kcat(offset) for offset in range(30_000))
    assert len(text) > 2_621_440
    assert "30,000 records" in asked(sign_in(owner), text).content.decode()


def test_no_text_is_refused_in_a_sentence(owner: Any, sign_in: Any) -> None:
    answer = asked(sign_in(owner), b" \n")
    assert (answer.status_code, "There is no text" in answer.content.decode()) == (400, True)


def test_a_preview_that_takes_too_long_is_ended_and_leaves_nothing(
    owner: Any, sign_in: Any, settings: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(pasted, "MAX_SECONDS", 0.01)
    answer = asked(sign_in(owner), TEXT)
    assert answer.status_code == 503
    assert "took more than" in answer.content.decode()
    assert [path for path in Path(settings.SCRATCH_DIR).rglob("*") if path.is_file()] == []


def test_a_defect_is_told_as_one(owner: Any, sign_in: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(preview_process, "COMMAND", (sys.executable, "-c", "raise SystemExit(1)"))
    monkeypatch.setattr(pasted, "previews", preview_process.PreviewProcess())
    answer = asked(sign_in(owner), TEXT)
    assert answer.status_code == 503
    assert "bug in Journalscope" in answer.content.decode()


def test_a_killed_preview_process_is_started_again(owner: Any, sign_in: Any) -> None:
    first = asked(sign_in(owner), TEXT)
    process = preview_process.previews.process
    assert process is not None
    process.kill()
    process.wait()
    assert asked(sign_in(owner), TEXT).content == first.content


def test_no_more_previews_are_made_at_once_than_the_server_bears(monkeypatch: Any) -> None:
    monkeypatch.setattr(pasted, "WAIT_SECONDS", 0)
    for _ in range(pasted.AT_ONCE):
        pasted.slots.acquire()
    try:
        with pytest.raises(Rejected, match="making other previews"):
            pasted.preview(TEXT)
    finally:
        for _ in range(pasted.AT_ONCE):
            pasted.slots.release()


def test_a_viewer_may_not_ask_for_one(viewer: Any, sign_in: Any) -> None:
    assert asked(sign_in(viewer), TEXT).status_code == 403


def test_a_stranger_gets_nothing(stranger: Any, sign_in: Any) -> None:
    assert asked(sign_in(stranger), TEXT).status_code in (403, 404)


def test_a_stored_text_is_an_upload_like_any_other(
    owner: Any, project: Any, sent: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        journal = pasted.store(owner, project, "orders-0, pasted", TEXT)
    assert journal.name == "orders-0, pasted"
    assert journal.uploads.get().blob.size_bytes == len(TEXT)
    assert [task for task, _ in sent()] == ["journalscope.inspect"]


def test_a_ticket_goes_with_a_text_whose_format_is_chosen(owner: Any, sign_in: Any) -> None:
    asked = urlencode({"format": "%o %k %s", "ticket": "OPS-4711", "name": "orders"})
    answer = sign_in(owner).post(f"{reverse('paste-inspect')}?{asked}", TEXT, content_type="text/plain")
    assert answer.status_code == 201, answer.content
    assert Journal.objects.get().ticket == "OPS-4711"


def test_the_page_offers_to_paste_to_who_may_upload(owner: Any, viewer: Any, sign_in: Any) -> None:
    assert 'id="paste-open"' in sign_in(owner).get(reverse("journals")).content.decode()
    assert 'id="paste-open"' not in sign_in(viewer).get(reverse("journals")).content.decode()


TABLE = b"wann;schluessel;inhalt\n1;k;v\n2;j;w\n3;i;x\n"
FORMATTED = b"orders 0 5 k v\norders 0 6 j w\n"


def test_unknown_columns_are_selected_next_to_the_preview(owner: Any, sign_in: Any) -> None:
    page = asked(sign_in(owner), TABLE).content.decode()
    assert "Which column is what?" in page
    assert "Nothing to inspect was recognised" not in page
    for role in ("topic", "partition", "offset", "timestamp", "key", "value", "headers"):
        assert f'name="{role}"' in page
    assert page.count('<option value="inhalt"') == 7


def stored(client: Any, text: bytes, **fields: str) -> Any:
    address = f"{reverse('paste-inspect')}?{urlencode(fields)}"
    return client.post(address, text, content_type="text/plain; charset=utf-8")


def test_the_selected_columns_go_with_the_text(owner: Any, sign_in: Any) -> None:
    answer = stored(sign_in(owner), TABLE, name="a table", key="schluessel", value="inhalt", offset="")
    assert answer.status_code == 201
    inspection = Inspection.objects.get()
    assert (inspection.text_format, inspection.journal.name) == ("key=schluessel,value=inhalt", "a table")
    assert answer.json() == {"next": reverse("journal-next", args=[inspection.journal_id])}


def test_a_likely_format_is_asked_for_with_its_guess(owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    page = asked(client, FORMATTED.replace(b" ", b"~")).content.decode()
    assert 'name="format"' in page or "Which column is what?" in page
    assert stored(client, FORMATTED, format=r"%t %p %o %k %s\n").status_code == 201
    assert Inspection.objects.get().text_format == r"%t %p %o %k %s\n"


@pytest.mark.parametrize("fields", [{}, {"format": "%t"}, {"offset": "wann"}])
def test_a_text_without_key_and_value_is_not_stored(fields: dict[str, str], owner: Any, sign_in: Any) -> None:
    answer = stored(sign_in(owner), TABLE, **fields)
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert not Journal.objects.exists()
