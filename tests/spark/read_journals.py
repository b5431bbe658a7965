"""One detector over records that the real dialects read: records in, findings out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from spark.detectors import Detector
from spark.dialects import Dialect, dialects
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table, records_table
from tests.spark.replays import replayed

Record = dict[str, Any]


def call(name: str, number: int, **members: Any) -> Record:
    """A record as Apicurio Registry 3.x writes it."""
    key = {"uuid": f"uuid-{number}", "messageType": name, "partitionKey": "__GLOBAL_PARTITION__"}
    value = None if name == "Bootstrap" else json.dumps(members).encode()
    headers = [{"key": b"req", "value": b"1"}, {"key": b"mt", "value": name.encode()}]
    return {"key": json.dumps(key).encode(), "value": value, "headers": headers}


def typed(ordinal: int, members: Record, value: Record | None = None) -> Record:
    """A record as Apicurio Registry 2.x writes it."""
    head = bytes([ordinal])
    return {
        "key": head + json.dumps(members).encode(),
        "value": None if value is None else head + json.dumps(value).encode(),
    }


def schema(subject: str, version: int, id_: int, **members: Any) -> Record:
    """A schema as a Confluent registry writes it."""
    key = {"keytype": "SCHEMA", "subject": subject, "version": version, "magic": 1}
    value = {
        "subject": subject,
        "version": version,
        "id": id_,
        "schema": '"string"',
        "deleted": False,
        **members,
    }
    return {"key": json.dumps(key).encode(), "value": json.dumps(value).encode()}


def findings(
    detector: Detector,
    dialect: str | None,
    *records: Record,
    extra: dict[str, pa.Table] | None = None,
    **shared: Any,
) -> list[Finding]:
    """What a detector finds in one partition's records."""
    return findings_in(detector, [(dialect, list(records), shared)], extra)


def findings_in(
    detector: Detector,
    partitions: Sequence[tuple[str | None, list[Record], dict[str, Any]]],
    extra: dict[str, pa.Table] | None = None,
) -> list[Finding]:
    """The same for several partitions: dialect id (None: a topic without entries), records, shared columns."""
    tables = tables_of(partitions, extra)
    assert detector.absent(tables) is None
    return [detector.describe(row) for row in detector.find(tables)]


def tables_of(
    partitions: Sequence[tuple[str | None, list[Record], dict[str, Any]]],
    extra: dict[str, pa.Table] | None = None,
) -> ResultTables:
    """Records, lifelines, entries, state and refusals of partitions."""
    found: dict[str, list[pa.Table]] = {}
    for name, rows, shared in partitions:
        records = records_table(*rows, **shared)
        found.setdefault("records", []).append(records)
        found.setdefault("lifelines", []).append(
            lifelines_table(
                *({"offset": offset} for offset in records.column("offset").to_pylist()), **shared
            )
        )
        if name is not None:
            read(dialects()[name], records, found)
    return given_tables({**{name: pa.concat_tables(parts) for name, parts in found.items()}, **(extra or {})})


def read(dialect: Dialect, records: pa.Table, found: dict[str, list[pa.Table]]) -> None:
    """Let a dialect read and replay records."""
    assert dialect.interpret is not None
    entries = dialect.interpret(records)
    found.setdefault("entries", []).append(entries)
    if dialect.replay is not None:
        state, refusals = replayed(dialect, entries, dialect.owner(entries) if dialect.owner else "")
        found.setdefault("state", []).append(state)
        found.setdefault("refusals", []).append(refusals)
