"""The records of `_schemas` topics with the few members that the detectors of this section compare.

`registry_writes` is made once for all of them: to take JSON apart costs more than all they ask (of a large journal
`spark.report.shared_tables` makes it, some files of `entries` at a time). A record counts for
its registry unless Redpanda's is the reader and the record's seq is not its offset; that one is a write that lost its
race. Redpanda's is the reader where most records carry a seq, whoever read the topic last. `registry_copies` names the
copies of partitions whose seqs cannot be their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spark.storage.copies import all_fetched
from spark.storage.stored_path import ResultPath
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, quoted, replica_of, same_replica
from spark.tables.store import ResultTables

DIALECT = "schema-registry"
RACE_REACH = 100  # offsets; a write that lost its race is tried again well within them

# A journal is a copy when this many records name a seq above their offset, and this share of those with a seq among them.
COPIED_RECORDS = 3
COPIED_SHARE = 0.5
SEQUENCED_SHARE = 0.5  # of schemas and settings with a seq: from it on the journal is Redpanda's

TYPES = "('SCHEMA', 'CONFIG', 'MODE', 'DELETE_SUBJECT', 'CLEAR_SUBJECT', 'NOOP')"
MEMBERS = (
    "subject", "version", "id", "seq", "node", "textHash", "context", "keyForm", "magic", "host", "writer",
    "cachedTs", "compatibility", "mode", "references",
)  # fmt: skip
# A table of its own, so that it is known to be small: joined from a subquery, the records are the side that is hashed.
READERS = f"""
    WITH owners AS (
        SELECT {REPLICA_COLUMNS}, any_value(profile) AS owner
        FROM (
            SELECT {REPLICA_COLUMNS}, profile FROM state WHERE is_own AND view = 'log'
            UNION ALL SELECT {REPLICA_COLUMNS}, profile FROM refusals WHERE is_own AND view = 'log'
        ) GROUP BY ALL
    ),
    sequenced AS (
        SELECT {REPLICA_COLUMNS}, true AS is_sequenced FROM entries WHERE entry_type IN ('SCHEMA', 'CONFIG', 'MODE')
        GROUP BY ALL HAVING count_if(contains(attributes, '"seq":')) >= {SEQUENCED_SHARE} * count(*)
    )
    SELECT {REPLICA_COLUMNS}, CASE WHEN is_sequenced THEN 'redpanda' ELSE owner END AS owner
    FROM owners FULL JOIN sequenced USING ({REPLICA_COLUMNS})
"""
WRITES = f"""
    WITH read AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, entry_action, entity_id,
            json_extract_string(attributes, [{", ".join(f"'$.{name}'" for name in MEMBERS)}]) AS x
        FROM %s WHERE entry_type IN {TYPES} AND entry_action IS NOT NULL
    ),
    typed AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, entry_action, entity_id, x[1] AS subject,
            TRY_CAST(x[2] AS BIGINT) AS version, TRY_CAST(x[3] AS BIGINT) AS id, TRY_CAST(x[4] AS BIGINT) AS seq,
            x[5] AS node, hash(x[6]) AS text, coalesce(x[7], '.') AS context, x[8] AS key_form, x[9] AS magic,
            x[10] AS host, x[11] AS writer, x[12] IS NOT NULL AS is_rewrite, x[13] AS level, x[14] AS mode,
            x[15] IS NOT NULL AS has_references,
            hash([x[8], x[9], CASE WHEN x[4] IS NULL THEN '' ELSE 'seq' END]) AS form
        FROM read
    )
    SELECT typed.*, owner, coalesce(owner, '') <> 'redpanda' OR seq IS NULL OR seq = "offset"
        OR entry_action IN ('delete', 'empty') AS counts
    FROM typed LEFT JOIN registry_readers USING ({REPLICA_COLUMNS})
