"""What is written to a broker of each age for its tools to print: awkward records, transactions, groups, MirrorMaker 2's.

| topic                 | what stands in it                                                        |
|-----------------------|--------------------------------------------------------------------------|
| ledger                | JSON, and where the age has them transactions: committed, aborted, open   |
| awkward               | nulls, empty keys and values, letters beyond ASCII, tabs, headers        |
| lines                 | values of several lines                                                  |
| appended              | times of the broker (LogAppendTime)                                      |
| packed                | one batch of each codec                                                  |
| `__consumer_offsets`  | commits, a group with a member, tombstones                               |
"""

from __future__ import annotations

import json
import subprocess
import time

from kafka.protocol.consumer import OffsetCommitRequest, OffsetCommitResponse

from tests.live.brokers import Broker, Driver
from tests.live.hanging import asked
from tests.live.jars import classes, command, mirror_jars
from tests.live.tools import AGES, MAX_RUN_SECONDS, Age

TOPICS = ("ledger", "awkward", "lines", "appended", "packed")
EXPIRED_S = 3
AWKWARD = (
    ("plain", "value"),
    ("~", "no key"),
    ("", "empty key"),
    ("tombstone", "~"),
    ("empty", ""),
    ("grüße", "日本語 😀"),
    ("word", "null"),
    ("json", '{"a":"b","c":[1,2]}'),
)
HEADERS = (("source=test",), ("a=1", "b=~", "c="), (), ("trace=0a, b",))
TEXTS = (("lines", "one\ntwo\n\nthree"), ("json", '{\n  "a": 1\n}'), ("tabs", "a\tb"), ("last", "value"))
SHARED = {
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.num.partitions": 1,
    "share.coordinator.state.topic.min.isr": 1,
}
SETTINGS = {
    "transactional.id.expiration.ms": 2000,
    "transaction.remove.expired.transaction.cleanup.interval.ms": 500,
    "offsets.retention.check.interval.ms": 500,
    "log.message.timestamp.after.max.ms": 9223372036854775807,
}


def settings(version: str) -> dict[str, object]:
    """Of a broker whose transactional ids expire while one looks on."""
    return SETTINGS | (SHARED if AGES[version].has_shares else {})


def write(broker: Broker, drive: Driver) -> None:
    """All topics of this age."""
    age = AGES[broker.version]
    has_more = age.version != "0.10.2.2"
    drive("producer", "plain", "enable.idempotence=false")
    write_records(drive, has_more)
    write_codecs(drive, has_more)
    if has_more:
        write_transactions(drive)
    write_ledger(drive, "plain", 4)
    if has_more:
        write_open(drive)
    write_groups(broker, drive, age)
    if age.has_mirror:
        write_made(drive, "MirrorRecords", age)
    if "__remote_log_metadata" in age.decoders:
        write_made(drive, "RemoteRecords", age)
    if age.has_shares:
        write_shares(broker, drive)


def hexadecimal(text: str) -> str:
    """Bytes as the driver takes them; `~` is null."""
    return text if text == "~" else "hex:" + text.encode().hex()


def write_records(drive: Driver, has_headers: bool) -> None:
    """`awkward`, `lines` and `appended`."""
    for topic in ("ledger", "awkward", "lines"):
        drive("topic", topic, 1, 1)
    drive("topic", "appended", 1, 1, "message.timestamp.type=LogAppendTime")
    for number, (key, value) in enumerate(AWKWARD):
        headers = HEADERS[number % len(HEADERS)] if has_headers else ()
        drive("send", "plain", "awkward", 0, hexadecimal(key), hexadecimal(value), *headers)
    for key, value in TEXTS:
        drive("send", "plain", "lines", 0, key, hexadecimal(value))
    for number in range(3):
        drive("send", "plain", "appended", 0, f"key {number}", f"value {number}")
    drive("flush", "plain")


def write_codecs(drive: Driver, has_zstd: bool) -> None:
    """`packed`."""
    drive("topic", "packed", 1, 1)
    for codec in ("none", "gzip", "snappy", "lz4", "zstd")[: 5 if has_zstd else 4]:
        drive("producer", codec, "enable.idempotence=false", f"compression.type={codec}", "linger.ms=500")
        drive("fill", codec, "packed", 0, 0, 5, f"{codec} value of some length ")
        drive("close", codec)


def write_transactions(drive: Driver) -> None:
    """`ledger`: 0-2 committed, 4-5 aborted; `brief` expires, for a tombstone in `__transaction_state`."""
    for name, end, count, offset in (("brief", "commit", 3, 4), ("second", "abort", 2, 7)):
        drive("producer", name, f"transactional.id={name}", "transaction.timeout.ms=600000")
        drive("begin", name)
        write_ledger(drive, name, count)
        drive(end, name)
        drive.until_end("ledger", 0, offset)
    time.sleep(EXPIRED_S)
    drive("producer", "third", "transactional.id=third", "transaction.timeout.ms=600000")


