"""A capture from its row to a journal, from brokers in this process, and how it goes on after it stopped."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.workers.capture.small_cluster import TOPIC, Log, SmallCluster, filled
from tests.workers.capturing import _here, begin, performed, servers, stored, when
from webapp.clusters import captures as asking
from webapp.clusters.models import Capture, Cluster
from workers.jobs.runner import perform
from workers.kinds import capture as capturing
from workers.kinds import capture_to_journal
from workers.kinds.capture import KIND

__all__ = ["_here", "begin"]
pytestmark = pytest.mark.django_db
State = Capture.State


def test_a_capture_becomes_a_journal_that_is_inspected(begin: Any, owner: Any) -> None:
    with SmallCluster(Log(filled(20)), Log(filled(3))) as small:
        done = performed(begin(small))
        assert (done.state, done.error) == (State.DONE, "")
        assert stored(done, 0) == small.logs[0].content
        assert stored(done, 1) == small.logs[1].content
    journal = done.journal
    assert (journal.name, journal.created_by, journal.complete_at is not None) == (
        f"{TOPIC} of staging",
        owner,
        True,
    )
    assert journal.inspections.get().state == "queued"
    assert done.manifest["captured_by"] == "owner"
    assert done.manifest["cluster"]["name"] == "staging"
    assert done.size_bytes == sum(journal.uploads.values_list("size_bytes", flat=True))
    assert not done.folder.exists()
    assert perform(KIND, str(done.pk)) is None  # a message that comes twice
    assert Capture.objects.get().journal == journal


def test_a_second_capture_of_the_same_continues_the_first(begin: Any) -> None:
    with SmallCluster(Log(filled(3))) as small:
        first, second = performed(begin(small)), performed(begin(small))
        assert first.journal.lineage == second.journal.lineage
        assert performed(begin(small, partitions=[0])).journal.lineage != first.journal.lineage


def test_paused_it_goes_on_where_it_was_with_the_end_it_had(
    begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SmallCluster(Log(filled(40))) as small:
        capture = begin(small)
        with monkeypatch.context() as patch:
            when("pause", patch)
            paused = performed(capture)
        content = small.logs[0].content
        assert (paused.state, paused.wish, paused.journal) == (State.PAUSED, "", None)
        assert paused.size_bytes > 0
        assert content.startswith((paused.folder / f"{TOPIC}-0" / f"{0:020d}.log").read_bytes())
        small.logs[0].entries += filled(5, first=80)
        asking.resume(paused, None)
        done = performed(paused)
        assert (done.state, stored(done)) == (State.DONE, content)


def test_ended_early_what_is_there_becomes_a_journal(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with SmallCluster(Log(filled(40))) as small:
        when("stop", monkeypatch)
        ended = performed(begin(small))
        assert ended.state == State.CANCELLED
        assert ended.manifest["partitions"][0]["stopped_by"] == "cancelled"
        assert 0 < len(stored(ended)) < len(small.logs[0].content)
        assert small.logs[0].content.startswith(stored(ended))


def test_a_paused_capture_can_be_ended_without_its_cluster(
    begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SmallCluster(Log(filled(40))) as small:
        capture = begin(small)
        with monkeypatch.context() as patch:
            when("pause", patch)
            paused = performed(capture)
        content = small.logs[0].content
    segment = paused.folder / f"{TOPIC}-0" / f"{0:020d}.log"
    with segment.open("ab") as file:
        file.write(b"half a batch")  # a worker that was killed leaves that
    asking.stop(paused, None)
    ended = performed(paused)
    assert ended.state == State.CANCELLED
    assert stored(ended)
    assert content.startswith(stored(ended))


def test_nothing_captured_is_no_journal(begin: Any) -> None:
    with SmallCluster(Log()) as small:
        done = performed(begin(small))
        assert (done.state, done.journal, done.size_bytes) == (State.DONE, None, 0)
        assert done.manifest["partitions"][0]["got"]["batches"] == 0
        assert not done.folder.exists()


def test_a_cluster_that_cannot_be_reached_is_an_error_in_words_and_can_be_tried_again(begin: Any) -> None:
    with SmallCluster(Log(filled(3))) as small:
        capture = begin(small)
        Cluster.objects.update(bootstrap="127.0.0.1:1")
        failed = performed(capture)
        assert (failed.state, failed.journal) == (State.FAILED, None)
        assert "127.0.0.1:1" in failed.error
        Cluster.objects.update(bootstrap=servers(small))
        asking.resume(failed, None)
        assert performed(failed).state == State.DONE


def test_a_broker_that_stays_away_leaves_what_is_there_to_go_on_with(
    begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SmallCluster(Log(filled(40))) as small:
        monkeypatch.setattr("workers.capture.run.PATIENCE_SECONDS", 0.5)
        run = capturing.run
        monkeypatch.setattr(capturing, "run", lambda *a, **k: run(*a, **k, patience_seconds=0.5))
        small.before_fetch = lambda number: small.broken.add(1) if number == 5 else None
        failed = performed(begin(small))
        assert (failed.state, failed.journal) == (State.FAILED, None)
        assert "partition 0" in failed.error
        assert failed.size_bytes > 0
        small.before_fetch = lambda number: None
        small.broken.clear()
        asking.resume(failed, None)
        assert stored(performed(failed)) == small.logs[0].content


def test_storing_that_broke_off_is_finished_by_the_next_attempt(
    begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SmallCluster(Log(filled(3)), Log(filled(4))) as small:
        capture = begin(small)
        with monkeypatch.context() as patch:
            store_file, count = capture_to_journal.uploads.store_file, iter(range(10))

            def breaks(upload: Any, path: Path) -> None:
                if next(count) == 1:
                    raise OSError("the disk is gone")
                store_file(upload, path)

            patch.setattr(capture_to_journal.uploads, "store_file", breaks)
            with pytest.raises(OSError, match="disk is gone"):
                perform(KIND, str(capture.pk))
        capture.refresh_from_db()
        assert capture.state == State.FAILED
        assert capture.journal is not None
        assert capture.journal.complete_at is None
        asking.resume(capture, None)
        done = performed(capture)
        assert (done.state, stored(done, 1)) == (State.DONE, small.logs[1].content)
        assert done.journal.inspections.count() == 1


def test_a_folder_that_is_gone_is_captured_again(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with SmallCluster(Log(filled(40))) as small:
        capture = begin(small)
        with monkeypatch.context() as patch:
            when("pause", patch)
            paused = performed(capture)
        shutil.rmtree(paused.folder)
        asking.resume(paused, None)
        assert stored(performed(paused)) == small.logs[0].content
