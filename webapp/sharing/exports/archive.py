"""A zip that is sent while it is made: nothing of it is kept but the portion at hand.

One that ends early says so: in INCOMPLETE.txt, which stands in place of README.txt, and, as text, in its last line. One whose server is
killed has no directory at its end, so that no tool takes it for whole.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, cast

from spark.tables.store import QueryError
from webapp.reports.results import ResultsGone

logger = logging.getLogger(__name__)

INCOMPLETE = "INCOMPLETE: this file ends after {written:,} records, because {why}. Do not use it as the whole export.\n"
DELETED = "the inspection was deleted while the file was made"
FAILED = "an error occurred on the server; its log says more"
LEVEL = 1  # records are sent faster than they could be packed tighter


def streamed(
    name: str, pieces: Iterable[tuple[bytes, int]], readme: Callable[[int], str], is_packed: bool = False
) -> Iterator[bytes]:
    """The member `name` of these pieces, and README.txt, which is told how many records there were. What goes wrong meanwhile
    is logged and ends the file with the reason."""
    pipe, written, incomplete = Pipe(), 0, ""
    packing = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(cast("IO[bytes]", pipe), "w", packing, compresslevel=LEVEL) as bundle:
        with bundle.open(name, "w", force_zip64=True) as member:
            try:
                for data, records in pieces:
                    member.write(data)
                    written += records
                    yield pipe.taken()
            except Exception as problem:  # the answer has begun: only its end can say so
                logger.warning("An export ended after %d records.", written, exc_info=True)
                is_deleted = isinstance(problem, ResultsGone | FileNotFoundError | QueryError)
                incomplete = INCOMPLETE.format(written=written, why=DELETED if is_deleted else FAILED)
                if not is_packed:
                    member.write(incomplete.encode())
        if incomplete:
            bundle.writestr("INCOMPLETE.txt", incomplete)
        else:
            bundle.writestr("README.txt", readme(written))
    yield pipe.taken()


class Pipe:
    """A file that can only be written; zipfile then puts sizes behind each member."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing to do."""

    def taken(self) -> bytes:
        """Bytes written since the last call."""
        data, self._pieces = b"".join(self._pieces), []
        return data
