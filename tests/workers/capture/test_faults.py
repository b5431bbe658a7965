"""What happens to a cluster while it is captured: named, survived where it can be, and nothing captured is lost."""

from __future__ import annotations

import uuid

import pytest

from tests.workers.capture.small_cluster import NEW, NOT_ALLOWED, TOPIC, Log, SmallCluster, entry, filled
from tests.workers.capture.test_run import _quick, captured, content, kinds  # noqa: F401
from workers.capture import CaptureSpec
from workers.kafka import Unreachable

BY_NAME = NEW | {1: (0, 12), 3: (0, 9)}


def at(number, do):
    """Do it before the fetch of that number."""
    return lambda fetch: do() if fetch == number else None


def test_another_leader_goes_on_where_the_first_was(tmp_path):
    log = Log(filled(30), epoch_ends={0: 60})
    with SmallCluster(log, nodes=2) as small:
        small.before_fetch = at(4, lambda: vars(log).update(leader=2, leader_epoch=1))
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == log.content
    assert kinds(manifest) == ["leader-changed"]
    assert (manifest.partitions[0].leader, manifest.partitions[0].leader_epoch) == (2, 1)
    assert manifest.partitions[0].epoch_ends == [{"epoch": 0, "end_offset": 60}]


def test_a_new_leader_epoch_of_the_same_broker_is_learned(tmp_path):
    log = Log(filled(30))
    with SmallCluster(log) as small:
        small.before_fetch = at(4, lambda: vars(log).update(leader_epoch=1))
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == log.content
    assert kinds(manifest) == []


def test_a_leader_that_never_had_what_was_captured_is_told(tmp_path):
    log = Log(filled(30))
    with SmallCluster(log, nodes=2) as small:
        small.before_fetch = at(4, lambda: vars(log).update(leader=2, leader_epoch=1, epoch_ends={0: 4}))
        manifest = captured(small, tmp_path)
    assert kinds(manifest) == ["leader-changed", "truncated"]
    assert manifest.partitions[0].events[1].offset == 4
    assert manifest.partitions[0].is_whole


def test_a_head_that_is_deleted_is_told_and_the_rest_captured(tmp_path):
    log = Log(filled(30))
    with SmallCluster(log) as small:
        small.before_fetch = at(3, lambda: vars(log).update(log_start_offset=40))
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest).endswith(log.content)
    (event,) = manifest.partitions[0].events
    assert event.kind == "log-start-moved"
    assert event.offset < 40
    assert "to 39 were deleted" in event.says
    assert manifest.partitions[0].at_start["log_start_offset"] == 0
    assert manifest.partitions[0].log_start_offset == 40


@pytest.mark.parametrize("versions", [NEW, BY_NAME], ids=["by id", "by name"])
def test_a_deleted_topic_ends_the_capture(tmp_path, versions):
    with SmallCluster(Log(filled(30)), versions=versions) as small:
        small.before_fetch = at(4, lambda: vars(small).update(is_there=False))
        manifest = captured(small, tmp_path, patience_seconds=20)
    assert manifest.partitions[0].stopped_by == "topic-deleted"
    assert kinds(manifest) == ["topic-deleted"]
    assert 0 < manifest.size_bytes == len(content(tmp_path, manifest))


def test_another_topic_of_the_name_is_not_mixed_in(tmp_path):
    log = Log(filled(30))
    with SmallCluster(log) as small:
        small.before_fetch = at(
            4, lambda: (vars(small).update(topic_id=uuid.uuid4()), vars(log).update(entries=filled(90, 9)))
        )
        manifest = captured(small, tmp_path)
    assert manifest.partitions[0].stopped_by == "topic-recreated"
    assert kinds(manifest) == ["topic-recreated"]


