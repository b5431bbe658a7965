"""Faults that a broker and its clients really make, each beside a topic or group that nearly looks the same and is innocent."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

from tests.live.brokers import Broker
from tests.live.captures import inspected
from tests.live.repairs import Cluster, Record
from tests.live.tools import Tools

pytestmark = [pytest.mark.live, pytest.mark.spark]

VERSION = "3.9.1"
CONFIGS = "kafka.admin.ConfigCommand"
HOUR_MS = 3600 * 1000
NOW_MS = int(time.time() * 1000)
SCHEMA = json.dumps({"keytype": "SCHEMA", "subject": "s", "version": 1, "magic": 1}).encode()
VALUE = json.dumps({"subject": "s", "version": 1, "id": 1, "schema": '"int"', "deleted": False}).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The broker's data after a clean stop, with what kafka-configs printed of two topics."""
    made = tmp_path_factory.mktemp("faults")
    with Broker(VERSION, made / "broker", offsets__topic__num__partitions="1") as broker:
        with Cluster(broker) as cluster:
            dates(cluster)
            keys(cluster)
            groups(cluster)
            retention(cluster)
        with Tools(VERSION, made) as tools:
            prints = [described(tools, broker, topic) for topic in ("keyless", "_schemas")]
        broker.stop()
        shutil.copytree(broker.data, made / "input")
    for number, text in enumerate(prints):
        (made / "input" / f"configs-{number}.txt").write_text(text)
    return made / "input"


def dates(cluster: Cluster) -> None:
    """One producer's clock goes back by two hours, another's not; one leaps ahead by years."""
    for topic, steps in (
        ("back", (0, 1, -2 * HOUR_MS)),
        ("forth", (0, 1, 2)),
        ("ahead", (0, 9000 * HOUR_MS, 1)),
    ):
        times = [NOW_MS - 24 * HOUR_MS + step for step in steps]
        cluster.topic(
            topic, [Record(b"k", b"v", at) for at in times], cleanup__policy="delete", retention__ms="-1"
        )


def keys(cluster: Cluster) -> None:
    """Records without keys in a topic that is compacted later, and in one that never is."""
    for topic in ("keyless", "unkeyed"):
        cluster.topic(topic, [Record(None, b"v"), Record(None, b"w")], cleanup__policy="delete")
    cluster.alter("keyless", cleanup__policy="compact", min__compaction__lag__ms="86400000")


def groups(cluster: Cluster) -> None:
    """A commit beyond the end of the log and one at its end; a commit for a group that was deleted before."""
    cluster.topic("log", [Record(b"k", b"v")] * 5, cleanup__policy="delete")
    commit(cluster, "lost", 500)
    commit(cluster, "fine", 5)
    member = KafkaConsumer(
        "log", bootstrap_servers=cluster.broker.address, group_id="removed", auto_offset_reset="earliest"
    )
    until = time.monotonic() + 60
    while not member.assignment() and time.monotonic() < until:
        member.poll(timeout_ms=200)
    member.commit()
    member.close()
    time.sleep(1)
    cluster.admin.delete_groups(["removed"])
    commit(cluster, "removed", 2)
    time.sleep(1)
    cluster.produce("log", [Record(b"k", b"later")])


def commit(cluster: Cluster, group: str, offset: int) -> None:
    """As a client does that assigns its partitions itself."""
    partition = TopicPartition("log", 0)
    consumer = KafkaConsumer(
        bootstrap_servers=cluster.broker.address, group_id=group, enable_auto_commit=False
    )
    consumer.assign([partition])
    consumer.commit({partition: OffsetAndMetadata(offset, "", -1)})
    consumer.close(autocommit=False)


def retention(cluster: Cluster) -> None:
    """A registry's journal under cleanup.policy=delete whose first records were deleted."""
    cluster.topic(
        "_schemas", [Record(SCHEMA, VALUE)] * 6, cleanup__policy="delete", retention__ms="604800000"
    )
    cluster.admin.delete_records({TopicPartition("_schemas", 0): 3})


def described(tools: Tools, broker: Broker, topic: str) -> str:
    """What kafka-configs prints of a topic."""
    asked = [
        "--bootstrap-server",
        broker.address,
        "--describe",
        "--all",
        "--entity-type",
        "topics",
        "--entity-name",
        topic,
    ]
    return tools(f"configs-{topic}", "kafka-configs", CONFIGS, asked).text


@pytest.fixture(scope="module")
def findings(folder: Path) -> list[dict[str, Any]]:
    (report,) = inspected(folder)
    return list(report["findings"])


def named(findings: list[dict[str, Any]], detector: str) -> list[str]:
    """What a detector found, by title."""
    return [one["title"] for one in findings if one["detector"] == detector]


@pytest.mark.parametrize(
    ("detector", "names", "innocent"),
    [
        ("timestamp-regression", "back-0", "forth-0"),
        ("timestamp-in-future", "ahead-0", "forth-0"),
        ("null-key", "keyless", "unkeyed"),
        ("commit-out-of-range", "Group lost", "Group fine"),
        ("commit-after-group-deleted", "removed", "fine"),
        ("retention-policy", "_schemas", "keyless"),
        ("deleted-by-retention", "offsets 0-2 of _schemas-0", "log-0"),
    ],
)
def test_the_fault_is_found_and_its_twin_is_not(
    findings: list[dict[str, Any]], detector: str, names: str, innocent: str
) -> None:
    titles = named(findings, detector)
    assert [title for title in titles if names in title], [
        (one["detector"], one["title"]) for one in findings
    ]
    assert [title for title in titles if innocent in title] == []


def test_zeros_of_a_preallocated_segment_are_no_damage(tmp_path: Path) -> None:
    with Broker(
        VERSION, tmp_path / "broker", log__preallocate="true", log__segment__bytes=str(1 << 20)
    ) as broker:
        with Cluster(broker) as cluster:
            cluster.topic("orders", [Record(b"k", b"v")])
        broker.halt(signal.SIGKILL)
        shutil.copytree(broker.data / "orders-0", tmp_path / "input" / "orders-0")
    (report,) = inspected(tmp_path / "input")
    assert named(report["findings"], "preallocated-tail")
    assert report["verdict"]["level"] == "healthy"
