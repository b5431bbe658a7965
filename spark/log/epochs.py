"""Epochs and formats: which leader epoch and which message format a log was written in, from where to where.

Both are read off the batches in the order in which they lie in the log: files by the middle of their offsets (a name
or one header may be wrong), batches by position. Batches with a wrong checksum are left out: what they say of
themselves may be what is damaged. Beside the epochs of the batches stand those of the leader-epoch-checkpoint.
"""

from __future__ import annotations

from spark.tables import TABLES, Manifest, Part
from spark.tables.parquet import write_parts
from spark.tables.replica import REPLICA_COLUMNS
from spark.tables.store import ResultTables

MAX_FILE_BYTES = 1 << 41  # a segment has at most 2 GiB; a place in the log is one number
SOUND = "crc_ok IS NOT false"  # null: a text dump that does not hold the whole batch

EPOCHS = f"""
    WITH written AS (
        SELECT {REPLICA_COLUMNS}, leader_epoch AS epoch, min(base_offset) AS first_offset, max(last_offset) AS last_offset,
            count(*) AS batches, nullif(arg_min(max_timestamp_ms, base_offset), -1) AS first_timestamp_ms
        FROM batches WHERE magic >= 2 AND leader_epoch >= 0 AND {SOUND} GROUP BY ALL
    ),
    noted AS (
        SELECT {REPLICA_COLUMNS}, epoch, min(start_offset) AS checkpoint_offset FROM epoch_entries GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, epoch, first_offset, last_offset, coalesce(batches, 0) AS batches, first_timestamp_ms,
        checkpoint_offset
    FROM written FULL JOIN noted USING ({REPLICA_COLUMNS}, epoch)
    ORDER BY {REPLICA_COLUMNS}, epoch
"""

MEASURES = """
    arg_min(base_offset, place) AS first_offset, arg_max(last_offset, place) AS last_offset, count(*) AS batches,
    arg_min(max_timestamp_ms, place) FILTER (magic > 0 AND max_timestamp_ms >= 0) AS first_timestamp_ms,
    arg_max(max_timestamp_ms, place) FILTER (magic > 0 AND max_timestamp_ms >= 0) AS last_timestamp_ms,
    arg_min(leader_epoch, place) AS first_leader_epoch, arg_max(leader_epoch, place) AS last_leader_epoch
"""

# Most logs have one format; only those with several are put in order.
FORMATS = f"""
    WITH files_in_order AS (
        SELECT file, row_number() OVER (ORDER BY quantile_disc(base_offset, 0.5), file) AS rank
        FROM batches WHERE {SOUND} GROUP BY file
    ),
    sound AS (
        SELECT {REPLICA_COLUMNS}, magic, base_offset, last_offset, max_timestamp_ms, coalesce(leader_epoch, -1) AS leader_epoch,
            rank * {MAX_FILE_BYTES} + position AS place
        FROM batches JOIN files_in_order USING (file) WHERE {SOUND}
    ),
    mixed AS (SELECT {REPLICA_COLUMNS} FROM batches WHERE {SOUND} GROUP BY ALL HAVING min(magic) < max(magic)),
    placed AS (
        SELECT *, row_number() OVER log - row_number() OVER magic_of_log AS run
        FROM sound SEMI JOIN mixed USING ({REPLICA_COLUMNS})
        WINDOW log AS (PARTITION BY {REPLICA_COLUMNS} ORDER BY place), magic_of_log AS (PARTITION BY {REPLICA_COLUMNS}, magic ORDER BY place)
    ),
    stretches AS (
        SELECT {REPLICA_COLUMNS}, magic, run, min(place) AS first_place, {MEASURES} FROM placed GROUP BY {REPLICA_COLUMNS}, magic, run
        UNION ALL
        SELECT {REPLICA_COLUMNS}, magic, 0 AS run, min(place) AS first_place, {MEASURES}
        FROM sound ANTI JOIN mixed USING ({REPLICA_COLUMNS}) GROUP BY {REPLICA_COLUMNS}, magic
    )
    SELECT * EXCLUDE (run, first_place),
        row_number() OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY first_place) - 1 AS number
    FROM stretches ORDER BY {REPLICA_COLUMNS}, number
"""


def write_epochs(manifest: Manifest) -> list[Part]:
    """Write the tables `epochs` and `formats`. Runs in a Spark task."""
    if not manifest.rows.get("batches") and not manifest.rows.get("epoch_entries"):
        return []
    tables = ResultTables.open(manifest)
    queries = {"epochs": EPOCHS, "formats": FORMATS}
    return write_parts(
        manifest, {name: TABLES[name].filled(tables.rows(sql)) for name, sql in queries.items()}
    )
