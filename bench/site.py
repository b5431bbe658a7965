"""The whole of Journalscope as `make run` starts it, on a data folder of its own and on loopback, for as long as asked."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 120


@dataclass(frozen=True)
class Site:
    """Where it answers, and somebody who is signed in there."""

    address: str
    session: requests.Session

    def reports(self) -> list[str]:
        """Paths of the finished inspections on the first page."""
        return sorted(
            set(re.findall(r'href="(/inspections/[0-9a-f-]+/)"', self.session.get(self.address).text))
        )


@contextmanager
def running() -> Iterator[Site]:
    """Start it, sign in, wait for the samples; stop it as Ctrl-C does."""
    with tempfile.TemporaryDirectory(prefix="js-bench-") as folder:
        log = Path(folder) / "said"
        environment = {k: v for k, v in os.environ.items() if k not in {"REDIS_URL", "DATABASE_URL"}}
        environment |= {"JOURNALSCOPE_DATA": folder, "HOST": "127.0.0.1", "PORT": str(_free_port())}
        with log.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "workers.supervisor"],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=output,
            )
        try:
            _sign_in_link(log, process)
            samples = [sys.executable, "manage.py", "load_samples", "healthy", "broken"]
            subprocess.run(samples, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
            yield _signed_in(log, process)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def _signed_in(log: Path, process: subprocess.Popen[bytes]) -> Site:
    link = _sign_in_link(log, process)
    address = re.match(r"http://[^/]+", link)[0]  # type: ignore[index]
    session = requests.Session()
    form = session.get(link)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form.text)[1]  # type: ignore[index]
    session.post(link, {"csrfmiddlewaretoken": token}, headers={"Referer": address}).raise_for_status()
    site = Site(address, session)
    deadline = time.monotonic() + START_SECONDS
    while session.get(address).text.count('class="verdict"') < 2 and time.monotonic() < deadline:
        time.sleep(0.5)
    return site


def _sign_in_link(log: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        match = re.search(r"(http://\S+/accounts/once/\S+)", log.read_text())
        if match:
            return match[1]
        time.sleep(0.2)
    message = f"The site did not start within {START_SECONDS} s:\n{log.read_text()}"
    raise RuntimeError(message)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
