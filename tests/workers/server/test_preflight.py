"""Before the start: each thing that can be wrong has its sentence."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections import namedtuple

import pytest
import redis

from spark.terms.installation import IMPORT_ROOT
from workers.server import preflight
from workers.server.preflight import CannotStart

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def place(monkeypatch, tmp_path):
    monkeypatch.setenv("JOURNALSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOST", "127.0.0.1")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("PORT", str(probe.getsockname()[1]))
    preflight.socket_path.cache_clear()
    yield
    preflight.socket_path.cache_clear()


def test_a_port_in_use_is_named_with_another_to_try(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        with pytest.raises(
            CannotStart, match=rf"Port {port} on 127.0.0.1 is in use.*PORT={port + 1} make run"
        ):
            preflight.check_and_lock()


@pytest.mark.parametrize("port", ["0", "70000", "http", "-1"])
def test_a_port_that_is_none_is_said(monkeypatch, port):
    monkeypatch.setenv("PORT", port)
    with pytest.raises(CannotStart, match=f"PORT={port} is not a port number"):
        preflight.check_and_lock()


def test_an_address_of_another_machine_is_said(monkeypatch):
    monkeypatch.setenv("HOST", "192.0.2.1")
    with pytest.raises(CannotStart, match="Set HOST to an address of this machine"):
        preflight.check_and_lock()


def test_a_full_disk_is_said(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 1 << 40, 3 << 20))
    with pytest.raises(CannotStart, match=r"Only 3 MB are free.*Make room"):
        preflight.check_and_lock()


def test_a_data_folder_that_is_a_file_is_said(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JOURNALSCOPE_DATA", str(tmp_path / "file"))
    with pytest.raises(CannotStart, match=r"cannot be used.*Set JOURNALSCOPE_DATA to another one"):
        preflight.check_and_lock()


def test_one_data_folder_serves_one_supervisor():
    lock = preflight.check_and_lock()
    with pytest.raises(CannotStart, match="already runs on the data folder"):
        preflight.check_and_lock()
    lock.close()
    preflight.check_and_lock().close()


def test_a_long_data_folder_does_not_make_a_long_socket(monkeypatch, tmp_path):
    monkeypatch.setenv("JOURNALSCOPE_DATA", str(tmp_path / ("long" * 30)))
    address = preflight.redis_url()
    preflight.socket_path().parent.rmdir()
    assert len(address) < 107


def test_a_redis_that_does_not_answer_is_named_without_its_password(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://:secret@127.0.0.1:1/0")
    monkeypatch.setattr(preflight, "WAIT_SECONDS", 0.1)
    with pytest.raises(CannotStart, match=r"does not answer at 127\.0\.0\.1:1/0.*Check REDIS_URL") as caught:
        preflight.wait_for_redis(lambda: False)
    assert "secret" not in str(caught.value)


@pytest.fixture
def embedded(monkeypatch):
    """Starts the server that comes along; its connection."""
    started = []

    def start():
        preflight.run_dir().mkdir(parents=True, exist_ok=True)
        started.append(subprocess.Popen(preflight.redis_command(), stdout=subprocess.DEVNULL))
        monkeypatch.setenv("REDIS_URL", preflight.redis_url())
        preflight.wait_for_redis(lambda: False)
        return redis.Redis.from_url(preflight.redis_url())

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_the_embedded_server_is_of_a_line_that_gets_fixes(embedded):
    with embedded() as connection:
        about = connection.info("server")
    assert (about["server_name"], int(about["valkey_version"].split(".")[0]) >= 9) == ("valkey", True)


def test_the_embedded_server_takes_over_what_redis_6_left(embedded):
    folder = preflight.data_dir() / "redis"
    folder.mkdir(parents=True)
    commands = [["SELECT", "0"], ["RPUSH", "celery", "waiting"]]
    lines = [f"*{len(words)}\r\n" + "".join(f"${len(w)}\r\n{w}\r\n" for w in words) for words in commands]
    (folder / "appendonly.aof").write_text("".join(lines), newline="")
    with embedded() as connection:
        assert connection.lrange("celery", 0, -1) == [b"waiting"]


@pytest.mark.parametrize(
    "command", [["-m", "workers.supervisor"], ["manage.py", "migrate", "--check"]], ids=["start", "command"]
)
@pytest.mark.slow
def test_a_setting_that_cannot_be_used_ends_the_start_with_its_sentence_alone(command):
    done = subprocess.run(
        [sys.executable, *command],
        cwd=IMPORT_ROOT,
        env={**os.environ, "UPLOAD_EXPIRY_HOURS": "0"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode
    assert (done.stdout + done.stderr).splitlines() == [
        "UPLOAD_EXPIRY_HOURS=0 is not a whole number above zero, such as 72."
    ]
