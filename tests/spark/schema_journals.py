"""`_schemas` journals as tables: records as the three registries write them, and the real ones of the corpus.

A record is (key, value) or (key, value, more), more being columns of RECORDS (offset, timestamp_ms, headers).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.detectors import Detector
from spark.dialects._history import History, ReplayRun
from spark.dialects.schema_registry import dialect
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table, records_table
from tests.spark.replays import tables as joined

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "schemas-real"
Record = tuple[Any, ...]


def compact(members: dict[str, Any]) -> bytes:
    return json.dumps(members, separators=(",", ":")).encode()


def schema(
    subject: str,
    version: int,
    id: int = 1,
    text: str = '"string"',
    deleted: bool = False,
    key: dict[str, Any] | None = None,
    value: dict[str, Any] | None = None,
    **more: Any,
) -> Record:
    """A schema as Confluent's registry writes it; `key` and `value` add members."""
    named = schema_key(subject, version, **(key or {}))
    members = {"subject": subject, "version": version, "id": id, "schema": text, "deleted": deleted}
    return named, compact({**members, **(value or {})}), more


def schema_key(subject: str, version: int, **more: Any) -> bytes:
    return compact({"keytype": "SCHEMA", "subject": subject, "version": version, "magic": 1, **more})


def old_key(subject: str, version: int, magic: int = 1) -> bytes:
    """As Confluent's registries up to 5.2 write it."""
    return compact({"subject": subject, "version": version, "magic": magic, "keytype": "SCHEMA"})


def tombstone(subject: str, version: int, **more: Any) -> Record:
    return schema_key(subject, version), None, more


def sequenced(
    subject: str, version: int, seq: int, node: int = 1, id: int = 1, text: str = '"string"', **more: Any
) -> Record:
    """A schema as Redpanda's registry writes it."""
    return schema(subject, version, id, text, key={"seq": seq, "node": node}, **more)


def sequenced_tombstone(subject: str, version: int, seq: int, node: int = 1, **more: Any) -> Record:
    return schema_key(subject, version, seq=seq, node=node), None, more


def delete_subject(subject: str, version: int = 1, **more: Any) -> Record:
    key = compact({"keytype": "DELETE_SUBJECT", "subject": subject, "magic": 0})
    return key, compact({"subject": subject, "version": version}), more


def setting(keytype: str, subject: str | None, **value: Any) -> Record:
    """A CONFIG or MODE."""
    named = {"keytype": keytype, **({"subject": subject} if subject else {}), "magic": 0}
    return compact(named), compact({**({"subject": subject} if subject else {}), **value}), {}


NOOP: Record = (compact({"keytype": "NOOP", "magic": 0}), None, {})


def by(host: str) -> list[dict[str, bytes]]:
    """Headers that Karapace writes."""
    return [
        {"key": b"X-Registry-Version", "value": b"karapace-3.9.0"},
        {"key": b"X-Origin-Host", "value": host.encode()},
    ]


def records_of(*records: Record) -> pa.Table:
    """RECORDS, offsets counting on unless said."""
    rows = [{"key": key, "value": value, **(more[0] if more else {})} for key, value, *more in records]
    return records_table(*rows, topic="_schemas")


def tables(records: pa.Table, **others: pa.Table) -> ResultTables:
    """What the detectors see of a journal: entries, the replay by each registry's rules, lifelines."""
    entries = dialect.interpret(records)  # type: ignore[misc]
    return given_tables(
        {
            "records": records,
            "entries": entries,
            **replays(entries),
            "lifelines": lifelines(records, entries),
            **others,
        }
    )


def replays(entries: pa.Table) -> dict[str, pa.Table]:
    """STATE and REFUSALS by all profiles, of the log as it is."""
    written: dict[str, list[pa.Table]] = {"state": [], "refusals": []}
    owner = dialect.owner(entries)  # type: ignore[misc]
    for profile in dialect.profiles:
        run = ReplayRun(("_schemas", 0, ""), profile.id, profile.id == owner)
        history = History(run, lambda table, rows: written[table].append(rows))
        dialect.replay([entries], history)  # type: ignore[misc]
        history.finish()
    return {name: joined(portions, name) for name, portions in written.items()}


def lifelines(records: pa.Table, entries: pa.Table) -> pa.Table:
    """LIFELINES of the records."""
    types = dict(
        zip(entries.column("offset").to_pylist(), entries.column("entry_type").to_pylist(), strict=True)
    )
    last: dict[bytes | None, int] = {}
    rows = []
    for record in records.to_pylist():
        offset, key = record["offset"], record["key"]
        before = last.get(key)
        kind = "tombstone" if record["value_is_null"] else "create" if before is None else "update"
        rows.append(
            {
                "key": key,
                "offset": offset,
                "timestamp_ms": record["timestamp_ms"],
                "previous_offset": before,
                "kind": "restart" if types[offset] == "NOOP" else kind,
                "entry_type": types[offset],
                "value_size_bytes": record["value_size_bytes"],
            }
        )
        last[key] = offset
    return lifelines_table(*rows, topic="_schemas")


def found(detector: Detector, *records: Record, **others: pa.Table) -> list[Finding]:
    """What a detector finds in a journal of these records."""
    return found_in(detector, records_of(*records), **others)


def found_in(detector: Detector, records: pa.Table, **others: pa.Table) -> list[Finding]:
    """The same in RECORDS."""
    return [detector.describe(row) for row in detector.find(tables(records, **others))]


def real_cases() -> list[str]:
    """Ids of the real journals; one that says nothing where the corpus is absent."""
    return sorted(path.parent.name for path in CORPUS.glob("*/case.json")) or ["absent"]


def real_journal(case: str) -> pa.Table:
    """RECORDS of a real journal; the test is skipped where the corpus is absent."""
    path = CORPUS / case / "_schemas.kcat.ndjson"
    if not path.exists():
        pytest.skip(f"the corpus of real journals is not beside the repository ({case})")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return records_table(*(real_record(row) for row in rows), topic="_schemas")


def real_record(row: dict[str, Any]) -> dict[str, Any]:
    """A line of kcat."""
    key, value = (None if row[name] is None else row[name].encode() for name in ("key", "payload"))
    pairs = row.get("headers") or []
    headers = [
        {"key": name.encode(), "value": content.encode()}
        for name, content in zip(pairs[::2], pairs[1::2], strict=True)
    ]
    return {
        "offset": row["offset"],
        "timestamp_ms": row["ts"],
        "key": key,
        "value": value,
        "headers": headers,
    }


def expected(case: str, detector: str) -> list[tuple[int, int]]:
    """First and last offsets of what a case expects of a detector."""
    truth: Sequence[dict[str, Any]] = json.loads((CORPUS / case / "case.json").read_text())["expect"]
    return [(entry["first_offset"], entry["last_offset"]) for entry in truth if entry["finding"] == detector]
