"""Wherever the power fails: what a 204 promised is there, and so is what the database speaks of."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tests.webapp.forgetful_disk import Disk, recorded
from tests.webapp.journals.receiving.test_tus import CONTENT, create, patch
from webapp.audit import spool
from webapp.audit.models import Event
from webapp.jobs import progress
from webapp.journals import uploads
from webapp.journals.disk import durable, storage
from webapp.journals.models import Upload

ROOT = Path(__file__).resolve().parents[4]
SHA256 = hashlib.sha256(CONTENT).hexdigest()
AUDIT = """
import django
django.setup()
from webapp.audit import log
log.record("journal.created", target=None)
print("recorded", flush=True)
"""


@pytest.fixture
def path(owner: User, sign_in: Any, db: None) -> tuple[Any, str]:
    client = sign_in(owner)
    return client, create(client)["Location"].removeprefix("http://testserver")


def left(disk: Disk, count: int) -> dict[str, int]:
    """Whole or partial bytes of the upload under names that survive."""
    return {name: size for name, size in disk.left_after(count).items() if size}


def test_bytes_that_were_answered_with_204_are_there_after_a_power_cut(
    path: tuple[Any, str], monkeypatch: Any
) -> None:
    client, address = path
    partial = str(uploads.partial_path(Upload.objects.get()))
    with recorded(monkeypatch) as disk:
        assert patch(client, address, 0, CONTENT[:1000]).status_code == 204
    assert left(disk, len(disk.calls)) == {partial: 1000}


def test_an_upload_is_whole_somewhere_at_every_moment_after_its_last_byte(
    path: tuple[Any, str], store_uploads: Any, monkeypatch: Any
) -> None:
    client, address = path
    partial, stored = str(uploads.partial_path(Upload.objects.get())), storage.location(SHA256)
    with recorded(monkeypatch) as disk:
        assert patch(client, address, 0, CONTENT).status_code == 204
        store_uploads()
    began = next(place for place, call in enumerate(disk.calls) if call.name == "folder synced")
    for count in range(began + 1, len(disk.calls) + 1):
        assert len(CONTENT) in left(disk, count).values(), disk.calls[:count]
    assert left(disk, len(disk.calls)) == {stored: len(CONTENT)}
    assert disk.calls[-1].path == partial


def test_a_row_names_only_bytes_that_survive(
    path: tuple[Any, str], store_uploads: Any, monkeypatch: Any
) -> None:
    client, address = path
    stored = storage.location(SHA256)
    seen: list[int] = []

    def completed(journal: Any, _text_format: str) -> None:
        seen.append(len(disk.calls))  # within the transaction of the row

    monkeypatch.setattr(uploads, "complete_if_whole", completed)
    with recorded(monkeypatch) as disk:
        patch(client, address, 0, CONTENT)
        store_uploads()
    commit = next(place for place in disk.index("committed") if place >= seen[0])
    assert disk.left_after(seen[0])[stored] == len(CONTENT)
    (unlinked,) = [place for place in disk.index("unlinked") if disk.calls[place].path.endswith(".part")]
    assert unlinked > commit


def test_the_last_file_and_its_whole_journal_are_one_commit(
    path: tuple[Any, str], store_uploads: Any, monkeypatch: Any
) -> None:
    client, address = path

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webapp.journals.uploads.inspections.request_inspection", killed)
    patch(client, address, 0, CONTENT)
    with pytest.raises(KeyboardInterrupt):
        store_uploads()
    assert Upload.objects.get().blob_id is None
    monkeypatch.undo()


def test_a_shown_folder_is_on_the_disk_with_all_that_is_in_it(tmp_path: Path, monkeypatch: Any) -> None:
    partial, final = tmp_path / "a.partial", tmp_path / "a"
    (partial / "records").mkdir(parents=True)
    (partial / "records" / "part.parquet").write_bytes(b"rows")
    (partial / "report.json").write_bytes(b"{}")
    with recorded(monkeypatch) as disk:
        durable.show(partial, final)
    words = [(call.name, Path(call.path).name) for call in disk.calls]
    assert words[-2:] == [("renamed", "a.partial"), ("folder synced", tmp_path.name)]
    assert set(words[:-2]) == {
        ("synced", "part.parquet"),
        ("synced", "report.json"),
        ("folder synced", "records"),
        ("folder synced", "a.partial"),
    }


def test_new_folders_are_known_to_those_around_them(tmp_path: Path, monkeypatch: Any) -> None:
    with recorded(monkeypatch) as disk:
        durable.make_folder(tmp_path / "a" / "b")
    assert [call.path for call in disk.calls] == [str(tmp_path), str(tmp_path / "a")]


@pytest.mark.django_db
def test_sqlite_returns_from_a_commit_when_the_disk_has_it() -> None:
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)


def test_an_event_that_waits_in_the_broker_is_on_its_disk(db: None, monkeypatch: Any) -> None:
    broker = progress.connection()
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(type(broker), "waitaof", lambda _, *numbers: asked.append(numbers) or [0, 0])
    with pytest.raises(spool.RedisError, match="did not take the event in time"):
        spool.keep(Event(action="record.read"))
    assert asked == [(1, 0, spool.DISK_MS)]


def test_an_event_waits_in_a_broker_that_keeps_no_file_too(db: None) -> None:
    spool.keep(Event(action="record.read"))
    assert spool.bring_in() == 1


@pytest.mark.long
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed: apt-get install strace")
def test_the_kernel_is_asked_to_sync_the_audit_log_before_a_commit_returns(tmp_path: Path) -> None:
    environment = os.environ | {
        "JOURNALSCOPE_DATA": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=ROOT, env=environment, check=True)
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-y", "-e", "trace=write,pwrite64,fdatasync,fsync", "-o", str(trace)]
    done = subprocess.run(
        [*command, sys.executable, "-c", AUDIT], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    before = trace.read_text().split('"recorded')[0]
    calls = [line for line in before.splitlines() if "journalscope.sqlite3-wal" in line]
    written = max(place for place, line in enumerate(calls) if "pwrite64(" in line)
    assert any("sync(" in line for line in calls[written:]), calls
