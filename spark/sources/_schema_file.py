"""Schema files next to a journal: stored whole as a row of `properties` (name: the file's, value: its text), so that a record's
page can try them. They say nothing about the journal: no detector reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from spark.sources import Chunk, InputFile, Split
from spark.sources._rows import RowOrigin, properties
from spark.storage.files import read_bytes

MAX_BYTES = 4 * 1024 * 1024  # descriptors of several hundred files; schemas are smaller


def has_ending(file: InputFile, *endings: str) -> bool:
    return file.name.lower().endswith(endings)


def content_of(path: str) -> bytes:
    """The first MAX_BYTES of the file."""
    return read_bytes(path, MAX_BYTES)


def one_row(split: Split, text: str) -> Iterator[Chunk]:
    rows = properties(RowOrigin.of_split(split), {PurePosixPath(split.name).name: text})
    yield Chunk(others={"properties": rows})
