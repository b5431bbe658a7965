"""Whole uploads are stored by a task: once, whatever becomes of its message, its worker or the upload."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from webapp.journals import deletion, uploads
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Upload
from webapp.journals.receiving import partial_file
from webapp.journals.receiving import storing as unstored
from workers import storing
from workers.jobs import housekeeping

pytestmark = pytest.mark.django_db
CONTENT = b"bytes of a journal"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def upload(project: Any, owner: Any, house: Any) -> Upload:
    """All its bytes are here, and the request that brought them noted it."""
    made = uploads.announce(owner, project, "", [("a.log", len(CONTENT))]).uploads.get()
    uploads.partial_path(made).write_bytes(CONTENT)
    partial_file.note(made)
    return made


@pytest.fixture
def messages(house: Any) -> Callable[[str], list[str]]:
    """Tasks in a queue."""
    return lambda queue: [json.loads(text)["headers"]["task"] for text in house.lrange(queue, 0, -1)]


def test_the_file_is_stored_and_its_journal_inspected(upload: Upload) -> None:
    storing.store(str(upload.pk))
    upload.refresh_from_db()
    assert (upload.blob_id, upload.received_bytes, upload.expires_at) == (SHA256, len(CONTENT), None)
    assert Path(storage.location(SHA256)).read_bytes() == CONTENT
    assert upload.journal.inspections.count() == 1
    assert not uploads.partial_path(upload).exists()


def test_a_message_that_comes_twice_stores_nothing_twice(upload: Upload) -> None:
    for _ in range(2):
        storing.store(str(upload.pk))
    assert (Blob.objects.count(), Inspection.objects.count()) == (1, 1)
    assert not uploads.partial_path(upload).exists()


def test_a_second_worker_leaves_it_to_the_first(upload: Upload, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_file, "LOCK_SECONDS", 0.05)
    with uploads.partial_path(upload).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        storing.store(str(upload.pk))
    assert not Blob.objects.exists()
    storing.store(str(upload.pk))
    assert Blob.objects.count() == 1


def test_a_message_about_a_deleted_upload_does_nothing(upload: Upload) -> None:
    deletion.delete_upload(Upload.objects.get())
    storing.store(str(upload.pk))
    assert not Blob.objects.exists()
    assert list(uploads.partial_path(upload).parent.iterdir()) == []


@pytest.mark.parametrize("moment", ["hash_of", "store_copy"])
@pytest.mark.parametrize("what", ["upload", "journal"])
def test_what_is_deleted_while_it_is_stored_leaves_nothing(
    upload: Upload, monkeypatch: pytest.MonkeyPatch, moment: str, what: str
) -> None:
    room = uploads if moment == "hash_of" else storage
    real = getattr(room, moment)

    def delete_then(*arguments: Any) -> Any:
        """Between the hash and the row."""
        result = real(*arguments)
        if what == "upload":
            deletion.delete_upload(Upload.objects.get())
        else:
            deletion.delete_journal(Journal.objects.get())
        return result

    monkeypatch.setattr(room, moment, delete_then)
    storing.store(str(upload.pk))
    assert [rows.objects.count() for rows in (Blob, Upload, Journal)] == [0, 0, 0]
    raw = Path(storage.location(SHA256)).parents[1]
    assert [path for path in raw.rglob("*") if path.is_file()] == []
    assert not uploads.partial_path(upload).exists()


def test_a_worker_killed_between_the_bytes_and_the_row_leaves_it_to_the_next(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = storage.store_copy

    def killed(file: Path, sha256: str) -> None:
        place(file, sha256)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(storage, "store_copy", killed)
        with pytest.raises(KeyboardInterrupt):
            storing.store(str(upload.pk))
    assert (storage.exists(SHA256), Blob.objects.count()) == (True, 0)
    storing.store(str(upload.pk))
    upload.refresh_from_db()
    assert (upload.blob_id, upload.journal.inspections.count()) == (SHA256, 1)


def test_housekeeping_sends_what_was_lost_and_not_twice_a_minute(
    upload: Upload, house: Any, messages: Any
) -> None:
    housekeeping.clean_up()
    housekeeping.clean_up()
    assert messages("quick") == ["journalscope.store_upload"]
    house.delete("quick", *house.keys("journalscope:storing:*"))
    housekeeping.clean_up()
    assert messages("quick") == ["journalscope.store_upload"]


def test_housekeeping_leaves_alone_what_is_not_whole_or_stored(upload: Upload, messages: Any) -> None:
    storing.store(str(upload.pk))
    Upload.objects.create(journal=upload.journal, name="b.log", size_bytes=9, received_bytes=8)
    housekeeping.send_unstored()
    assert messages("quick") == []


def test_a_large_file_does_not_hold_up_what_takes_seconds(
    upload: Upload, messages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unstored, "MAX_QUICK_BYTES", len(CONTENT) - 1)
    unstored.send(upload)
    assert (messages("quick"), messages("transfers")) == ([], ["journalscope.store_upload"])


def test_a_whole_upload_that_a_crash_kept_from_being_noted_does_not_expire(upload: Upload) -> None:
    Upload.objects.update(received_bytes=3, expires_at=timezone.now() - timedelta(hours=1))
    housekeeping.remove_expired_uploads()
    upload.refresh_from_db()
    assert upload.is_whole
    assert uploads.partial_path(upload).read_bytes() == CONTENT


def test_an_upload_whose_bytes_were_lost_can_be_sent_again(upload: Upload) -> None:
    uploads.partial_path(upload).unlink()
    storing.store(str(upload.pk))
    upload.refresh_from_db()
    assert (upload.is_whole, upload.received_bytes, uploads.offset_of(upload)) == (False, 0, 0)
    assert upload.expires_at


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (OSError(28, "No space left on device"), "a.log is not stored because the server's disk is full."),
        (OSError(30, "Read-only file system"), "the server cannot write to its data folder"),
        (ValueError("anything"), "a.log could not be stored."),
    ],
    ids=["disk full", "read-only", "defect"],
)
def test_what_cannot_be_stored_is_said_and_tried_again(
    upload: Upload, monkeypatch: pytest.MonkeyPatch, problem: Exception, words: str
) -> None:
    def fails(*_: object) -> None:
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr(storage, "store_copy", fails)
        with pytest.raises(type(problem)):
            storing.store(str(upload.pk))
    (sentence,) = unstored.problems([upload])
    assert words in sentence
    assert sentence.endswith("Journalscope tries again every minute.")
    assert uploads.partial_path(upload).read_bytes() == CONTENT
    storing.store(str(upload.pk))
    upload.refresh_from_db()
    assert upload.blob_id == SHA256
    assert unstored.problems([upload]) == []
