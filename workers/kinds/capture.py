"""One capture from the queue to its journal.

What was captured lies in the capture's folder until it is stored; an attempt that finds something there goes on after
it. So attempts share that folder, unlike others: whoever works in it holds its lock, also a process that stalled.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from redis.exceptions import RedisError

from webapp.clusters.models import Capture, SealBroken
from webapp.jobs.lifecycle import held
from webapp.jobs.models import State
from webapp.jobs.progress import PROGRESS_SECONDS
from webapp.journals.disk import quotas
from webapp.journals.disk.reserved import reserved_bytes
from webapp.journals.disk.sizes import folder_size
from webapp.operations.storage import free_bytes
from webapp.redis_client import connection, key
from webapp.rejected import Rejected
from workers import watches
from workers.capture.ask import CaptureSpec
from workers.capture.manifest import CaptureManifest
from workers.capture.run import capture as run
from workers.capture.schemas import capture_schemas
from workers.capture.watcher import CaptureProgress, CaptureSignal
from workers.jobs.database import skipped_while_away
from workers.jobs.progress import LeaseLost, Progress, WorkerStops
from workers.jobs.runner import Attempt, JobFailed, JobKind
from workers.kafka import KafkaCluster, KafkaError
from workers.kinds.capture_to_journal import begin_journal, cut, manifest_of, store
from workers.kinds.previous_segments import RecaptureNeeded
from workers.kinds.trial import address_of, networks, registry_of

RequestedAction = Capture.RequestedAction

LOOK_SECONDS = 1.0
MANIFEST_BYTES = 1_000_000  # of a project's quota, kept free for what is told beside the records
REGISTRY = "Schema registry"
NO_ROOM = (
    "There is no space left in the project {project}: its quota or the server's disk is full. The captured data is kept. "
    "Delete journals that are no longer needed and continue, or end the capture."
)


class CaptureJob(JobKind):
    """From brokers into a folder, from there into a journal."""

    name = "capture"
    related = ("cluster", "project", "journal", "watch", "requested_by")
    expected = (JobFailed, KafkaError, SealBroken, ValueError, Rejected)

    def execute(self, attempt: Attempt) -> dict[str, Any]:
        """The journal of what was captured; or that it is paused."""
        capture: Capture = attempt.job
        with in_folder(capture):
            if capture.journal_id is None and capture.wish == RequestedAction.STOP:
                cut(capture)
            elif capture.journal_id is None:
                observer = CaptureObserver(capture, attempt.progress)
                capture_into_folder(capture, observer)
                if observer.wish == RequestedAction.PAUSE:
                    return {"state": State.PAUSED}
                capture.wish = observer.wish
            return keep(capture)

    def closing_columns(self, job: Any) -> dict[str, Any]:
        """Nobody's wish is left over, and the size is what is there."""
        size_bytes = job.size_bytes if job.journal_id else folder_size(job.folder)
        return {"wish": RequestedAction.NONE, "size_bytes": size_bytes}

    def settled(self, attempt: Attempt) -> None:
        """What a journal holds is not kept twice; a watch whose log is another one captures all of it."""
        capture = attempt.job
        if capture.state == State.PAUSED:
            return
        shutil.rmtree(capture.folder, ignore_errors=True)
        if capture.state == State.CANCELLED and capture.error:
            watches.begin_afresh(capture)


KIND = CaptureJob()


@contextmanager
def in_folder(capture: Capture) -> Iterator[None]:
    """Alone in its folder. Raises WorkerStops where another attempt holds it: this one waits in the queue."""
    capture.folder.mkdir(parents=True, exist_ok=True)
    folder = os.open(capture.folder, os.O_RDONLY)
    try:
        _lock(folder)
        yield
    finally:
        os.close(folder)


def _lock(folder: int) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkerStops from None


def capture_into_folder(capture: Capture, observer: CaptureObserver) -> None:
    """Raises what keeps it from being whole, and what somebody wants of the worker."""
    _fetch(capture, observer)
    observer.progress.raise_if_cancelled()
    if why := _left_by_brokers(capture.folder):
        raise Rejected(why, 503)
    if observer.is_full:
        raise Rejected(NO_ROOM.format(project=capture.project), 413)


