"""Every table of an inspection: grain, columns, units. Imports no pyspark, so that the web may read it too.

An inspection's result folder holds one folder of Parquet files per table and `tables.json`, which names the
files that count: `{"<table>": {"files": ["records/0003-a1.parquet", ...], "rows": 1234}}`. A file that is not
named there is left over from a failed attempt and is never read.

Names are Kafka's own words in snake_case; units stand in the name; bounds are inclusive. Null means "the source
could not tell" unless the column's text says otherwise; `key_is_null` and `value_is_null` are always explicit.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

HEADERS = "array<struct<key:binary,value:binary>>"


@dataclass(frozen=True)
class Column:
    """One column: its Spark SQL type and what it means."""

    name: str
    type: str
    text: str


@dataclass(frozen=True)
class Table:
    """One table: its name, what one row stands for, and its columns in order."""

    name: str
    grain: str
    columns: tuple[Column, ...]

    @property
    def ddl(self) -> str:
        """The schema as Spark reads it."""
        return ", ".join(f"`{column.name}` {column.type}" for column in self.columns)

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema as pyarrow writes it."""
        import pyarrow as pa

        scalars = {
            "string": pa.string(),
            "binary": pa.binary(),
            "boolean": pa.bool_(),
            "tinyint": pa.int8(),
            "smallint": pa.int16(),
            "int": pa.int32(),
            "bigint": pa.int64(),
            "double": pa.float64(),
            "array<bigint>": pa.list_(pa.int64()),
            "array<string>": pa.list_(pa.string()),
            HEADERS: pa.list_(pa.struct([("key", pa.binary()), ("value", pa.binary())])),
        }
        return pa.schema([(column.name, scalars[column.type]) for column in self.columns])


TABLES: dict[str, Table] = {}  # every table defined below, by name


def _table(name: str, grain: str, *columns: tuple[str, str, str]) -> Table:
    TABLES[name] = Table(name, grain, tuple(Column(*column) for column in columns))
    return TABLES[name]


WHERE = (
    ("topic", "string", "topic name; `?` where the layout does not say"),
    ("partition", "int", "partition number"),
    (
        "replica",
        "string",
        "which copy of the partition: the folder above it when there are several, else empty",
    ),
)
PLACE = (*WHERE, ("file", "int", "row of `files` the bytes came from"))

FILES = _table(
    "files",
    "input file, archive members one by one",
    ("file", "int", "number, referred to by the other tables"),
    ("name", "string", "path as uploaded, archive members as `archive.zip/member`"),
    ("sha256", "string", "of the file's bytes, lower-case hex"),
    ("kind", "string", "segment | export | companion | ignored"),
    ("layout", "string", "id of the source that reads it, or null"),
    ("layout_title", "string", "the same in words"),
    ("topic", "string", "topic the name or first record gives"),
    ("partition", "int", "partition the folder's name gives"),
    ("replica", "string", "see the other tables"),
    ("base_offset", "bigint", "offset in a segment's file name"),
    ("size_bytes", "bigint", "size"),
    ("cannot_tell", "array<string>", "sentences: what this layout loses"),
    ("note", "string", "how it was recognised, or why it was not"),
)

BATCHES = _table(
    "batches",
    "record batch (v2) or message-set entry (v0, v1), in file order",
    *PLACE,
    ("position", "bigint", "byte position in the file"),
    ("size_bytes", "int", "with the 12 bytes of offset and length"),
    ("base_offset", "bigint", ""),
    ("last_offset", "bigint", "base offset + last offset delta"),
    ("magic", "tinyint", "message format version"),
    ("codec", "string", "none | gzip | snappy | lz4 | zstd"),
    ("timestamp_type", "string", "create | log_append"),
    ("base_timestamp_ms", "bigint", "null when the field holds the delete horizon"),
    ("max_timestamp_ms", "bigint", ""),
    ("delete_horizon_ms", "bigint", "set by the cleaner (attribute bit 6), else null"),
    ("leader_epoch", "int", "-1: none"),
    ("producer_id", "bigint", "-1: none"),
    ("producer_epoch", "smallint", "-1: none"),
    ("base_sequence", "int", "-1: none"),
    ("is_transactional", "boolean", ""),
    ("is_control", "boolean", ""),
    ("record_count", "int", "as the header says"),
    ("records_read", "int", "records that could be decoded"),
    ("crc_stored", "bigint", "unsigned 32 bits"),
    ("crc_computed", "bigint", "unsigned 32 bits"),
    ("crc_ok", "boolean", ""),
)

RECORDS = _table(
    "records",
    "record, control records included; sorted by place in the file",
    *PLACE,
    ("offset", "bigint", ""),
    ("batch_position", "bigint", "byte position of its batch; of its line or element in a text export"),
    ("timestamp_ms", "bigint", "record timestamp"),
    ("timestamp_type", "string", "create | log_append"),
    ("key", "binary", "key bytes as the broker held them"),
    ("value", "binary", "value bytes as the broker held them"),
    ("key_is_null", "boolean", ""),
    ("value_is_null", "boolean", "true: a tombstone"),
    ("key_size_bytes", "int", "0 for null"),
    ("value_size_bytes", "int", "0 for null"),
    ("headers", HEADERS, "in order, duplicates kept; value null possible; null: the layout carries none"),
    ("control_type", "string", "commit | abort | leader_change | snapshot_header | ... ; null: data"),
    ("producer_id", "bigint", ""),
    ("producer_epoch", "smallint", ""),
    ("sequence", "int", ""),
    ("key_hash_1", "bigint", "first half of the 128-bit hash of the key bytes; 0 for a null key"),
    ("key_hash_2", "bigint", "second half"),
    ("entry_type", "string", "what the dialect calls it (Content, Artifact, ...); null in a plain topic"),
    ("entry_action", "string", "create | update | delete | import | restart | ...; null in a plain topic"),
)

