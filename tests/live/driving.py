"""The Java program beside this file: makes topics, writes and reads, as a client of the broker's own making does."""

from __future__ import annotations

import subprocess
import time
from types import TracebackType
from typing import Self

from tests.live.jars import SMALL_JAVA, classes, fetch, java

UNTIL_WRITTEN_S = 60


class Driver:
    """One command at a time; an answer of `error` is an exception."""

    def __init__(self, address: str, version: str = "3.9.1") -> None:
        line = [java(version), *SMALL_JAVA, "-cp", f"{classes(version)}:{fetch(version)}/*", "Drive", address]
        self.process = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()

    def __call__(self, *fields: object) -> str:
        assert self.process.stdin
        self.process.stdin.write("\t".join(map(str, fields)) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> str:
        """The next line that is an answer."""
        assert self.process.stdout
        for line in self.process.stdout:
            status, _, rest = line.rstrip("\n").partition(" ")
            if status == "ok":
                return rest
            if status == "error":
                raise RuntimeError(rest)
        raise RuntimeError("The driver has ended.")

    def until_end(self, topic: str, partition: int, offset: int) -> None:
        """Wait until the log ends there: a coordinator answers first and has its marker written then."""
        until = time.monotonic() + UNTIL_WRITTEN_S
        while int(self("end", topic, partition)) < offset:
            assert time.monotonic() < until, f"{topic}-{partition} does not reach offset {offset}"
            time.sleep(0.05)
