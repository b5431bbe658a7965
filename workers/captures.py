"""One capture from the queue to its journal.

Every change of state is one conditional UPDATE. What was captured lies in the capture's folder until it is stored; an
attempt that finds something there goes on after it.
"""

from __future__ import annotations

import errno
import json
import logging
import shutil
import time
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from redis.exceptions import RedisError

from webapp.clusters.captures import stop
from webapp.clusters.models import Capture, SealBroken
from webapp.journals import quotas
from webapp.journals.progress import PROGRESS_SECONDS, connection, key
from webapp.journals.refused import Refused
from webapp.journals.reserved import reserved_bytes
from webapp.operations.storage import free_bytes
from workers import clusters, spark_runner, watches
from workers.capture.ask import Ask
from workers.capture.manifest import Manifest
from workers.capture.run import capture as run
from workers.capture.schemas import capture_schemas
from workers.capture.watcher import CaptureProgress, Word
from workers.captured import begin_journal, cut, manifest_of, mine, store
from workers.carrying import Afresh
from workers.database import outlasting, unasked
from workers.kafka import Cluster, KafkaError
from workers.progress import kept_alive

logger = logging.getLogger(__name__)
State = Capture.State
Wish = Capture.Wish

LOOK_SECONDS = 1.0
MANIFEST_BYTES = 1_000_000  # of a project's quota, kept free for what is told beside the records
REGISTRY = "Schema registry"
NO_ROOM = (
    "There is no room for more in the project {project}: its quota or the server's disk is full. What was captured is "
    "kept. Delete journals that are not needed any more and go on, or end the capture."
)
DISK_FULL = "The server's disk is full. What was captured is kept. Ask an admin to make room, then go on."
DEFECT = (
    "The capture broke off because of a defect in Journalscope. What was captured is kept; go on with it, or end it "
    "here. An admin finds the details in the worker's log."
)


def perform(capture_id: str) -> None:
    """What the task does. Nothing when the capture is not waiting: it is over, paused, or somebody else's."""
    capture = _taken(capture_id)
    if capture is None:
        return
    with kept_alive(capture.pk):
        try:
            _outcome(capture)
        except (KafkaError, SealBroken, ValueError, Refused) as problem:
            _settle(capture, State.FAILED, error=str(problem))
        except Exception as problem:
            is_full = isinstance(problem, OSError) and problem.errno in {errno.ENOSPC, errno.EDQUOT}
            logger.exception("Capture %s broke off.", capture.pk)
            _settle(capture, State.FAILED, error=DISK_FULL if is_full else DEFECT)
            raise


def _outcome(capture: Capture) -> None:
    if capture.journal_id is None and capture.wish == Wish.STOP:
        cut(capture)
    elif capture.journal_id is None:
        watching = Watching(capture)
        _fetch(capture, watching)
        if why := _left_by_brokers(capture.folder):
            raise Refused(why, 503)
        if watching.is_worker_leaving:  # this attempt does not count; housekeeping sends the capture again
            mine(capture).update(state=State.QUEUED, attempts=F("attempts") - 1, started_at=None)
            return
        if watching.is_full:
            raise Refused(NO_ROOM.format(project=capture.project), 413)
        if watching.wish == Wish.PAUSE:
            _settle(capture, State.PAUSED)
            return
        capture.wish = watching.wish
    _keep(capture)


def _taken(capture_id: str) -> Capture | None:
    waiting = Capture.objects.filter(pk=capture_id, state=State.QUEUED)
    mine = waiting.update(
        state=State.RUNNING, started_at=timezone.now(), attempts=F("attempts") + 1, error=""
    )
    found = Capture.objects.select_related("cluster", "project", "journal", "watch", "requested_by")
    return found.get(pk=capture_id) if mine else None


def _settle(capture: Capture, state: str, **members: Any) -> None:
    size_bytes = capture.size_bytes if capture.journal_id else size_of(capture.folder)
    ends = {"state": state, "finished_at": timezone.now(), "wish": Wish.NONE, "size_bytes": size_bytes}
    outlasting(capture.pk, lambda: mine(capture).update(**ends, **members))


def size_of(folder: Path) -> int:
    """Bytes of all files in it."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Watching:
    """Tells the pages how far the engine is, and the engine what people want."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.wish: str = Wish.NONE
        self.is_worker_leaving = False
        self.is_full = False
        self._looked_at = 0.0

    def told(self, progress: CaptureProgress) -> Word:
        """A look at the row each second; otherwise what the last look saw."""
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._looked_at = time.monotonic()
            with unasked():
                self._look(progress)
        is_over = self.wish or self.is_worker_leaving or self.is_full
        return Word.CANCEL if is_over else Word.GO_ON

    def _look(self, progress: CaptureProgress) -> None:
        self.is_worker_leaving = spark_runner.is_stopping()
        row = mine(self.capture)
        wish = row.values_list("wish", flat=True).first()
        self.wish = Wish.STOP if wish is None else wish
        row.update(size_bytes=progress.size_bytes)
        quota_bytes = self.capture.project.quota_bytes
        self.is_full = quota_bytes is not None and quotas.used_bytes(self.capture.project) > quota_bytes
        with suppress(RedisError):
            text = json.dumps(asdict(progress))
            connection().set(key("progress", self.capture.pk), text, ex=PROGRESS_SECONDS)


