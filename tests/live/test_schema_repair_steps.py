"""The steps of a schema registry's repair, carried out as they are written: a journal that lost its head, and one that does not start.

With LIVE_KARAPACE=PYTHON, a Python in which `-m karapace.karapace_all CONFIG` starts Karapace, the journal is Karapace's own, and what
it answers over REST before the loss, after the repair and after two compactions is compared. It has no package to fetch.
"""

from __future__ import annotations

import base64
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer, TopicPartition

from tests.live.brokers import Broker
from tests.live.programs import Program, free_port
from tests.live.repairs import Cluster, Record
from tests.live.test_repair_steps import carried_out, commands, manage
from tests.spark.dialects.schema_registry.journals import compact, config, schema

pytestmark = pytest.mark.live

KARAPACE = os.environ.get("LIVE_KARAPACE", "")
TOPIC = "_schemas"
OWN = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01", "delete.retention.ms": "0"}
UNTIL_CLEANED_S = 60
ONE, TWO, THREE = (compact({"type": "record", "name": f"R{n}", "fields": []}).decode() for n in (1, 2, 3))
JOURNAL = [
    Record(*parts, 1_700_000_000_000 + number)
    for number, parts in enumerate(
        [
            (b'{"keytype":"NOOP","magic":0}', None),
            schema("orders-value", 1, 1, ONE),
            schema("orders-value", 2, 2, TWO),
            config("orders-value", "NONE"),
            schema("users-value", 1, 3, THREE),
        ]
    )
]
FOREIGN = Record(b'{"keytype":"FOREIGN","magic":0}', b"{}")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with (
        Broker("3.9.1", tmp_path / "broker", auto__create__topics__enable="false") as broker,
        Cluster(broker) as made,
    ):
        yield made


def dump(cluster: Cluster, topic: str, path: Path) -> Path:
    """The topic with its offsets, as kcat prints it with key and payload in base64."""
    place = TopicPartition(topic, 0)
    consumer = KafkaConsumer(bootstrap_servers=cluster.broker.address, enable_auto_commit=False)
    lines = []
    try:
        consumer.assign([place])
        consumer.seek_to_beginning(place)
        end = consumer.end_offsets([place])[place]
        while consumer.position(place) < end:
            for one in consumer.poll(timeout_ms=500).get(place, []):
                key, value = (
                    None if part is None else base64.b64encode(part).decode() for part in (one.key, one.value)
                )
                fields = {
                    "topic": topic,
                    "partition": 0,
                    "offset": one.offset,
                    "tstype": "create",
                    "ts": one.timestamp,
                }
                lines.append({**fields, "broker": 0, "key": key, "payload": value})
    finally:
        consumer.close()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def cleaned(cluster: Cluster, topic: str) -> None:
    """The cleaner passes over everything that is there now: a NOOP of now closes the segment, by its time."""
    cluster.alter(topic, **{**OWN, "segment.ms": "500", "min.compaction.lag.ms": "0"})
    time.sleep(1)
    cluster.produce(topic, [Record(*JOURNAL[0].stored)])
    checkpoint = cluster.broker.data / "cleaner-offset-checkpoint"
    until, passed = time.monotonic() + UNTIL_CLEANED_S, len(cluster.records(topic))
    while not (
        checkpoint.exists() and f"{topic} 0 " in checkpoint.read_text() and keys_are_distinct(cluster, topic)
    ):
        assert time.monotonic() < until, f"the broker did not clean {passed} records of the topic"
        time.sleep(0.5)


def keys_are_distinct(cluster: Cluster, topic: str) -> bool:
    """Of all records but the one that closed the segment."""
    keys = [record.key for record in cluster.records(topic)][:-1]
    return len(keys) == len(set(keys))


def held(path: Path) -> list[dict[str, Any]]:
    """The registry's state as Journalscope reads it from a dump."""
    done = manage("state", path, "--json")
    assert done.returncode == 0, done.stderr[-2000:]
    entities = json.loads(done.stdout)["entities"]
    return sorted(
        (
            {k: v for k, v in one.items() if k in ("entity_type", "entity_id", "attributes")}
            for one in entities
        ),
        key=str,
    )


def built(path: Path, out: Path, *options: str | Path) -> tuple[dict[str, Any], Path]:
    """The repair of a dump, and its folder."""
    done = manage("repair", path, *options, "--out", out, "--json")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (partition,) = json.loads(done.stdout)["partitions"]
    return partition, out / partition["folder"]


def apply(cluster: Cluster, folder: Path, way: str, names: Sequence[str]) -> None:
    """The program's commands of a way's steps, in their order."""
    calls = commands(folder, way)
    for name in names:
        carried_out(calls[name], cluster, folder)


