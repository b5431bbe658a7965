"""What a capture may not: more than there is room for, networks off limits, secrets in the open, lying around for ever."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.workers.capture.small_cluster import Log, SmallCluster, filled
from tests.workers.capturing import ASKED, _here, begin, performed, stored, when
from webapp.clusters import captures as asking
from webapp.clusters.models import Capture
from webapp.jobs import kinds
from webapp.journals.models import Journal
from webapp.rejected import Rejected
from workers.jobs import heartbeat, housekeeping
from workers.kinds import capture as capturing
from workers.kinds.capture import CaptureObserver

__all__ = ["_here", "begin"]
pytestmark = pytest.mark.django_db
State = Capture.State


def test_networks_that_are_off_limits_are_not_connected_to(begin: Any, settings: Any) -> None:
    settings.KAFKA_NETWORKS = []
    with SmallCluster(Log(filled(3))) as small:
        failed = performed(begin(small))
        assert failed.state == State.FAILED
        assert "KAFKA_NETWORKS" in failed.error
        assert not small.keys


def test_the_quota_is_a_hard_limit(begin: Any, project: Any) -> None:
    with SmallCluster(Log(filled(40))) as small:
        project.quota_bytes = capturing.MANIFEST_BYTES + 3000
        project.save()
        done = performed(begin(small))
        assert (done.state, done.manifest["partitions"][0]["stopped_by"]) == (State.DONE, "limit")
        assert 2000 < len(stored(done)) <= 3000 + len(small.logs[0].entries[0][2])
        with pytest.raises(Rejected, match="has no room for"):
            asking.request_capture(done.cluster, ASKED, None, estimated_bytes=project.quota_bytes)
        none_left = performed(asking.request_capture(done.cluster, ASKED, None))
        assert (none_left.state, "no space left" in none_left.error) == (State.FAILED, True)
        project.quota_bytes = None
        project.save()
        asking.resume(none_left, None)
        again = performed(none_left)
        assert (again.state, stored(again)) == (State.DONE, small.logs[0].content)


def test_what_others_store_meanwhile_counts(
    begin: Any, project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SmallCluster(Log(filled(40))) as small:
        project.quota_bytes = capturing.MANIFEST_BYTES + 10_000
        project.save()
        monkeypatch.setattr(capturing, "LOOK_SECONDS", 0)
        monkeypatch.setattr("workers.capture.watcher.REPORT_SECONDS", 0)

        look = CaptureObserver.on_progress

        def somebody_uploads(self: CaptureObserver, progress: Any) -> Any:
            if progress.size_bytes and not Journal.objects.exists():
                journal = Journal.objects.create(project=project)
                journal.uploads.create(name="a", size_bytes=project.quota_bytes)
            return look(self, progress)

        monkeypatch.setattr(CaptureObserver, "on_progress", somebody_uploads)
        capture = begin(small)
        failed = performed(capture)
        assert (failed.state, failed.journal) == (State.FAILED, None)
        assert "no space left" in failed.error
        assert 0 < failed.size_bytes < len(small.logs[0].content)


def test_more_than_one_capture_may_have_is_refused_before_it_starts(begin: Any, settings: Any) -> None:
    with SmallCluster(Log(filled(1))) as small:
        capture = begin(small)
        settings.CAPTURE_MAX_BYTES = 1_000_000
        with pytest.raises(Rejected, match="CAPTURE_MAX_BYTES"):
            asking.request_capture(capture.cluster, ASKED, None, estimated_bytes=1_000_001)
        within = asking.request_capture(
            capture.cluster, ASKED | {"max_bytes": 10}, None, estimated_bytes=1_000_001
        )
        assert within.state == State.QUEUED


def test_a_worker_that_leaves_puts_it_back_into_the_queue(
    begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SmallCluster(Log(filled(40))) as small:
        capture = begin(small)
        with monkeypatch.context() as patch:
            when("", patch)
            patch.setattr(heartbeat, "is_stopping", lambda: True)
            waiting = performed(capture)
        assert (waiting.state, waiting.attempts, waiting.journal) == (State.QUEUED, 0, None)
        assert performed(waiting).state == State.DONE


def test_a_capture_without_its_worker_is_taken_up(begin: Any, house: Any) -> None:
    with SmallCluster(Log(filled(3))) as small:
        capture = begin(small)
        long_ago = timezone.now() - timedelta(hours=1)
        Capture.objects.update(state=State.RUNNING, attempts=1, started_at=long_ago)
        housekeeping.take_up_abandoned()
        assert performed(capture).state == State.DONE
        Capture.objects.update(state=State.RUNNING, attempts=2, started_at=long_ago)
        housekeeping.take_up_abandoned()
        capture.refresh_from_db()
        assert (capture.state, "end it here" in capture.error) == (State.FAILED, True)


def test_what_nobody_goes_on_with_becomes_a_journal_and_folders_of_nobody_go(
    begin: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    with SmallCluster(Log(filled(40))) as small:
        capture = begin(small)
        with monkeypatch.context() as patch:
            when("pause", patch)
            paused = performed(capture)
        stray = Path(settings.CAPTURES_DIR) / "stray"
        stray.mkdir()
        kinds.named("capture").clean_up()
        assert paused.folder.exists()
        assert not stray.exists()
        Capture.objects.update(finished_at=timezone.now() - timedelta(hours=settings.UPLOAD_EXPIRY_HOURS + 1))
        kinds.named("capture").clean_up()
    ended = performed(paused)
    assert (ended.state, ended.journal is not None) == (State.CANCELLED, True)


def test_secrets_are_in_nothing_that_a_capture_leaves(
    begin: Any, project: Any, house: Any, caplog: Any
) -> None:
    secret = "correct horse battery staple"
    with SmallCluster(Log(filled(3))) as small:
        capture = begin(small)
        cluster = capture.cluster
        cluster.secrets = {"password": secret, "key_pem": secret}
        cluster.protocol, cluster.mechanism, cluster.username = "SASL_PLAINTEXT", "PLAIN", "somebody"
        cluster.save()
        caplog.set_level("DEBUG")
        failed = performed(capture)
        assert failed.state == State.FAILED
        cluster.protocol = "PLAINTEXT"
        cluster.save()
        asking.resume(failed, None)
        done = performed(failed)
    assert done.state == State.DONE
    progress = house.get(f"journalscope:progress:{done.pk}")
    told = [
        failed.error,
        json.dumps(done.manifest),
        caplog.text,
        str(progress),
        repr(cluster),
        str(vars(cluster)),
    ]
    assert not [text for text in told if secret in text]
