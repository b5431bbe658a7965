"""Apicurio journals as tables: generated ones, and the real ones of the corpus beside the repository."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.detectors.apicurio import content_null_update, dangling_content_hash
from spark.dialects.apicurio_v2 import dialect
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, records_table
from tests.generator.journal import Journal
from tests.spark.replays import replayed

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
Record = tuple[int, bytes | None, bytes | None]  # offset, key, value


def corpus(*names: str) -> Path:
    """A path in the corpus; the test is skipped where the corpus is not there."""
    path = CORPUS.joinpath(*names)
    if not path.exists():
        pytest.skip(f"the corpus of real journals is not beside the repository ({'/'.join(names)})")
    return path


def real_cases() -> list[str]:
    """Ids of the real 2.x journals; one that says nothing where the corpus is absent."""
    found = sorted(path.parent.name for path in CORPUS.glob("apicurio-real/*/kafkasql-journal.base64.ndjson"))
    return [name for name in found if not name.startswith("v3")] or ["absent"]


def real_journal(case: str) -> pa.Table:
    """RECORDS of a real journal."""
    return envelopes(corpus("apicurio-real", case, "kafkasql-journal.base64.ndjson"))


def envelopes(path: Path) -> pa.Table:
    """RECORDS of a dump whose keys and payloads are base64."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return records_of((line["offset"], decoded(line["key"]), decoded(line["payload"])) for line in lines)


def decoded(text: str | None) -> bytes | None:
    """Base64 as bytes."""
    return None if text is None else base64.b64decode(text)


def records_of(records: Iterable[Record]) -> pa.Table:
    """RECORDS of keys and values at their offsets."""
    rows = [{"offset": offset, "key": key, "value": value} for offset, key, value in records]
    return records_table(*rows, topic="kafkasql-journal")


def generated(journal: Journal) -> pa.Table:
    """RECORDS of a generated journal."""
    return records_of((entry.offset, entry.record.key, entry.record.value) for entry in journal.stored)


def tables(records: pa.Table) -> ResultTables:
    """What the detectors see of a journal."""
    entries = dialect.interpret(records)
    state, refusals = replayed(dialect, entries)
    return given_tables({"entries": entries, "state": state, "refusals": refusals})


def findings(records: pa.Table) -> list[Finding]:
    """Lost contents, then broken artifacts, by offset."""
    seen = tables(records)
    found = [
        module.detector.describe(row)
        for module in (content_null_update, dangling_content_hash)
        for row in module.detector.find(seen)
    ]
    return sorted(found, key=lambda finding: (finding.detector, finding.first_offset))


def content_value(
    action: int, content: bytes, references: bytes | None = b"", canonical_hash: bytes = b"a" * 64
) -> bytes:
    """The binary value of a Content record; `references` None: without their block, as before 2.2.2."""
    blocks = [canonical_hash, content] + ([] if references is None else [references])
    return bytes([2, action]) + b"".join(len(block).to_bytes(4, "big") + block for block in blocks)


def json_record(ordinal: int, members: Mapping[str, Any]) -> bytes:
    """A key or value: type byte and JSON."""
    return bytes([ordinal]) + json.dumps(members, separators=(",", ":")).encode()
