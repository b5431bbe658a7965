"""Records of Connect's topics (or another dialect's) -> the tables that its detectors ask."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from spark.detectors import Detector
from spark.dialects import Dialect, connect
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table, records_table
from tests.generator.segment import SOME_TIME_MS
from tests.spark.replays import replayed

Pair = tuple[str | None, Any]


def record(offset: int, pair: Pair, topic: str = "connect-configs", partition: int = 0) -> dict[str, Any]:
    """A record; a value that is neither bytes nor null becomes JSON."""
    key, value = pair
    text = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
    return {
        "offset": offset,
        "key": None if key is None else key.encode(),
        "value": text,
        "topic": topic,
        "partition": partition,
        "timestamp_ms": SOME_TIME_MS + 1000 * offset,
    }


def tables_of(records: Sequence[dict[str, Any]], dialect: Dialect = connect.dialect) -> ResultTables:
    """Entries, lifelines, state and refusals of records, replayed partition by partition."""
    assert dialect.interpret is not None
    read: dict[str, list[pa.Table]] = {"entries": [], "state": [], "refusals": [], "lifelines": []}
    for place in sorted({(row["topic"], row["partition"]) for row in records}):
        rows = [row for row in records if (row["topic"], row["partition"]) == place]
        entries = dialect.interpret(records_table(*rows))
        state, refusals = replayed(dialect, entries)
        for name, table in (("entries", entries), ("state", state), ("refusals", refusals)):
            read[name].append(table)
        marks = [
            {name: row[name] for name in ("offset", "topic", "partition", "timestamp_ms")} for row in rows
        ]
        read["lifelines"].append(lifelines_table(*marks))
    return given_tables({name: pa.concat_tables(parts) for name, parts in read.items()})


def findings(
    detector: Detector, records: Sequence[dict[str, Any]], dialect: Dialect = connect.dialect
) -> list[Finding]:
    """What one detector finds in records."""
    return [detector.describe(row) for row in detector.find(tables_of(records, dialect))]
