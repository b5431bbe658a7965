"""Deleting: with the bytes, unless somebody else needs them."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.jobs import progress
from webapp.journals import deletion, uploads
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Upload
from webapp.rejected import Rejected


def test_a_journal_goes_with_results_and_bytes(done: Inspection) -> None:
    blob = Blob.objects.get()
    deletion.delete_journal(done.journal)
    assert not done.results.exists()
    assert not storage.exists(blob.pk)
    assert [model.objects.count() for model in (Journal, Upload, Inspection, Blob)] == [0, 0, 0, 0]


def test_bytes_that_another_journal_uses_stay(make_journal: Any) -> None:
    first, second = make_journal(), make_journal()
    deletion.delete_journal(first)
    assert storage.exists(second.uploads.get().blob_id)
    deletion.delete_journal(second)
    assert not Blob.objects.exists()


def test_an_inspection_goes_alone(done: Inspection) -> None:
    deletion.delete_inspection(done)
    assert not done.results.exists()
    assert Blob.objects.count() == Journal.objects.count() == 1


def test_a_file_of_a_whole_journal_changes_its_digest(make_journal: Any) -> None:
    journal = make_journal(files={"a": b"1", "b": b"2"})
    before = journal.input_digest
    deletion.delete_upload(journal.uploads.get(name="a"))
    journal.refresh_from_db()
    assert len(journal.input_digest) == 64
    assert journal.input_digest != before
    assert Blob.objects.count() == 1


def test_discarding_the_missing_file_makes_the_rest_whole(project: Any, owner: Any) -> None:
    journal = uploads.announce(owner, project, "", [("a", 0), ("b", 5)])
    deletion.delete_upload(journal.uploads.get(name="b"))
    journal.refresh_from_db()
    assert journal.complete_at
    assert journal.inspections.count() == 1


def test_discarding_the_only_file_leaves_no_journal(project: Any, owner: Any) -> None:
    journal = uploads.announce(owner, project, "", [("a", 5)])
    uploads.partial_path(journal.uploads.get()).write_bytes(b"12")
    deletion.delete_upload(journal.uploads.get())
    assert not Journal.objects.exists()
    assert not list(uploads.partial_path(Upload()).parent.iterdir())


def test_a_running_inspection_is_asked_to_stop_first(inspection: Inspection, house: Any) -> None:
    Inspection.objects.update(state=Inspection.State.RUNNING)
    house.set(progress.key("alive", inspection.pk), 1)
    with pytest.raises(Rejected, match="asked to stop"):
        deletion.delete_journal(inspection.journal)
    assert house.exists(progress.key("cancel", inspection.pk))
    assert Journal.objects.exists()


def test_an_inspection_whose_worker_is_gone_can_be_deleted(inspection: Inspection) -> None:
    Inspection.objects.update(state=Inspection.State.RUNNING)
    inspection.refresh_from_db()
    deletion.delete_inspection(inspection)
    assert not Inspection.objects.exists()


@pytest.mark.parametrize(
    ("who", "status"), [("owner", 302), ("admin", 302), ("reviewer", 403), ("viewer", 403), ("stranger", 404)]
)
def test_only_creator_and_admin_delete(
    done: Inspection, who: str, status: int, request: Any, sign_in: Any
) -> None:
    client = sign_in(request.getfixturevalue(who))
    upload = Upload.objects.get()
    for path in (f"/uploads/{upload.pk}", f"/inspections/{done.pk}", f"/journals/{done.journal_id}"):
        assert client.post(f"{path}/delete/").status_code == status
    assert Journal.objects.exists() == (status != 302)


def test_deleting_needs_a_post(done: Inspection, owner: Any, sign_in: Any) -> None:
    assert sign_in(owner).get(f"/journals/{done.journal_id}/delete/").status_code == 405
    assert Journal.objects.exists()


def test_a_refused_deletion_says_why_on_the_page(
    inspection: Inspection, house: Any, owner: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=Inspection.State.RUNNING)
    house.set(progress.key("alive", inspection.pk), 1)
    page = sign_in(owner).post(f"/journals/{inspection.journal_id}/delete/", follow=True)
    assert "Delete again in a moment" in page.content.decode()
