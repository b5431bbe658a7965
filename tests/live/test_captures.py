"""What we capture is what the broker has on disk, batch by batch, whatever its age and the format of the topic."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.brokers import Broker, Driver
from tests.live.captures import captured, inspected, kept_by_broker, kept_by_us, until_cleaned
from workers.capture import CaptureManifest

pytestmark = pytest.mark.live

VERSIONS = ("4.1.1", "3.9.1", "2.8.2", "0.10.2.2")
NEWER = VERSIONS[:3]  # with transactions, and a cluster that can be asked for its settings
FETCH_VERSIONS = {"4.1.1": 18, "3.9.1": 17, "2.8.2": 12, "0.10.2.2": 3}  # the best that both speak
TRUE_ALARMS = {"flapping": ["format-flapping"]}
SEGMENTS = "segment.bytes=1048576"  # the smallest that 4.1 takes
COMPACTED = ("cleanup.policy=compact", "min.cleanable.dirty.ratio=0.01", SEGMENTS)
OLD_FORMAT = "message.format.version=0.10.2"
VALUE = "value of some length that packs well " * 25  # about 1 kB
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
MAGIC_AT = 16
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Capture:
    """Of one topic of one broker, which has been stopped since; its data are where they were."""

    broker: Broker
    topic: str
    folder: Path
    manifest: CaptureManifest


Captures = dict[tuple[str, str], Capture]


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    """(version, topic) -> its capture."""
    made = {}
    for version in VERSIONS:
        folder = tmp_path_factory.mktemp("broker")
        with Broker(version, folder / "broker") as broker, Driver(broker.address) as drive:
            write(drive, broker)
            for topic in sorted(path.name.removesuffix("-0") for path in broker.data.glob("[a-z]*-0")):
                kept = folder / topic
                made[version, topic] = Capture(broker, topic, kept, captured(broker, topic, kept))
    return made


def write(drive: Driver, broker: Broker) -> None:
    """All topics that a broker of this age can have."""
    write_codecs(drive, broker.version, "codecs")
    write_compacted(drive, broker)
    if broker.version != "0.10.2.2":
        write_transactions(drive)
    if broker.version == "2.8.2":
        write_codecs(drive, "0.10.2.2", "old-format", OLD_FORMAT)
        write_flapping(drive, broker)


def write_codecs(drive: Driver, version: str, topic: str, *config: str) -> None:
    """A producer of each codec, and all of them in two partitions; segments of one only."""
    drive("topic", topic, 2, 1, SEGMENTS, *config)
    for codec in CODECS[: 4 if version == "0.10.2.2" else 5]:
        name = f"{topic} {codec}"
        drive("producer", name, "enable.idempotence=false", f"compression.type={codec}")
        drive("fill", name, topic, 0, 0, 3000 if codec == "none" else 500, VALUE)
        drive("fill", name, topic, 1, 0, 50, VALUE)
        drive("close", name)


def write_compacted(drive: Driver, broker: Broker) -> None:
    """Thousand keys again and again; the cleaner leaves gaps."""
    drive("topic", "compacted", 1, 1, *COMPACTED)
    drive("producer", "keys", "enable.idempotence=false")
    for round in range(4):
        drive("fill", "keys", "compacted", 0, round, 1000, VALUE)
    drive("close", "keys")
    until_cleaned(broker, "compacted")


def write_transactions(drive: Driver) -> None:
    """0-9 committed, 11-15 aborted, 17 plain, 18 left open."""
    drive("topic", "transactions", 1, 1)
    for name in ("one", "two"):
        drive("producer", name, f"transactional.id={name}", "transaction.timeout.ms=600000")
    drive("begin", "one")
    drive("fill", "one", "transactions", 0, 0, 10, VALUE)
    drive("commit", "one")
    drive.until_end("transactions", 0, 11)
    drive("begin", "two")
    drive("fill", "two", "transactions", 0, 0, 5, VALUE)
    drive("abort", "two")
    drive.until_end("transactions", 0, 17)
    drive("producer", "plain")
    drive("fill", "plain", "transactions", 0, 0, 1, VALUE)
    drive("begin", "one")
    drive("fill", "one", "transactions", 0, 0, 1, VALUE)


def write_flapping(drive: Driver, broker: Broker) -> None:
    """Format 2, then 1, then 2 again. A busy broker hears late of a changed setting: until it has, more is written."""
    drive("topic", "flapping", 1, 1)
    drive("producer", "flap", "enable.idempotence=false", "compression.type=lz4")
    for format, magic in (("2.8", 2), ("0.10.2", 1), ("2.8", 2)):
        drive("alter", "flapping", f"message.format.version={format}")
        deadline = time.monotonic() + PATIENCE_SECONDS
        written = None
        while written != magic:
            assert time.monotonic() < deadline, f"the broker does not write format {format}"
            drive("fill", "flap", "flapping", 0, 0, 40, VALUE)
            written = kept_by_broker(broker, "flapping")[-1][MAGIC_AT]
    drive("close", "flap")


def test_every_batch_is_the_brokers(captures: Captures) -> None:
    assert {version for version, _ in captures} == set(VERSIONS)
    for (version, topic), capture in captures.items():
        for one in capture.manifest.partitions:
            theirs = kept_by_broker(capture.broker, topic, one.partition)
            is_same = kept_by_us(capture.folder, capture.manifest, one.partition) == theirs
            assert is_same, f"{version} {topic}-{one.partition}"
            assert (one.got.batches, one.got.size_bytes) == (len(theirs), sum(map(len, theirs)))
            assert one.stopped_by is None
            assert one.is_whole


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("topic", ["codecs", "compacted"])
def test_several_segments_of_the_broker_were_read(captures: Captures, version: str, topic: str) -> None:
    data = captures[version, topic].broker.data
    assert len(list((data / f"{topic}-0").glob("*.log"))) > 1


@pytest.mark.parametrize("version", VERSIONS)
def test_the_manifest_says_how_it_was_fetched(captures: Captures, version: str) -> None:
    partitions = captures[version, "codecs"].manifest.partitions
    assert [one.partition for one in partitions] == [0, 1]
    for one in partitions:
        assert one.fetch_version == FETCH_VERSIONS[version]
        # 0.10.2 has no newer format than what Fetch v3 carries; later brokers send what they have.
        assert one.is_converted is False
        assert one.high_watermark == one.got.next_offset


@pytest.mark.parametrize("version", NEWER)
def test_topic_settings_are_in_the_manifest(captures: Captures, version: str) -> None:
    configs = captures[version, "compacted"].manifest.topic["configs"]
    assert configs["cleanup.policy"]["value"] == "compact"
    assert configs["segment.bytes"]["value"] == "1048576"


def test_what_an_old_broker_cannot_be_asked_is_named(captures: Captures) -> None:
    manifest = captures["0.10.2.2", "compacted"].manifest
    assert manifest.topic["configs"] is None
    questions = " ".join(one["question"] for one in manifest.not_asked)
    assert "DescribeConfigs" in questions
    assert "DescribeProducers" in questions


@pytest.mark.parametrize("version", NEWER)
def test_transactions_are_in_the_manifest(captures: Captures, version: str) -> None:
    (one,) = captures[version, "transactions"].manifest.partitions
    assert one.last_stable_offset == 18
    assert [aborted["first_offset"] for aborted in one.aborted] == [11]
    assert one.producers is not None
    assert [each["current_transaction_first_offset"] for each in one.producers].count(18) == 1


@pytest.mark.parametrize(
    ("topic", "formats"), [("old-format", {1}), ("flapping", {1, 2}), ("codecs", {2})], ids=str
)
def test_formats_on_disk_are_kept(captures: Captures, topic: str, formats: set[int]) -> None:
    capture = captures["2.8.2", topic]
    assert {entry[MAGIC_AT] for entry in kept_by_us(capture.folder, capture.manifest)} == formats


@pytest.mark.spark
def test_reports_of_captures_raise_no_alarm_but_the_true_one(captures: Captures) -> None:
    reports = inspected(*(capture.folder for capture in captures.values()))
    for (version, topic), report in zip(captures, reports, strict=True):
        alarms = [one["detector"] for one in report["findings"] if one["severity"] in {"high", "critical"}]
        assert alarms == TRUE_ALARMS.get(topic, []), f"{version} {topic}"
        assert report["coverage"]["unreadable_bytes"] == 0, f"{version} {topic}"
