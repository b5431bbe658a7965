"""Captures as the live tests take them, and what a log holds entry by entry, as the broker or as we keep it."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.live.brokers import Broker
from tests.live.jars import ROOT
from webapp.networks.guard import Networks
from workers.capture import CaptureManifest, CaptureProgress, CaptureSignal, CaptureSpec, capture
from workers.kafka.cluster import KafkaCluster
from workers.kafka.security import Address, Security

LOOPBACK = Networks.of(["loopback"])
FRAME = struct.Struct(">qi")
EMPTY = b"\0" * FRAME.size  # a file that was made larger than what is in it


@dataclass
class Follower:
    """A watcher that notes when it was told what, and says `word` of it."""

    word: Callable[[CaptureProgress], CaptureSignal] = lambda progress: CaptureSignal.GO_ON
    told_of: list[tuple[float, CaptureProgress]] = field(default_factory=list)

    def on_progress(self, progress: CaptureProgress) -> CaptureSignal:
        """Take notice."""
        self.told_of.append((time.monotonic(), progress))
        return self.word(progress)


def cluster_of(broker: Broker, listener: str = "PLAINTEXT", security: Security | None = None) -> KafkaCluster:
    """Our own client of one of the broker's listeners."""
    return KafkaCluster(Address((broker.address_of(listener),), security or Security()), LOOPBACK)


def captured(
    broker: Broker, topic: str, folder: Path, follower: Follower | None = None, **asked: Any
) -> CaptureManifest:
    """A capture by the plain listener."""
    with cluster_of(broker) as cluster:
        return capture(cluster, CaptureSpec(topic, **asked), folder, follower or Follower())


def kept_by_broker(broker: Broker, topic: str, partition: int = 0) -> list[bytes]:
    """All entries of the broker's own segments, in order."""
    return entries(sorted((broker.data / f"{topic}-{partition}").glob("*.log")))


def kept_by_us(folder: Path, manifest: CaptureManifest, partition: int = 0) -> list[bytes]:
    """All entries of a capture, in order."""
    return entries(
        folder / name for one in manifest.partitions if one.partition == partition for name in one.segments
    )


def entries(paths: Iterable[Path]) -> list[bytes]:
    """Batches (v2) or messages (v0, v1) of segment files, each with its frame; a half one at an end is an error."""
    found = []
    for path in paths:
        data = path.read_bytes()
        at = 0
        while at < len(data) and data[at : at + FRAME.size] != EMPTY:
            _, size = FRAME.unpack_from(data, at)
            end = at + FRAME.size + size
            assert end <= len(data), f"{path} ends within the entry at {at}"
            found.append(data[at:end])
            at = end
    return found


def until_cleaned(broker: Broker, topic: str, seconds: float = 60) -> None:
    """Wait until the cleaner has been over all of the topic's first partition but the segment that is written."""
    checkpoint = broker.data / "cleaner-offset-checkpoint"
    until = time.monotonic() + seconds
    while True:
        written = max((broker.data / f"{topic}-0").glob("*.log"))
        lines = checkpoint.read_text().splitlines() if checkpoint.exists() else []
        if f"{topic} 0 {int(written.stem)}" in lines:
            return
        assert time.monotonic() < until, f"the broker did not clean {topic}"
        time.sleep(0.2)


def inspected(*folders: Path) -> list[dict[str, Any]]:
    """What Journalscope reports of each folder."""
    line = [sys.executable, "manage.py", "inspect", "--json", "--each", *map(str, folders)]
    run = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert run.stdout, run.stderr[-2000:]
    return [json.loads(document) for document in run.stdout.splitlines()]
