"""`ApplyRepair.java`, which goes with every repair, does on real brokers what it says, and refuses before it harms."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from tests.live.brokers import Broker
from tests.live.repairs import KILLED, Cluster, Record, killed, write_repair

pytestmark = pytest.mark.live

FOREVER = str(2**63 - 1)
MIN, MAX = "min.compaction.lag.ms", "max.compaction.lag.ms"
PAUSED = {MIN: FOREVER, MAX: FOREVER}
HOUR_MS = 3_600_000
CENTURY_MS = 100 * 365 * 24 * HOUR_MS
# Records from old to new timestamps roll a segment, and the log cleaner of a test broker is there within a second.
UNCLEANED = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "1.0"}
JOURNAL = [
    Record(b"a", b"one", 1_700_000_000_000, (("source", b"test"),)),
    Record(b"b", b"two", 1_700_000_001_000),
    Record(b"a", None, 1_700_000_002_000),
]
APPEND = [
    Record(b"c", b"", None),
    Record(b"b", None, 1_600_000_001_000),
    Record(b"a", b"\x00\xff bytes", 1_600_000_000_000, (("x", b"1"), ("x", None), ("y", b""))),
]
MENDED = [JOURNAL[0], APPEND[2], JOURNAL[1], APPEND[0], APPEND[1]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("broker")
    with Broker("3.9.1", folder, auto__create__topics__enable="false") as broker, Cluster(broker) as made:
        yield made


@pytest.fixture
def repair(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A repair of the topic that is named like the test."""
    return write_repair(tmp_path / "repair", name_of(request), JOURNAL, APPEND, MENDED)


@pytest.fixture
def topic(request: pytest.FixtureRequest, cluster: Cluster) -> str:
    """The journal's topic, as it was when the dump was taken."""
    return cluster.topic(name_of(request), JOURNAL, **UNCLEANED)


def name_of(request: pytest.FixtureRequest) -> str:
    return request.node.originalname.removeprefix("test_")[:80]


def equal(found: list[Record], expected: list[Record]) -> bool:
    """Whether these are the records; where one has no timestamp, the producer's clock gave one."""
    now_ms = int(time.time() * 1000)
    return len(found) == len(expected) and all(
        (one.key, one.value, one.headers) == (other.key, other.value, other.headers)
        and (
            one.timestamp_ms == other.timestamp_ms
            if other.timestamp_ms is not None
            else now_ms - HOUR_MS < (one.timestamp_ms or 0) <= now_ms
        )
        for one, other in zip(found, expected, strict=True)
    )


def test_check_says_that_the_topic_is_as_it_was(cluster: Cluster, topic: str, repair: Path) -> None:
    sentence = f"The topic {topic} still is what the repair was built from: 3 records, end offset 3."
    assert cluster.run_source("ApplyRepair.java", repair, "check") == (0, sentence)
    elsewhere = repair.parent
    assert cluster.run_source("repair/ApplyRepair.java", elsewhere, "check", "--folder", "repair") == (
        0,
        sentence,
    )
    assert cluster.records(topic) == JOURNAL


def test_a_topic_with_a_record_more_is_refused(cluster: Cluster, topic: str, repair: Path) -> None:
    cluster.produce(topic, JOURNAL[:1])
    answer = (
        "The topic has 1 record more than the dump, from offset 3 on. "
        "Stop every registry, take a new dump and build the repair again."
    )
    for command in ("check", "append", "copy"):
        assert cluster.run(repair, command) == (1, answer)
    assert cluster.records(topic) == [*JOURNAL, JOURNAL[0]]
    assert f"{topic}-mended" not in cluster.admin.list_topics()


@pytest.mark.parametrize("offset", range(3))
def test_a_topic_with_another_record_is_refused(cluster: Cluster, tmp_path: Path, offset: int) -> None:
    stored = [*JOURNAL[:offset], Record(b"a", b"", 1), *JOURNAL[offset + 1 :]]
    topic = cluster.topic(f"another-record-{offset}", stored)
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, APPEND)
    for command in ("append", "pause"):
        code, answer = cluster.run(repair, command)
        assert code == 1
        assert answer.startswith(
            f"The record at offset {offset} is not that of the dump. Stop every registry"
        )
    assert len(cluster.records(topic)) == 3
    assert not cluster.own(topic)


