"""Captures from brokers in this process: what comes is what they have, whatever happens meanwhile."""

from __future__ import annotations

import pytest

from tests.workers.capture.small_cluster import (
    NEW,
    NOT_ALLOWED,
    OLD,
    TOPIC,
    Log,
    SmallCluster,
    entry,
    filled,
)
from workers.capture import CaptureManifest, CaptureSignal, CaptureSpec, NoTopic, capture, leaders, run
from workers.capture.rate import MAX_ASK
from workers.kafka import NotAllowed

PATIENCE_SECONDS = 1.5
ALL = CaptureSpec(TOPIC)


class Listener:
    """Says GO_ON, until `word` at the given call."""

    def __init__(self, word: CaptureSignal = CaptureSignal.GO_ON, at: int = 0) -> None:
        self.word, self.at, self.heard = word, at, []

    def on_progress(self, progress):
        self.heard.append(progress)
        return self.word if self.at and len(self.heard) >= self.at else CaptureSignal.GO_ON


def captured(small, folder, ask=ALL, watch=None, patience_seconds=PATIENCE_SECONDS):
    with small.connected() as cluster:
        return capture(
            cluster, ask, folder, watch or Listener(), captured_by="ann", patience_seconds=patience_seconds
        )


def content(folder, manifest, number=0):
    return b"".join((folder / name).read_bytes() for name in manifest.partitions[number].segments)


def kinds(manifest, number=0):
    return [event.kind for event in manifest.partitions[number].events]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(leaders, "METADATA_SECONDS", 0.3)
    monkeypatch.setattr(leaders, "SURE_GONE_SECONDS", 0.3)


@pytest.mark.parametrize(
    "versions", [NEW, NEW | {1: (0, 12)}, NEW | {1: (0, 4)}, OLD], ids=["v17", "v12", "v4", "v3"]
)
def test_every_version_gives_the_same_bytes(tmp_path, versions):
    with SmallCluster(
        Log(filled(30)), Log(filled(20, 500, first=6), log_start_offset=6), versions=versions
    ) as small:
        manifest = captured(small, tmp_path)
        assert [content(tmp_path, manifest, n) for n in (0, 1)] == [log.content for log in small.logs]
    first, second = manifest.partitions
    assert (first.got.first_offset, first.got.next_offset, first.got.batches) == (0, 60, 30)
    assert second.segments == [f"{TOPIC}-1/00000000000000000006.log"]
    assert first.fetch_version == versions[1][1]
    assert (first.is_converted, first.stopped_by, first.events) == (False, None, [])
    assert manifest.finished_at_ms


def test_a_broker_that_knows_the_new_format_converts_for_an_old_fetch(tmp_path):
    with SmallCluster(Log(filled(2)), versions=NEW | {1: (0, 3)}) as small:
        assert captured(small, tmp_path).partitions[0].is_converted is True


@pytest.mark.parametrize("version", [0, 2], ids=["v0", "v2"])
def test_an_entry_larger_than_the_ask_is_asked_for_whole_by_versions_that_cut_it(tmp_path, version):
    entries = [entry(0), entry(2, MAX_ASK + 1), entry(4)]
    with SmallCluster(Log(entries), versions=OLD | {1: (0, version)}, fetch_max_bytes=1 << 30) as small:
        assert content(tmp_path, captured(small, tmp_path)) == small.logs[0].content


def test_only_what_reads_is_asked(tmp_path):
    with SmallCluster(Log(filled(2))) as small:
        captured(small, tmp_path)
        assert small.keys <= {1, 2, 3, 18, 23, 32, 35}
        assert {(one.session_id, one.session_epoch, one.replica_id) for one in small.fetches} == {(0, -1, -1)}


def test_a_start_within_a_batch_and_an_end_within_another_keep_both_whole(tmp_path):
    with SmallCluster(Log(filled(10))) as small:
        manifest = captured(small, tmp_path, CaptureSpec(TOPIC, start={"offset": 5}, end={"offset": 9}))
        assert content(tmp_path, manifest) == b"".join(each[2] for each in small.logs[0].entries[2:5])
    assert manifest.partitions[0].asked == {"from_offset": 5, "to_offset": 9}
    assert manifest.partitions[0].got.first_offset == 4
    assert manifest.partitions[0].got.next_offset == 10


def test_an_ask_by_time_is_resolved_by_the_broker(tmp_path):
    with SmallCluster(Log(filled(10))) as small:  # its times are its offsets
        ask = CaptureSpec(TOPIC, start={"timestamp_ms": 3}, end={"timestamp_ms": 99})
        assert captured(small, tmp_path, ask).partitions[0].asked == {"from_offset": 4, "to_offset": 20}