DAMAGE = _table(
    "damage",
    "stretch of bytes that could not be read",
    *PLACE,
    ("position", "bigint", "first byte"),
    ("size_bytes", "bigint", "length of the stretch"),
    (
        "reason",
        "string",
        "truncated | torn (its end is zeros to the end of the file) | zeros_at_end | zeros | not_a_batch | undecodable_records | bad_line | old_format",
    ),
    ("detail", "string", "one sentence"),
    ("first_offset", "bigint", "first offset that fell in it, when the neighbours tell"),
    ("last_offset", "bigint", "last such offset; null when unknown"),
    ("batches_after", "boolean", "readable data follows in the same file"),
)

INDEX_ENTRIES = _table(
    "index_entries",
    "entry of an offset or time index, zeros at the end left out",
    *PLACE,
    ("base_offset", "bigint", "offset in the index's file name: that of its segment"),
    ("kind", "string", "offset | time"),
    ("offset", "bigint", "offset the entry names: base offset + relative offset"),
    ("position_bytes", "bigint", "place in the segment's file; null in a time index"),
    ("timestamp_ms", "bigint", "null in an offset index"),
)

RUNS = _table(
    "runs",
    "unbroken run of offsets within one split, in file order",
    *PLACE,
    ("position", "bigint", "byte position of the run's first batch or line"),
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
)

ENTRIES = _table(
    "entries",
    "data record as its dialect reads it",
    *PLACE,
    ("offset", "bigint", ""),
    ("entry_type", "string", ""),
    ("entry_action", "string", ""),
    ("entity_id", "string", "what the entry is about, parts joined with `/`"),
    ("attributes", "string", "JSON object; member names are the journal's own"),
    ("decode_error", "string", "why key or value could not be read; null: fine"),
    ("reading", "string", "form of the bytes the reading needed: raw | latin-1 | utf-8 | replaced"),
)

LIFELINES = _table(
    "lifelines",
    "record related to its key: narrow, each file sorted by topic, partition, replica, offset; also the marks of a chart",
    *WHERE,
    ("offset", "bigint", ""),
    ("timestamp_ms", "bigint", ""),
    ("key_hash_1", "bigint", ""),
    ("key_hash_2", "bigint", ""),
    ("previous_offset", "bigint", "the record before it with the same key; null: the first"),
    ("superseded_by", "bigint", "the record after it with the same key; null: the last"),
    ("kind", "string", "create | update | tombstone | revive | control | restart"),
    ("entry_type", "string", ""),
    ("key_size_bytes", "int", ""),
    ("value_size_bytes", "int", ""),
)

KEYS = _table(
    "keys",
    "distinct key of a partition",
    *WHERE,
    ("key_hash_1", "bigint", ""),
    ("key_hash_2", "bigint", ""),
    ("key", "binary", ""),
    ("entry_type", "string", "of its last record"),
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
    ("versions", "bigint", "records with this key"),
    ("tombstones", "bigint", "of which with a null value"),
    ("live_bytes", "bigint", "key and value of its last record; 0 when that is a tombstone"),
    ("dead_bytes", "bigint", "key and value of the records before"),
)

GAPS = _table(
    "gaps",
    "range of offsets that no readable record or batch covers",
    *WHERE,
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
    ("cause", "string", "compaction | damage | unknown"),
    ("proof", "string", "one sentence"),
)

STATE = _table(
    "state",
    "one version of one entity, as the real service replays the journal",
    *WHERE,
    ("entity_type", "string", ""),
    ("entity_id", "string", ""),
    ("attributes", "string", "JSON object"),
    ("valid_from_offset", "bigint", "first offset after which it holds"),
    ("valid_to_offset", "bigint", "first offset after which it no longer holds; null: holds at the end"),
    ("origin_offset", "bigint", "record that set it"),
)

REFUSALS = _table(
    "refusals",
    "entry that the real service drops at replay, and why",
    *WHERE,
    ("offset", "bigint", ""),
    ("entity_type", "string", ""),
    ("entity_id", "string", ""),
    ("reason", "string", "id of the reason"),
    ("needs", "string", "entity it lacked"),
    ("available_from_offset", "bigint", "offset of the record that brings what it lacked; null: none does"),
)


@dataclass(frozen=True)
class Manifest:
    """The files of each table that count, and their row counts."""

    folder: Path
    files: dict[str, list[str]]
    rows: dict[str, int]

    def paths(self, table: str) -> list[str]:
        """Absolute paths of the table's Parquet files; empty when the table has no rows."""
        return [str(self.folder / name) for name in self.files.get(table, [])]

    def save(self) -> None:
        """Write `tables.json`, whole or not at all."""
        document = {
            name: {"files": names, "rows": self.rows.get(name, 0)} for name, names in self.files.items()
        }
        partial = self.folder / "tables.json.tmp"
        partial.write_text(json.dumps(document))
        partial.replace(self.folder / "tables.json")

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read `tables.json` of a result folder."""
        document = json.loads((folder / "tables.json").read_text())
        files = {name: entry["files"] for name, entry in document.items()}
        return cls(folder, files, {name: entry["rows"] for name, entry in document.items()})