def test_a_shorter_log_that_starts_at_0_is_a_topic_made_anew(tmp_path):
    """Where brokers give topics no id."""
    log = Log(filled(30))
    with SmallCluster(log, versions=BY_NAME) as small:
        small.before_fetch = at(4, lambda: vars(log).update(entries=filled(1)))
        manifest = captured(small, tmp_path)
    assert manifest.partitions[0].stopped_by == "topic-recreated"


def test_a_shorter_log_with_a_later_start_has_lost_records(tmp_path):
    log = Log(filled(30, first=10), log_start_offset=10)
    with SmallCluster(log) as small:
        small.before_fetch = at(4, lambda: vars(log).update(entries=filled(1, first=10)))
        manifest = captured(small, tmp_path)
    assert manifest.partitions[0].stopped_by == "truncated"


def test_a_broker_that_comes_back_is_gone_on_with(tmp_path, monkeypatch):
    monkeypatch.setattr("workers.capture.faults.MAX_BACKOFF_SECONDS", 0.1)
    with SmallCluster(Log(filled(30))) as small:

        def stumble(number):
            if number == 4:
                small.broken.add(1)

        class Mender:
            def on_progress(self, progress):
                from workers.capture import CaptureSignal

                if progress.note:
                    small.broken.clear()
                return CaptureSignal.GO_ON

        monkeypatch.setattr("workers.capture.watcher.REPORT_SECONDS", 0.05)
        small.before_fetch = stumble
        manifest = captured(small, tmp_path, watch=Mender(), patience_seconds=20)
        assert content(tmp_path, manifest) == small.logs[0].content
    assert kinds(manifest) == ["broker-gone", "broker-back"]


def test_a_broker_that_stays_away_leaves_what_was_captured(tmp_path):
    with SmallCluster(Log(filled(30))) as small:
        small.before_fetch = at(4, lambda: small.broken.add(1))
        manifest = captured(small, tmp_path, patience_seconds=0.5)
        assert manifest.partitions[0].stopped_by == "broker-gone"
        assert set(kinds(manifest)) == {"broker-gone"}
        assert 0 < manifest.size_bytes == len(content(tmp_path, manifest))
        assert "OffsetForLeaderEpoch" in {one["question"] for one in manifest.not_asked}
        small.broken.clear()
        small.before_fetch = lambda number: None
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == small.logs[0].content
        assert manifest.partitions[0].stopped_by is None


def test_a_broker_that_is_away_is_not_knocked_at_all_the_time(tmp_path, monkeypatch):
    monkeypatch.setattr("workers.capture.leaders.METADATA_SECONDS", 0.05)
    with SmallCluster(Log(filled(30))) as small:
        small.before_fetch = at(4, lambda: small.broken.add(1))
        captured(small, tmp_path, patience_seconds=2)
        assert small.connections < 60


def test_a_cluster_that_cannot_be_reached_at_first_is_an_error(tmp_path):
    with SmallCluster(Log(filled(3))) as small:
        small.broken.add(1)
        with pytest.raises(Unreachable):
            captured(small, tmp_path)


def test_a_right_that_is_taken_away_meanwhile_ends_it(tmp_path):
    with SmallCluster(Log(filled(30))) as small:
        small.before_fetch = at(4, lambda: vars(small).update(fetch_codes=[NOT_ALLOWED]))
        manifest = captured(small, tmp_path)
    assert manifest.partitions[0].stopped_by == "broker-error"
    assert "has no permission" in manifest.partitions[0].events[0].says
    assert manifest.size_bytes


def test_a_batch_that_changes_between_two_fetches_proves_a_cleaning(tmp_path):
    log = Log(filled(30))
    with SmallCluster(log) as small:

        def clean():
            """The answers end in a cut batch; before it is asked for again, the cleaner takes it."""
            offset = small.fetches[-1].topics[0].partitions[0].fetch_offset
            log.entries = [each for each in log.entries if not each[0] <= offset <= each[1]]

        small.before_fetch = at(3, clean)
        manifest = captured(small, tmp_path)
    first, second = manifest.partitions[0].events
    assert (first.kind, second.kind) == ("compacted-between", "compacted-between")
    assert f"the batch of offset {first.offset} was removed, and {first.offset + 2} follows" in first.says
    assert "bytes at the start" in second.says


