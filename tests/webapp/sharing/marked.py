"""A result folder in which everything that comes out of a journal is a mark, and the search for the marks.

Every column that is not PLAIN by the allow-list holds one, in every table; so does every text of report.json.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from spark.redaction.columns import COLUMNS, ColumnKind
from spark.report.typed_report import typed_report
from spark.tables import HEADERS, TABLES, Manifest
from spark.terms import marked as typed_marks
from tests.builders import key_hash

OFFSETS = 5
NOT_MARKED = (ColumnKind.PLAIN, ColumnKind.KEY_HASH_1, ColumnKind.KEY_HASH_2)
MARKS = {
    kind: f"Zq7{kind.name.title().replace('_', '')}Mark" for kind in ColumnKind if kind not in NOT_MARKED
}
REPORT_MARK = "Zq7ReportMark"
NAMING = ("topic", "replica", "key", "file", "name", "hash", "quote", "url")
EVERY_MARK = (*MARKS.values(), REPORT_MARK)
PLAIN_TEXTS = {
    "kind": "create", "layout": "log-segment", "codec": "none", "timestamp_type": "create", "reason": "torn",
    "cause": "unexplained", "outcome": "aborted", "compacted": "proven", "dirty_from": "batches",
    "stopped_by": "end of the log", "view": "log", "reading": "raw", "sha256": "ab" * 32,
}  # fmt: skip
PLAIN_TEXTS_OF = {
    "files": {"kind": "segment"},
    "index_entries": {"kind": "offset"},
    "set_aside": {"kind": "prompt"},
    "checkpoints": {"kind": "cleaner"},
}


def marked(folder: Path) -> Path:
    """Write the folder."""
    files, rows = {}, {}
    for name, table in TABLES.items():
        written = [_row(name, number) for number in range(1 if name == "files" else OFFSETS)]
        (folder / name).mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(written, schema=table.schema), folder / name / "0.parquet")
        files[name], rows[name] = [f"{name}/0.parquet"], len(written)
    Manifest(folder, files, rows).save()
    (folder / "report.json").write_text(json.dumps(_report()))
    return folder


def _row(table: str, number: int) -> dict[str, Any]:
    key = f"{MARKS[ColumnKind.KEY]}-{number % 4}".encode()
    first, second = key_hash(key)
    row: dict[str, Any] = {"key_hash_1": first, "key_hash_2": second}
    for column in TABLES[table].columns:
        kind = COLUMNS[table][column.name]
        if kind is ColumnKind.KEY:
            row[column.name] = key
        elif kind not in (ColumnKind.KEY_HASH_1, ColumnKind.KEY_HASH_2):
            row[column.name] = _value(table, column.name, column.type, kind, number)
    return row


def _value(table: str, name: str, type_: str, kind: ColumnKind, number: int) -> Any:
    mark = MARKS.get(kind, "")
    if kind is ColumnKind.MEMBERS:
        return json.dumps({"name": mark, mark: number, "record_offset": number})
    if type_ == HEADERS:
        return [{"key": f"{mark}Name".encode(), "value": mark.encode()}]
    if type_ == "array<string>":
        return [mark]
    if type_ == "binary":
        return json.dumps({"of": mark, "n": number}).encode()
    if kind in (ColumnKind.TOPIC, ColumnKind.COPY):
        return mark
    if type_ == "string":
        return f"{mark} offset {number} {mark}/{mark}" if mark else _plain(table, name)
    if type_ == "boolean":
        return not name.endswith("_is_null")
    return (
        number
        if name in ("offset", "first_offset", "last_offset", "valid_from_offset", "origin_offset")
        else _number(name)
    )


def _plain(table: str, name: str) -> str | None:
    return PLAIN_TEXTS_OF.get(table, {}).get(name, PLAIN_TEXTS.get(name))


def _number(name: str) -> int | None:
    if name in ("valid_to_offset", "superseded_by", "previous_offset", "control_type"):
        return None
    return 1_700_000_000_000 if name.endswith("_ms") else 40 if "bytes" in name else 0


def _report() -> dict[str, Any]:
    mark = REPORT_MARK
    value = typed_marks.name(mark)
    placed = [typed_marks.entity(mark, "artifact", f"artifact {mark}"), typed_marks.partition(mark, 0)]
    every = " ".join([*placed, *(typed_marks.mark(kind, mark) for kind in NAMING)])
    finding = {
        "id": "Zq7ReportMarkId", "detector": mark, "severity": "critical", "confidence": "proven",
        "title": f"Content {value} is lost: offset 4 replaces it", "explanation": f"1. {every}\n2. `{value} x`",
        "topic": MARKS[ColumnKind.TOPIC], "partition": 0, "first_offset": 4, "last_offset": 4, "key": f"{mark}Key",
        "evidence": [3, 4], "remedy": f"Use `kcat -k {value}`; {value}.", "references": ["https://example.org"],
        "consequence_of": None, "replica": MARKS[ColumnKind.COPY], "copies": [MARKS[ColumnKind.COPY]], "entity": f"content:{mark}/{mark}",
    }  # fmt: skip
    verdict = {"level": "critical", "sentence": f"{value} is lost."}
    where = {f"{MARKS[ColumnKind.TOPIC]}-0": [0, 4]}
    journal = {
        "topic": MARKS[ColumnKind.TOPIC], "partitions": [0], "dialect": mark, "dialect_title": value, "profile": value,
        "why": value, "runner_up": {"dialect": mark, "title": value, "why": value}, "verdict": verdict,
    }  # fmt: skip
    report = {
        "schema": 1,
        "files": [
            {
                "name": mark,
                "sha256": "ab" * 32,
                "kind": "segment",
                "layout": mark,
                "size_bytes": 9,
                "note": mark,
            }
        ],
        "verdict": verdict,
        "journals": [journal],
        "coverage": {
            "records": OFFSETS,
            "records_per_partition": dict.fromkeys(where, OFFSETS),
            "offsets_per_partition": where,
            "unreadable_bytes": 0,
            "isolation": "read_uncommitted",
            "cannot_tell": [value],
            mark: mark,
        },
        "findings": [
            finding,
            finding | {"id": mark, "consequence_of": "Zq7ReportMarkId", "severity": "info"},
        ],
        "clean": [mark],
        "not_run": [{"detector": mark, "why": value}],
        "format_advice": [
            {
                "topic": MARKS[ColumnKind.TOPIC],
                "partition": 0,
                "replica": MARKS[ColumnKind.COPY],
                "sentence": mark,
                "sections": [{"id": mark, "title": mark, "sentences": [mark], "steps": [mark]}],
            }
        ],
        "unheard_of": mark,
        "tables": mark,
    }
    typed = typed_report(report)
    older = {name: one for name, one in finding.items() if name != "references"} | {
        "id": "older",
        "title": mark,
    }
    return typed | {"findings": [*typed["findings"], older]}


def found_in(data: bytes, marks: tuple[str, ...] = EVERY_MARK) -> list[str]:
    """Marks in the bytes, as they are or in another form."""
    small = data.lower()
    return [f"{mark} as {form}" for mark in marks for form, needle in forms(mark) if needle.lower() in small]


def forms(mark: str) -> Iterator[tuple[str, bytes]]:
    """The mark as text, backwards compatible with whoever writes bytes: hex, base64, UTF-16, escapes."""
    data = mark.encode()
    yield "text", data
    yield "hex", data.hex().encode()
    yield "hex with blanks", data.hex(" ").encode()
    yield "utf-16-le", mark.encode("utf-16-le")
    yield "utf-16-be", mark.encode("utf-16-be")
    yield "escapes", "".join(f"\\u{ord(letter):04x}" for letter in mark).encode()
    yield "entities", "".join(f"&#{ord(letter)};" for letter in mark).encode()
    for shift in range(3):  # wherever in a longer text it stands
        encoded = base64.b64encode(b"\0" * shift + data)
        first, end = -(-shift * 8 // 6), (shift + len(data)) * 8 // 6  # characters that no neighbour changes
        yield f"base64 at {shift}", encoded[first:end]
    if quote(mark) != mark:
        yield "url", quote(mark).encode()