def test_a_topic_that_was_made_again_is_refused(cluster: Cluster, repair: Path) -> None:
    cluster.topic("a_topic_that_was_made_again_is_refused", JOURNAL[:1])
    code, answer = cluster.run(repair, "check")
    assert code == 1
    assert answer.startswith("The topic ends at offset 1, but the dump ends at offset 3.")


def test_a_record_that_the_cleaner_removed_is_named_and_one_that_is_lost_is_refused(
    cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("cleaned", JOURNAL, cleanup__policy="delete")
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, APPEND)
    place = TopicPartition(topic, 0)
    cluster.admin.delete_records({place: 1})
    code, answer = cluster.run(repair, "check")
    assert code == 0
    assert answer.startswith(
        "The log cleaner has removed 1 record since the dump: offset 0. A later record with the same key is in both, so the "
        "repair still fits.\nThe topic"
    )
    cluster.admin.delete_records({place: 2})
    code, answer = cluster.run(repair, "check")
    assert code == 1
    assert answer.startswith(
        "The topic has no record at offset 1, where the dump has one, and no later record of its key."
    )


def test_a_consumer_group_and_a_producer_that_are_active_are_named(
    cluster: Cluster, topic: str, repair: Path
) -> None:
    reader = KafkaConsumer(topic, bootstrap_servers=cluster.broker.address, group_id="registry-7")
    writer = KafkaProducer(bootstrap_servers=cluster.broker.address, acks="all", enable_idempotence=True)
    try:
        while not reader.assignment():
            reader.poll(timeout_ms=500)
        code, answer = cluster.run(repair, "check")
        assert code == 0
        assert "Warning: the consumer group registry-7 is active on the topic. Stop every registry" in answer
        writer.send(topic, key=b"a", value=None, partition=0).get(timeout=30)
        newer = write_repair(repair.parent / "newer", topic, [*JOURNAL, Record(b"a", None)], APPEND)
        answer = cluster.run(newer, "check")[1]
        assert re.search(r"Warning: producer \d+ wrote to the topic at 20", answer)
    finally:
        reader.close()
        writer.close()


def test_an_unknown_topic_is_refused_and_not_created(cluster: Cluster, repair: Path) -> None:
    code, answer = cluster.run(repair, "check")
    assert code == 1
    assert "an_unknown_topic_is_refused_and_not_created does not exist on this cluster" in answer
    assert "an_unknown_topic_is_refused_and_not_created" not in cluster.admin.list_topics()


def test_a_changed_file_is_refused(cluster: Cluster, topic: str, repair: Path) -> None:
    file = repair / "append.ndjson"
    file.write_text(file.read_text().replace("1600000000000", "1600000000001"))
    for command in ("check", "append"):
        code, answer = cluster.run(repair, command)
        assert code == 1
        assert "append.ndjson is not the file that the repair was built with" in answer
    assert cluster.records(topic) == JOURNAL


def test_resume_puts_back_what_pause_found(cluster: Cluster, tmp_path: Path) -> None:
    own = {"cleanup.policy": "compact", "segment.ms": "100000"}
    topic = cluster.topic("paused", JOURNAL, **own)
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, APPEND)
    code, answer = cluster.run(repair, "pause")
    assert code == 0
    assert answer.endswith(f"--entity-name {topic} --delete-config {MAX},{MIN}")
    assert cluster.own(topic) == {**own, **PAUSED}
    assert cluster.run(repair, "resume")[0] == 0
    assert cluster.own(topic) == own
    assert not (repair / "compaction-before.json").exists()
    assert (repair / "compaction-before.done.json").exists()


