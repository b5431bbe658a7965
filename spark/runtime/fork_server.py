"""What tasks import is imported once per command: Spark's daemon of Python workers is forked from a process that has it.

Spark starts `python -m spark.entry.task_daemon`. That hands its stdin, stdout, environment and arguments through a socket to
the fork server, which `headless` commands fork from themselves before any thread runs, and waits for the end of the
daemon that is forked there. Two imports of the same, while the JVM starts on the other core, would cost 1.7 CPU seconds.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

ADDRESS = "JOURNALSCOPE_FORK_SERVER"  # in the environment of the JVM, and so of what it starts
NAME = "tasks.sock"
WAITING = 8


class ForkServer:
    """A process with everything loaded, forked from this one; it ends with this one, however this one ends.

    Reachable by this user only: `folder` must be. Where a socket cannot be there (a path too long), nothing is
    forked and Spark's daemon loads for itself.
    """

    def __init__(self, folder: Path) -> None:
        self._listening = socket.socket(socket.AF_UNIX)
        self._life = -1
        with suppress(OSError):
            self._listening.bind(str(folder / NAME))
            self._listening.listen(WAITING)
            os.environ[ADDRESS] = str(folder / NAME)

    def start(self, load: Callable[[], None]) -> None:
        """Load what tasks need and fork. Only while this process has no thread but this one."""
        load()
        if ADDRESS not in os.environ:
            return
        ended, self._life = os.pipe()
        if os.fork() == 0:
            os.close(self._life)
            _last(_serve, self._listening, ended)
        os.close(ended)
        self._listening.close()

    def close(self) -> None:
        os.environ.pop(ADDRESS, None)
        self._listening.close()
        if self._life >= 0:
            os.close(self._life)
            self._life = -1


def _serve(listening: socket.socket, ended: int) -> None:
    """Fork a daemon for everyone who asks, until the process that we were forked from has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _close_all_but(listening.fileno(), ended)  # the JVM ends when its stdin closes, wherever that is open
    gc.freeze()
    while True:
        ready, _, _ = select.select([listening.fileno(), ended], [], [])
        if ended in ready:
            return
        asking, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            os.close(ended)
            _last(_become_daemon, asking)
        asking.close()


def _close_all_but(*descriptors: int) -> None:
    """Close every descriptor above the three standard ones but these."""
    ends = [*sorted(descriptors), resource.getrlimit(resource.RLIMIT_NOFILE)[0]]
    for before, end in pairwise([2, *ends]):
        os.closerange(before + 1, end)


def _last(function: Callable[..., None], *arguments: object) -> None:
    """Run a function and end this process, without the tidying that belongs to the one it was forked from."""
    try:
        function(*arguments)
    except SystemExit as ending:
        os._exit(ending.code if isinstance(ending.code, int) else 1)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _become_daemon(asking: socket.socket) -> None:
    """Take over what the asking process was given by Spark, and do what it was started for."""
    from pyspark import daemon

    _, descriptors, _, _ = socket.recv_fds(asking, 1, 2)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    with asking.makefile("rb") as stream:
        request = json.load(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = request["arguments"]
    daemon.manager()


def hand_over() -> bool:
    """Have the fork server do what this process was started for, and wait until it is done. False: there is none."""
    address = os.environ.get(ADDRESS)
    if address is None:
        return False
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(address)
        except OSError:  # it has ended
            return False
        socket.send_fds(server, [b"."], [0, 1])
        server.sendall(json.dumps({"environment": dict(os.environ), "arguments": sys.argv}).encode())
        server.shutdown(socket.SHUT_WR)
        server.recv(1)
    return True
