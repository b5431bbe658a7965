"""A zip that is sent while it is made: nothing of it is kept but the portion at hand.

One that breaks off has no directory at its end, so that no tool takes it for whole.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, cast

LEVEL = 1  # records are sent faster than they could be packed tighter


def streamed(
    name: str, pieces: Iterable[tuple[bytes, int]], readme: Callable[[int], str], is_packed: bool = False
) -> Iterator[bytes]:
    """The member `name` of these pieces, and README.txt, which is told how many records there were."""
    pipe, written = Pipe(), 0
    packing = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(cast("IO[bytes]", pipe), "w", packing, compresslevel=LEVEL) as bundle:
        with bundle.open(name, "w", force_zip64=True) as member:
            for data, records in pieces:
                member.write(data)
                written += records
                yield pipe.taken()
        bundle.writestr("README.txt", readme(written))
    yield pipe.taken()


class Pipe:
    """A file that can only be written; zipfile then puts sizes behind each member."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Keep it until it is taken."""
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing to do."""

    def taken(self) -> bytes:
        """What was written since the last time."""
        data, self._pieces = b"".join(self._pieces), []
        return data
