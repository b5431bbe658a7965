"""Every web test has folders of its own and a real Redis."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.cache import caches

from webapp import celery_client, redis_client
from webapp.jobs import progress
from webapp.journals import pasted
from webapp.journals.receiving import storing as unstored
from workers import storing
from workers.server.preflight import redis_executable

HANGS = 600  # seconds; what takes so long on the busiest machine never comes


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A server on a unix socket, for the whole run."""
    folder = Path(tempfile.mkdtemp(prefix="js-redis-"))  # pytest's own folders make too long a socket path
    socket = folder / "redis.sock"
    command = [
        redis_executable(),
        "--port",
        "0",
        "--unixsocket",
        str(socket),
        "--save",
        "",
        "--dir",
        str(folder),
    ]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    for _ in range(100):
        if socket.exists():
            break
        time.sleep(0.02)
    yield f"unix://{socket}"
    server.terminate()
    server.wait(10)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def write_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Callable[[Path], Path], Path], Path]:
    """`write_once(make, folder)`: what a function of a module makes is made once in a run, and copied."""
    written: dict[Callable[[Path], Path], Path] = {}

    def write(make: Callable[[Path], Path], folder: Path) -> Path:
        if "<" in getattr(make, "__qualname__", "<"):  # made within a test, of what this test is about
            return make(folder)
        if make not in written:
            written[make] = make(tmp_path_factory.mktemp("results") / "made")
        return Path(shutil.copytree(written[make], folder, dirs_exist_ok=True))

    return write


@pytest.fixture
def store_uploads(house: redis.Redis) -> Callable[[], None]:
    """Do what the worker does for all uploads that wait."""

    def run() -> None:
        for upload in unstored.waiting():
            storing.store(str(upload.pk))

    return run


@pytest.fixture(autouse=True)
def house(
    settings: Any, tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[redis.Redis]:
    """Data folders, storage and broker of this test alone; a preview on a busy machine has time."""
    monkeypatch.setattr(pasted, "MAX_SECONDS", HANGS)
    settings.DATA_DIR = tmp_path
    settings.UPLOADS_DIR, settings.RESULTS_DIR = tmp_path / "uploads", tmp_path / "results"
    settings.SCRATCH_DIR, settings.RAW_STORAGE_URL = tmp_path / "scratch", str(tmp_path / "raw")
    settings.CAPTURES_DIR = tmp_path / "captures"
    settings.REDIS_URL, settings.CELERY_BROKER_URL = (
        redis_url,
        redis_url.replace("unix://", "redis+socket://"),
    )
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": redis_url}}
    settings.STATIC_IS_COLLECTED, settings.WHITENOISE_USE_FINDERS = False, True
    caches["default"].memory.clear()  # what an earlier test counted while Redis was slow
    progress.connection.cache_clear()
    redis_client.short_circuit.close()
    celery_client.client.cache_clear()
    connection = progress.connection()
    connection.flushall()
    yield connection
    connection.close()
