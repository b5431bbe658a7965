"""Several sources: two connectors write one schema history of Debezium.

Innocent: several databases of one server; one server after the other (low: renamed, or a second connector).
Page: docs/detectors/several-sources.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, plural

NAMED = 4
RETURNS = 2
SERVERS = f"""
    WITH changes AS (
        SELECT {REPLICA_COLUMNS}, "offset", attributes ->> '$.source.server' AS server FROM entries
        WHERE entry_type = 'schema-change' AND decode_error IS NULL AND entry_action <> 'ignored'
    ),
    servers AS (
        SELECT {REPLICA_COLUMNS}, server, min("offset") AS first_offset, max("offset") AS last_offset, count(*) AS records
        FROM changes WHERE server IS NOT NULL GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, list(server ORDER BY first_offset) AS servers, list(records ORDER BY first_offset) AS records,
        list(first_offset ORDER BY first_offset) AS firsts, list(last_offset ORDER BY first_offset) AS lasts,
        min(first_offset) AS first_offset, max(last_offset) AS last_offset
    FROM servers GROUP BY {REPLICA_COLUMNS} HAVING count(*) > 1 ORDER BY {REPLICA_COLUMNS}
"""
# One source, and new positions in the binary log go back again and again, in each database: two connectors with one name.
POSITIONS = f"""
    WITH changes AS (
        SELECT {REPLICA_COLUMNS}, "offset", attributes ->> '$.source.server' AS server, attributes ->> '$.databaseName' AS database,
            TRY_CAST(regexp_extract(attributes ->> '$.position.file', '([0-9]+)$', 1) AS BIGINT) AS file,
            TRY_CAST(attributes ->> '$.position.pos' AS BIGINT) AS pos
        FROM entries WHERE entry_type = 'schema-change' AND decode_error IS NULL AND entry_action <> 'ignored'
            AND coalesce(attributes ->> '$.position.snapshot', 'false') = 'false'
    ),
    once AS (
        SELECT {REPLICA_COLUMNS}, server, database, file, pos, min("offset") AS "offset" FROM changes
        WHERE file IS NOT NULL AND pos IS NOT NULL GROUP BY ALL
    ),
    steps AS (
        SELECT *, lag(file) OVER one AS file_before, lag("offset") OVER one AS offset_before FROM once
        WINDOW one AS (PARTITION BY {REPLICA_COLUMNS}, server, database ORDER BY "offset")
    )
    SELECT {REPLICA_COLUMNS}, server, database, list(file ORDER BY "offset") AS lows, list(file_before ORDER BY "offset") AS highs,
        min(offset_before) AS first_offset, max("offset") AS last_offset
    FROM steps WHERE file < file_before GROUP BY {REPLICA_COLUMNS}, server, database
    HAVING count(DISTINCT file) >= {RETURNS} AND lows = list_sort(lows) AND highs = list_sort(highs) AND highs[1] < highs[-1]
    ORDER BY {REPLICA_COLUMNS}, server
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per history of several servers, and one per history that two connectors of one name write."""
    return [*tables.rows(SERVERS), *tables.rows(POSITIONS)]


def describe(row: Row) -> Finding:
    return of_one_name(row) if "lows" in row else of_servers(row)


def of_servers(row: Row) -> Finding:
    """Connectors with different names."""
    alternate = any(last > first for last, first in zip(row["lasts"], row["firsts"][1:], strict=False))
    names = [marked.name(name) for name in row["servers"]]
    counts = listed(
        f"{plural(count, 'record')} of {name}"
        for name, count in list(zip(names, row["records"], strict=True))[:NAMED]
    )
    when = (
        "They alternate, so these are different connectors that run at the same time."
        if alternate
        else "No record of an earlier one follows the first record of the later one. Either the connector got another topic.prefix, or a second "
        "connector uses the topic."
    )
    return Finding(
        detector=detector.id,
        severity="medium" if alternate else "low",
        confidence="proven" if alternate else "likely",
        title=f"{history(row)} has records of {plural(len(names), 'connector')}: {listed(names[:NAMED])}",
        explanation=(
            f"The source of the records names different servers: {counts}. {when} A connector uses only the records of its server, but each start "
            "reads all of them. Retention, a recovery and a deletion of the topic affect all connectors. Tables mix as soon as two connectors "
            "have the same topic.prefix."
        ),
        **located(row),
        entity="sources",
        evidence=list(row["firsts"])[:10],
        remedy=detector.remedy(topic=row["topic"], servers=listed(names[:NAMED])),
        references=detector.references,
    )


def history(row: Row) -> str:
    """The topic, by its name if the input has it."""
    return f"The schema history {marked.topic(row['topic'], unnamed='')}".strip()


def of_one_name(row: Row) -> Finding:
    """Connectors that have one name."""
    server = marked.name(row["server"])
    return Finding(
        detector=detector.id,
        severity="high",
        confidence="likely",
        title=f"Two connectors named {server} write the schema history {marked.topic(row['topic'])}: their tables mix",
        explanation=(
            f"The records of {server} for database {marked.quote(row['database'] or '')} go back to binary log files {marked.number(row['lows'][0])} to "
            f"{marked.number(row['lows'][-1])} after files {marked.number(row['highs'][0])} to {marked.number(row['highs'][-1])}, at positions that no earlier "
            "record has. One connector reads the binary log forward. So two connectors with the same topic.prefix probably write this topic. At its "
            "start, each of them applies the changes of the other to its tables and reads rows with the wrong columns."
        ),
        **located(row),
        entity=f"positions:{row['database']}",
        evidence=[row["first_offset"], row["last_offset"]],
        remedy=detector.remedy(topic=row["topic"], servers=server),
        references=detector.references,
    )


detector = Detector(
    id="several-sources",
    title="Schema history of several connectors",
    find=find,
    describe=describe,
    headline=clause("{count} written by several connectors", "schema history is", "schema histories are"),
    rows_of="entries",
    dialects=("debezium-history",),
    one_cause="topic",
    befalls=("at_risk", "service"),
)
