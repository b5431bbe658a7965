"""Result folders for tests: records in, the tables Spark would relate from them out, with a report.json."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark.report.typed_report import typed_report
from spark.stages.marks import write_marks
from spark.tables import Manifest
from spark.tables.parquet import PartWriter
from spark.terms import marked
from tests.builders import files_table, lifelines_table, other_table, records_table

Place = tuple[str, int, str]
CONTENT = marked.entity("2", "content")


def write_results(folder: Path, report: dict[str, Any] | None = None, **tables: pa.Table) -> Path:
    """Write the tables given; `lifelines` and `keys` follow from `records` unless they are given."""
    records = tables.get("records")
    if records is not None:
        tables.setdefault("lifelines", relate(records))
        tables.setdefault("keys", keys_of(records))
    tables.setdefault("files", files_table({"topic": "journal", "partition": 0}))
    files: dict[str, list[str]] = {}
    rows: dict[str, int] = {}
    for name, table in tables.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / name / "0000-a.parquet", compression="zstd", row_group_size=50_000)
        files[name], rows[name] = [f"{name}/0000-a.parquet"], table.num_rows
    Manifest(folder, files, rows).save()
    (folder / "report.json").write_text(json.dumps(report or report_document()))
    return folder


def add_marks(folder: Path) -> None:
    """The table `marks`, as the replay stage writes it."""
    manifest = Manifest.load(folder)
    records = pq.read_table(folder / "records", columns=["topic", "partition", "replica"])
    writer = PartWriter(folder, "marks-0")
    for replica in sorted({tuple(row.values()) for row in records.to_pylist()}):
        write_marks(replica, manifest, writer)
    manifest.with_parts(writer.finish()).save()


def relate(records: pa.Table) -> pa.Table:
    """Lifelines of records: what came before and after with the same key."""
    by_key: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    rows = records.to_pylist()
    for row in rows:
        by_key[row["topic"], row["partition"], row["replica"], row["key"]].append(row)
    for versions in by_key.values():
        for earlier, later in zip([None, *versions], versions, strict=False):
            later["kind"] = _kind(earlier, later)
            later["previous_offset"] = None if earlier is None or later["key"] is None else earlier["offset"]
            if earlier is not None and later["key"] is not None:
                earlier["superseded_by"] = later["offset"]
    columns = lifelines_table().column_names
    return lifelines_table(*({name: row.get(name) for name in columns} for row in rows))


def _kind(earlier: dict[str, Any] | None, row: dict[str, Any]) -> str:
    if row["control_type"]:
        return "control"
    if row["entry_action"] == "restart":
        return "restart"
    if row["value_is_null"]:
        return "tombstone"
    if earlier is None:
        return "create"
    return "revive" if earlier["value_is_null"] else "update"


def keys_of(records: pa.Table) -> pa.Table:
    """Keys of records."""
    keys: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in records.to_pylist():
        if row["key"] is None or row["control_type"]:
            continue
        size = row["key_size_bytes"] + row["value_size_bytes"]
        place = {
            name: row[name] for name in ("topic", "partition", "replica", "key_hash_1", "key_hash_2", "key")
        }
        key = keys.setdefault(
            tuple(place.values()),
            place
            | {
                "first_offset": row["offset"],
                "versions": 0,
                "tombstones": 0,
                "live_bytes": 0,
                "dead_bytes": 0,
            },
        )
        key["dead_bytes"] += key["live_bytes"]
        key |= {
            "entry_type": row["entry_type"],
            "last_offset": row["offset"],
            "versions": key["versions"] + 1,
        }
        key["tombstones"] += row["value_is_null"]
        key["live_bytes"] = 0 if row["value_is_null"] else size
    return other_table("keys", *keys.values())


def report_document(**members: Any) -> dict[str, Any]:
    """A healthy report of nothing; a test says what it is about. Its texts may have marks (`spark.terms.marked`)."""
    plain: dict[str, Any] = {
        "schema": 1,
        "files": [
            {
                "name": "journal.log",
                "sha256": "ab" * 32,
                "kind": "segment",
                "layout": "log-segment",
                "size_bytes": 9,
            }
        ],
        "verdict": {"level": "healthy", "sentence": "Healthy. 3 records, no missing offsets."},
        "journals": [],
        "coverage": {
            "records": 3,
            "records_per_partition": {"journal-0": 3},
            "offsets_per_partition": {"journal-0": [0, 2]},
            "unreadable_bytes": 0,
            "isolation": "read_uncommitted",
            "cannot_tell": [],
        },
        "findings": [],
        "clean": ["crc-mismatch"],
        "not_run": [],
        "tables": None,
    }
    return typed_report(
        {**plain, **members, "findings": [stepped(one) for one in (plain | members)["findings"]]}
    )


def stepped(finding: dict[str, Any]) -> dict[str, Any]:
    """With lines that begin as steps and items do marked as such."""
    texts = {name: marked.WRITTEN.sub(as_layout, finding[name]) for name in ("explanation", "remedy")}
    return finding | texts


def as_layout(found: re.Match[str]) -> str:
    """The mark of a step or an item."""
    return marked.step(int(found[1]), "") if found[1] else marked.item("")


def finding(identity: str, **members: Any) -> dict[str, Any]:
    """A critical finding about journal-0."""
    plain: dict[str, Any] = {
        "id": identity,
        "detector": "content-null-update",
        "severity": "critical",
        "confidence": "proven",
        "title": f"Content {CONTENT} is lost: offset {marked.offset(10)} replaces it with nothing",
        "explanation": f"It was stored at offset {marked.offset(6)}.",
        "topic": "journal",
        "partition": 0,
        "first_offset": 10,
        "last_offset": 10,
        "key": None,
        "evidence": [10],
        "remedy": "Stop the registry.",
        "references": [],
        "consequence_of": None,
    }
    return plain | members


def incident(folder: Path) -> Path:
    """Eleven offsets of a registry's journal: restarts, two offsets compacted away, a content written as nothing."""
    key_of = {"Content": b'\x01{"contentId":%d}', "Artifact": b'\x03{"artifactId":"a%d"}'}

    def entry(
        offset: int, kind: str, number: int, value: bytes | None, action: str = "create"
    ) -> dict[str, Any]:
        template = key_of.get(kind, b'{"%b":%%d}' % kind.encode())
        return {
            "offset": offset,
            "entry_type": kind,
            "entry_action": action,
            "key": template % number,
            "value": value,
        }

    rows = [
        entry(0, "Bootstrap", 0, None, "restart"),
        entry(2, "ContentId", 1, b'{"next": 1}'),
        entry(3, "Content", 1, b'{"text": "one", "tags": ["a", "b"]}'),
        entry(4, "Artifact", 1, b'\x02{"artifact": "one", "content": 1}'),
        entry(5, "Bootstrap", 5, None, "restart"),
        entry(7, "Content", 1, b'{"text": "one, mended", "tags": ["a", "c"]}', "update"),
        entry(8, "Artifact", 2, b"\xff\xfe binary \x00 <script>alert(1)</script>"),
        entry(9, "Bootstrap", 9, None, "restart"),
        entry(10, "Content", 1, None, "update"),
        entry(11, "Artifact", 1, None, "delete"),
        entry(12, "Artifact", 1, b'{"artifact": "one again"}', "create"),
    ]
    gaps = other_table(
        "gaps",
        {
            "first_offset": 1,
            "last_offset": 1,
            "cause": "compaction",
            "proof": "A later record has the same key.",
        },
        {
            "first_offset": 6,
            "last_offset": 6,
            "cause": "compaction",
            "proof": "A later record has the same key.",
        },
        topic="journal",
        partition=0,
        replica="",
    )
    report = report_document(
        verdict={
            "level": "critical",
            "sentence": "1 content is lost, and 1 artifact cannot be read because of it.",
        },
        findings=[
            finding(
                "cause",
                explanation=f"1. Content {CONTENT} was stored at offset {marked.offset(6)}.\n"
                f"2. The registry restarted at offset {marked.offset(9)}.\n"
                f"3. It wrote the content again without its text at offset {marked.offset(10)}.",
                evidence=[6, 9, 10],
                remedy=f"1. Stop the registry.\n2. Look for offset {marked.offset(6)} in an older dump.",
            ),
            finding(
                "broken",
                detector="dangling-content-hash",
                title=f"Artifact {marked.entity('error', 'artifact')} cannot be read: offset {marked.offset(8)} needs content {CONTENT}",
                consequence_of="cause",
                first_offset=8,
                last_offset=8,
                evidence=[8],
            ),
            finding(
                "note", severity="info", detector="offset-order", title="Offsets begin at 0", evidence=[0]
            ),
        ],
        not_run=[{"detector": "lost-abort-marker", "why": "This layout carries no producer ids."}],
    )
    return write_results(folder, report, records=records_table(*rows), gaps=gaps)