def test_a_second_pause_keeps_what_the_first_noted(cluster: Cluster, tmp_path: Path) -> None:
    own = {"cleanup.policy": "compact,delete", MAX: "604800000"}
    topic = cluster.topic("paused-twice", JOURNAL, **own)
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, APPEND)
    code, answer = cluster.run(repair, "pause")
    assert code == 0
    assert cluster.own(topic) == {**own, **PAUSED}
    assert "Warning: cleanup.policy is compact,delete. Retention still deletes old records." in answer
    assert answer.endswith(f"--entity-name {topic} --add-config {MAX}=604800000 --delete-config {MIN}")
    code, answer = cluster.run(repair, "pause")
    assert code == 1
    assert "compaction-before.json exists: pause has run before." in answer
    assert cluster.run(repair, "resume")[0] == 0
    assert cluster.own(topic) == own
    code, answer = cluster.run(repair, "resume")
    assert code == 1
    assert "compaction-before.json does not exist. Compaction was not paused from this folder." in answer


def test_append_writes_one_batch_reads_back_and_writes_nothing_a_second_time(
    cluster: Cluster, topic: str, repair: Path
) -> None:
    here = ("--folder", str(repair), "--force")
    said = cluster.run_source(str(repair / "ApplyRepair.java"), Path("/"), "append", *here)
    assert said[0] == 0
    assert [re.sub(r"\d+ bytes", "N bytes", line) for line in said[1].splitlines()] == [
        "Writing 3 records as one batch of N bytes: the broker stores all or none.",
        "3 of 3 records written, offsets 3-5, read back and equal.",
        f"Warning: compaction of {topic} is not paused. It can start after this append.",
    ]
    assert equal(cluster.records(topic), [*JOURNAL, *APPEND])
    assert cluster.run(repair, "append") == (
        0,
        "All 3 records of the repair are already there, offsets 3-5. Nothing was written.",
    )
    assert cluster.run(repair, "check") == (
        1,
        "The topic has 3 records more than the dump, from offset 3 on. "
        "The repair's own 3 records are already there, offsets 3-5. Do not append them again.",
    )
    assert len(cluster.records(topic)) == 6


def test_append_is_refused_while_compaction_is_not_paused(cluster: Cluster, topic: str, repair: Path) -> None:
    code, answer = cluster.run(repair, "append")
    assert code == 1
    assert answer.endswith("Run pause first. To append without a pause, add --force.")
    assert cluster.records(topic) == JOURNAL


def batches(cluster: Cluster, topic: str) -> list[int]:
    """The records in each batch of the topic's log, as the broker's files have them."""
    logs = sorted(cluster.broker.folder.glob(f"**/{topic}-0/*.log"))
    stored, counts, at = b"".join(log.read_bytes() for log in logs), [], 0
    while at < len(stored):
        size = int.from_bytes(stored[at + 8 : at + 12], "big")
        counts.append(int.from_bytes(stored[at + 57 : at + 61], "big"))
        at += 12 + size
    return counts


MANY = [Record(b"key %d" % number, b"v" * number, None, (("req", b"%d" % number),)) for number in range(5)]


def test_an_append_that_is_killed_within_its_batch_has_written_nothing(
    cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("killed-within", JOURNAL, **UNCLEANED)
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, MANY)
    for number in range(1, len(MANY) + 1):
        assert killed(cluster, repair, "append", before=number) == KILLED
        assert cluster.records(topic) == JOURNAL
    assert killed(cluster, repair, "append", after=1) == KILLED
    assert equal(cluster.records(topic), [*JOURNAL, *MANY])
    assert cluster.run(repair, "append", "--force")[0] == 0
    assert equal(cluster.records(topic), [*JOURNAL, *MANY])
    assert batches(cluster, topic) == [1, 1, 1, len(MANY)]


@pytest.mark.parametrize("number", range(1, len(MANY) + 1))
def test_an_append_in_parts_that_is_killed_after_any_record_is_completed_by_the_next_run(
    cluster: Cluster, tmp_path: Path, number: int
) -> None:
    topic = cluster.topic(f"killed-{number}", JOURNAL, max__message__bytes=120, **UNCLEANED)
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, MANY)
    assert killed(cluster, repair, "append", after=number) == KILLED
    assert equal(cluster.records(topic), [*JOURNAL, *MANY[:number]])
    if number < len(MANY):
        said = f"The repair's own records are there in part: {number} of 5, offset"
        assert said in cluster.run(repair, "check")[1]
    assert cluster.run(repair, ("append", "resume-append")[number % 2], "--force")[0] == 0
    assert equal(cluster.records(topic), [*JOURNAL, *MANY])


