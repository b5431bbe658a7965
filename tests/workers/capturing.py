"""Captures from brokers in this process: rows as the pages make them, and wishes that come at the right moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workers.capture.small_cluster import TOPIC, SmallCluster
from webapp.clusters import captures as asking
from webapp.clusters.models import Capture, Cluster
from webapp.journals.disk import storage
from workers.jobs.runner import perform
from workers.kinds import capture as capturing
from workers.kinds.capture import KIND, CaptureObserver

ASKED = {
    "topic": TOPIC, "partitions": None, "start": {"at": "earliest"}, "end": {"at": "latest"}, "max_bytes": None,
    "bytes_per_second": None,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _here(settings: Any) -> None:
    settings.KAFKA_NETWORKS = ["loopback"]


@pytest.fixture
def begin(project: Any, owner: Any, house: Any) -> Any:
    """`begin(small)`: a queued capture of everything."""

    def make(small: SmallCluster, **asked: Any) -> Capture:
        cluster, _ = Cluster.objects.get_or_create(
            project=project, name="staging", defaults={"bootstrap": servers(small)}
        )
        return asking.request_capture(cluster, ASKED | asked, owner)

    return make


def servers(small: SmallCluster) -> str:
    """As the form has them."""
    with small.connected() as cluster:
        return ", ".join(cluster.address.bootstrap)


def performed(capture: Capture) -> Capture:
    """After the worker was at it."""
    perform(KIND, str(capture.pk))
    capture.refresh_from_db()
    return capture


def stored(capture: Capture, number: int = 0) -> bytes:
    """Bytes of a partition as the journal has them."""
    files = capture.journal.uploads.filter(name__startswith=f"{TOPIC}-{number}/").order_by("name")
    return b"".join(storage.fetch(file.blob_id, Path("/nowhere")).read_bytes() for file in files)


def when(word: str, monkeypatch: pytest.MonkeyPatch, size_bytes: int = 1) -> None:
    """Have somebody wish this as soon as so many bytes are there; the worker looks each time it is told."""
    look = CaptureObserver.on_progress

    def wished(self: CaptureObserver, progress: Any) -> Any:
        if progress.size_bytes >= size_bytes:
            Capture.objects.filter(pk=self.capture.pk).update(wish=word)
        return look(self, progress)

    monkeypatch.setattr(CaptureObserver, "on_progress", wished)
    monkeypatch.setattr(capturing, "LOOK_SECONDS", 0)
    monkeypatch.setattr("workers.capture.watcher.REPORT_SECONDS", 0)
