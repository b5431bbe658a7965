"""A real Redis and folders of the test's own, for everything the worker does inside one process."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from webapp import celery_client, redis_client
from webapp.jobs import progress
from workers.server.preflight import redis_executable


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """A server on a unix socket, for the whole run."""
    folder = Path(tempfile.mkdtemp(prefix="js-redis-"))
    socket = folder / "redis.sock"
    words = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder)]
    server = subprocess.Popen([redis_executable(), *words], stdout=subprocess.DEVNULL)
    while not socket.exists() and server.poll() is None:
        time.sleep(0.01)
    yield f"unix://{socket}"
    server.terminate()
    server.wait(10)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def house(settings: Any, tmp_path: Path, redis_server: str) -> Iterator[redis.Redis]:
    """Folders, storage and broker of this test alone; the connection to its Redis."""
    from workers.app import app

    settings.UPLOADS_DIR, settings.RESULTS_DIR = tmp_path / "uploads", tmp_path / "results"
    settings.SCRATCH_DIR, settings.RAW_STORAGE_URL = tmp_path / "scratch", str(tmp_path / "raw")
    settings.CAPTURES_DIR = tmp_path / "captures"
    settings.REDIS_URL = redis_server
    progress.connection.cache_clear()
    redis_client.short_circuit.close()
    connection = progress.connection()
    connection.flushall()
    settings.CELERY_BROKER_URL = redis_server.replace("unix://", "redis+socket://")
    before, app.conf.broker_url = app.conf.broker_url, settings.CELERY_BROKER_URL
    celery_client.client.cache_clear()
    yield connection
    celery_client.client.cache_clear()
    app.conf.broker_url = before
    connection.close()
    progress.connection.cache_clear()