def test_an_append_is_continued_behind_records_that_do_no_harm_only(cluster: Cluster, tmp_path: Path) -> None:
    artifact = Record(b'\x03{"groupId":"pay","artifactId":"a","uuid":"1"}', b"\x03{}")
    append = [Record(b'\x03{"groupId":"pay","artifactId":"a","uuid":"0"}', b"\x03{}"), artifact]
    upgrader = Record(b'\x12{"uuid":"compact"}', b"\x12{}")
    for name, other, code in (("harmless", upgrader, 0), ("harmful", Record(artifact.key, None), 1)):
        topic = cluster.topic(name, [*JOURNAL, append[0], other], **UNCLEANED)
        repair = write_repair(tmp_path / name, topic, JOURNAL, append)
        refused = cluster.run(repair, "append", "--force")
        assert refused[0] == 1
        assert refused[1].startswith(
            "1 of 2 records of the repair are there, and 1 record of other programs."
        )
        resumed = cluster.run(repair, "resume-append", "--force")
        assert resumed[0] == code, resumed
        assert len(cluster.records(topic)) == (6 if code == 0 else 5)
    assert (
        "Another program has written offset 4, which is about artifactId=pay/a, and so is the repair."
        in resumed[1]
    )


def test_a_record_that_is_too_large_is_refused_with_the_value_to_set(
    cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("small", JOURNAL, max__message__bytes=1000, **UNCLEANED)
    append = [APPEND[2], Record(b"large", b"x" * 200_000, None, (("header", b"y" * 100),))]
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, append)
    code, answer = cluster.run(repair, "append", "--force")
    assert code == 1
    assert "Nothing was written. Set max.message.bytes=" in answer
    assert cluster.records(topic) == JOURNAL
    needed = int(answer.split("Set max.message.bytes=")[1].split(",")[0])
    cluster.alter(topic, max__message__bytes=str(needed - 1))
    assert cluster.run(repair, "append", "--force")[0] == 1
    cluster.alter(topic, max__message__bytes=str(needed))
    code, answer = cluster.run(repair, "append", "--force")
    assert code == 0
    assert "2 of 2 records written, offsets 3-4, read back and equal." in answer
    assert (
        "Do not interrupt this program. If it is interrupted, start no registry and run append again."
        in answer
    )


def test_what_the_broker_would_refuse_half_way_is_refused_before(cluster: Cluster, tmp_path: Path) -> None:
    topic = cluster.topic("strict", JOURNAL, cleanup__policy="compact")
    cluster.alter(topic, message__timestamp__before__max__ms="1000")
    old = write_repair(tmp_path / "old", topic, JOURNAL, [APPEND[0], APPEND[1]])
    code, answer = cluster.run(old, "append")
    assert code == 1
    assert "The topic rejects it: message.timestamp.before.max.ms=1000." in answer
    keyless = write_repair(tmp_path / "keyless", topic, JOURNAL, [APPEND[0], Record(None, b"")])
    code, answer = cluster.run(keyless, "append")
    assert code == 1
    assert "Record 2 of ./append.ndjson has no key." in answer
    assert cluster.records(topic) == JOURNAL


