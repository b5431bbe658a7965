"""A repair's folder as the contract has it, made without the product, and its program run against a real broker.

Topics are made, written and read with kafka-python: what the program says it wrote is looked at by another client.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewTopic

from tests.live.brokers import Broker
from tests.live.jars import LIVE, fetch, java

PROGRAM = Path(__file__).resolve().parents[2] / "spark" / "repair" / "ApplyRepair.java"
KILLED = 137
KILL_AFTER = Path(__file__).with_name("KillAfter.java")
MAX_RUN_SECONDS = 120
QUICK = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"]
LOGGING = ("SLF4J", "log4j:WARN")  # a client without a logging configuration, as users run it
OWN = "DYNAMIC_TOPIC_CONFIG"  # the source of a setting that is the topic's own


@dataclass(frozen=True)
class Record:
    """Of a journal or of a repair; no timestamp is the producer's clock."""

    key: bytes | None
    value: bytes | None
    timestamp_ms: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()

    def line(self, topic: str) -> str:
        """As a line of ndjson."""
        headers = [{"key": name, "value": encoded(value)} for name, value in self.headers]
        fields = {"topic": topic, "partition": 0, "timestamp": self.timestamp_ms}
        return json.dumps(
            {**fields, "key": encoded(self.key), "value": encoded(self.value), "headers": headers}
        )

    @property
    def sha256(self) -> str:
        """Of the lengths and bytes of key and value."""
        return sha256(*self.stored)

    @property
    def stored(self) -> tuple[bytes | None, bytes | None]:
        """Key and value."""
        return self.key, self.value


def sha256(*parts: bytes | None) -> str:
    """Of the length of each part (8 bytes, -1 for null) and its bytes."""
    lengths = [struct.pack(">q", -1 if part is None else len(part)) + (part or b"") for part in parts]
    return hashlib.sha256(b"".join(lengths)).hexdigest()


def encoded(content: bytes | None) -> str | None:
    """In base64; null stays null."""
    return None if content is None else base64.b64encode(content).decode()