def test_gaps_that_were_there_before_are_no_event(tmp_path):
    log = Log([entry(10 * number) for number in range(30)])
    with SmallCluster(log) as small:
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == log.content
    assert kinds(manifest) == []


def test_a_log_whose_end_was_cleaned_away_is_captured_whole(tmp_path):
    with SmallCluster(Log(filled(30), end_offset=75)) as small:
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest) == small.logs[0].content
    (event,) = manifest.partitions[0].events
    assert (event.kind, event.offset) == ("compacted-between", 60)
    assert manifest.partitions[0].got.next_offset == 75
    assert manifest.partitions[0].stopped_by is None


def test_a_damaged_length_on_the_broker_ends_the_partition_and_says_where(tmp_path):
    broken = bytearray(entry(4)[2])
    broken[8:12] = (5).to_bytes(4, "big")
    log = Log([entry(0), entry(2), (4, 5, bytes(broken)), entry(6)])
    with SmallCluster(log) as small:
        manifest = captured(small, tmp_path)
    assert manifest.partitions[0].stopped_by == "broker-error"
    assert "offset 4 says that it has 5 bytes" in manifest.partitions[0].events[0].says
    assert content(tmp_path, manifest) == log.entries[0][2] + log.entries[1][2]


@pytest.mark.parametrize(
    ("offset", "stopped_by", "kind"),
    [(20, None, None), (2, None, "log-start-moved"), (90, "truncated", "truncated")],
    ids=["inside", "before the head", "after the end"],
)
def test_going_on_from_an_earlier_capture(tmp_path, offset, stopped_by, kind):
    log = Log(filled(30, first=10), log_start_offset=10)
    with SmallCluster(log) as small:
        manifest = captured(small, tmp_path, CaptureSpec(TOPIC, start={"offsets": {"0": offset}}))
        part = manifest.partitions[0]
        assert (part.stopped_by, kinds(manifest)) == (stopped_by, [kind] if kind else [])
        assert content(tmp_path, manifest) == b"".join(e[2] for e in log.entries if e[1] >= offset)


def test_going_on_with_a_topic_that_is_another_by_now_captures_nothing(tmp_path):
    with SmallCluster(Log(filled(30))) as small:
        ask = CaptureSpec(TOPIC, start={"offsets": {"0": 4}}, topic_id="AAAAAAAAAAAAAAAAAAAACA")
        manifest = captured(small, tmp_path, ask)
    assert manifest.partitions[0].stopped_by == "topic-recreated"
    assert manifest.size_bytes == 0


def test_a_partition_without_a_leader_does_not_keep_the_others(tmp_path):
    with SmallCluster(Log(filled(3), leader=-1), Log(filled(3))) as small:
        manifest = captured(small, tmp_path)
        assert content(tmp_path, manifest, 1) == small.logs[1].content
    assert manifest.partitions[0].stopped_by == "broker-gone"


def test_a_broker_that_never_gives_a_whole_entry_is_given_up(tmp_path):
    log = Log(filled(3))
    log.read = lambda *_, **__: entry(0)[2][:-1]
    with SmallCluster(log) as small:
        manifest = captured(small, tmp_path)
    assert manifest.partitions[0].stopped_by == "broker-error"
    assert "without a complete record batch" in manifest.partitions[0].events[0].says


def test_a_broker_that_gives_only_what_comes_before_is_given_up(tmp_path):
    log = Log(filled(3))
    log.read = lambda *_, **__: entry(0)[2]
    with SmallCluster(log) as small:
        manifest = captured(small, tmp_path)
    assert manifest.partitions[0].stopped_by == "broker-error"
    assert manifest.partitions[0].got.next_offset == 2