"""
COPIES = f"""
    WITH copied AS (
        SELECT {REPLICA_COLUMNS}, min("offset") FILTER (seq > "offset") AS first_offset,
            max("offset") FILTER (seq > "offset") AS last_offset, count_if(seq > "offset") AS ahead
        FROM registry_writes WHERE seq IS NOT NULL GROUP BY ALL HAVING ahead >= {COPIED_RECORDS}
    )
    SELECT copied.*, count(*) AS records, arg_min(seq - "offset", "offset") FILTER (seq > "offset") AS first_shift,
        arg_max(seq - "offset", "offset") FILTER (seq > "offset") AS last_shift,
        count_if(seq <> "offset" AND entry_action NOT IN ('delete', 'empty')) AS ignored,
        list("offset" ORDER BY "offset") FILTER (seq > "offset") AS offsets
    FROM copied JOIN registry_writes USING ({REPLICA_COLUMNS})
    WHERE seq IS NOT NULL AND "offset" BETWEEN first_offset AND last_offset
    GROUP BY ALL HAVING ahead >= {COPIED_SHARE} * records
"""
IN_A_COPY = f"({REPLICA_COLUMNS}) IN (SELECT ({REPLICA_COLUMNS}) FROM registry_copies)"
# The records of Redpanda's own journals, whose seqs mean what they say; then those whose seq is not their offset.
SEQUENCED = f"SELECT * FROM registry_writes WHERE owner = 'redpanda' AND seq IS NOT NULL AND NOT {IN_A_COPY}"
MISPLACED = f"SELECT * FROM registry_writes WHERE NOT counts AND NOT {IN_A_COPY}"
MISSING_OFFSETS = f"""
    SELECT {REPLICA_COLUMNS}, "offset" + 1 AS first_offset, following - 1 AS last_offset
    FROM (
        SELECT {REPLICA_COLUMNS}, "offset", lead("offset") OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset") AS following FROM lifelines
        WHERE ({REPLICA_COLUMNS}) IN (SELECT DISTINCT {REPLICA_COLUMNS} FROM registry_writes)
    )
    WHERE following > "offset" + 1
    UNION ALL
    SELECT {REPLICA_COLUMNS}, 0, min("offset") - 1 FROM lifelines
    WHERE ({REPLICA_COLUMNS}) IN (SELECT DISTINCT {REPLICA_COLUMNS} FROM registry_writes) GROUP BY ALL HAVING min("offset") > 0
    ORDER BY ALL
"""


def prepared(tables: ResultTables) -> ResultTables:
    """The same tables, with `registry_writes` and `registry_copies` among them."""
    if not tables.has("registry_writes"):
        tables.materialize("registry_readers", READERS)
        tables.materialize("registry_writes", WRITES % "entries")
    tables.materialize("registry_copies", COPIES)
    return tables


def write_portion(tables: ResultTables, files: Sequence[str], path: ResultPath) -> None:
    """The part of `registry_writes` that comes of these files of `entries`, as a file."""
    tables.materialize("registry_readers", READERS)
    listed = ", ".join(quoted(file) for file in all_fetched(files))
    tables.copy_to(WRITES % f"read_parquet([{listed}])", path)


class Gaps:
    """Offsets that no record of a partition's copy has: compaction took them, or they never held data."""

    def __init__(self, tables: ResultTables) -> None:
        ranges: dict[PartitionReplica, list[tuple[int, int]]] = {}
        for row in tables.rows(MISSING_OFFSETS):
            ranges.setdefault(replica_of(row), []).append((row["first_offset"], row["last_offset"]))
        self._gaps = {replica: np.array(spans).T for replica, spans in ranges.items()}

    def any_in(self, replica: PartitionReplica, first: int, last: int) -> bool:
        """Whether one of these offsets is missing."""
        if replica not in self._gaps:
            return False
        starts, ends = self._gaps[replica]
        number = int(np.searchsorted(ends, first))
        return number < len(starts) and bool(starts[number] <= last)


def same_key(table: str, other: str) -> str:
    """Condition in SQL: records of sequenced journals whose keys are of one version, with the same seq and node, if any."""
    members = (f"{table}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in ("entity_id", "seq", "node"))
    return " AND ".join((same_replica(table, other), *members))


def version_of(row: Any) -> str:
    """What a finding calls a subject's version, for links between findings."""
    return f"schema:{row['entity_id']}"


def id_of(row: Any) -> str:
    """The same for an id within its context."""
    return f"schema-id:{row['context']}/{row['id']}"


def may_set_mode(row: Any) -> list[str]:
    """Whose mode holds for a record, the nearest first: its subject's, its context's, that of all."""
    return [row["subject"], f":{row['context']}:", "", ":.__GLOBAL:"]


def distinct(names: Iterable[str]) -> list[str]:
    """Each once, in their order."""
    return list(dict.fromkeys(names))