def write_repair(
    folder: Path,
    topic: str,
    journal: Sequence[Record],
    append: Sequence[Record] = (),
    mended: Sequence[Record] = (),
) -> Path:
    """A repair that was built from these records at offsets 0, 1, 2, ..., with the ways that have records."""
    folder.mkdir(parents=True)
    shutil.copy(PROGRAM, folder)
    ways = {}
    if append:
        ways["append"] = write_way(folder / "append.ndjson", topic, append)
    if mended:
        new_topic = f"{topic}-mended"
        ways["copy"] = {
            **write_way(folder / "mended.ndjson", new_topic, mended),
            "new_topic": new_topic,
        }
    dump = folder / "built-from.tsv"
    dump.write_text(
        "".join(
            f"{offset}\t{sha256(record.key)[:16]}\t{record.sha256[:16]}\n"
            for offset, record in enumerate(journal)
        )
    )
    built_from = {
        "end_offset": len(journal),
        "records": len(journal),
        "file": dump.name,
        "sha256": hashlib.sha256(dump.read_bytes()).hexdigest(),
    }
    content = {"schema": 2, "topic": topic, "partition": 0, "built_from": built_from, "ways": ways}
    (folder / "repair.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def write_way(file: Path, topic: str, records: Sequence[Record]) -> dict[str, object]:
    """The records as ndjson, and what repair.json says of them."""
    file.write_text("".join(record.line(topic) + "\n" for record in records), encoding="utf-8")
    largest = max(len(part or b"") for record in records for part in record.stored)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return {"file": file.name, "records": len(records), "sha256": digest, "largest_record_bytes": largest}


class Cluster:
    """A broker's topics, seen and changed by a client of our own."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.admin = KafkaAdminClient(bootstrap_servers=broker.address)
        self.producer = KafkaProducer(bootstrap_servers=broker.address, acks="all")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.producer.close()
        self.admin.close()

    def topic(
        self, name: str, records: Sequence[Record] = (), partitions: int = 1, **settings: object
    ) -> str:
        """A new topic with these records; two underscores in a setting are a dot."""
        own = {key.replace("__", "."): str(value) for key, value in settings.items()}
        self.admin.create_topics(
            [NewTopic(name=name, num_partitions=partitions, replication_factor=1, topic_configs=own)]
        )
        self.produce(name, records)
        return name

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        """Write the records to partition 0, one after the other."""
        for record in records:
            self.producer.send(
                topic,
                key=record.key,
                value=record.value,
                partition=0,
                timestamp_ms=record.timestamp_ms,
                headers=list(record.headers),
            ).get(timeout=30)

    def alter(self, topic: str, **settings: str) -> None:
        """Set some of the topic's settings."""
        own = {key.replace("__", "."): value for key, value in settings.items()}
        self.admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, configs=own)])

    def own(self, topic: str) -> dict[str, str]:
        """The settings that the topic has of its own."""
        asked = [ConfigResource(ConfigResourceType.TOPIC, topic)]
        answer: dict[str, Any] = self.admin.describe_configs(asked, config_filter="all")
        (topics,) = answer.values()
        return {name: one["value"] for name, one in topics[topic].items() if one["config_source"] == OWN}

    def records(self, topic: str, first: int = 0) -> list[Record]:
        """All records of partition 0 from an offset on."""
        place = TopicPartition(topic, 0)
        consumer = KafkaConsumer(bootstrap_servers=self.broker.address, enable_auto_commit=False)
        try:
            consumer.assign([place])
            consumer.seek(place, first)
            end = consumer.end_offsets([place])[place]
            found: list[Record] = []
            while consumer.position(place) < end:
                found += [
                    Record(record.key, record.value, record.timestamp, tuple(map(tuple, record.headers)))
                    for record in consumer.poll(timeout_ms=500).get(place, [])
                ]
            return found
        finally:
            consumer.close()

    def compiled(self) -> Path:
        """The program's classes, compiled for this broker's jars: what a run without them does each time."""
        folder = LIVE / "apply-repair" / self.broker.version
        made = folder / "ApplyRepair.class"
        if not made.exists() or made.stat().st_mtime < PROGRAM.stat().st_mtime:
            folder.mkdir(parents=True, exist_ok=True)
            libs = f"{fetch(self.broker.version)}/*"
            line = ["javac", "-Xlint:all,-path,-classfile", "-Werror", "--release", "11", "-d", str(folder)]
            subprocess.run([*line, "-cp", libs, str(PROGRAM), str(KILL_AFTER)], check=True, timeout=120)
        return folder

    def run(self, folder: Path, command: str, *options: str) -> tuple[int, str]:
        """The program's exit code and what it says; run from the repair's folder, compiled before to save time."""
        libs = f"{self.compiled()}:{fetch(self.broker.version)}/*"
        return self.started([libs, "ApplyRepair", command, *options], folder)

    def run_source(self, program: str, working_folder: Path, command: str, *options: str) -> tuple[int, str]:
        """The same as users start it: Java compiles the one file and runs it."""
        libs = f"{fetch(self.broker.version)}/*"
        return self.started([libs, program, command, *options], working_folder)

    def started(self, line: list[str], working_folder: Path) -> tuple[int, str]:
        """Its exit code and what it says, without the log lines of Kafka's client."""
        run = subprocess.run(
            [java(self.broker.version), *QUICK, "-cp", *line, "--bootstrap-server", self.broker.address],
            cwd=working_folder,
            capture_output=True,
            text=True,
            timeout=MAX_RUN_SECONDS,
            check=False,
        )
        own = [text for text in (run.stdout + run.stderr).splitlines() if not text.startswith(LOGGING)]
        return run.returncode, "\n".join(own)


def killed(cluster: Cluster, repair: Path, command: str, after: int = 0, before: int = 0) -> int:
    """A run that ends like one that is killed: after so many confirmed records, or before a record is sent."""
    config = repair / "killed.properties"
    config.write_text(f"interceptor.classes=KillAfter\nkill.after={after}\nkill.before={before}\n")
    return cluster.run(repair, command, "--command-config", str(config), "--force")[0]
