"""Real brokers for live tests: fetched by Maven, started on the loopback only, ended by their process ids.

    libs = fetch("3.9.1")
    with Broker("3.9.1", folder) as broker, Driver(broker.address) as drive:
        drive("topic", "ledger", 1, 1, "cleanup.policy=compact")

Brokers before 3.3 run with ZooKeeper, those from 3.9 on as KRaft nodes of their own.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "var" / "live"
LOGGING = "org.slf4j:slf4j-simple:1.7.36"
TOOLS = "org.apache.kafka:kafka-tools:{version}"
EXTRA = {
    "0.10.2.2": ["javax.xml.bind:jaxb-api:2.3.1"],
    "1.1.1": ["log4j:log4j:1.2.17"],
    "3.1.0": ["log4j:log4j:1.2.17"],
    "3.9.1": [TOOLS],
    "4.1.1": [TOOLS],
}
OPENED = ["java.lang", "java.nio", "java.util", "sun.nio.ch", "java.util.concurrent"]
SMALL_JAVA = [
    "-Xmx384m",
    "-Xms64m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Djava.net.preferIPv4Stack=true",
]
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"
SMALL_BROKER = {
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


def java(version: str) -> str:
    """The Java that the version runs on: 0.10 needs one that is not newer than 11."""
    if version.startswith("0."):
        found = sorted(LIVE.glob("java11/**/bin/java"))
        if found:
            return str(found[0])
    return shutil.which("java") or "java"


def fetch(version: str) -> Path:
    """The broker's jars, fetched once."""
    libs = LIVE / "libs" / version
    if not any(libs.glob("kafka-clients-*.jar")):
        pom = LIVE / "pom" / version / "pom.xml"
        pom.parent.mkdir(parents=True, exist_ok=True)
        pom.write_text(pom_of(version), encoding="utf-8")
        command = [
            "mvn",
            "-q",
            "-B",
            "-f",
            str(pom),
            "dependency:copy-dependencies",
            f"-DoutputDirectory={libs}",
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    return libs


def pom_of(version: str) -> str:
    """A Maven project that depends on the broker and on nothing else."""
    scala = "2.11" if version < "2" else "2.13"
    wanted = [f"org.apache.kafka:kafka_{scala}:{version}", LOGGING, *EXTRA.get(version, [])]
    parts = [coordinates.format(version=version).split(":") for coordinates in wanted]
    dependencies = "".join(
        f"<dependency><groupId>{escape(group)}</groupId><artifactId>{escape(name)}</artifactId><version>{escape(number)}</version></dependency>"
        for group, name, number in parts
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"<groupId>live</groupId><artifactId>libs</artifactId><version>1</version><dependencies>{dependencies}</dependencies></project>"
    )


def command(version: str, main: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """The command line of one of the broker's programs."""
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    return [java(version), *SMALL_JAVA, *opens, *options, "-cp", f"{fetch(version)}/*", main, *arguments]


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Program:
    """A process that is ended when the block ends."""

    def __init__(
        self, line: list[str], log: Path, port: int, environment: dict[str, str] | None = None
    ) -> None:
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                line,
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})},
            )
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"{log.name} did not start: {log.read_text(errors='replace')[-2000:]}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, the hard way when it does not go within 30 seconds."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def zookeeper(folder: Path, port: int, version: str = "2.8.2") -> Program:
    """A ZooKeeper for brokers before KRaft."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "zoo.cfg"
    lines = {
        "tickTime": 2000,
        "dataDir": folder / "data",
        "clientPort": port,
        "clientPortAddress": "127.0.0.1",
        "admin.enableServer": "false",
    }
    config.write_text("".join(f"{name}={value}\n" for name, value in lines.items()), encoding="utf-8")
    main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
    return Program(command(version, main, str(config)), folder / "zookeeper.log", port)


class Broker:
    """One broker with its data under `folder`/data; `settings` come on top of those of a small test broker."""

    def __init__(
        self,
        version: str,
        folder: Path,
        *,
        data: Path | None = None,
        number: int = 1,
        zookeeper_port: int | None = None,
        **settings: object,
    ) -> None:
        self.version, self.folder, self.number = version, folder, number
        self.data = data or folder / "data"
        self.port, self.address = 0, ""
        self.settings = {name.replace("__", "."): value for name, value in settings.items()}
        self.zookeeper_port = zookeeper_port
        self.programs: list[Program] = []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, with a ZooKeeper of its own where it needs one and none was given."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = self.port or free_port()
        self.address = f"127.0.0.1:{self.port}"
        if not is_kraft(self.version) and self.zookeeper_port is None:
            port = free_port()
            self.programs.append(zookeeper(self.folder / "zookeeper", port))
            self.own_zookeeper_port = port
        config = self.folder / "server.properties"
        config.write_text(
            "".join(f"{name}={value}\n" for name, value in self.properties().items()), encoding="utf-8"
        )
        if is_kraft(self.version) and not (self.data / "meta.properties").exists():
            line = command(
                self.version, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config)
            )
            subprocess.run(line, check=True, capture_output=True, timeout=60)
        self.programs.append(
            Program(command(self.version, "kafka.Kafka", str(config)), self.folder / "broker.log", self.port)
        )

    def properties(self) -> dict[str, object]:
        """server.properties."""
        listener = f"PLAINTEXT://{self.address}"
        own: dict[str, object] = {**SMALL_BROKER, "log.dirs": self.data, "advertised.listeners": listener}
        if is_kraft(self.version):
            port = free_port()
            own |= {
                "process.roles": "broker,controller",
                "node.id": self.number,
                "controller.quorum.voters": f"{self.number}@127.0.0.1:{port}",
                "listeners": f"{listener},CONTROLLER://127.0.0.1:{port}",
                "controller.listener.names": "CONTROLLER",
                "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            }
        else:
            port = self.zookeeper_port or self.own_zookeeper_port
            own |= {"broker.id": self.number, "listeners": listener, "zookeeper.connect": f"127.0.0.1:{port}"}
        return {**own, **self.settings}

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the broker, then its ZooKeeper."""
        for program in reversed(self.programs):
            program.stop(how)
        self.programs.clear()


class Driver:
    """The Java program beside this file, one command at a time; an answer of `error` is an exception."""

    def __init__(self, address: str, version: str = "3.9.1") -> None:
        line = [java(version), *SMALL_JAVA, "-cp", f"{classes(version)}:{fetch(version)}/*", "Drive", address]
        self.process = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()

    def __call__(self, *fields: object) -> str:
        assert self.process.stdin
        self.process.stdin.write("\t".join(map(str, fields)) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> str:
        """The next line that is an answer."""
        assert self.process.stdout
        for line in self.process.stdout:
            status, _, rest = line.rstrip("\n").partition(" ")
            if status == "ok":
                return rest
            if status == "error":
                raise RuntimeError(rest)
        raise RuntimeError("The driver has ended.")


def classes(version: str) -> Path:
    """Drive.java, compiled against this version's client."""
    source, folder = Path(__file__).with_name("Drive.java"), LIVE / "classes" / version
    made = folder / "Drive.class"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        folder.mkdir(parents=True, exist_ok=True)
        line = ["javac", "-nowarn", "-d", str(folder), "-cp", f"{fetch(version)}/*", str(source)]
        subprocess.run(line, check=True, capture_output=True, timeout=120)
    return folder
