"""Tables for tests, in the schemas of `spark.tables`: a row spells out what the test is about, the rest is plain.

A row is a dict; rows are given in the order of their offsets, which count on from the row before unless said.
Keyword arguments hold for every row: `records_table({"key": b"a"}, {"key": b"a", "value": None}, partition=3)`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pyarrow as pa

from spark.tables import TABLES
from spark.tables.connections import TASK, connect
from spark.tables.store import ResultTables
from spark.tables.views import TableSource, TableViews, empty, named_views
from tests.generator.segment import SOME_TIME_MS

Row = Mapping[str, Any]
SOME_BATCH_BYTES = 100
SOME_CRC = 0x1234_5678


def key_hash(key: bytes | None) -> tuple[int, int]:
    """Two signed 64-bit halves; zeros for a null key. Equal keys, equal hashes: all that tests need."""
    if key is None:
        return 0, 0
    digest = hashlib.blake2b(key, digest_size=16).digest()
    return int.from_bytes(digest[:8], "big", signed=True), int.from_bytes(digest[8:], "big", signed=True)


def table(name: str, rows: tuple[Row, ...], shared: Row, plain: Callable[[dict[str, Any]], Row]) -> pa.Table:
    """Rows of one table. `plain` gives the defaults of a row, seeing what is known of it."""
    schema = TABLES[name].schema
    filled = []
    next_offset = 0
    for row in rows:
        known = {
            "topic": "journal",
            "partition": 0,
            "replica": "",
            "file": 0,
            "next": next_offset,
            **shared,
            **row,
        }
        whole = {**plain(known), **known}
        next_offset = 1 + int(whole.get("last_offset") or whole.get("offset") or whole["next"])
        if unknown := (set(row) | set(shared)) - set(schema.names):
            message = f"table {name} has no column {sorted(unknown)}"
            raise ValueError(message)
        filled.append({column: whole.get(column) for column in schema.names})
    return pa.Table.from_pylist(filled, schema=schema)


def given_tables(tables: Mapping[str, pa.Table], is_wide: bool = False) -> ResultTables:
    """Tables in memory, asked as those of an inspection are."""
    connection = connect(TASK)
    for name, rows in tables.items():
        connection.register(f"given_{name}", rows)
    prefixes = {"", *(name.removesuffix("state") for name in tables if name.endswith("_state"))}
    sources: dict[str, TableSource] = {prefix + name: empty(name) for prefix in prefixes for name in TABLES}
    sources |= {name: f"given_{name}" for name in tables}
    for prefix in prefixes:
        sources |= named_views(prefix)
    again = partial(given_tables, tables, is_wide=True)
    return ResultTables(TableViews(connection, sources, None if is_wide else again))


def records_table(*rows: Row, **shared: Any) -> pa.Table:
    """Data records with a key of their own and a small value; sizes, nulls and hashes follow from the bytes."""
    return table("records", rows, shared, _record)


def _record(known: dict[str, Any]) -> Row:
    offset = known.get("offset", known["next"])
    key, value = known.get("key", b"key-%d" % offset), known.get("value", b"value")
    first, second = key_hash(key)
    return {
        "offset": offset,
        "batch_position": SOME_BATCH_BYTES * offset,
        "timestamp_ms": SOME_TIME_MS + 1000 * offset,
        "timestamp_type": "create",
        "key": key,
        "value": value,
        "key_is_null": key is None,
        "value_is_null": value is None,
        "key_size_bytes": len(key or b""),
        "value_size_bytes": len(value or b""),
        "headers": [],
        "producer_id": -1,
        "producer_epoch": -1,
        "sequence": -1,
        "key_hash_1": first,
        "key_hash_2": second,
    }


def batches_table(*rows: Row, **shared: Any) -> pa.Table:
    """Sound batches of format 2, one record each, one after the other in the file."""
    return table("batches", rows, shared, _batch)


def _batch(known: dict[str, Any]) -> Row:
    base_offset = known.get("base_offset", known["next"])
    last_offset = known.get("last_offset", base_offset)
    record_count = known.get("record_count", last_offset - base_offset + 1)
    crc_stored = known.get("crc_stored", SOME_CRC)
    crc_computed = known.get("crc_computed", crc_stored)
    return {
        "position": SOME_BATCH_BYTES * base_offset,
        "size_bytes": SOME_BATCH_BYTES,
        "base_offset": base_offset,
        "last_offset": last_offset,
        "magic": 2,
        "codec": "none",
        "timestamp_type": "create",
        "base_timestamp_ms": SOME_TIME_MS + 1000 * base_offset,
        "max_timestamp_ms": SOME_TIME_MS + 1000 * last_offset,
        "leader_epoch": 0,
        "producer_id": -1,
        "producer_epoch": -1,
        "base_sequence": -1,
        "is_transactional": False,
        "is_control": False,
        "record_count": record_count,
        "records_read": record_count,
        "crc_stored": crc_stored,
        "crc_computed": crc_computed,
        "crc_ok": crc_stored == crc_computed,
    }


def entries_table(*rows: Row, **shared: Any) -> pa.Table:
    """Entries that could be read; `attributes` may be a dict."""
    spelled = tuple({**row, **_attributes(row)} for row in rows)
    return table("entries", spelled, {**shared, **_attributes(shared)}, _entry)


def _attributes(row: Row) -> Row:
    attributes = row.get("attributes")
    return {"attributes": json.dumps(attributes)} if isinstance(attributes, dict) else {}


def _entry(known: dict[str, Any]) -> Row:
    offset = known.get("offset", known["next"])
    return {
        "offset": offset,
        "entry_type": "Artifact",
        "entry_action": "create",
        "entity_id": f"entity-{offset}",
        "attributes": "{}",
        "reading": "raw",
    }


def lifelines_table(*rows: Row, **shared: Any) -> pa.Table:
    """Records that are each the only one of their key; `key` may be given in place of the two hashes."""
    spelled = tuple(_hashed(row) for row in rows)
    return table("lifelines", spelled, _hashed(shared), _lifeline)


def _hashed(row: Row) -> Row:
    if "key" not in row:
        return row
    first, second = key_hash(row["key"])
    rest = {name: value for name, value in row.items() if name != "key"}
    return {"key_hash_1": first, "key_hash_2": second, **rest}


def _lifeline(known: dict[str, Any]) -> Row:
    offset = known.get("offset", known["next"])
    first, second = key_hash(b"key-%d" % offset)
    return {
        "offset": offset,
        "timestamp_ms": SOME_TIME_MS + 1000 * offset,
        "key_hash_1": first,
        "key_hash_2": second,
        "kind": "create" if known.get("previous_offset") is None else "update",
        "key_size_bytes": 5,
        "value_size_bytes": 0 if known.get("kind") == "tombstone" else 5,
    }


def damage_table(*rows: Row, **shared: Any) -> pa.Table:
    """Stretches of bytes that are no batch, with readable data after them."""
    return table("damage", rows, shared, _damage)


def _damage(known: dict[str, Any]) -> Row:
    return {
        "position": SOME_BATCH_BYTES,
        "size_bytes": SOME_BATCH_BYTES,
        "reason": "not_a_batch",
        "detail": "The bytes there are no record batch.",
        "batches_after": known.get("reason") not in {"truncated", "zeros_at_end"},
    }


def files_table(*rows: Row, **shared: Any) -> pa.Table:
    """Segments that were recognised, numbered in their order."""
    numbered = tuple({"file": number, **row} for number, row in enumerate(rows))
    return table("files", numbered, shared, _file)


def _file(known: dict[str, Any]) -> Row:
    name = known.get("name", "journal-0/00000000000000000000.log")
    return {
        "name": name,
        "sha256": hashlib.sha256(name.encode()).hexdigest(),
        "kind": "segment",
        "layout": "log-segment",
        "layout_title": "Log segment",
        "base_offset": 0,
        "size_bytes": 1000,
        "cannot_tell": [],
        "note": "",
    }


def other_table(name: str, *rows: Row, **shared: Any) -> pa.Table:
    """Rows of any other table (gaps, keys, runs, state, refusals): what is not given is null."""
    return table(name, rows, shared, lambda _: {})
