"""Reads bytes through a JSON source, as the pipeline does: recognise, split, read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark.sources import HEAD_BYTES, InputFile, Recognition, Source
from spark.sources._rows import RECORD_COLUMNS
from spark.tables import DAMAGE


@dataclass
class Reading:
    """What came out of a file."""

    recognition: Recognition
    records: list[dict[str, Any]]
    damage: list[dict[str, Any]]
    note: str

    def column(self, name: str) -> list[Any]:
        return [record[name] for record in self.records]


def read(source: Source, content: bytes, folder: Path, name: str = "upload") -> Reading:
    """All rows of a file with this content."""
    path = folder / name
    path.write_bytes(content)
    return read_file(source, path)


def read_file(source: Source, path: Path) -> Reading:
    """All rows of a file."""
    file = InputFile(path.name, str(path), path.stat().st_size)
    with path.open("rb") as opened:
        recognition = source.recognise(file, opened.read(HEAD_BYTES))
    chunks = [chunk for split in source.split(file, 7, "?", 0, "") for chunk in source.read(split)]
    records = [chunk.records for chunk in chunks if chunk.records is not None]
    damage = [chunk.damage for chunk in chunks if chunk.damage is not None]
    assert all(table.schema.equals(RECORD_COLUMNS) for table in records)
    for table in (*records, *damage):
        table.validate(full=True)
    return Reading(
        recognition,
        pa.concat_tables([RECORD_COLUMNS.empty_table(), *records]).to_pylist(),
        pa.concat_tables([DAMAGE.schema.empty_table(), *damage]).to_pylist(),
        " ".join(chunk.note for chunk in chunks if chunk.note),
    )