def _fetch(capture: Capture, watching: Watching) -> None:
    """From the brokers into the folder."""
    if capture.cluster is None:
        raise Refused(
            f"The cluster {capture.cluster_name} was removed. End the capture to keep what is there.", 409
        )
    capture.folder.mkdir(parents=True, exist_ok=True)
    with Cluster(clusters.address_of(capture.cluster), clusters.networks()) as cluster:
        manifest = run(
            cluster, _ask(capture), capture.folder, watching,
            captured_by=capture.requested_by.get_username() if capture.requested_by else "",
            cluster_name=capture.cluster_name,
        )  # fmt: skip
    if not (watching.is_worker_leaving or watching.wish == Wish.PAUSE):
        _add_schemas(capture, manifest)


def _add_schemas(capture: Capture, manifest: Manifest) -> None:
    """Those of the cluster's registry, if it has one; why not, where the registry does not give them."""
    registry = clusters.registry_of(capture.cluster)
    if registry is None:
        return
    try:
        capture_schemas(registry, clusters.networks(), capture.folder)
        manifest.note(REGISTRY, None)
    except KafkaError as problem:
        manifest.note(REGISTRY, str(problem))
    manifest.save(capture.folder)


def _left_by_brokers(folder: Path) -> str:
    """Which partitions are not whole because a broker went away and did not come back; else nothing."""
    manifest = manifest_of(folder) or {"partitions": []}
    lost = [one for one in manifest["partitions"] if one["stopped_by"] == "broker-gone"]
    if not lost:
        return ""
    told = dict.fromkeys(event["says"] for one in lost for event in one["events"][-1:])
    numbers = ", ".join(str(one["partition"]) for one in lost)
    return (
        f"Not whole: partition {numbers}. {' '.join(told)} What was captured is kept. Go on when the broker is back, or "
        "end the capture to make a journal of what is there."
    )


def _ask(capture: Capture) -> Ask:
    """What was asked for, within what there is room for. Raises Refused where there is none."""
    room = room_of(capture)
    if not room:
        raise Refused(NO_ROOM.format(project=capture.project), 413)
    ask = Ask.of(capture.asked)
    return replace(ask, max_bytes=min(ask.max_bytes or room, room))


def room_of(capture: Capture) -> int:
    """Bytes that this capture may have in all: what is left of the project's quota, what the server allows, and half
    of what is free on its disk and not reserved for uploads, since storing takes as much again."""
    quota_bytes = capture.project.quota_bytes
    unreserved = max(0, free_bytes() - reserved_bytes())
    most = min(settings.CAPTURE_MAX_BYTES, capture.size_bytes + unreserved // 2)
    if quota_bytes is None:
        return most
    others = quotas.used_bytes(capture.project) - capture.size_bytes
    return max(0, min(most, quota_bytes - others - MANIFEST_BYTES))


def _keep(capture: Capture) -> None:
    """What is in the folder becomes a journal, which is inspected at once. Begun once, it is finished by any attempt."""
    try:
        is_begun = capture.journal is not None or begin_journal(capture)
    except Afresh as why:
        _settle(capture, State.CANCELLED, error=str(why), manifest=manifest_of(capture.folder))
        shutil.rmtree(capture.folder, ignore_errors=True)
        watches.begin_afresh(capture)
        return
    if not is_begun:
        manifest = manifest_of(capture.folder)
        shutil.rmtree(capture.folder, ignore_errors=True)
        _settle(capture, _end_of(capture), manifest=manifest)
        return
    for upload in capture.journal.uploads.filter(blob=None):
        store(capture, upload)
    _settle(capture, _end_of(capture))
    shutil.rmtree(capture.folder, ignore_errors=True)


def _end_of(capture: Capture) -> str:
    return State.CANCELLED if capture.wish == Wish.STOP else State.DONE


def clean_up() -> None:
    """What was paused or failed long ago becomes a journal; folders of captures that are over go."""
    folder = Path(settings.CAPTURES_DIR)
    # first: a capture begun after this look is not in it
    there = list(folder.iterdir()) if folder.is_dir() else []
    old = timezone.now() - timedelta(hours=settings.UPLOAD_EXPIRY_HOURS)
    idle = Capture.objects.filter(state__in=[State.PAUSED, State.FAILED], finished_at__lt=old, journal=None)
    for capture in idle.exclude(size_bytes=0):
        stop(capture, None)
    unfinished = Capture.objects.exclude(state__in=[State.DONE, State.CANCELLED])
    wanted = {str(pk) for pk in unfinished.values_list("pk", flat=True)}
    for found in there:
        if found.name not in wanted:
            shutil.rmtree(found, ignore_errors=True)
