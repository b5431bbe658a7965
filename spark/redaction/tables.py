"""Writes the tables of a share: the allowed columns, rewritten, of the selected rows."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from spark.redaction.columns import COLUMNS, ORDERED_BY
from spark.redaction.rewriting import Rewriting
from spark.redaction.selection import KEPT, Selection
from spark.tables import TABLES, Manifest
from spark.tables.store import ResultTables, sql_type

# Keys of a part are counted anew: what the share does not hold must not show in its numbers.
KEYS_OF_A_PART = """(
SELECT k.* REPLACE (s.first_offset AS first_offset, s.last_offset AS last_offset, s.versions AS versions,
                    s.tombstones AS tombstones, s.live_bytes AS live_bytes, s.dead_bytes AS dead_bytes)
FROM keys AS k JOIN (
    SELECT t.topic, t.partition, t.replica, key_hash_1, key_hash_2, min("offset") AS first_offset,
           max("offset") AS last_offset, count(*) AS versions, count_if(kind = 'tombstone') AS tombstones,
           arg_max(CASE WHEN kind = 'tombstone' THEN 0 ELSE key_size_bytes + value_size_bytes END, "offset")
               ::BIGINT AS live_bytes,
           (sum(key_size_bytes + value_size_bytes)
               - arg_max(CASE WHEN kind = 'tombstone' THEN 0 ELSE key_size_bytes + value_size_bytes END, "offset")
           )::BIGINT AS dead_bytes
    FROM lifelines AS t WHERE {kept} AND kind <> 'control' GROUP BY ALL
) AS s ON k.topic = s.topic AND k.partition = s.partition AND k.replica = s.replica
      AND k.key_hash_1 = s.key_hash_1 AND k.key_hash_2 = s.key_hash_2)
"""


def write_tables(
    tables: ResultTables, source: Manifest, target: Path, rewriting: Rewriting, selection: Selection
) -> Manifest:
    """Writes every allowed table of the source into `target`, and saves and returns its manifest."""
    rewriting.prepare(tables)
    _prepare_selection(tables, selection)
    _prepare_batches(tables, source, rewriting, selection)
    files: dict[str, list[str]] = {}
    rows: dict[str, int] = {}
    for table in COLUMNS:
        condition = selection.condition(table)
        if condition is None or not source.paths(table):
            continue
        (target / table).mkdir(parents=True, exist_ok=True)
        name = f"{table}/0000.parquet"
        query = _query(table, condition, rewriting, selection)
        rows[table] = tables.copy_to(query, target / name)
        files[table] = [name]
    manifest = Manifest(target, files, rows)
    manifest.save()
    return manifest


def _query(table: str, condition: str, rewriting: Rewriting, selection: Selection) -> str:
    rows = table
    if table == "keys" and selection.records is not None:
        rows = KEYS_OF_A_PART.format(kept=selection.condition("lifelines"))
    columns = ", ".join(
        _column(table, column.name, column.type, rewriting)
        for column in TABLES[table].columns
        if column.name in COLUMNS[table]
    )
    query = f"SELECT {columns} FROM {rows} AS t WHERE {condition}"
    if table not in ORDERED_BY:
        return query
    return f"SELECT * FROM ({query}) ORDER BY {', '.join(ORDERED_BY[table])}"


def _column(table: str, name: str, type_: str, rewriting: Rewriting) -> str:
    rewritten = rewriting.column(name, COLUMNS[table][name])
    return f'CAST({rewritten} AS {sql_type(type_)}) AS "{name}"'


def _prepare_batches(
    tables: ResultTables, source: Manifest, rewriting: Rewriting, selection: Selection
) -> None:
    """`shown_batches`: those with all records in the share and shown unchanged."""
    untouched, selected = rewriting.untouched(), selection.condition("records")
    has_both = bool(source.paths("records") and source.paths("batches"))
    is_shown = f"({selected}) AND {untouched}" if untouched and selected and has_both else "false"
    tables.materialize(
        "shown_batches",
        f"""SELECT b."file", b.position FROM batches AS b
        JOIN (SELECT t."file", t.batch_position, count(*) AS shown FROM records AS t
              WHERE {is_shown} GROUP BY ALL) AS r ON r."file" = b."file" AND r.batch_position = b.position
        WHERE r.shown >= coalesce(b.record_count, b.records_read)""",
    )


def _prepare_selection(tables: ResultTables, selection: Selection) -> None:
    """Tables for the conditions of a selection: `kept`, the `spans` of each place, the `kept_files`."""
    if selection.replicas is None:
        return
    replicas = pa.Table.from_pylist(
        [dict(zip(KEPT.names[:3], replica, strict=True)) for replica in selection.replicas],
        schema=pa.schema(list(KEPT)[:3]),
    )
    records = selection.records if selection.records is not None else KEPT.empty_table()
    for name, rows in {"kept_places": replicas, "kept": records}.items():
        tables.register(f"selected_{name}", rows)
        tables.materialize(name, f"SELECT DISTINCT * FROM selected_{name}")
    tables.materialize(
        "spans",
        'SELECT topic, "partition", replica, min("offset") AS first, max("offset") AS last FROM kept GROUP BY ALL',
    )
    tables.materialize(
        "kept_files",
        'SELECT DISTINCT t."file" FROM records AS t '
        'WHERE (t.topic, t."partition", t.replica, t."offset") IN (SELECT topic, "partition", replica, "offset" FROM kept)',
    )
