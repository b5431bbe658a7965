"""Previews of pasted texts, each by a process of its own that is forked from one that has everything loaded.

    python -m spark.entry.preview_server     standard input: a Unix socket, over which each question hands in a socket (SCM_RIGHTS)
    asked     one line of JSON (folder, name, counting_seconds, max_seconds), the text, the end of the stream
    answered  the document of `spark.stages.preview`; nothing where the process failed or took too long

It ends with the process that holds the other end of its standard input, or when nobody asked for IDLE_SECONDS.
"""

from __future__ import annotations

import gc
import json
import math
import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

from spark.stages.preview import preview

IDLE_SECONDS = 900
SAMPLES = (  # reading them loads the compiled walkers
    b"CreateTime:1\tPartition:0\tOffset:0\tkey\tvalue\n",
    b"Dumping 0.log\nbaseOffset: 0 lastOffset: 0 count: 1 magic: 2\n| offset: 0 CreateTime: 1 keySize: 1 valueSize: 1 key: k payload: v\n",
    b'{"topic":"t","partition":0,"offset":0,"key":"k","payload":"v"}\n',
)


def main() -> None:
    with socket.socket(fileno=sys.stdin.fileno()) as asking:
        asking.settimeout(IDLE_SECONDS)
        load()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        try:
            while descriptors := socket.recv_fds(asking, 1, 1)[1]:
                if os.fork() == 0:
                    _last(descriptors[0])
                os.close(descriptors[0])
        except TimeoutError:
            return


def load() -> None:
    for sample in SAMPLES:
        with TemporaryDirectory() as folder:
            preview(sample, "pasted.txt", Path(folder), math.inf)
    gc.freeze()  # garbage collection in a forked process would write to, and so copy, the pages it shares with us


def _last(descriptor: int) -> None:
    """Answer and end this process."""
    try:
        with socket.socket(fileno=descriptor) as answering:
            answer(answering)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def answer(answering: socket.socket) -> None:
    with answering.makefile("rb") as stream:
        question = json.loads(stream.readline())
        signal.setitimer(signal.ITIMER_REAL, question["max_seconds"])  # SIGALRM ends this process
        content = stream.read()
    document = preview(content, question["name"], Path(question["folder"]), question["counting_seconds"])
    answering.sendall(json.dumps(document).encode())


if __name__ == "__main__":
    main()