class CaptureObserver:
    """Tells the pages how far the engine is, and the engine what people want."""

    def __init__(self, capture: Capture, progress: Progress) -> None:
        self.capture = capture
        self.progress = progress
        self.wish: str = RequestedAction.NONE
        self.is_full = False
        self._looked_at = 0.0

    def on_progress(self, progress: CaptureProgress) -> CaptureSignal:
        """A look at the row each second; otherwise what the last look saw."""
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._looked_at = time.monotonic()
            with skipped_while_away():
                self._look(progress)
        is_over = self.wish or self.progress.shall_stop or self.is_full
        return CaptureSignal.CANCEL if is_over else CaptureSignal.GO_ON

    def _look(self, progress: CaptureProgress) -> None:
        row = held(self.capture)
        wish = row.values_list("wish", flat=True).first()
        if wish is None:
            self.progress.stop(LeaseLost())
            return
        self.wish = wish
        row.update(size_bytes=progress.size_bytes)
        quota_bytes = self.capture.project.quota_bytes
        self.is_full = quota_bytes is not None and quotas.used_bytes(self.capture.project) > quota_bytes
        with suppress(RedisError):
            text = json.dumps(asdict(progress))
            connection().set(key("progress", self.capture.pk), text, ex=PROGRESS_SECONDS)


def _fetch(capture: Capture, observer: CaptureObserver) -> None:
    if capture.cluster is None:
        raise Rejected(
            f"The cluster {capture.cluster_name} was removed. End the capture to keep the captured data.", 409
        )
    with KafkaCluster(address_of(capture.cluster), networks()) as cluster:
        manifest = run(
            cluster, _spec(capture), capture.folder, observer,
            captured_by=capture.requested_by.get_username() if capture.requested_by else "",
            cluster_name=capture.cluster_name,
        )  # fmt: skip
    if not (observer.progress.shall_stop or observer.wish == RequestedAction.PAUSE):
        _add_schemas(capture, manifest)


def _add_schemas(capture: Capture, manifest: CaptureManifest) -> None:
    """Those of the cluster's registry, if it has one; why not, where the registry does not give them."""
    registry = registry_of(capture.cluster)
    if registry is None:
        return
    try:
        capture_schemas(registry, networks(), capture.folder)
        manifest.note(REGISTRY, None)
    except KafkaError as problem:
        manifest.note(REGISTRY, str(problem))
    manifest.save(capture.folder)


def _left_by_brokers(folder: Path) -> str:
    """Which partitions are not whole because a broker went away and did not come back; else nothing."""
    manifest = manifest_of(folder) or {"partitions": []}
    lost = [partition for partition in manifest["partitions"] if partition["stopped_by"] == "broker-gone"]
    if not lost:
        return ""
    sentences = dict.fromkeys(event["says"] for partition in lost for event in partition["events"][-1:])
    numbers = ", ".join(str(partition["partition"]) for partition in lost)
    return (
        f"Incomplete: partition {numbers}. {' '.join(sentences)} The captured data is kept. Continue when the broker is available, "
        "or end the capture to create a journal from the captured data."
    )


def _spec(capture: Capture) -> CaptureSpec:
    """What was asked for, within what there is room for. Raises Rejected where there is none."""
    room = room_of(capture)
    if not room:
        raise Rejected(NO_ROOM.format(project=capture.project), 413)
    spec = CaptureSpec.of(capture.asked)
    return replace(spec, max_bytes=min(spec.max_bytes or room, room))


def room_of(capture: Capture) -> int:
    """Bytes that this capture may have in all: what is left of the project's quota, what the server allows, and half
    of what is free on its disk and not reserved for uploads, since storing takes as much again."""
    quota_bytes = capture.project.quota_bytes
    unreserved = max(0, free_bytes() - reserved_bytes())
    limit = min(settings.CAPTURE_MAX_BYTES, capture.size_bytes + unreserved // 2)
    if quota_bytes is None:
        return limit
    others = quotas.used_bytes(capture.project) - capture.size_bytes
    return max(0, min(limit, quota_bytes - others - MANIFEST_BYTES))


def keep(capture: Capture) -> dict[str, Any]:
    """What is in the folder becomes a journal, which is inspected at once. Begun once, it is finished by any attempt."""
    manifest = manifest_of(capture.folder)
    try:
        is_begun = capture.journal is not None or begin_journal(capture)
    except RecaptureNeeded as why:
        return {"state": State.CANCELLED, "error": str(why), "manifest": manifest}
    state = State.CANCELLED if capture.wish == RequestedAction.STOP else State.DONE
    if not is_begun:
        return {"state": state, "manifest": manifest, "size_bytes": 0}
    assert capture.journal is not None
    for upload in capture.journal.uploads.filter(blob=None):
        store(capture, upload)
    return {"state": state}
