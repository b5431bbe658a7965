"""A tar read forwards only, with a bound on what lies between its files.

tarfile reads the extended headers (long names, pax records) of a member into memory whole, so a small archive can
claim a header of gigabytes. Here a stream that yields too much between two files is refused.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO, cast

from spark.inputs.archive_limits import Budget

MAX_HEADER_BYTES = 8 << 20


class TarStream:
    """Files, links and devices of a tar in order, each with its content; folders are left out."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = _Metered(stream, budget)
        self._archive = tarfile.open(fileobj=cast(IO[bytes], self._stream), mode="r|", errorlevel=2)  # noqa: SIM115

    def __enter__(self) -> TarStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archive.close()

    def __iter__(self) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
        while (info := self._next()) is not None:
            if info.isdir():
                continue
            content = self._archive.extractfile(info) if info.isfile() else None
            yield info, cast(IO[bytes], content)
            self._skip(content)

    def _next(self) -> tarfile.TarInfo | None:
        self._stream.allowance = MAX_HEADER_BYTES
        info = self._archive.next()
        self._archive.members = []  # type: ignore[attr-defined]  # it would keep every header it saw
        self._stream.allowance = None
        return info

    def _skip(self, content: IO[bytes] | None) -> None:
        while content is not None and content.read(1 << 20):
            pass


class _Metered:
    """Counts what is read while an allowance is set."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream, self._budget = stream, budget
        self.allowance: int | None = MAX_HEADER_BYTES

    def read(self, size: int) -> bytes:
        chunk = self._stream.read(size)
        if self.allowance is not None:
            self.allowance -= len(chunk)
            if self.allowance < 0:
                raise self._budget.refuse(
                    "it has a header of many megabytes, which a normal archive never has."
                )
        return chunk
