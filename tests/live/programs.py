"""Processes on the loopback that a live test starts and ends, each by its own process id."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from tests.live.jars import command

UNTIL_STARTED_S = 60
UNTIL_ENDED_S = 30


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_open(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Program:
    """A process that listens on a port; ready when the port is open and its log says so (`ready`, a pattern)."""

    def __init__(
        self,
        line: list[str],
        log: Path,
        port: int,
        ready: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        said_before = log.stat().st_size if log.exists() else 0
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                line,
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})},
            )
        until = time.monotonic() + UNTIL_STARTED_S
        while time.monotonic() < until and self.process.poll() is None:
            if is_open(port) and re.search(ready, log.read_text(errors="replace")[said_before:]):
                return
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"{log.name} did not start: {log.read_text(errors='replace')[-2000:]}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, the hard way when it does not go in time."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(UNTIL_ENDED_S)
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
