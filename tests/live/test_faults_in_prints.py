"""Faults in what Kafka's own tools print of a broker, and of clients that write where they should not; each with a twin."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.generator.apicurio import healthy
from tests.live.brokers import Broker, Driver
from tests.live.captures import inspected
from tests.live.repairs import Cluster
from tests.live.repairs import Record as Written
from tests.live.tools import AGES, DUMP_LOG, Run, Tools, console, dump_log

pytestmark = [pytest.mark.live, pytest.mark.spark]

VERSION = "3.9.1"
COLUMNS = {f"print.{name}": "true" for name in ("timestamp", "partition", "offset", "key")}
PROMPT = "[kafka@broker-1 ~]$ "
ORDERS = 60
FIRST_CUT, LAST_CUT = 21, 40
ENTRY_BYTES = 8  # of an offset index: relative offset, position
UNTIL_CLEANED_S = 60


class Shop:
    """A broker's topics, its tools, and the folder in which each case becomes an input."""

    def __init__(self, broker: Broker, tools: Tools, folder: Path) -> None:
        self.broker, self.tools, self.folder = broker, tools, folder

    def print(self, name: str, topic: str, count: int) -> Run:
        """The console consumer's print of a topic's first records."""
        arguments = console(AGES[VERSION], self.broker.address, topic, count, COLUMNS)
        return self.tools(name, "kafka-console-consumer", AGES[VERSION].console, arguments)

    def text(self, case: str, text: str, name: str = "print.txt") -> None:
        """A file of a case's input."""
        (self.folder / case).mkdir(parents=True, exist_ok=True)
        (self.folder / case / name).write_text(text, encoding="utf-8")

    def log(self, case: str, *partitions: str) -> None:
        """Partition folders of the broker, which runs or has ended."""
        for partition in partitions:
            shutil.copytree(self.broker.data / partition, self.folder / case / partition)

    def dump(self, case: str, files: list[Path]) -> None:
        """What kafka-dump-log prints of files."""
        run = self.tools(f"dump {case}", "kafka-dump-log", DUMP_LOG, dump_log(files), is_all=True)
        self.text(case, f"{PROMPT}{run.line}\n{run.text}")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Case -> report: one run of the broker and of the inspector for all."""
    made = tmp_path_factory.mktemp("prints")
    (made / "tools").mkdir()
    with Tools(VERSION, made / "tools") as tools:
        with Broker(VERSION, made / "broker", log__cleaner__backoff__ms="200") as broker:
            shop = Shop(broker, tools, made / "cases")
            with Driver(broker.address) as drive, Cluster(broker) as cluster:
                orders(shop, cluster)
                compacted(shop, drive)
                misplaced(cluster)
                transactions(drive)
                rolled(drive)
        stopped(shop)
    cases = sorted(path for path in (made / "cases").iterdir())
    return dict(zip((case.name for case in cases), inspected(*cases), strict=True))


def orders(shop: Shop, cluster: Cluster) -> None:
    """A print with a range cut out and whole; two runs pasted with what stands around them, and the output alone."""
    cluster.topic("orders", [Written(b"order %d" % number, b"placed") for number in range(ORDERS)])
    run = shop.print("orders", "orders", ORDERS)
    lines = run.text.splitlines(keepends=True)
    shop.text("print-cut", "".join(lines[:FIRST_CUT] + lines[LAST_CUT + 1 :]))
    shop.text("print-whole", run.text)
    short = shop.print("short", "orders", ORDERS // 2)
    pasted = "".join(
        f"{PROMPT}{one.line}\n{one.text}Processed a total of {count} messages\n"
        for one, count in ((short, ORDERS // 2), (run, ORDERS))
    )
    shop.text("pasted-twice", f"{pasted}{PROMPT}\n")


def compacted(shop: Shop, drive: Driver) -> None:
    """Two compacted topics, each copied and printed; of one the log cleaner comes between copy and print."""
    for topic, dirty_ratio in (("cleaned", "0"), ("uncleaned", "1")):
        settings = ("cleanup.policy=compact", f"min.cleanable.dirty.ratio={dirty_ratio}", "segment.ms=500")
        drive("topic", topic, 1, 1, *settings, "min.compaction.lag.ms=86400000")
        drive("producer", topic, "enable.idempotence=false")
        for number, key in enumerate(("first", "a", "b", "c", "a", "b", "c")):
            drive("send", topic, topic, 0, key, f"value {number}")
        drive("flush", topic)
        shop.log(f"copy-{topic}", f"{topic}-0")
    shop.text("copy-uncleaned", shop.print("uncleaned", "uncleaned", 7).text)
    drive("alter", "cleaned", "min.compaction.lag.ms=0")
    time.sleep(1)  # so that the next record closes the segment
    drive("send", "cleaned", "cleaned", 0, "last", "value 7")
    drive("flush", "cleaned")
    until = time.monotonic() + UNTIL_CLEANED_S
    while drive("count", "cleaned", 0) != "5":
        assert time.monotonic() < until, "the log cleaner has not come"
        time.sleep(0.2)
    shop.text("copy-cleaned", shop.print("cleaned", "cleaned", 5).text)


def misplaced(cluster: Cluster) -> None:
    """A registry's journal on two partitions, one with a record of another registry, and their twins."""
    journal = [
        Written(entry.record.key, entry.record.value, entry.record.timestamp_ms)
        for entry in healthy(3, artifact_count=4).stored
    ]
    stray = Written(
        json.dumps({"keytype": "SUBJECT", "subject": "orders", "magic": 0}).encode(), b'{"subject":"orders"}'
    )
    cluster.topic("kafkasql-journal", [*journal, stray], cleanup__policy="compact")
    cluster.topic("kafkasql-journal-own", journal, cleanup__policy="compact")
    for topic, second in (("kafkasql-journal-spread", 1), ("kafkasql-journal-wide", 0)):
        cluster.topic(topic, journal[:-3], partitions=2, cleanup__policy="compact")
        for record in journal[-3:]:
            cluster.producer.send(
                topic,
                key=record.key,
                value=record.value,
                partition=second,
                timestamp_ms=record.timestamp_ms,
            ).get(timeout=30)


