"""Findings of the detectors of bytes over a partition's folder, read by the real sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.detectors.bytes import (
    crc_mismatch,
    offset_order,
    preallocated_tail,
    record_count_mismatch,
    truncated_tail,
    unreadable_bytes,
)
from spark.report.detect import answer
from spark.sources import InputFile, companion, log_segment
from spark.tables import TABLES
from spark.terms.findings import Finding
from tests.builders import given_tables
from tests.generator.segment import segment_name

DETECTORS = [
    module.detector
    for module in (
        crc_mismatch,
        unreadable_bytes,
        truncated_tail,
        preallocated_tail,
        offset_order,
        record_count_mismatch,
    )
]
Inspect = Callable[..., list[Finding]]


def read_folder(folder: Path) -> dict[str, pa.Table]:
    """The tables that decoding gives, and `files`; a folder in the folder is a replica."""
    rows: dict[str, list[Any]] = defaultdict(list)
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
        file = InputFile(str(path.relative_to(folder)), str(path), path.stat().st_size)
        source = log_segment.source if path.suffix == ".log" else companion.source
        replica = "" if path.parent == folder else path.parent.name
        rows["files"].append(
            {
                "file": number,
                "name": file.name,
                "kind": source.kind,
                "topic": "steady",
                "partition": 0,
                "replica": replica,
                "base_offset": int(path.stem) if path.stem.isdigit() else None,
                "size_bytes": file.size_bytes,
            }
        )
        for split in source.split(file, number, "steady", 0, replica):
            for chunk in source.read(split):
                for name in ("batches", "damage", "records"):
                    if (found := getattr(chunk, name)) is not None:
                        rows[name] += found.to_pylist()
                for name, found in chunk.others.items():
                    rows[name] += found.to_pylist()
    return {name: pa.Table.from_pylist(found, schema=TABLES[name].schema) for name, found in rows.items()}


def named(rows: pa.Table, topic: str) -> pa.Table:
    """The same rows of another topic."""
    place = rows.schema.get_field_index("topic")
    return rows.set_column(place, "topic", pa.repeat(topic, rows.num_rows))


@pytest.fixture
def inspect(tmp_path: Path) -> Inspect:
    """Findings, in the order of offsets. Takes files (name or base offset -> bytes) or a folder."""

    def inspected(files: dict[str | int, bytes] | Path, topic: str | None = None) -> list[Finding]:
        folder = files if isinstance(files, Path) else tmp_path
        if not isinstance(files, Path):
            for name, content in files.items():
                path = tmp_path / (segment_name(name) if isinstance(name, int) else name)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
        read = read_folder(folder)
        if topic is not None:
            read = {name: named(rows, topic) for name, rows in read.items()}
        found, _ = answer(DETECTORS, given_tables(read))
        return sorted(found, key=lambda finding: (finding.first_offset or 0, finding.detector))

    return inspected
