"""gunicorn with our configuration, as docs/deployment.md starts it and as operators used to."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.workers.slow_clients import ask

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.long
@pytest.mark.parametrize(
    "more", [[], ["--worker-class", "gthread", "--threads", "8"]], ids=["today", "as before"]
)
def test_our_worker_class_serves_whatever_the_command_asks_for(tmp_path: Path, more: list[str]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["--config", "python:workers.gunicorn_config", "--no-control-socket", *more]
    command = [sys.executable, "-m", "gunicorn", *words, "--bind", f"127.0.0.1:{port}", "webapp.wsgi"]
    environment = os.environ | {
        "JOURNALSCOPE_DATA": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
        "REDIS_URL": f"unix://{tmp_path}/none.sock",
    }
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        answer = first_answer(port, process)
        assert answer.headers["Server"] == "gunicorn/asgi"
    finally:
        process.terminate()
        _, said = process.communicate(timeout=30)
    assert ("Remove --worker-class from the command" in said) == bool(more), said


def first_answer(port: int, process: subprocess.Popen[str]):
    deadline = time.monotonic() + 60
    while True:
        try:
            return ask(port, "GET", "/healthz")[0]
        except OSError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
