"""The process that makes previews: one forked process for each text, none left behind, the end with whoever started it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spark.sources._wrapping.sorted_texts import kcat

Server = tuple[socket.socket, subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen([sys.executable, "-m", "spark.entry.preview_server"], stdin=theirs)
    with ours:
        yield ours, process
    assert process.wait(timeout=60) == 0, "it ends when nobody can ask any more"


def answer(server: Server, folder: Path, content: bytes, max_seconds: float = 60) -> bytes:
    question = {
        "folder": str(folder),
        "name": "pasted.txt",
        "counting_seconds": 8,
        "max_seconds": max_seconds,
    }
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            socket.send_fds(server[0], [b"."], [theirs.fileno()])
        ours.sendall(json.dumps(question).encode() + b"\n" + content)
        ours.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: ours.recv(65_536), b""))


def test_it_answers_each_text(server: Server, tmp_path: Path) -> None:
    for count in (1, 2):
        folder = tmp_path / str(count)
        folder.mkdir()
        text = b"".join(kcat(offset) + b"\n" for offset in range(count))
        (part,) = json.loads(answer(server, folder, text))["parts"]
        assert (part["title"], part["records"]) == ("kcat -J", count)


def test_what_fails_or_takes_too_long_answers_nothing_and_the_next_is_answered(
    server: Server, tmp_path: Path
) -> None:
    assert answer(server, tmp_path / "missing", kcat(0)) == b""
    assert answer(server, tmp_path, kcat(0) * 100, max_seconds=0.001) == b""
    assert answer(server, tmp_path, kcat(0))