def test_aborted_transactions_are_listed_and_an_open_one_is_captured(tmp_path):
    log = Log(filled(5), last_stable_offset=6, aborted=[(4, 2)])
    with SmallCluster(log) as small:
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == log.content
        assert {one.isolation_level for one in small.fetches} == {0, 1}
    assert manifest.partitions[0].aborted == [{"producer_id": 4, "first_offset": 2}]
    assert manifest.partitions[0].aborted_range == {"from_offset": 0, "to_offset": 6}
    assert manifest.partitions[0].last_stable_offset == 6


def test_the_limit_is_passed_by_less_than_a_batch(tmp_path):
    with SmallCluster(Log(filled(50)), Log(filled(50))) as small:
        size_bytes = len(small.logs[0].entries[0][2])
        manifest = captured(small, tmp_path, CaptureSpec(TOPIC, max_bytes=1000))
        assert 1000 <= manifest.size_bytes < 1000 + size_bytes
    assert {one.stopped_by for one in manifest.partitions} == {"limit"}


@pytest.mark.parametrize(
    ("word", "stopped_by"), [(CaptureSignal.PAUSE, "paused"), (CaptureSignal.CANCEL, "cancelled")]
)
def test_what_is_stopped_is_kept_and_gone_on_with(tmp_path, monkeypatch, word, stopped_by):
    monkeypatch.setattr("workers.capture.watcher.REPORT_SECONDS", 0)
    with SmallCluster(Log(filled(30))) as small:
        stopped = captured(small, tmp_path, watch=Listener(word, at=4))
        assert stopped.partitions[0].stopped_by == stopped_by
        assert 0 < stopped.size_bytes < len(small.logs[0].content)
        small.logs[0].entries += filled(5, first=60)
        whole = captured(small, tmp_path)
        assert whole.partitions[0].stopped_by is None
        assert content(tmp_path, whole) == b"".join(each[2] for each in small.logs[0].entries[:30])
        asked = len(small.fetches)
        assert captured(small, tmp_path).as_json() == whole.as_json()
        assert len(small.fetches) == asked


def test_a_killed_capture_goes_on_after_what_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "CHECKPOINT_SECONDS", 0)

    monkeypatch.setattr("workers.capture.watcher.REPORT_SECONDS", 0)

    class Dying(Listener):
        def on_progress(self, progress):
            super().on_progress(progress)
            if len(self.heard) == 5:
                raise KeyboardInterrupt
            return CaptureSignal.GO_ON

    with SmallCluster(Log(filled(30))) as small:
        with pytest.raises(KeyboardInterrupt):
            captured(small, tmp_path, watch=Dying())
        assert CaptureManifest.load(tmp_path).finished_at_ms is None
        with (tmp_path / f"{TOPIC}-0" / f"{0:020d}.log").open("ab") as file:
            file.write(entry(90)[2][:-10])  # after the last checkpoint, and cut
        (tmp_path / f"{TOPIC}-0" / f"{90:020d}.log").write_bytes(b"begun after the last checkpoint")
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == small.logs[0].content
        assert len(list((tmp_path / f"{TOPIC}-0").iterdir())) == len(manifest.partitions[0].segments)


def test_segments_are_cut_at_their_size(tmp_path, monkeypatch):
    monkeypatch.setattr("workers.capture.segments.SEGMENT_BYTES", 2500)
    with SmallCluster(Log(filled(30))) as small:
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == small.logs[0].content
    names = manifest.partitions[0].segments
    assert len(names) > 2
    assert all((tmp_path / name).stat().st_size <= 2500 for name in names)
    for name in names:
        base_offset = int.from_bytes((tmp_path / name).read_bytes()[:8], "big")
        assert name == f"{TOPIC}-0/{base_offset:020d}.log"


def test_no_such_topic_and_no_such_partition_are_said(tmp_path):
    with SmallCluster(Log()) as small:
        with pytest.raises(NoTopic, match="has no partition 3"):
            captured(small, tmp_path, CaptureSpec(TOPIC, partitions=(3,)))
        small.is_there = False
        with pytest.raises(NoTopic, match="no topic orders"):
            captured(small, tmp_path)


def test_a_user_who_may_not_read_is_told_so(tmp_path):
    with SmallCluster(Log(filled(3))) as small:
        small.fetch_codes = [NOT_ALLOWED]
        with pytest.raises(NotAllowed, match="TOPIC_AUTHORIZATION_FAILED"):
            captured(small, tmp_path)


def test_the_watcher_hears_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr("workers.capture.watcher.REPORT_SECONDS", 0)
    listener = Listener()
    with SmallCluster(Log(filled(30))) as small:
        captured(small, tmp_path, watch=listener)
    sizes = [one.size_bytes for one in listener.heard]
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert listener.heard[-1].offsets_total == 60
    assert listener.heard[-1].partitions[0][0::2] == (0, 60)
    assert all(one.offsets_done <= 60 for one in listener.heard)
