"""Captures of a topic from a real broker against `kafka-console-consumer` and `kcat` reading the same topic."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.dump_log import PERFORMANCE
from bench.figures import Figure, say
from bench.inputs import CACHE, MB
from tests.live.brokers import ROOT, Broker, Driver, fetch
from webapp.networks.guard import Networks
from workers.capture import CaptureProgress, CaptureSignal, CaptureSpec, capture
from workers.kafka.cluster import KafkaCluster
from workers.kafka.security import Address

VERSION, TOPIC = "3.9.1", "orders"
HEAP = ("-Xmx512M",)  # what the script of the console consumer gives it
LINES = [{"article": number, "amount": number % 7} for number in range(8)]
VALUE = json.dumps({"order": "what somebody wants", "state": "shipped", "lines": LINES})
RECORD_BYTES = 300
FASTER_THAN_CONSOLE_CONSUMER = 3.0
TIMES = 3


class _GoOn:
    def on_progress(self, progress: CaptureProgress) -> CaptureSignal:
        return CaptureSignal.GO_ON


def figures(size_mb: int) -> Iterator[Figure]:
    """One broker, one topic, every reader from its start to its end; the faster of two runs counts."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=CACHE) as scratch,
        Broker(VERSION, Path(scratch) / "broker") as broker,
    ):
        records = size_mb * MB // RECORD_BYTES
        say(f"writing {records} records to a broker {VERSION}")
        with Driver(broker.address) as drive:
            drive("topic", TOPIC, 1, 1)
            drive("producer", "writer", "enable.idempotence=false", "batch.size=65536")
            drive("fill", "writer", TOPIC, 0, 0, records, VALUE)
        theirs = _seconds(lambda _: _console_consumer(broker, records))
        ours = _seconds(lambda run: _capture(broker, Path(scratch) / f"capture-{run}"))
        others = {
            "manage.py capture": _seconds(lambda run: _command(broker, Path(scratch) / f"command-{run}"))
        }
        if shutil.which("kcat"):
            kcat = ("kcat", "-C", "-q", "-b", broker.address, "-t", TOPIC, "-o", "beginning", "-e")
            others["kcat"] = _seconds(lambda _: _run(*kcat))
        else:
            say("kcat is not installed: left out (Debian package kcat)")
        size = sum(path.stat().st_size for path in (broker.data / f"{TOPIC}-0").glob("*.log"))
    seconds = {"capture": ours, "console consumer": theirs, **others}
    detail = "; ".join(
        f"{name} {elapsed:.2f} s, {size / MB / elapsed:.0f} MB/s" for name, elapsed in seconds.items()
    )
    yield Figure(
        "kafka-console-consumer / capture",
        theirs / ours,
        FASTER_THAN_CONSOLE_CONSUMER,
        at_least=True,
        detail=detail,
    )


def _seconds(run: Callable[[int], None]) -> float:
    """The faster of some runs; each is told its number."""
    measured = []
    for number in range(TIMES):
        started = time.perf_counter()
        run(number)
        measured.append(time.perf_counter() - started)
    return min(measured)


def _capture(broker: Broker, folder: Path) -> None:
    """As a worker does it: the connection made, every byte on the disk, the manifest written."""
    with KafkaCluster(Address((broker.address,)), Networks.of(["loopback"])) as cluster:
        manifest = capture(cluster, CaptureSpec(TOPIC), folder, _GoOn())
    assert manifest.partitions[0].is_whole


def _command(broker: Broker, folder: Path) -> None:
    """Time of the whole command line."""
    options = ("--bootstrap", broker.address, "--topic", TOPIC, "--out", folder)
    subprocess.run(
        [sys.executable, "manage.py", "capture", *options],
        cwd=ROOT,
        env={**os.environ, "KAFKA_NETWORKS": "loopback"},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _console_consumer(broker: Broker, records: int) -> None:
    main = "org.apache.kafka.tools.consumer.ConsoleConsumer"
    options = ("--bootstrap-server", broker.address, "--topic", TOPIC, "--from-beginning", "--max-messages")
    _run("java", *HEAP, *PERFORMANCE, "-cp", f"{fetch(VERSION)}/*", main, *options, str(records))


def _run(*line: str) -> None:
    subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
