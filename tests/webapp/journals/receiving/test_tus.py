"""The upload protocol, verb by verb, as tus 1.0.0 writes them down."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import re
import threading
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.test.client import FakePayload

from webapp.jobs import progress
from webapp.journals import uploads
from webapp.journals.disk import storage
from webapp.journals.models import Inspection, Journal, Upload
from webapp.journals.receiving import partial_file, storing
from webapp.rejected import Rejected
from workers import storing as worker

TUS = {"HTTP_TUS_RESUMABLE": "1.0.0"}
BODY = "application/offset+octet-stream"
CONTENT = bytes(range(256)) * 40


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def create(client: Client, size_bytes: int | str = len(CONTENT), name: str = "a.log", **more: Any) -> Any:
    metadata = more.pop("metadata", f"filename {encoded(name)}")
    headers = {"HTTP_UPLOAD_LENGTH": str(size_bytes), "HTTP_UPLOAD_METADATA": metadata}
    return client.post("/uploads/", content_type=more.pop("content_type", ""), **TUS, **(headers | more))


def patch(client: Client, path: str, offset: int, content: bytes, **more: Any) -> Any:
    kind = more.pop("content_type", BODY)
    return client.generic(
        "PATCH", path, content, content_type=kind, HTTP_UPLOAD_OFFSET=str(offset), **(TUS | more)
    )


def checksum(algorithm: str, content: bytes) -> str:
    return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, content).digest()).decode()}"


@pytest.fixture
def client(owner: Any, sign_in: Any) -> Client:
    return sign_in(owner)


@pytest.fixture
def path(client: Client) -> str:
    return create(client)["Location"].removeprefix("http://testserver")


def test_options_tells_version_extensions_and_limits(client: Client, settings: Any) -> None:
    settings.MAX_FILE_BYTES = 1000
    response = client.options("/uploads/")
    assert response.status_code == 204
    assert response["Tus-Version"] == response["Tus-Resumable"] == "1.0.0"
    assert response["Tus-Extension"] == "creation,creation-with-upload,checksum,termination,expiration"
    assert response["Tus-Checksum-Algorithm"] == "sha1,sha256,md5"
    assert response["Tus-Max-Size"] == "1000"


def test_creation_answers_with_location_offset_and_expiry(client: Client, owner: Any) -> None:
    response = create(client)
    upload = Upload.objects.get()
    assert response.status_code == 201
    assert response["Location"] == f"http://testserver/uploads/{upload.pk}/"
    assert response["Upload-Offset"] == "0"
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", response["Upload-Expires"])
    assert (upload.name, upload.size_bytes, upload.journal.created_by) == ("a.log", len(CONTENT), owner)


def test_creation_can_bring_the_first_bytes(client: Client) -> None:
    headers = {
        "HTTP_UPLOAD_LENGTH": str(len(CONTENT)),
        "HTTP_UPLOAD_METADATA": f"filename {encoded('a.log')}",
    }
    response = client.generic("POST", "/uploads/", CONTENT[:100], content_type=BODY, **TUS, **headers)
    assert (response.status_code, response["Upload-Offset"]) == (201, "100")


def test_creation_with_all_bytes_finishes_the_file(client: Client, store_uploads: Any) -> None:
    headers = {
        "HTTP_UPLOAD_LENGTH": str(len(CONTENT)),
        "HTTP_UPLOAD_METADATA": f"filename {encoded('a.log')}",
    }
    client.generic("POST", "/uploads/", CONTENT, content_type=BODY, **TUS, **headers)
    store_uploads()
    assert Upload.objects.get().blob_id == hashlib.sha256(CONTENT).hexdigest()


def test_a_second_file_can_join_a_journal_that_is_not_whole(client: Client) -> None:
    create(client)
    journal = Journal.objects.get()
    metadata = f"filename {encoded('b.log')},journal {encoded(str(journal.pk))}"
    assert create(client, metadata=metadata).status_code == 201
    assert sorted(journal.uploads.values_list("name", flat=True)) == ["a.log", "b.log"]


def test_a_file_cannot_join_a_whole_journal(client: Client, journal: Journal) -> None:
    metadata = f"filename {encoded('b.log')},journal {encoded(str(journal.pk))}"
    response = create(client, metadata=metadata)
    assert response.status_code == 409
    assert "is complete" in response.content.decode()


@pytest.mark.parametrize("length", ["", "-1", "1.5", "many", "9" * 30])
def test_an_unusable_length_is_refused_with_a_sentence(client: Client, length: str) -> None:
    response = create(client, length)
    assert response.status_code == 400
    assert "Upload-Length" in response.content.decode()
    assert not Journal.objects.exists()


def test_a_missing_length_is_refused(client: Client) -> None:
    assert client.post("/uploads/", **TUS).status_code == 400


@pytest.mark.parametrize(
    "name", ["../a.log", "x/../../a", "/etc/passwd", "a\x00b", "C:\\a", "..\\a", "", "a\nb", "x" * 1001]
)
def test_names_that_leave_the_folder_or_hide_something_are_refused(client: Client, name: str) -> None:
    response = create(client, name=name)
    assert response.status_code == 400
    assert response.content.decode().endswith(".")
    assert not Upload.objects.exists()


def test_a_file_above_the_limit_is_refused(client: Client, settings: Any) -> None:
    settings.MAX_FILE_BYTES = 100
    response = create(client, 101)
    assert response.status_code == 413
    assert "the limit is 100 bytes (MAX_FILE_BYTES)" in response.content.decode()


def test_a_file_that_does_not_fit_on_the_disk_is_refused(client: Client, settings: Any) -> None:
    settings.MAX_FILE_BYTES = 10**18
    response = create(client, 10**17)
    assert response.status_code == 413
    assert "The server's disk has no room for" in response.content.decode()


@pytest.mark.parametrize(
    "metadata", ["filename not*base64", f"filename {encoded('a')},journal {encoded('x')}"]
)
def test_unreadable_metadata_is_refused(client: Client, metadata: str) -> None:
    assert create(client, metadata=metadata).status_code == 400


def test_another_version_of_the_protocol_is_told_which_one_we_speak(client: Client, path: str) -> None:
    for version in ("0.2.2", ""):
        response = client.head(path, HTTP_TUS_RESUMABLE=version)
        assert (response.status_code, response["Tus-Version"]) == (412, "1.0.0")


def test_head_tells_offset_and_length_and_is_not_cached(client: Client, path: str) -> None:
    patch(client, path, 0, CONTENT[:77])
    response = client.head(path, **TUS)
    assert (response.status_code, response["Upload-Offset"], response["Upload-Length"]) == (
        200,
        "77",
        str(len(CONTENT)),
    )
    assert "no-store" in response["Cache-Control"]


def test_get_is_no_verb_of_an_upload(client: Client, path: str) -> None:
    response = client.get(path, **TUS)
    assert response.status_code == 405
    assert response["Allow"] == "OPTIONS, HEAD, PATCH, DELETE"


def test_patches_add_up_to_the_file(client: Client, path: str, store_uploads: Any) -> None:
    for offset in range(0, len(CONTENT), 1000):
        response = patch(client, path, offset, CONTENT[offset : offset + 1000])
        assert response.status_code == 204
        assert int(response["Upload-Offset"]) == min(offset + 1000, len(CONTENT))
    store_uploads()
    upload = Upload.objects.get()
    assert upload.blob_id == hashlib.sha256(CONTENT).hexdigest()
    assert Path(storage.location(upload.blob_id)).read_bytes() == CONTENT
    assert not uploads.partial_path(upload).exists()


def test_the_last_byte_asks_a_worker_and_the_worker_starts_the_inspection(
    client: Client, path: str, sent: Any, store_uploads: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        response = patch(client, path, 0, CONTENT)
    upload = Upload.objects.get()
    assert (response.status_code, response["Upload-Offset"]) == (204, str(len(CONTENT)))
    assert (upload.blob_id, upload.received_bytes, upload.expires_at) == (None, len(CONTENT), None)
    assert sent() == [("journalscope.store_upload", f"['{upload.pk}']")]
    with django_capture_on_commit_callbacks(execute=True):
        store_uploads()
    inspection = Inspection.objects.get()
    assert inspection.journal.complete_at
    assert len(inspection.journal.input_digest) == 64
    assert ("journalscope.inspect", f"['{inspection.pk}']") in sent()


def test_a_wrong_offset_is_a_conflict_that_names_the_right_one(client: Client, path: str) -> None:
    patch(client, path, 0, CONTENT[:10])
    for offset in (0, 9, 11):
        response = patch(client, path, offset, b"x")
        assert response.status_code == 409
        assert "the next offset is 10" in response.content.decode()
    assert client.head(path, **TUS)["Upload-Offset"] == "10"


def test_more_bytes_than_announced_are_refused_and_not_written(client: Client, path: str) -> None:
    assert patch(client, path, 0, CONTENT + b"x").status_code == 413
    assert client.head(path, **TUS)["Upload-Offset"] == "0"


def test_another_content_type_is_refused(client: Client, path: str) -> None:
    assert patch(client, path, 0, CONTENT, content_type="application/octet-stream").status_code == 415


@pytest.mark.parametrize("offset", ["", "-1", "x"])
def test_an_unusable_offset_is_refused(client: Client, path: str, offset: Any) -> None:
    assert patch(client, path, offset, b"x").status_code == 400


def test_a_body_of_unknown_length_is_refused(client: Client, path: str) -> None:
    response = client.generic("PATCH", path, CONTENT_TYPE=BODY, HTTP_UPLOAD_OFFSET="0", **TUS)
    assert response.status_code == 411


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "md5"])
def test_a_right_checksum_is_accepted(client: Client, path: str, algorithm: str) -> None:
    response = patch(client, path, 0, CONTENT[:50], HTTP_UPLOAD_CHECKSUM=checksum(algorithm, CONTENT[:50]))
    assert (response.status_code, response["Upload-Offset"]) == (204, "50")


def test_a_wrong_checksum_is_460_and_leaves_what_was_there_before(client: Client, path: str) -> None:
    patch(client, path, 0, CONTENT[:50])
    response = patch(client, path, 50, CONTENT[50:], HTTP_UPLOAD_CHECKSUM=checksum("sha1", b"other"))
    assert response.status_code == 460
    upload = Upload.objects.get()
    assert uploads.partial_path(upload).read_bytes() == CONTENT[:50]
    assert upload.blob_id is None


@pytest.mark.parametrize("header", ["crc32 AAAA", "sha1", "sha1 ***", "nonsense"])
def test_an_unknown_or_broken_checksum_header_is_400_or_460_and_keeps_nothing(
    client: Client, path: str, header: str
) -> None:
    assert patch(client, path, 0, CONTENT, HTTP_UPLOAD_CHECKSUM=header).status_code in {400, 460}
    assert client.head(path, **TUS)["Upload-Offset"] == "0"


class BrokenLine(FakePayload):
    """A body whose connection breaks after some bytes."""

    def read(self, size: int | None = None) -> bytes:
        block = super().read(min(size or 100, 100))
        if not block:
            raise ConnectionResetError
        return block


def broken_patch(client: Client, path: str, content: bytes, promised: int, **more: Any) -> Any:
    payload = BrokenLine(content)
    payload._FakePayload__len = promised
    environ = {
        "wsgi.input": payload,
        "CONTENT_LENGTH": str(promised),
        "CONTENT_TYPE": BODY,
        "REQUEST_METHOD": "PATCH",
    }
    return client.request(PATH_INFO=path, HTTP_UPLOAD_OFFSET="0", **environ, **TUS, **more)


def test_a_broken_connection_keeps_what_arrived(client: Client, path: str, store_uploads: Any) -> None:
    broken_patch(client, path, CONTENT[:300], len(CONTENT))
    assert client.head(path, **TUS)["Upload-Offset"] == "300"
    assert patch(client, path, 300, CONTENT[300:]).status_code == 204
    store_uploads()
    assert Upload.objects.get().blob_id == hashlib.sha256(CONTENT).hexdigest()


def test_bytes_whose_checksum_could_not_be_checked_are_not_kept(client: Client, path: str) -> None:
    broken_patch(client, path, CONTENT[:300], len(CONTENT), HTTP_UPLOAD_CHECKSUM=checksum("sha1", CONTENT))
    assert client.head(path, **TUS)["Upload-Offset"] == "0"


def test_a_second_patch_at_the_same_time_is_locked_out(client: Client, path: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(partial_file, "LOCK_SECONDS", 0.1)
    patch(client, path, 0, CONTENT[:10])
    with uploads.partial_path(Upload.objects.get()).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert patch(client, path, 10, CONTENT[10:]).status_code == 423
        assert client.head(path, **TUS)["Upload-Offset"] == "10"
    assert patch(client, path, 10, CONTENT[10:]).status_code == 204


def test_a_request_that_is_ending_is_waited_for(client: Client, path: str) -> None:
    partial = uploads.partial_path(Upload.objects.get())
    file = partial.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX)

    def end() -> None:
        file.write(CONTENT[:20])
        file.close()

    threading.Timer(0.3, end).start()
    assert client.head(path, **TUS)["Upload-Offset"] == "20"
    assert patch(client, path, 20, CONTENT[20:]).status_code == 204


def test_the_offset_is_the_files_size_so_a_restart_loses_nothing(
    client: Client, path: str, store_uploads: Any
) -> None:
    upload = Upload.objects.get()
    uploads.partial_path(upload).write_bytes(
        CONTENT[:4000]
    )  # as a killed server leaves it: no row was updated
    assert client.head(path, **TUS)["Upload-Offset"] == "4000"
    assert patch(client, path, 4000, CONTENT[4000:]).status_code == 204
    store_uploads()
    assert Upload.objects.get().blob_id == hashlib.sha256(CONTENT).hexdigest()


def test_a_file_whose_last_step_a_crash_took_is_finished_at_the_next_question(
    client: Client, path: str, store_uploads: Any
) -> None:
    upload = Upload.objects.get()
    uploads.partial_path(upload).write_bytes(CONTENT)
    assert client.head(path, **TUS)["Upload-Offset"] == str(len(CONTENT))
    store_uploads()
    upload.refresh_from_db()
    assert upload.blob_id == hashlib.sha256(CONTENT).hexdigest()
    assert upload.journal.inspections.count() == 1


def test_an_empty_file_is_complete_from_the_start(client: Client) -> None:
    path = create(client, 0)["Location"].removeprefix("http://testserver")
    assert client.head(path, **TUS)["Upload-Offset"] == "0"
    assert Upload.objects.get().blob_id == hashlib.sha256(b"").hexdigest()


def test_delete_forgets_the_upload_and_its_bytes(client: Client, path: str) -> None:
    patch(client, path, 0, CONTENT[:10])
    partial = uploads.partial_path(Upload.objects.get())
    assert client.delete(path, **TUS).status_code == 204
    assert not partial.exists()
    assert not Journal.objects.exists()
    assert client.head(path, **TUS).status_code == 404


def test_a_finished_file_is_not_deleted_by_the_protocol(
    client: Client, path: str, store_uploads: Any
) -> None:
    patch(client, path, 0, CONTENT)
    assert client.delete(path, **TUS).status_code == 409
    store_uploads()
    assert client.delete(path, **TUS).status_code == 409
    assert Upload.objects.get().blob.size_bytes == len(CONTENT)


def test_a_file_cannot_join_a_journal_whose_files_have_arrived(client: Client, path: str) -> None:
    patch(client, path, 0, CONTENT)
    metadata = f"filename {encoded('b.log')},journal {encoded(str(Journal.objects.get().pk))}"
    assert create(client, metadata=metadata).status_code == 409


def test_methods_can_be_overridden_where_a_proxy_knows_no_patch(client: Client, path: str) -> None:
    headers = TUS | {"HTTP_X_HTTP_METHOD_OVERRIDE": "PATCH", "HTTP_UPLOAD_OFFSET": "0"}
    assert client.generic("POST", path, CONTENT[:5], content_type=BODY, **headers).status_code == 204
    assert client.head(path, **TUS)["Upload-Offset"] == "5"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT"])
@pytest.mark.parametrize("meant", ["PATCH", "DELETE", "POST"])
def test_no_other_method_stands_for_one_that_changes_data(
    owner: Any, client: Client, path: str, method: str, meant: str
) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    headers = TUS | {"HTTP_X_HTTP_METHOD_OVERRIDE": meant, "HTTP_UPLOAD_OFFSET": "0"}
    browser.generic(method, path, CONTENT[:5], content_type=BODY, **headers)
    assert client.head(path, **TUS)["Upload-Offset"] == "0"


def test_post_stands_for_another_method_only_with_the_csrf_token(owner: Any, path: str) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    headers = TUS | {"HTTP_X_HTTP_METHOD_OVERRIDE": "DELETE"}
    assert browser.generic("POST", path, b"", **headers).status_code == 403
    assert Upload.objects.exists()


def test_each_patch_moves_the_expiry(client: Client, path: str) -> None:
    Upload.objects.update(expires_at="2020-01-01T00:00:00Z")
    patch(client, path, 0, CONTENT[:5])
    assert Upload.objects.get().expires_at.year > 2020


def test_a_write_that_takes_only_part_is_continued() -> None:
    class Slow(BytesIO):
        def write(self, block: Any) -> int:
            return super().write(bytes(block)[:7])

    file = Slow()
    partial_file.write(file, CONTENT)
    assert file.getvalue() == CONTENT


def test_no_space_left_becomes_a_sentence() -> None:
    with open("/dev/full", "r+b", buffering=0) as full, pytest.raises(Rejected) as refusal:
        partial_file.write(full, CONTENT)
    assert (refusal.value.status, "disk is full" in str(refusal.value)) == (507, True)


def test_whoever_is_not_signed_in_gets_401_and_no_redirect(path: str) -> None:
    assert Client().head(path, **TUS).status_code == 401
    assert create(Client()).status_code == 401


@pytest.mark.parametrize("who", ["reviewer", "admin", "viewer", "stranger"])
def test_nobody_else_can_touch_an_upload(path: str, who: str, request: Any, sign_in: Any) -> None:
    client = sign_in(request.getfixturevalue(who))
    assert client.head(path, **TUS).status_code == 404
    assert patch(client, path, 0, CONTENT).status_code == 404
    assert client.delete(path, **TUS).status_code == 404
    assert not uploads.partial_path(Upload.objects.get()).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("who", "status"), [("viewer", 403), ("stranger", 404)])
def test_who_may_not_upload_cannot_create(who: str, status: int, request: Any, sign_in: Any) -> None:
    assert create(sign_in(request.getfixturevalue(who))).status_code == status
    assert not Journal.objects.exists()


def test_a_file_cannot_join_somebody_elses_journal(path: str, reviewer: Any, sign_in: Any) -> None:
    metadata = f"filename {encoded('b.log')},journal {encoded(str(Journal.objects.get().pk))}"
    assert create(sign_in(reviewer), metadata=metadata).status_code == 404


def test_csrf_is_checked(owner: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert create(client).status_code == 403


def test_without_redis_the_last_byte_is_taken_and_a_later_question_sends_the_task(
    client: Client, path: str, sent: Any, settings: Any, house: Any, django_capture_on_commit_callbacks: Any
) -> None:
    here = settings.REDIS_URL
    settings.REDIS_URL = "unix:///nobody/listens.sock"
    progress.connection.cache_clear()
    with django_capture_on_commit_callbacks(execute=True):
        assert patch(client, path, 0, CONTENT).status_code == 204
    assert sent() == []
    settings.REDIS_URL = here
    progress.connection.cache_clear()
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            assert client.head(path, **TUS)["Upload-Offset"] == str(len(CONTENT))
    assert [task for task, _ in sent()] == ["journalscope.store_upload"]


def test_the_lock_is_free_when_the_task_is_sent(client: Client, path: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(partial_file, "LOCK_SECONDS", 0.0)
    monkeypatch.setattr(transaction, "on_commit", lambda call: call())
    monkeypatch.setattr(storing, "send", lambda upload: worker.store(str(upload.pk)))
    patch(client, path, 0, CONTENT)
    assert Upload.objects.get().blob_id == hashlib.sha256(CONTENT).hexdigest()


def test_an_upload_that_is_being_stored_is_not_waited_for(client: Client, path: str) -> None:
    patch(client, path, 0, CONTENT)
    with uploads.partial_path(Upload.objects.get()).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        began = time.monotonic()
        assert client.head(path, **TUS)["Upload-Offset"] == str(len(CONTENT))
        assert time.monotonic() - began < partial_file.LOCK_SECONDS
