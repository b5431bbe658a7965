"""Journals of schema registries: records in the forms of each, real ones of the corpus, and what replay makes of them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.dialects.schema_registry import dialect
from spark.sources import InputFile, log_segment
from tests.builders import records_table
from tests.spark.replays import replayed

CORPUS = Path(__file__).resolve().parents[4].parent / "shared" / "corpus" / "schemas-real"
PROFILES = ("confluent", "redpanda", "karapace")
TEXT = '{"type":"record","name":"Order","fields":[]}'
Parts = tuple[bytes | None, bytes | None]


def compact(document: Any) -> bytes:
    """JSON as registries write it."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def key(keytype: str, subject: str | None = None, version: int | None = None, **other: Any) -> bytes:
    """A key in the canonical form; `seq` and `node` make it Redpanda's."""
    members: dict[str, Any] = {"keytype": keytype}
    if subject is not None:
        members["subject"] = subject
    if version is not None:
        members["version"] = version
    return compact({**members, "magic": 1 if keytype == "SCHEMA" else 0, **other})


def schema(
    subject: str = "s",
    version: int = 1,
    id: int = 1,
    text: str = TEXT,
    *,
    deleted: bool = False,
    in_key: dict[str, Any] | None = None,
    **other: Any,
) -> Parts:
    """One version of a subject."""
    value = {
        "subject": subject, "version": version, "id": id, "schema": text, "deleted": deleted, **other
    }  # fmt: skip
    return key("SCHEMA", subject, version, **(in_key or {})), compact(value)


def tombstone(subject: str = "s", version: int = 1, empty: bool = False, **in_key: Any) -> Parts:
    """The deletion of a version; `empty` as Karapace writes it."""
    return key("SCHEMA", subject, version, **in_key), b"" if empty else None


def delete_subject(subject: str = "s", version: int | None = 1, **in_key: Any) -> Parts:
    """A subject is marked as deleted."""
    value = {"subject": subject} if version is None else {"subject": subject, "version": version}
    return key("DELETE_SUBJECT", subject, **in_key), compact(value)


def config(subject: str | None = "s", level: str | None = "FULL", **in_key: Any) -> Parts:
    """A compatibility level, or its removal."""
    return key("CONFIG", subject, **in_key), compact({"compatibilityLevel": level}) if level else None


def records_of(*records: Parts, **shared: Any) -> pa.Table:
    """The records at offsets 0, 1, ..."""
    return records_table(*({"key": k, "value": v} for k, v in records), **{"topic": "_schemas", **shared})


def entries_of(*records: Parts) -> pa.Table:
    """The same as entries."""
    return dialect.interpret(records_of(*records))  # type: ignore[misc]


def read(*records: Parts, headers: dict[bytes, bytes] | None = None) -> dict[str, Any]:
    """The last of these records as an entry, its attributes opened."""
    pairs = [{"key": name, "value": value} for name, value in (headers or {}).items()]
    assert dialect.interpret
    row: dict[str, Any] = dialect.interpret(records_of(*records, headers=pairs)).to_pylist()[-1]
    return {**row, "attributes": json.loads(row["attributes"])}


Held = dict[str, dict[str, Any]]


def held_and_refused(entries: pa.Table, profile: str) -> tuple[Held, list[tuple[int, str]]]:
    """What holds at the end, by `type id`; offsets and reasons of refusals."""
    state, refusals = replayed(dialect, entries, profile)
    held = {
        f"{row['entity_type']} {row['entity_id']}": json.loads(row["attributes"])
        for row in state.to_pylist()
        if row["valid_to_offset"] is None
    }
    return held, sorted((row["offset"], row["reason"]) for row in refusals.to_pylist())


def versions(entries: pa.Table, profile: str) -> dict[str, tuple[int, bool, str]]:
    """subject/version -> id, whether it is marked as deleted, hash of its text."""
    held, _ = held_and_refused(entries, profile)
    return {
        name.removeprefix("schema "): (row["id"], row["deleted"], row["schemaHash"])
        for name, row in held.items()
        if name.startswith("schema ")
    }


def hash_of(text: str) -> str:
    """The hash of a schema's text."""
    return sha256(text.encode()).hexdigest()


def sorted_hash(text: str) -> str:
    """The same whatever the order of members."""
    return hash_of(json.dumps(json.loads(text), separators=(",", ":"), sort_keys=True, ensure_ascii=False))


def real_records(case: str) -> pa.Table:
    """Records of a real journal; the test is skipped where the corpus is not there."""
    folder = CORPUS / case / "_schemas-0"
    if not folder.exists():
        pytest.skip(f"the corpus of real journals is not beside the repository (schemas-real/{case})")
    source, found = log_segment.source, []
    for path in sorted(folder.glob("*.log")):
        file = InputFile(path.name, str(path), path.stat().st_size)
        for split in source.split(file, 0, "_schemas", 0, ""):
            found += [chunk.records for chunk in source.read(split) if chunk.records is not None]
    return pa.concat_tables(found)


def real_entries(case: str) -> pa.Table:
    """Entries of a real journal."""
    return dialect.interpret(real_records(case))  # type: ignore[misc]


def real_cases() -> list[str]:
    """Ids of the real journals; one that says nothing where the corpus is absent."""
    return sorted(path.parent.name for path in CORPUS.glob("*/case.json")) or ["absent"]


def software_of(case: str) -> str:
    """What wrote the journal, as `case.json` says."""
    return str(json.loads((CORPUS / case / "case.json").read_text()).get("software", ""))
