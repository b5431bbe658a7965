"""A disk that is full or cannot be written, and a clock that is set: the user reads why, and may try again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from spark.runtime.in_process import in_process
from tests.generator.apicurio import healthy
from tests.generator.dumps import kcat_base64
from webapp import celery_client
from webapp.jobs import kinds
from webapp.journals import uploads
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Upload
from webapp.sharing.models import Share
from workers.jobs import housekeeping, spark_runner
from workers.jobs.runner import READ_ONLY, perform
from workers.kinds.inspection import KIND

pytestmark = [pytest.mark.django_db, pytest.mark.chaos]
TOO_SMALL, LARGE_ENOUGH = "size=64k", "size=64m"


@pytest.fixture
def disk(tmp_path: Path, house: Any, settings: Any) -> Iterator[Path]:
    """A disk of its own for results, at first too small for any."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", TOO_SMALL, "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.decode().strip()}")
    settings.RESULTS_DIR = folder
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def remount(disk: Path, option: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", disk], check=True)


@pytest.fixture
def waiting(project: Any, house: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inspection:
    """An inspection of a healthy journal in the queue, its tasks run in this process."""
    monkeypatch.setattr(spark_runner, "run", lambda _, attempt: attempt(in_process))
    path = tmp_path / "journal.json"
    path.write_bytes(kcat_base64(healthy(2)))
    sha256, size_bytes = uploads.hash_of(path), path.stat().st_size
    storage.store_copy(path, sha256)
    Blob.objects.create(sha256=sha256, size_bytes=size_bytes)
    journal = Journal.objects.create(project=project, name="journal")
    Upload.objects.create(journal=journal, name=path.name, size_bytes=size_bytes, blob_id=sha256)
    return Inspection.objects.create(journal=journal)


def fails(inspection: Inspection) -> str:
    """Performed, and what the user then reads."""
    with pytest.raises(OSError):
        perform(KIND, str(inspection.pk))
    inspection.refresh_from_db()
    assert inspection.state == "failed"
    return inspection.error


def again(inspection: Inspection) -> str:
    """Tried once more, as the button does; the state."""
    Inspection.objects.filter(pk=inspection.pk).update(state="queued", error="")
    perform(KIND, str(inspection.pk))
    inspection.refresh_from_db()
    return inspection.state


def test_a_full_disk_is_told_leaves_nothing_and_is_no_obstacle_later(disk: Path, waiting: Inspection) -> None:
    assert fails(waiting) == kinds.named("inspection").disk_full
    assert list(disk.iterdir()) == []
    remount(disk, LARGE_ENOUGH)
    assert again(waiting) == "done"


def test_a_read_only_folder_is_told_and_is_no_obstacle_later(disk: Path, waiting: Inspection) -> None:
    remount(disk, "ro")
    assert fails(waiting) == READ_ONLY
    remount(disk, "rw")
    remount(disk, LARGE_ENOUGH)
    assert again(waiting) == "done"


@pytest.mark.parametrize(
    "jump", [timedelta(days=400), timedelta(hours=1), timedelta(hours=-1), timedelta(days=-400)], ids=str
)
def test_a_clock_that_is_set_leaves_nothing_waiting(
    project: Any, house: Any, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(celery_client, "send", lambda _, job_id: sent.append(job_id))
    journal = Journal.objects.create(project=project, name="journal")
    queued, lost, busy = (
        Inspection.objects.create(journal=journal, state=state) for state in ("queued", "running", "running")
    )
    Inspection.objects.exclude(state="queued").update(started_at=timezone.now(), attempts=1)
    share = Share.objects.create(
        project=project, inspection=busy, journal_name="journal", token_sha256="a", scope={}, options={}, salt=b"", state="queued",
        expires_at=timezone.now() + timedelta(days=4000),
    )  # fmt: skip
    then = timezone.now() + jump
    monkeypatch.setattr(timezone, "now", lambda: then)
    house.set(f"journalscope:alive:{busy.pk}", "its lease")
    housekeeping.take_up_abandoned()
    housekeeping.send_lost()
    assert sorted(sent) == sorted([str(queued.pk), str(lost.pk), str(share.pk)])
    busy.refresh_from_db()
    assert busy.state == "running"
