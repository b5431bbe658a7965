"""The process that makes previews (`spark.entry.preview_server`): started when a page offers one, and again when it has ended.

It has loaded what a preview needs, which takes seconds; the pages load none of it.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any

from spark.terms.installation import IMPORT_ROOT

COMMAND = (sys.executable, "-m", "spark.entry.preview_server")


class PreviewProcess:
    def __init__(self) -> None:
        self._lock = Lock()
        self._asking: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def warm(self) -> None:
        """Have it running; does not wait until it has loaded."""
        with self._lock:
            self._started()

    def answer(self, question: dict[str, Any], content: bytes) -> bytes:
        """What it answers to a question and a text: nothing where it failed or took longer than `max_seconds`."""
        ours, theirs = socket.socketpair()
        with ours, suppress(BrokenPipeError, ConnectionResetError):
            with theirs, self._lock:
                socket.send_fds(self._started(), [b"."], [theirs.fileno()])
            ours.sendall(json.dumps(question).encode() + b"\n" + content)
            ours.shutdown(socket.SHUT_WR)
            return b"".join(iter(partial(ours.recv, 1 << 16), b""))
        return b""

    def _started(self) -> socket.socket:
        """The socket over which it is asked."""
        if self._asking is not None and self.process is not None and self.process.poll() is None:
            return self._asking
        if self._asking is not None:
            self._asking.close()
        self._asking, its_end = socket.socketpair()
        with its_end:
            self.process = subprocess.Popen(
                COMMAND, stdin=its_end.fileno(), stdout=subprocess.DEVNULL, cwd=IMPORT_ROOT
            )
        return self._asking


previews = PreviewProcess()