def test_copy_makes_a_new_topic_like_the_old_one(cluster: Cluster, tmp_path: Path) -> None:
    own = {"cleanup.policy": "compact", "segment.ms": "100000", "max.message.bytes": "2000", MAX: "604800000"}
    topic = cluster.topic("old", JOURNAL, **own)
    mended = [
        *MENDED,
        *(Record(b"%d" % number, b"value") for number in range(1200)),
        Record(b"l", b"x" * 5000),
    ]
    repair = write_repair(tmp_path / "repair", topic, JOURNAL, APPEND, mended)
    assert cluster.run(repair, "pause")[0] == 0
    code, answer = cluster.run(repair, "copy")
    assert code == 0, answer
    assert answer.endswith(
        "1206 of 1206 records written, offsets 0-1205, read back and equal.\n"
        f"Use the topic name {topic}-mended in the steps that follow."
    )
    new = cluster.own(f"{topic}-mended")
    assert int(new.pop("max.message.bytes")) > 5000
    assert {**new, "max.message.bytes": "2000"} == own
    newest = {record.key: record.value for record in cluster.records(f"{topic}-mended")}
    assert newest == {record.key: record.value for record in mended}
    assert cluster.records(topic) == JOURNAL
    code, answer = cluster.run(repair, "copy")
    assert code == 1
    assert answer.startswith(f"The topic {topic}-mended exists and is not empty. Nothing was written.")
    other = cluster.topic("empty", cleanup__policy="delete")
    code, answer = cluster.run(repair, "copy", "--new-topic", other)
    assert code == 1
    assert answer.startswith(f"The topic {other} exists and has the settings")
    assert cluster.records(other) == []


def test_copy_of_a_topic_with_several_partitions_is_refused(cluster: Cluster, repair: Path) -> None:
    topic = "copy_of_a_topic_with_several_partitions_is_refused"
    cluster.topic(topic, JOURNAL, partitions=2)
    code, answer = cluster.run(repair, "copy")
    assert code == 1
    assert answer == f"copy works for topics with 1 partition only, and {topic} has 2. Use append."


def test_a_wrong_command_line_is_said(cluster: Cluster, repair: Path) -> None:
    code, answer = cluster.run(repair, "append", "--way", "copy")
    assert code == 2
    assert answer.startswith("The command is append, but --way is copy.\nUsage: java -cp")


@pytest.mark.parametrize("version", ["4.1.1", "2.8.2"])
def test_the_program_runs_with_the_jars_of_other_versions(version: str, tmp_path: Path) -> None:
    with Broker(version, tmp_path / "broker") as broker, Cluster(broker) as cluster:
        own = {**UNCLEANED, MAX: str(CENTURY_MS)}
        topic = cluster.topic("journal", JOURNAL, **own)
        repair = write_repair(tmp_path / "repair", topic, JOURNAL, APPEND, MENDED)
        assert cluster.run_source("ApplyRepair.java", repair, "check")[0] == 0
        assert cluster.run(repair, "pause")[0] == 0
        assert cluster.own(topic) == {**own, **PAUSED}
        cluster.topic(f"{topic}-mended", **own)  # an empty topic with the same settings is used
        assert cluster.run(repair, "copy")[0] == 0
        assert cluster.own(f"{topic}-mended") == own
        code, answer = cluster.run(repair, "append")
        assert code == 0
        assert answer.splitlines()[1] == "3 of 3 records written, offsets 3-5, read back and equal."
        assert equal(cluster.records(topic), [*JOURNAL, *APPEND])
        assert equal(cluster.records(f"{topic}-mended"), MENDED)
        assert cluster.run(repair, "resume")[0] == 0
        assert cluster.own(topic) == own


def test_a_topic_with_an_old_message_format_gets_each_record_by_itself_and_is_completed_after_a_kill(
    tmp_path: Path,
) -> None:
    with Broker("2.8.2", tmp_path / "broker") as broker, Cluster(broker) as cluster:
        topic = cluster.topic("old-format", **{"message.format.version": "0.10.2"})
        stored = [Record(one.key, one.value, one.timestamp_ms) for one in JOURNAL]
        cluster.producer.close()
        cluster.producer = KafkaProducer(bootstrap_servers=broker.address, enable_idempotence=False)
        cluster.produce(topic, stored)
        repair = write_repair(tmp_path / "repair", topic, stored, MANY)
        assert killed(cluster, repair, "append", after=2) == KILLED
        code, answer = cluster.run(repair, "append", "--force")
        assert code == 0, answer
        assert "the topic has a message format without record batches. Headers are left out." in answer
        assert equal(cluster.records(topic), [*stored, *(Record(one.key, one.value) for one in MANY)])
