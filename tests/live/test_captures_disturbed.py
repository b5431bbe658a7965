"""Captures while brokers die and come back, leaders change, topics go and records are deleted; and at their rate."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.live.brokers import Broker, Driver
from tests.live.captures import Follower, captured, kept_by_broker, kept_by_us
from tests.live.programs import free_port, zookeeper
from workers.capture import CaptureProgress, CaptureSignal
from workers.capture.manifest import CapturedPartition

pytestmark = pytest.mark.live

VALUE = "value of some length that packs well " * 25  # about 1 kB
RECORDS = 6000
AWAY_SECONDS = 2.0
RATE = 1_500_000  # bytes a second: some four seconds for all of it
WINDOW_SECONDS = 2.0
TOLERANCE = 0.3


@dataclass
class Once:
    """Does something when so many bytes have come, and lets the capture go on."""

    size_bytes: int
    does: Callable[[], object]
    is_done: bool = field(default=False)

    def __call__(self, progress: CaptureProgress) -> CaptureSignal:
        if progress.size_bytes >= self.size_bytes and not self.is_done:
            self.is_done = True
            self.does()
        return CaptureSignal.GO_ON


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker("3.9.1", tmp_path_factory.mktemp("disturbed")) as broker:
        yield broker


@pytest.fixture(scope="module")
def drive(broker: Broker) -> Iterator[Driver]:
    with Driver(broker.address) as drive:
        drive("producer", "plain", "enable.idempotence=false")
        yield drive


def fill(drive: Driver, topic: str, replicas: int = 1) -> None:
    drive("topic", topic, 1, replicas, "segment.bytes=1048576")
    drive("fill", "plain", topic, 0, 0, RECORDS, VALUE)


def kinds(partition: CapturedPartition) -> list[str]:
    return [event.kind for event in partition.events]


def test_a_broker_killed_in_the_middle_that_comes_back(broker: Broker, drive: Driver, tmp_path: Path) -> None:
    fill(drive, "killed")

    def kill() -> None:
        broker.halt(signal.SIGKILL)
        threading.Timer(AWAY_SECONDS, broker.start).start()

    killing = Once(1_000_000, kill)
    manifest = captured(broker, "killed", tmp_path, Follower(killing), bytes_per_second=RATE)
    (one,) = manifest.partitions
    assert killing.is_done
    assert one.is_whole
    assert {"broker-gone", "broker-back"} <= set(kinds(one))
    assert kept_by_us(tmp_path, manifest) == kept_by_broker(broker, "killed")


def test_the_rate_is_kept(broker: Broker, drive: Driver, tmp_path: Path) -> None:
    fill(drive, "throttled")
    follower = Follower()
    manifest = captured(broker, "throttled", tmp_path, follower, bytes_per_second=RATE)
    told = [(at, progress.size_bytes) for at, progress in follower.told_of]
    windows = [
        (later_bytes - size_bytes) / (later - at)
        for at, size_bytes in told
        for later, later_bytes in told
        if later - at >= WINDOW_SECONDS
    ]
    assert windows, "the capture took less time than its rate allows"
    assert max(windows) <= RATE * (1 + TOLERANCE)
    whole_seconds = told[-1][0] - told[0][0]
    assert manifest.size_bytes / whole_seconds >= RATE * (1 - TOLERANCE)


def test_a_capture_goes_on_where_it_was_paused(broker: Broker, drive: Driver, tmp_path: Path) -> None:
    fill(drive, "paused")
    pause = Follower(
        lambda progress: CaptureSignal.PAUSE if progress.size_bytes > 1_000_000 else CaptureSignal.GO_ON
    )
    first = captured(broker, "paused", tmp_path, pause, bytes_per_second=RATE)
    theirs = kept_by_broker(broker, "paused")
    half = kept_by_us(tmp_path, first)
    assert first.partitions[0].stopped_by == "paused"
    assert 0 < len(half) < len(theirs)
    assert half == theirs[: len(half)]
    whole = captured(broker, "paused", tmp_path)
    assert whole.partitions[0].stopped_by is None
    assert kept_by_us(tmp_path, whole) == theirs


def test_a_second_capture_takes_only_what_is_new(broker: Broker, drive: Driver, tmp_path: Path) -> None:
    fill(drive, "grows")
    first = captured(broker, "grows", tmp_path / "first")
    drive("fill", "plain", "grows", 0, 0, 100, "new ")
    start = {"offsets": {"0": first.partitions[0].got.next_offset}}
    second = captured(broker, "grows", tmp_path / "second", start=start, topic_id=first.topic["id"])
    both = kept_by_us(tmp_path / "first", first) + kept_by_us(tmp_path / "second", second)
    assert both == kept_by_broker(broker, "grows")


def test_records_deleted_at_the_head(broker: Broker, drive: Driver, tmp_path: Path) -> None:
    fill(drive, "beheaded")
    theirs = kept_by_broker(broker, "beheaded")
    deleting = Once(1_000_000, lambda: drive("delete-records", "beheaded", 0, RECORDS - 1000))
    manifest = captured(broker, "beheaded", tmp_path, Follower(deleting), bytes_per_second=RATE)
    (one,) = manifest.partitions
    ours = kept_by_us(tmp_path, manifest)
    assert deleting.is_done
    assert "log-start-moved" in kinds(one)
    assert one.is_whole
    assert one.log_start_offset == RECORDS - 1000
    assert set(ours) < set(theirs)
    assert ours[-1] == theirs[-1]


def test_a_head_that_was_deleted_before_is_not_asked_for(
    broker: Broker, drive: Driver, tmp_path: Path
) -> None:
    fill(drive, "headless")
    drive("delete-records", "headless", 0, RECORDS - 1000)
    manifest = captured(broker, "headless", tmp_path)
    (one,) = manifest.partitions
    ours = kept_by_us(tmp_path, manifest)
    assert one.asked == {"from_offset": RECORDS - 1000, "to_offset": RECORDS}
    assert ours == kept_by_broker(broker, "headless")[-len(ours) :]


def test_a_topic_that_is_deleted(broker: Broker, drive: Driver, tmp_path: Path) -> None:
    fill(drive, "deleted")
    theirs = kept_by_broker(broker, "deleted")
    deleting = Once(1_000_000, lambda: drive("delete-topic", "deleted"))
    manifest = captured(broker, "deleted", tmp_path, Follower(deleting), bytes_per_second=RATE)
    (one,) = manifest.partitions
    ours = kept_by_us(tmp_path, manifest)
    assert one.stopped_by == "topic-deleted"
    assert "topic-deleted" in kinds(one)
    assert 0 < len(ours) < len(theirs)
    assert ours == theirs[: len(ours)]


def test_a_topic_that_is_created_anew(broker: Broker, drive: Driver, tmp_path: Path) -> None:
    fill(drive, "anew")
    theirs = kept_by_broker(broker, "anew")

    def create_anew() -> None:
        drive("delete-topic", "anew")
        until = time.monotonic() + 20
        while True:
            try:
                drive("topic", "anew", 1, 1)
                break
            except RuntimeError:
                assert time.monotonic() < until
                time.sleep(0.1)
        drive("fill", "plain", "anew", 0, 0, RECORDS, "another " + VALUE)

    manifest = captured(
        broker, "anew", tmp_path, Follower(Once(1_000_000, create_anew)), bytes_per_second=RATE
    )
    (one,) = manifest.partitions
    ours = kept_by_us(tmp_path, manifest)
    assert one.stopped_by == "topic-recreated"
    assert 0 < len(ours) < len(theirs)
    assert ours == theirs[: len(ours)]


def test_a_leader_that_goes_away(tmp_path: Path) -> None:
    port = free_port()
    keeper = zookeeper(tmp_path / "zookeeper", port)
    try:
        with (
            Broker("2.8.2", tmp_path / "one", number=1, zookeeper_port=port) as one,
            Broker("2.8.2", tmp_path / "two", number=2, zookeeper_port=port) as two,
            Driver(f"{one.address},{two.address}") as drive,
        ):
            drive("producer", "plain", "enable.idempotence=false", "acks=all")
            fill(drive, "moves", replicas=2)
            leader = int(drive("leader", "moves", 0))
            leading, following = (one, two) if leader == 1 else (two, one)
            going = Once(1_000_000, lambda: leading.halt(signal.SIGTERM))
            folder = tmp_path / "capture"
            manifest = captured(leading, "moves", folder, Follower(going), bytes_per_second=RATE)
            (partition,) = manifest.partitions
            assert going.is_done
            assert partition.is_whole
            assert "leader-changed" in kinds(partition)
            assert partition.leader == following.number
            assert kept_by_us(folder, manifest) == kept_by_broker(following, "moves")
    finally:
        keeper.stop()
