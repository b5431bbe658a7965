"""Reads prints of tools through their sources, as the pipeline does: recognise, split, read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark.sources import HEAD_BYTES, InputFile, Recognition, Source, sources
from spark.sources._rows import RECORD_COLUMNS
from spark.tables import BATCHES, DAMAGE, TABLES

CORPUS = Path(__file__).parents[3] / ".." / "shared" / "corpus"
LAYOUTS = CORPUS / "brokers" / "text-layouts"


@dataclass
class Reading:
    """What came out of a file."""

    records: list[dict[str, Any]]
    batches: list[dict[str, Any]]
    damage: list[dict[str, Any]]
    others: dict[str, list[dict[str, Any]]]
    note: str

    def column(self, name: str) -> list[Any]:
        return [record[name] for record in self.records]


def recognised(content: bytes, folder: Path) -> dict[str, Recognition]:
    """What every source says of a file with this content."""
    file = saved(content, folder)
    return {name: source.recognise(file, content[:HEAD_BYTES]) for name, source in sources().items()}


def saved(content: bytes, folder: Path, name: str = "upload") -> InputFile:
    path = folder / name
    path.write_bytes(content)
    return InputFile(name, str(path), len(content))


def read(source: Source, content: bytes, folder: Path) -> Reading:
    """All rows of a file with this content."""
    return read_file(source, saved(content, folder))


def read_file(source: Source, file: InputFile) -> Reading:
    """All rows of a file; every table is checked against its schema."""
    chunks = [chunk for split in source.split(file, 7, "?", 0, "") for chunk in source.read(split)]
    found: dict[str, list[dict[str, Any]]] = {}
    for chunk in chunks:
        tables = {"batches": chunk.batches, "damage": chunk.damage, **chunk.others}
        for name, table in tables.items():
            if table is not None:
                assert table.schema.equals(TABLES[name].schema)
                found.setdefault(name, []).extend(checked(table))
        if chunk.records is not None:
            assert chunk.records.schema.equals(RECORD_COLUMNS)
            found.setdefault("records", []).extend(checked(chunk.records))
    records, batches, damage = (found.pop(name, []) for name in ("records", BATCHES.name, DAMAGE.name))
    return Reading(records, batches, damage, found, " ".join(chunk.note for chunk in chunks if chunk.note))


def checked(table: pa.Table) -> list[dict[str, Any]]:
    table.validate(full=True)
    return table.to_pylist()
