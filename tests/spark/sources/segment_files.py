"""Segments for the tests of the log segment: written to a file, read back through the source's own functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark.sources import InputFile
from spark.sources._rows import RECORD_COLUMNS
from spark.sources.log_segment import source
from spark.tables import BATCHES, DAMAGE
from tests.generator.segment import segment_name

TABLES = {"records": RECORD_COLUMNS, "batches": BATCHES.schema, "damage": DAMAGE.schema}


@dataclass
class Reading:
    """What was read of a file."""

    tables: dict[str, list[pa.Table]] = field(default_factory=lambda: {name: [] for name in TABLES})
    splits: int = 0

    def rows(self, name: str) -> list[dict[str, Any]]:
        return [row for table in self.tables[name] for row in table.to_pylist()]

    @property
    def records(self) -> list[dict[str, Any]]:
        return self.rows("records")

    @property
    def batches(self) -> list[dict[str, Any]]:
        return self.rows("batches")

    @property
    def damage(self) -> list[dict[str, Any]]:
        return self.rows("damage")

    @property
    def offsets(self) -> list[int]:
        return [row["offset"] for row in self.records]

    @property
    def reasons(self) -> list[tuple[str, int | None, int | None]]:
        return [(row["reason"], row["first_offset"], row["last_offset"]) for row in self.damage]


def input_file(folder: Path, content: bytes, name: str = segment_name(0)) -> InputFile:
    """The bytes as a file."""
    path = folder / Path(name).name
    path.write_bytes(content)
    return InputFile(name, str(path), len(content))


def read_segment(folder: Path, content: bytes, name: str = segment_name(0), **detail: object) -> Reading:
    """Plan the file and read every split; checks the schemas on the way."""
    reading = Reading()
    for split in source.split(input_file(folder, content, name), 0, "steady", 3, ""):
        reading.splits += 1
        split.detail.update(detail)
        for chunk in source.read(split):
            for table_name, schema in TABLES.items():
                if (table := getattr(chunk, table_name)) is not None:
                    assert table.schema == schema
                    reading.tables[table_name].append(table)
    return reading