def write_open(drive: Driver) -> None:
    """A transaction that nobody ends, behind all else in `ledger`."""
    drive("begin", "third")
    write_ledger(drive, "third", 1)


def write_ledger(drive: Driver, producer: str, count: int) -> None:
    """Some JSON."""
    for number in range(count):
        key, value = json.dumps({"id": number}), json.dumps({"id": number, "name": producer})
        drive("send", producer, "ledger", 0, key, value)
    drive("flush", producer)


def write_groups(broker: Broker, drive: Driver, age: Age) -> None:
    """Commits of two names, a group whose member comes and goes, tombstones."""
    drive("commit-offset", "billing", "ledger", 0, 3)
    drive("commit-offset", "a, group", "awkward", 0, 5)
    read_in_group(broker, age, "readers", "classic")
    if age.has_shares:
        read_in_group(broker, age, "modern", "consumer")
    if age.version == "0.10.2.2":
        commit_briefly(broker, "brief", "ledger")
        time.sleep(EXPIRED_S)
    else:
        drive("commit-offset", "gone", "ledger", 0, 1)
        drive("delete-group", "gone")


def read_in_group(broker: Broker, age: Age, group: str, protocol: str) -> None:
    """A console consumer as a member of a group."""
    asked = ["--bootstrap-server", broker.address, "--topic", "packed", "--max-messages", "5"]
    asked += ["--from-beginning", "--timeout-ms", "20000", "--consumer-property", f"group.id={group}"]
    asked += ["--consumer-property", f"group.protocol={protocol}"] if protocol != "classic" else []
    line = command(age.version, age.console, *asked)
    ended = subprocess.run(line, capture_output=True, timeout=MAX_RUN_SECONDS)
    assert b"total of 5 messages" in ended.stderr, ended.stderr[-2000:]


def commit_briefly(broker: Broker, group: str, topic: str) -> None:
    """A commit that expires at once, which requests could ask for up to version 4."""
    kind = OffsetCommitRequest.OffsetCommitRequestTopic
    part = kind.OffsetCommitRequestPartition(partition_index=0, committed_offset=1, committed_metadata="")
    request = OffsetCommitRequest(
        version=2,
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        retention_time_ms=1,
        topics=[kind(name=topic, partitions=[part])],
    )
    answered = asked(broker, request, OffsetCommitResponse, 2)
    assert answered.topics[0].partitions[0].error_code == 0


def write_made(drive: Driver, program: str, age: Age) -> None:
    """Records that one of the programs beside this file makes with Kafka's own classes."""
    beside = [mirror_jars(age.version)]
    beside.append(classes(age.version, program, beside))
    line = command(age.version, program, beside=beside)
    made = subprocess.run(line, capture_output=True, text=True, timeout=MAX_RUN_SECONDS, check=True)
    rows = [row.split("\t") for row in made.stdout.splitlines()]
    for topic in sorted({row[0] for row in rows}):
        drive("topic", topic, 1, 1)
    for topic, key, value in rows:
        drive("send", "plain", topic, 0, key, value)
    drive("flush", "plain")


def write_shares(broker: Broker, drive: Driver) -> None:
    """A share group that takes some records."""
    address = ["--bootstrap-server", broker.address]
    upgrade = [*address, "upgrade", "--feature", "share.version=1"]
    subprocess.run(
        command(broker.version, "org.apache.kafka.tools.FeatureCommand", *upgrade),
        check=True,
        capture_output=True,
        timeout=MAX_RUN_SECONDS,
    )
    main = "kafka.admin.ConfigCommand"
    earliest = [*address, "--alter", "--entity-type", "groups", "--entity-name", "sharers"]
    subprocess.run(
        command(broker.version, main, *earliest, "--add-config", "share.auto.offset.reset=earliest"),
        check=True,
        capture_output=True,
        timeout=MAX_RUN_SECONDS,
    )
    asked = [
        *address,
        "--topic",
        "packed",
        "--group",
        "sharers",
        "--max-messages",
        "3",
        "--timeout-ms",
        "20000",
    ]
    ended = subprocess.run(
        command(broker.version, "org.apache.kafka.tools.consumer.ConsoleShareConsumer", *asked),
        capture_output=True,
        timeout=MAX_RUN_SECONDS,
    )
    assert b"total of 3 messages" in ended.stderr, ended.stderr[-2000:]