def test_a_head_that_retention_took_comes_back_and_stays_through_two_compactions(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.topic(TOPIC, JOURNAL, **OWN)
    before = dump(cluster, TOPIC, tmp_path / "before.json")
    lose_head(cluster, 2)
    lost = dump(cluster, TOPIC, tmp_path / "lost.json")
    assert held(lost) != held(before)
    partition, folder = built(lost, tmp_path / "out", "--older", before)
    assert partition["recommended"] == "append"
    apply(cluster, folder, "append", ["pause", "check", "append", "resume"])
    for number in range(2):
        assert held(dump(cluster, TOPIC, tmp_path / f"after-{number}.json")) == held(before)
        cleaned(cluster, TOPIC)
    assert held(dump(cluster, TOPIC, tmp_path / "after.json")) == held(before)


def test_a_journal_that_stops_the_registry_has_a_copy_that_starts(cluster: Cluster, tmp_path: Path) -> None:
    cluster.topic(TOPIC, [*JOURNAL[:3], FOREIGN, *JOURNAL[3:]], **OWN)
    whole = dump(cluster, cluster.topic("whole", JOURNAL, **OWN), tmp_path / "whole.json")
    partition, folder = built(dump(cluster, TOPIC, tmp_path / "stops.json"), tmp_path / "out")
    assert partition["recommended"] == "copy"
    apply(cluster, folder, "copy", ["check", "copy"])
    new_topic = json.loads((folder / "repair.json").read_text())["ways"]["copy"]["new_topic"]
    for number in range(2):
        assert held(dump(cluster, new_topic, tmp_path / f"copy-{number}.json")) == held(whole)
        cleaned(cluster, new_topic)
    assert held(dump(cluster, new_topic, tmp_path / "copy.json")) == held(whole)


def lose_head(cluster: Cluster, first: int) -> None:
    """The records in front of an offset are deleted, as retention does."""
    cluster.alter(TOPIC, **{**OWN, "cleanup.policy": "delete"})
    cluster.admin.delete_records({TopicPartition(TOPIC, 0): first})
    cluster.alter(TOPIC, **OWN)


class Karapace:
    """One node on the cluster's `_schemas`, asked over REST."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.port = free_port()
        folder.mkdir(exist_ok=True)
        settings = {
            "bootstrap_uri": cluster.broker.address, "host": "127.0.0.1", "port": self.port, "topic_name": TOPIC,
            "advertised_hostname": "127.0.0.1", "karapace_registry": True, "karapace_rest": False, "replication_factor": 1,
            "client_id": "live", "group_id": "schema-registry", "master_eligibility": True, "log_level": "INFO",
        }  # fmt: skip
        (folder / "karapace.json").write_text(json.dumps(settings))
        line = [KARAPACE, "-m", "karapace.karapace_all", str(folder / "karapace.json")]
        self.program = Program(line, folder / "karapace.log", self.port)
        self.until_ready()

    def __enter__(self) -> Karapace:
        return self

    def __exit__(self, *_: object) -> None:
        self.program.stop()

    def until_ready(self) -> None:
        """It has read the topic, and is the primary node."""
        until = time.monotonic() + UNTIL_CLEANED_S
        while not self.is_ready():
            assert time.monotonic() < until, "Karapace does not become ready"
            time.sleep(0.5)

    def is_ready(self) -> bool:
        """As it says itself."""
        try:
            health = self.ask("GET", "/_health")
        except OSError:
            return False
        return bool(health.get("schema_registry_ready") and health.get("schema_registry_is_primary"))

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Its answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/vnd.schemaregistry.v1+json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            return {"refused": refusal.code}

    def register(self, subject: str, text: str) -> int:
        """The id that a schema gets."""
        return int(self.ask("POST", f"/subjects/{subject}/versions", {"schema": text})["id"])

    def answers(self, ids: Sequence[int]) -> dict[str, Any]:
        """Everything that a client sees: subjects, versions, ids, levels, mode."""
        subjects = sorted(self.ask("GET", "/subjects?deleted=true"))
        versions = {
            f"{subject}/{number}": self.ask("GET", f"/subjects/{subject}/versions/{number}?deleted=true")
            for subject in subjects
            for number in self.ask("GET", f"/subjects/{subject}/versions?deleted=true")
        }
        return {
            "versions": versions,
            "ids": {number: self.ask("GET", f"/schemas/ids/{number}") for number in ids},
            "config": [self.ask("GET", "/config"), *(self.level(subject) for subject in subjects)],
            "mode": self.ask("GET", "/mode"),
        }

    def level(self, subject: str) -> Any:
        """That of a subject, by default that of all."""
        return self.ask("GET", f"/config/{subject}?defaultToGlobal=true")


@pytest.mark.skipif(not KARAPACE, reason="LIVE_KARAPACE names no Python with Karapace")
def test_karapace_answers_after_the_repair_and_two_compactions_as_before_the_loss(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.topic(TOPIC, **OWN)
    with Karapace(cluster, tmp_path / "karapace") as registry:
        registry.ask("PUT", "/config", {"compatibility": "NONE"})
        ids = [registry.register("orders-value", ONE), registry.register("orders-value", TWO)]
        registry.ask("PUT", "/config/orders-value", {"compatibility": "BACKWARD"})
        ids += [registry.register("users-value", THREE), registry.register("gone-value", '"int"')]
        registry.ask("DELETE", "/subjects/gone-value")
        before = registry.answers(ids)
        assert all("schema" in answer for answer in (*before["versions"].values(), *before["ids"].values()))
    older = dump(cluster, TOPIC, tmp_path / "before.json")
    lose_head(
        cluster,
        1
        + next(
            n
            for n, one in enumerate(cluster.records(TOPIC))
            if b'"orders-value","version":1' in (one.key or b"")
        ),
    )
    with Karapace(cluster, tmp_path / "karapace") as registry:
        assert "orders-value/1" not in registry.answers([])["versions"]
    partition, folder = built(
        dump(cluster, TOPIC, tmp_path / "lost.json"), tmp_path / "out", "--older", older
    )
    assert partition["recommended"] == "append"
    apply(cluster, folder, "append", ["pause", "check", "append"])
    for number in range(3):
        with Karapace(cluster, tmp_path / "karapace") as registry:
            assert registry.answers(ids) == before
        if not number:
            apply(cluster, folder, "append", ["resume"])
        cleaned(cluster, TOPIC)
