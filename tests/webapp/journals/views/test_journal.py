"""A journal's own page."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.journals import uploads
from webapp.journals.models import Inspection, Journal
from webapp.journals.receiving import partial_file
from webapp.journals.views import journal as journal_view

STORED_SOON = "All files have arrived. They are being stored."


def test_the_page_shows_files_hashes_and_inspections(done: Inspection, viewer: Any, sign_in: Any) -> None:
    page = sign_in(viewer).get(f"/journals/{done.journal_id}/").content.decode()
    for words in (
        done.journal.uploads.get().blob_id,
        "00000000000000000000.log",
        "1 content is lost.",
        "Open report",
    ):
        assert words in page
    assert "Delete" not in page
    assert "Inspect again" not in page


def test_an_unfinished_file_says_how_far_it_is(project: Any, owner: Any, sign_in: Any) -> None:
    journal = uploads.announce(owner, project, "", [("a", 1000)])
    uploads.partial_path(journal.uploads.get()).write_bytes(b"x" * 10)
    assert "10 bytes arrived" in sign_in(owner).get(f"/journals/{journal.pk}/").content.decode()


def test_name_and_ticket_can_be_changed_one_by_one(journal: Journal, reviewer: Any, sign_in: Any) -> None:
    client = sign_in(reviewer)
    client.post(f"/journals/{journal.pk}/edit/", {"ticket": "OPS-1"})
    client.post(f"/journals/{journal.pk}/edit/", {"name": "orders"})
    journal.refresh_from_db()
    assert (journal.name, journal.ticket) == ("orders", "OPS-1")


def test_saving_is_confirmed_on_both_ways(journal: Journal, owner: Any, sign_in: Any) -> None:
    client, address = sign_in(owner), f"/journals/{journal.pk}/edit/"
    assert "Saved." in client.post(address, {"name": "orders"}, follow=True).content.decode()
    assert client.post(address, {"ticket": "T-1"}, HTTP_HX_REQUEST="true")["HX-Trigger"] == "saved"


def test_an_empty_name_is_refused_with_a_sentence(journal: Journal, owner: Any, sign_in: Any) -> None:
    page = sign_in(owner).post(f"/journals/{journal.pk}/edit/", {"name": ""}, follow=True)
    assert "A journal needs a name." in page.content.decode()
    answer = sign_in(owner).post(f"/journals/{journal.pk}/edit/", {"name": ""}, HTTP_HX_REQUEST="true")
    assert answer.status_code == 422


def test_inspecting_again_queues_a_second_one(
    done: Inspection, owner: Any, sign_in: Any, sent: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        response = sign_in(owner).post(f"/journals/{done.journal_id}/inspect/")
    newest = done.journal.latest
    assert newest.pk != done.pk
    assert response["Location"] == f"/inspections/{newest.pk}/"
    assert sent()[-1] == ("journalscope.inspect", f"['{newest.pk}']")


def test_a_journal_that_is_not_whole_is_not_inspected(project: Any, owner: Any, sign_in: Any) -> None:
    journal = uploads.announce(owner, project, "", [("a", 5)])
    page = sign_in(owner).post(f"/journals/{journal.pk}/inspect/", follow=True)
    assert "Upload its files first" in page.content.decode()
    assert not Inspection.objects.exists()


def test_the_next_page_is_the_inspection(inspection: Inspection, owner: Any, sign_in: Any) -> None:
    response = sign_in(owner).get(f"/journals/{inspection.journal_id}/next/")
    assert response["Location"] == f"/inspections/{inspection.pk}/"


@pytest.mark.parametrize("action", ["edit", "inspect"])
def test_a_viewer_changes_nothing(journal: Journal, viewer: Any, sign_in: Any, action: str) -> None:
    response = sign_in(viewer).post(f"/journals/{journal.pk}/{action}/", {"name": "mine now"})
    assert response.status_code == 403
    assert "needs the role support" in response.content.decode()
    assert journal.inspections.count() == 1


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", ""),
        ("get", "next/"),
        ("get", "storing/"),
        ("post", "edit/"),
        ("post", "inspect/"),
        ("post", "delete/"),
    ],
)
def test_a_stranger_gets_404(journal: Journal, stranger: Any, sign_in: Any, method: str, path: str) -> None:
    assert getattr(sign_in(stranger), method)(f"/journals/{journal.pk}/{path}").status_code == 404


@pytest.fixture
def arrived(project: Any, owner: Any) -> Journal:
    """Its one file is here and not stored."""
    made = uploads.announce(owner, project, "", [("a.log", 5)])
    uploads.partial_path(made.uploads.get()).write_bytes(b"bytes")
    partial_file.note(made.uploads.get())
    return made


def test_a_journal_whose_files_have_arrived_says_so_and_goes_on_when_they_are_stored(
    arrived: Journal, owner: Any, sign_in: Any, store_uploads: Any
) -> None:
    client, asked = sign_in(owner), f"/journals/{arrived.pk}/storing/"
    page = client.get(f"/journals/{arrived.pk}/").content.decode()
    for words in (
        STORED_SOON,
        "arrived, being stored",
        "starts when all files are stored",
        f'hx-get="{asked}"',
    ):
        assert words in page
    assert "Continue the upload" not in page
    assert STORED_SOON in client.get(asked).content.decode()
    store_uploads()
    assert client.get(asked)["HX-Redirect"] == f"/journals/{arrived.pk}/next/"
    assert STORED_SOON not in client.get(f"/journals/{arrived.pk}/").content.decode()


def test_who_sent_the_last_byte_waits_on_the_page_and_comes_to_the_inspection(
    arrived: Journal, owner: Any, sign_in: Any, store_uploads: Any
) -> None:
    client, page = sign_in(owner), f"/journals/{arrived.pk}/?arrived"
    assert client.get(f"/journals/{arrived.pk}/next/")["Location"] == page
    assert client.get(page).status_code == 200
    store_uploads()
    (inspection,) = arrived.inspections.all()
    answer = client.get(page, follow=True)
    assert answer.redirect_chain[-1][0] == f"/inspections/{inspection.pk}/"


def test_why_a_file_is_not_stored_stands_on_the_page(
    arrived: Journal, owner: Any, sign_in: Any, monkeypatch: Any, store_uploads: Any
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webapp.journals.disk.storage.store_copy", full)
    with pytest.raises(OSError, match="No space"):
        store_uploads()
    for path in ("", "storing/"):
        page = sign_in(owner).get(f"/journals/{arrived.pk}/{path}").content.decode()
        assert "a.log is not stored because the server&#x27;s disk is full." in page


def test_inspecting_what_is_being_stored_says_when(arrived: Journal, owner: Any, sign_in: Any) -> None:
    page = sign_in(owner).post(f"/journals/{arrived.pk}/inspect/", follow=True).content.decode()
    assert "The files of a.log are being stored." in page


def test_the_list_of_journals_offers_no_upload_that_has_arrived(
    arrived: Journal, owner: Any, sign_in: Any
) -> None:
    page = sign_in(owner).get("/").content.decode()
    assert STORED_SOON in page
    assert f'hx-get="/journals/{arrived.pk}/row/"' in page
    assert "Interrupted uploads" not in page
    answer = sign_in(owner).get(f"/journals/{arrived.pk}/files/").json()
    assert (answer["missing"], answer["arrived"]) == ([], [{"name": "a.log", "size": 5}])


def test_an_inspection_that_begins_while_the_page_is_made_does_no_harm(
    arrived: Journal, owner: Any, sign_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = journal_view._problems

    def slowly(journal: Journal) -> dict[str, Any]:
        Inspection.objects.create(journal=journal)
        return problems(journal)

    monkeypatch.setattr(journal_view, "_problems", slowly)
    page = sign_in(owner).get(f"/journals/{arrived.pk}/?arrived").content.decode()
    assert f'hx-get="/journals/{arrived.pk}/storing/"' in page
    assert "The inspection starts when all files are stored." in page
