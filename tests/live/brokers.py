"""Real brokers for live tests: fetched by Maven, started on the loopback only, ended by their process ids.

    with Broker("3.9.1", folder) as broker, Driver(broker.address) as drive:
        drive("topic", "ledger", 1, 1, "cleanup.policy=compact")

Brokers before 3.3 run with ZooKeeper, those from 3.9 on as KRaft nodes of their own.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.live.driving import Driver
from tests.live.jars import ROOT, command, fetch
from tests.live.programs import Program, free_port, zookeeper

__all__ = ["ROOT", "Broker", "Driver", "fetch"]

READY = r"\[Kafka[^]]*\],? (Kafka Server )?started"
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"
SMALL_BROKER = {
    "log.retention.ms": -1,  # records of tests are years old; a topic that is to lose them says so
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
    "log.cleaner.backoff.ms": 500,
    "log.cleaner.dedupe.buffer.size": 4194304,
    "log.index.size.max.bytes": 1048576,
}


def is_kraft(version: str) -> bool:
    """Whether this version runs without ZooKeeper here."""
    return version >= "3.9"


class Broker:
    """One broker with its data under `folder`/data.

    `listeners` are those beside the plain one, as name -> security protocol; `settings` come on top of those of a
    small test broker, two underscores for each dot.
    """

    def __init__(
        self,
        version: str,
        folder: Path,
        *,
        data: Path | None = None,
        number: int = 1,
        zookeeper_port: int | None = None,
        listeners: Mapping[str, str] | None = None,
        **settings: object,
    ) -> None:
        self.version, self.folder, self.number = version, folder, number
        self.data = data or folder / "data"
        self.settings = {name.replace("__", "."): value for name, value in settings.items()}
        self.protocols = {"PLAINTEXT": "PLAINTEXT", **(listeners or {})}
        if is_kraft(version):
            self.protocols["CONTROLLER"] = "PLAINTEXT"
        self.ports: dict[str, int] = {}
        self.own_zookeeper: Program | None = None
        self.zookeeper_port = zookeeper_port
        self.program: Program | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """Where it listens in plain text."""
        return self.ports["PLAINTEXT"]

    @property
    def address(self) -> str:
        """Its plain listener."""
        return self.address_of("PLAINTEXT")

    @property
    def log(self) -> Path:
        """What the broker has to say."""
        return self.folder / "broker.log"

    def address_of(self, listener: str) -> str:
        """One of its listeners."""
        return f"127.0.0.1:{self.ports[listener]}"

    def start(self) -> None:
        """Start it, with a ZooKeeper of its own where it needs one and none was given; again on the same ports."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ports = self.ports or {name: free_port() for name in self.protocols}
        if not is_kraft(self.version) and self.zookeeper_port is None:
            self.zookeeper_port = free_port()
            self.own_zookeeper = zookeeper(self.folder / "zookeeper", self.zookeeper_port)
        config = self.folder / "server.properties"
        config.write_text(
            "".join(f"{name}={value}\n" for name, value in self.properties().items()), encoding="utf-8"
        )
        if is_kraft(self.version) and not (self.data / "meta.properties").exists():
            line = command(
                self.version, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config)
            )
            subprocess.run(line, check=True, capture_output=True, timeout=60)
        self.program = Program(command(self.version, "kafka.Kafka", str(config)), self.log, self.port, READY)

    def properties(self) -> dict[str, object]:
        """server.properties."""
        own: dict[str, object] = {
            **SMALL_BROKER,
            "log.dirs": self.data,
            "listeners": self.listening(self.protocols),
            "advertised.listeners": self.listening(name for name in self.protocols if name != "CONTROLLER"),
            "listener.security.protocol.map": ",".join(f"{k}:{v}" for k, v in self.protocols.items()),
        }
        if is_kraft(self.version):
            own |= {
                "process.roles": "broker,controller",
                "node.id": self.number,
                "controller.quorum.voters": f"{self.number}@{self.address_of('CONTROLLER')}",
                "controller.listener.names": "CONTROLLER",
            }
        else:
            own |= {
                "broker.id": self.number,
                "zookeeper.connect": f"127.0.0.1:{self.zookeeper_port}",
                "controlled.shutdown.retry.backoff.ms": 100,  # the last one of its kind hands over to nobody
            }
        return {**own, **self.settings}

    def listening(self, names: Iterable[str]) -> str:
        """A list of listeners as server.properties writes it."""
        return ",".join(f"{name}://{self.address_of(name)}" for name in names)

    def halt(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End the broker alone, so that `start` brings it back."""
        if self.program:
            self.program.stop(how)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the broker, then its ZooKeeper."""
        self.halt(how)
        if self.own_zookeeper:
            self.own_zookeeper.stop(how)
            self.own_zookeeper = self.zookeeper_port = None
