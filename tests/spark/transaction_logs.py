"""Logs of transactions as tables: read by the real sources from folders, real or made, and related by the real stage."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark.detectors import Detector, Tables
from spark.dialects.transaction_state import TOPIC, interpret
from spark.findings import Finding
from spark.hashing import hash_keys
from spark.sources import InputFile, companion, log_segment
from spark.stages.transactions import TRANSACTIONS_FOUND
from spark.tables import TABLES

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
NO_CORPUS = "no corpus beside the repository"
HASHED = ("key_hash_1", "key_hash_2")


def read_logs(folder: Path) -> dict[str, pa.Table]:
    """The tables that decoding and the stage of transactions give; folders above a partition's are replicas."""
    rows: dict[str, list[Any]] = defaultdict(list)
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
        read_file(path, path.relative_to(folder), number, rows)
    found = {name: pa.Table.from_pylist(kept, schema=TABLES[name].schema) for name, kept in rows.items()}
    return with_transactions(found)


def read_file(path: Path, name: Path, number: int, rows: dict[str, list[Any]]) -> None:
    """Add the rows of one file."""
    source = log_segment.source if path.suffix == ".log" else companion.source
    place = re.match(r"^(.+)-(\d+)$", path.parent.name)
    topic, partition = (place[1], int(place[2])) if place else ("?", 0)
    replica = name.parts[0] if len(name.parts) > 2 else ""
    file = InputFile(str(name), str(path), path.stat().st_size)
    rows["files"].append(
        {
            "file": number, "name": file.name, "kind": source.kind, "topic": topic, "partition": partition,
            "replica": replica, "base_offset": int(path.stem) if path.stem.isdigit() else None,
        }
    )  # fmt: skip
    for split in source.split(file, number, topic, partition, replica):
        for chunk in source.read(split):
            for table in ("batches", "damage"):
                if (read := getattr(chunk, table)) is not None:
                    rows[table] += read.to_pylist()
            for table, others in chunk.others.items():
                rows[table] += others.to_pylist()
            if chunk.records is not None:
                add_records(chunk.records, rows)


def add_records(records: pa.Table, rows: dict[str, list[Any]]) -> None:
    """Add records with the hashes of their keys, and what the coordinator's dialect reads in them."""
    hashes = hash_keys(records.column("key").combine_chunks())
    hashed = [dict(zip(HASHED, pair, strict=True)) for pair in zip(*hashes, strict=True)]
    rows["records"] += [{**row, **halves} for row, halves in zip(records.to_pylist(), hashed, strict=True)]
    if records.num_rows and records.column("topic")[0].as_py() == TOPIC:
        rows["entries"] += interpret(records).to_pylist()


def with_transactions(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The same tables and what the stage makes of them."""
    found = Tables.of(tables).arrow(TRANSACTIONS_FOUND).cast(TABLES["transactions"].schema)
    return {**tables, "transactions": found}


def findings(detector: Detector, tables: dict[str, pa.Table]) -> list[Finding]:
    """What one detector finds; nothing where it cannot run."""
    asked = Tables.of(tables)
    if detector.absent(asked):
        return []
    found = [detector.describe(row) for row in detector.find(asked)]
    return sorted(
        found, key=lambda finding: (finding.topic, finding.partition or 0, finding.first_offset or 0)
    )
