"""From announced files to a stored, queued journal."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from spark.storage.copies import put
from tests.spark.storage.stores import bucket_in
from webapp.journals import uploads
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Upload
from webapp.rejected import Rejected


def announced(client: Any, files: Any, **more: Any) -> Any:
    document = json.dumps({"files": files} | more) if not isinstance(files, str) else files
    return client.post("/journals/", document, content_type="application/json")


def test_a_ticket_goes_with_the_files(owner: Any, sign_in: Any) -> None:
    announced(sign_in(owner), [{"name": "a.json", "size": 3}], ticket=" OPS-4711 ")
    assert Journal.objects.get().ticket == "OPS-4711"


def test_a_list_of_files_becomes_a_journal_with_an_address_for_each(owner: Any, sign_in: Any) -> None:
    files = [{"name": "orders-0/00.log", "size": 10}, {"name": "orders-0/00.index", "size": 0}]
    response = announced(sign_in(owner), files)
    journal = Journal.objects.get()
    addresses = {upload.name: f"/uploads/{upload.pk}/" for upload in journal.uploads.all()}
    assert response.status_code == 201
    assert {file["name"]: file["url"] for file in response.json()["uploads"]} == addresses
    assert response.json()["next"] == f"/journals/{journal.pk}/next/"
    assert (journal.name, journal.complete_at) == ("orders-0", None)


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (["a.log"], "a.log"),
        (["p-0/a.log", "p-0/b.log"], "p-0"),
        (["a.log", "b.log", "c.log"], "a.log and 2 more"),
        (["p-0/a.log", "p-1/a.log"], "a.log and 1 more"),
    ],
)
def test_a_journal_is_called_after_its_folder_or_first_file(
    project: Any, owner: Any, names: list[str], called: str
) -> None:
    assert uploads.announce(owner, project, "", [(name, 1) for name in names]).name == called


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "No file was selected"),
        ([{"name": "a", "size": 1}, {"name": "./a", "size": 1}], "Two files are called a"),
        ([{"name": "a", "size": -1}], "announced with -1 bytes"),
        ([{"name": "../a", "size": 1}], "leaves its folder"),
        ([{"name": "a"}], "could not be read"),
        ("[]", "could not be read"),
        ("{", "could not be read"),
        ('{"files": 3}', "could not be read"),
        ('{"files": [{"name": "a", "size": "x"}]}', "could not be read"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused_with_a_sentence(
    owner: Any, sign_in: Any, files: Any, words: str
) -> None:
    response = announced(sign_in(owner), files)
    assert response.status_code == 400
    assert words in response.json()["error"]
    assert not Journal.objects.exists()


def test_more_files_than_a_journal_may_have_are_refused(project: Any, owner: Any, settings: Any) -> None:
    settings.MAX_JOURNAL_FILES = 2
    with pytest.raises(Rejected, match="3 files are more than the 2"):
        uploads.announce(owner, project, "", [(str(n), 1) for n in range(3)])


@pytest.mark.django_db
@pytest.mark.parametrize(("who", "status"), [("viewer", 403), ("stranger", 404)])
def test_who_may_not_upload_cannot_announce(who: str, status: int, request: Any, sign_in: Any) -> None:
    response = announced(sign_in(request.getfixturevalue(who)), [{"name": "a", "size": 1}])
    assert response.status_code == status
    assert not Journal.objects.exists()


def test_the_inspection_waits_for_the_last_file(project: Any, owner: Any) -> None:
    journal = uploads.announce(owner, project, "", [("a", 1), ("b", 1)])
    for upload, inspections in zip(journal.uploads.all(), (0, 1), strict=True):
        uploads.partial_path(upload).write_bytes(b"x")
        uploads.finish(upload)
        assert Inspection.objects.count() == inspections


def test_the_digest_is_of_sorted_names_and_hashes(make_journal: Any, sha256_of: Any) -> None:
    journal = make_journal(files={"b": b"1", "a": b"2"})
    lines = f"{sha256_of(b'2')}  a\n{sha256_of(b'1')}  b\n"
    assert journal.input_digest == hashlib.sha256(lines.encode()).hexdigest()


def test_bytes_are_stored_once_and_read_only(make_journal: Any, sha256_of: Any) -> None:
    make_journal(files={"a": b"same", "b": b"same"})
    blob = Blob.objects.get()
    path = Path(storage.location(blob.pk))
    assert (blob.pk, blob.size_bytes) == (sha256_of(b"same"), 4)
    assert path.read_bytes() == b"same"
    assert path.stat().st_mode & 0o222 == 0
    assert path.parts[-2:] == (blob.pk[:2], blob.pk)


def test_the_same_input_again_is_not_inspected_but_offers_the_report(
    make_journal: Any, done: Inspection, owner: Any, sign_in: Any
) -> None:
    again = make_journal()
    page = sign_in(owner).get(f"/journals/{again.pk}/next/", follow=True)
    assert not again.inspections.exists()
    assert "These files were uploaded before" in page.content.decode()
    assert f"/inspections/{done.pk}/" in page.content.decode()
    assert "Inspect again anyway" in page.content.decode()
    listed = sign_in(owner).get("/").content.decode()
    assert f"The same files were uploaded as {done.journal.name}." in listed


def test_the_same_input_is_inspected_when_the_earlier_try_failed(
    make_journal: Any, inspection: Inspection
) -> None:
    Inspection.objects.update(state=Inspection.State.FAILED)
    assert make_journal().inspections.count() == 1


def test_the_same_bytes_under_another_name_are_another_input(make_journal: Any, done: Inspection) -> None:
    assert make_journal(files={"other.log": b"bytes"}).inspections.count() == 1


def test_files_of_an_unfinished_journal_say_which_are_missing(project: Any, owner: Any, sign_in: Any) -> None:
    journal = uploads.announce(owner, project, "", [("a", 1), ("b", 0)])
    answer = sign_in(owner).get(f"/journals/{journal.pk}/files/").json()
    missing = journal.uploads.get(name="a")
    assert answer["missing"] == [{"name": "a", "size": 1, "url": f"/uploads/{missing.pk}/"}]
    assert answer["arrived"] == [{"name": "b", "size": 0}]


def test_a_stranger_does_not_see_files(journal: Journal, stranger: Any, sign_in: Any) -> None:
    assert sign_in(stranger).get(f"/journals/{journal.pk}/files/").status_code == 404


def test_bytes_deleted_in_the_moment_of_storing_are_stored_again(
    project: Any, owner: Any, monkeypatch: Any
) -> None:
    upload = uploads.announce(owner, project, "", [("a", 1)]).uploads.get()
    uploads.partial_path(upload).write_bytes(b"x")
    place, calls = storage.store_copy, []

    def place_and_lose_once(file: Path, sha256: str) -> None:
        place(file, sha256)
        calls.append(sha256)
        if len(calls) == 1:
            storage.remove(sha256)

    monkeypatch.setattr(storage, "store_copy", place_and_lose_once)
    uploads.finish(upload)
    assert len(calls) == 2
    assert storage.exists(Upload.objects.get().blob_id)


class TestStorage:
    """The store itself: a local folder, and another file system."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "file"
        path.write_bytes(b"bytes")
        return path

    def test_nothing_half_written_gets_a_name(self, file: Path, settings: Any, monkeypatch: Any) -> None:
        def disk_full(source: Any, target: Any) -> None:
            Path(target).write_bytes(b"by")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.link", disk_full)
        monkeypatch.setattr(shutil, "copyfile", disk_full)
        with pytest.raises(OSError, match="No space"):
            storage.store_copy(file, "ab" * 32)
        assert [path for path in (settings.DATA_DIR / "raw").rglob("*") if path.is_file()] == []

    def test_another_disk_gets_a_copy(self, file: Path, monkeypatch: Any) -> None:
        def other_disk(source: Any, target: Any) -> None:
            raise OSError(18, "Invalid cross-device link")

        monkeypatch.setattr("os.link", other_disk)
        storage.store_copy(file, "ab" * 32)
        assert Path(storage.location("ab" * 32)).read_bytes() == b"bytes"

    def test_an_object_store_works_by_its_address(
        self, file: Path, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.RAW_STORAGE_URL = f"{bucket_in(tmp_path / 'objects', monkeypatch)}/raw"
        sha256 = "cd" * 32
        storage.store_copy(file, sha256)
        storage.store_copy(file, sha256)
        assert storage.exists(sha256)
        assert storage.location(sha256) == f"s3://bucket/raw/cd/{sha256}"
        assert storage.head(sha256, 3) == b"byt"
        assert storage.fetch(sha256, tmp_path / "scratch").read_bytes() == b"bytes"

    def test_what_was_unpacked_of_a_blob_goes_with_it(
        self, file: Path, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.RAW_STORAGE_URL = f"{bucket_in(tmp_path / 'objects', monkeypatch)}/raw"
        sha256 = "cd" * 32
        storage.store_copy(file, sha256)
        for archive in (sha256, "ef" * 32):
            put(file, f"{settings.RAW_STORAGE_URL}/{storage.UNPACKED}/{archive}/of-its-name/000001")
        storage.remove(sha256)
        storage.remove(sha256)
        assert not storage.exists(sha256)
        left = [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]
        assert [path.parent.parent.name for path in left] == ["ef" * 32]
