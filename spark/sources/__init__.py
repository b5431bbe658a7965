"""Sources: one module (or package) per input layout, found by discovery. Bytes in, tables out.

A source module ends in `source = Source(...)`. Its page is docs/sources/<id>.md, its test tests/spark/sources/.
An import error stops the start: a layout is never silently missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Literal, cast

import pyarrow as pa

from spark.units import declared

Kind = Literal["segment", "export", "companion"]

# What a layout may lack. Detectors declare which of these they need; the texts go into `cannot_tell`.
LACKS = {
    "batches": "record batches (checksums, message formats, compression, byte positions)",
    "producers": "producer IDs, producer epochs and sequence numbers",
    "control": "control records (COMMIT and ABORT markers)",
    "timestamps": "record timestamps",
    "headers": "record headers",
    "header-values": "values of record headers (only their names)",
    "contents": "keys and values of records",
    "duplicate-headers": "repeated headers with the same name (the tool keeps one)",
    "key": "record keys",
    "offset": "record offsets (rows are numbered instead)",
    "partition": "the partition number",
    "topic": "the topic's name",
    "exact-bytes": "exact bytes of keys and values (the tool changes commas or line breaks, or does not quote them)",
    "null-or-empty": "difference between null and an empty key or value",
    "aborted": "aborted records, if the tool read with read_committed (kcat's default)",
}


def lacks_in(cannot_tell: Iterable[str] | None) -> frozenset[str]:
    """What a file lacks, from the texts in `cannot_tell` of the table `files`."""
    texts = {*(cannot_tell or ())}
    return frozenset(name for name, words in LACKS.items() if words in texts)


# What an export of records lacks, unless its tool prints it.
EXPORT_LACKS = frozenset({"batches", "producers", "control", "aborted"})


@dataclass(frozen=True)
class InputFile:
    """A file to inspect: `name` as the user knows it, `path` of its bytes.

    `command`: the command line before the output in a pasted text; `heading`: the topic that a heading above it names.
    """

    name: str
    path: str
    size_bytes: int
    sha256: str | None = None
    command: str = ""
    heading: str = ""


@dataclass(frozen=True)
class Recognition:
    """A source's opinion of a file: whether the file has its layout, and why (not), in a sentence that a user can act on."""

    matches: bool
    why: str
    score: int = 50  # the highest wins; below 10 only by guess


@dataclass(frozen=True)
class Split:
    """A byte range of one file that one task reads. `detail` belongs to the source and is JSON-able."""

    file: int
    path: str
    name: str
    source: str
    start: int
    end: int
    topic: str
    partition: int
    replica: str
    detail: dict[str, object] = field(default_factory=dict)

    @property
    def lacks(self) -> frozenset[str]:
        """What the layout lacks, and what this output was made without."""
        return sources()[self.source].lacks | frozenset(cast("list[str]", self.detail.get("lacks", [])))


@dataclass
class Chunk:
    """Rows read from a split, a bounded number at a time. Schemas: BATCHES, RECORDS and DAMAGE of `spark.tables`.

    A source fills every column of RECORDS but those that the decode stage adds: hashes, forms and schema ids of keys and
    values, and what the dialect reads. It leaves them out of its table.
    """

    records: pa.Table | None = None
    batches: pa.Table | None = None
    damage: pa.Table | None = None
    others: dict[str, pa.Table] = field(
        default_factory=dict
    )  # rows of further tables of `spark.tables`, by name
    note: str | None = (
        None  # a sentence about the reading chosen (base64, latin-1, ...); shown beside the file
    )


@dataclass(frozen=True)
class Source:
    """One input layout. `cut` returns the splits of a file; without it a file is one split."""

    id: str
    title: str
    kind: Kind
    recognise: Callable[[InputFile, bytes], Recognition]  # the file and its first HEAD_BYTES
    read: Callable[[Split], Iterator[Chunk]]
    lacks: frozenset[str] = frozenset()
    cut: Callable[[InputFile, int, str, int, str], list[Split]] | None = None

    def split(self, file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
        """The splits of a file; `number`: its index in the plan."""
        return (self.cut or partial(whole, self.id))(file, number, topic, partition, replica)


HEAD_BYTES = 256 * 1024


def whole(
    source: str, file: InputFile, number: int, topic: str, partition: int, replica: str, **detail: object
) -> list[Split]:
    return [
        Split(number, file.path, file.name, source, 0, file.size_bytes, topic, partition, replica, detail)
    ]


@cache
def sources() -> dict[str, Source]:
    """All sources by id, in the order of their module names."""
    return declared(__name__, "source")
