"""A Redis of one test, that can be killed and started again as the supervisor does it: with an append-only file."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from workers.server import preflight


@dataclass
class MortalRedis:
    """On a unix socket; what it knew is there again after a restart."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For redis-py."""
        return f"unix://{self.folder / 'redis.sock'}"

    def start(self) -> None:
        """Until it answers."""
        words = [
            "--port",
            "0",
            "--unixsocket",
            str(self.folder / "redis.sock"),
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "always",
        ]
        command = [preflight.redis_executable(), *words, "--dir", str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not (self.folder / "redis.sock").exists():
            assert self.process.poll() is None, "Redis ended"
            time.sleep(0.01)

    def kill(self) -> None:
        """As the kernel does it that needs memory."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        (self.folder / "redis.sock").unlink(missing_ok=True)
