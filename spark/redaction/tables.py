"""Writes the tables of a share: the columns that are allowed, rewritten, of the rows that are selected."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from spark.redaction.columns import COLUMNS, ORDERED_BY
from spark.redaction.rewriting import Rewriting
from spark.redaction.selection import KEPT, Selection
from spark.tables import TABLES, Manifest
from spark.tables.store import sql_type

THREADS = 2
MEMORY_LIMIT = "1GB"
ROW_GROUP_ROWS = 50_000
# Keys of a part are counted anew: what the share does not hold must not show in its numbers.
KEYS_OF_A_PART = """(
SELECT k.* REPLACE (s.first_offset AS first_offset, s.last_offset AS last_offset, s.versions AS versions,
                    s.tombstones AS tombstones, s.live_bytes AS live_bytes, s.dead_bytes AS dead_bytes)
FROM {keys} AS k JOIN (
    SELECT t.topic, t.partition, t.replica, key_hash_1, key_hash_2, min("offset") AS first_offset,
           max("offset") AS last_offset, count(*) AS versions, count_if(kind = 'tombstone') AS tombstones,
           arg_max(CASE WHEN kind = 'tombstone' THEN 0 ELSE key_size_bytes + value_size_bytes END, "offset")
               ::BIGINT AS live_bytes,
           (sum(key_size_bytes + value_size_bytes)
               - arg_max(key_size_bytes + value_size_bytes, "offset"))::BIGINT AS dead_bytes
    FROM {lifelines} AS t WHERE {kept} AND kind <> 'control' GROUP BY ALL
) AS s ON k.topic = s.topic AND k.partition = s.partition AND k.replica = s.replica
      AND k.key_hash_1 = s.key_hash_1 AND k.key_hash_2 = s.key_hash_2)
"""


def open_database(spill: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A database of its own, in memory; what does not fit goes into `spill`, and nowhere without one."""
    database = duckdb.connect(":memory:", config={"threads": THREADS, "memory_limit": MEMORY_LIMIT})
    database.execute("SET autoinstall_known_extensions = false")
    database.execute(f"SET temp_directory = {_quoted(str(spill) if spill else '')}")
    return database


def write_tables(
    database: duckdb.DuckDBPyConnection,
    source: Manifest,
    target: Path,
    rewriting: Rewriting,
    selection: Selection,
) -> Manifest:
    """Every allowed table of the source into `target`; the manifest of what was written is saved there."""
    rewriting.prepare(database)
    _prepare_selection(database, source, selection)
    _prepare_batches(database, source, rewriting, selection)
    files: dict[str, list[str]] = {}
    rows: dict[str, int] = {}
    for table in COLUMNS:
        condition = selection.condition(table)
        if condition is None or not source.paths(table):
            continue
        (target / table).mkdir(parents=True, exist_ok=True)
        name = f"{table}/0000.parquet"
        rows[table] = _write(database, source, table, condition, target / name, rewriting, selection)
        files[table] = [name]
    manifest = Manifest(target, files, rows)
    manifest.save()
    return manifest


def reading(source: Manifest, table: str) -> str:
    """SQL for a table of the source; for one without rows, no rows of it."""
    paths = source.paths(table)
    if paths:
        return f"read_parquet([{', '.join(map(_quoted, paths))}])"
    columns = (f'NULL::{sql_type(column.type)} AS "{column.name}"' for column in TABLES[table].columns)
    return f"(SELECT {', '.join(columns)} WHERE false)"


def _write(
    database: duckdb.DuckDBPyConnection,
    source: Manifest,
    table: str,
    condition: str,
    path: Path,
    rewriting: Rewriting,
    selection: Selection,
) -> int:
    rows = reading(source, table)
    if table == "keys" and selection.records is not None:
        rows = KEYS_OF_A_PART.format(
            keys=rows, lifelines=reading(source, "lifelines"), kept=selection.condition("lifelines")
        )
    columns = ", ".join(_column(table, column.name, column.type, rewriting) for column in TABLES[table].columns
                        if column.name in COLUMNS[table])  # fmt: skip
    query = f"SELECT {columns} FROM {rows} AS t WHERE {condition}"
    if table in ORDERED_BY:
        query = f"SELECT * FROM ({query}) ORDER BY {', '.join(ORDERED_BY[table])}"
    copied = database.execute(
        f"COPY ({query}) TO {_quoted(str(path))} "
        f"(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE {ROW_GROUP_ROWS})"
    ).fetchone()
    return int(copied[0]) if copied else 0


def _column(table: str, name: str, type_: str, rewriting: Rewriting) -> str:
    told = rewriting.column(name, COLUMNS[table][name])
    return f'CAST({told} AS {sql_type(type_)}) AS "{name}"'


def _prepare_batches(
    database: duckdb.DuckDBPyConnection, source: Manifest, rewriting: Rewriting, selection: Selection
) -> None:
    """`shown_batches`: those whose records are all in the share and shown as they are."""
    untouched, kept = rewriting.untouched(), selection.condition("records")
    has_both = bool(source.paths("records") and source.paths("batches"))
    is_shown = f"({kept}) AND {untouched}" if untouched and kept and has_both else "false"
    database.execute(
        f"""CREATE TEMP TABLE shown_batches AS
        SELECT b."file", b.position FROM {reading(source, "batches")} AS b
        JOIN (SELECT t."file", t.batch_position, count(*) AS shown FROM {reading(source, "records")} AS t
              WHERE {is_shown} GROUP BY ALL) AS r ON r."file" = b."file" AND r.batch_position = b.position
        WHERE r.shown >= coalesce(b.record_count, b.records_read)"""
    )


def _prepare_selection(database: duckdb.DuckDBPyConnection, source: Manifest, selection: Selection) -> None:
    """Tables that the conditions of a selection name: `kept`, the `spans` of each place, the `kept_files`."""
    if selection.places is None:
        return
    places = pa.Table.from_pylist(
        [dict(zip(KEPT.names[:3], place, strict=True)) for place in selection.places],
        schema=pa.schema(list(KEPT)[:3]),
    )
    records = selection.records if selection.records is not None else KEPT.empty_table()
    for name, rows in {"kept_places": places, "kept": records}.items():
        database.register("selected", rows)
        database.execute(f"CREATE TEMP TABLE {name} AS SELECT DISTINCT * FROM selected")
        database.unregister("selected")
    database.execute(
        'CREATE TEMP TABLE spans AS SELECT topic, "partition", replica, min("offset") AS first, max("offset") AS last '
        "FROM kept GROUP BY ALL"
    )
    database.execute(
        f'CREATE TEMP TABLE kept_files AS SELECT DISTINCT t."file" FROM {reading(source, "records")} AS t '
        'WHERE (t.topic, t."partition", t.replica, t."offset") IN (SELECT topic, "partition", replica, "offset" FROM kept)'
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