def transactions(drive: Driver) -> None:
    """A transaction that nobody ends, and one that is committed."""
    for topic in ("payments", "refunds"):
        drive("topic", topic, 1, 1)
        drive("producer", topic, f"transactional.id={topic}", "transaction.timeout.ms=600000")
        drive("begin", topic)
        drive("send", topic, topic, 0, "k", "v")
        drive("flush", topic)
    drive("commit", "refunds")
    drive.until_end("refunds", 0, 2)


def rolled(drive: Driver) -> None:
    """A log of two segments with a dense offset index."""
    drive("topic", "indexed", 1, 1, "segment.ms=500", "index.interval.bytes=1")
    drive("producer", "indexed", "enable.idempotence=false")
    for number in range(6):
        drive("send", "indexed", "indexed", 0, f"key {number}", f"value {number}")
        drive("flush", "indexed")
    time.sleep(1)
    drive("send", "indexed", "indexed", 0, "key 6", "value 6")
    drive("flush", "indexed")


def stopped(shop: Shop) -> None:
    """What is taken of the folders of a broker that has ended in good order."""
    shop.log("stray", "kafkasql-journal-0")
    shop.log("own", "kafkasql-journal-own-0")
    for topic in ("spread", "wide"):
        shop.log(topic, f"kafkasql-journal-{topic}-0", f"kafkasql-journal-{topic}-1")
    for topic in ("payments", "refunds"):
        shop.dump(f"snapshot-{topic}", sorted((shop.broker.data / f"{topic}-0").glob("*.snapshot")))
    indexes = sorted((shop.broker.data / "indexed-0").glob("*.index"))
    shop.dump("index-right", indexes)
    content = bytearray(indexes[0].read_bytes())
    content[ENTRY_BYTES + 3] += 1  # the second entry names the offset behind its own
    indexes[0].write_bytes(content)
    shop.dump("index-wrong", indexes)


CASES = [
    ("unexplained-gap", "print-cut", "print-whole"),
    ("lines-set-aside", "pasted-twice", "print-whole"),
    ("repeated-print", "pasted-twice", "print-whole"),
    ("copies-differ", "copy-cleaned", "copy-uncleaned"),
    ("foreign-records", "stray", "own"),
    ("several-partitions", "spread", "wide"),
    ("snapshot-open-transaction", "snapshot-payments", "snapshot-refunds"),
    ("dump-log-report", "index-wrong", "index-right"),
]


@pytest.mark.parametrize(("detector", "case", "innocent"), CASES)
def test_the_fault_is_found_and_its_twin_is_not(
    reports: dict[str, dict[str, Any]], detector: str, case: str, innocent: str
) -> None:
    assert detector in detectors(reports[case]), list(summary(reports[case]))
    assert detector not in detectors(reports[innocent]), list(summary(reports[innocent]))


def detectors(report: dict[str, Any]) -> set[str]:
    """Those that found something."""
    return {finding["detector"] for finding in report["findings"]}


def summary(report: dict[str, Any]) -> Iterator[str]:
    """For a test that fails."""
    yield report["verdict"]["sentence"]
    yield from (f"{finding['detector']}: {finding['title']}" for finding in report["findings"])


@pytest.mark.parametrize(
    "case",
    ["print-whole", "own", "wide", "copy-uncleaned", "snapshot-refunds", "index-right"],
)
def test_no_twin_is_worse_than_healthy(reports: dict[str, dict[str, Any]], case: str) -> None:
    assert reports[case]["verdict"]["level"] == "healthy", list(summary(reports[case]))
