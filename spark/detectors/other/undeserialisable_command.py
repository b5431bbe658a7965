"""Undeserialisable command: a record of ksqlDB's command topic or of Debezium's schema history that cannot be read.

Also: a command of a newer version than the server writes that wrote last. Innocent: null values, which both skip.
Page: docs/detectors/undeserialisable-command.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spark.detectors import Detector, clause, located
from spark.detectors._effects import on_records
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, plural

UNREADABLE = f"""
    SELECT {REPLICA_COLUMNS}, entry_type, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets, arg_min(decode_error, "offset") AS decode_error
    FROM entries WHERE entry_type IN ('command', 'schema-change') AND decode_error IS NOT NULL
    GROUP BY ALL ORDER BY {REPLICA_COLUMNS}
"""
# Commands after the first unreadable one are not executed.
LEFT_OUT = f"""
    SELECT {REPLICA_COLUMNS}, count(*) AS left_out FROM refusals
    WHERE view = 'log' AND is_own AND reason = 'after-unreadable' GROUP BY ALL
"""
TOO_NEW = f"""
    WITH versions AS (
        SELECT {REPLICA_COLUMNS}, "offset", TRY_CAST(attributes->>'version' AS BIGINT) AS version,
            arg_max(TRY_CAST(attributes->>'version' AS BIGINT), "offset") OVER (PARTITION BY {REPLICA_COLUMNS}) AS last_version,
            max("offset") OVER (PARTITION BY {REPLICA_COLUMNS}) AS last_command
        FROM entries WHERE entry_type = 'command' AND decode_error IS NULL AND attributes->>'version' IS NOT NULL
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets, max(version) AS version,
        any_value(last_version) AS last_version, any_value(last_command) AS last_command
    FROM versions WHERE version > last_version
    GROUP BY ALL ORDER BY {REPLICA_COLUMNS}
"""
REFERENCES = {
    "command": [
        "https://github.com/confluentinc/ksql/issues/6032",
        "https://github.com/confluentinc/ksql/issues/5645",
    ],
    "schema-change": ["Debezium: KafkaSchemaHistory, 'Error while deserializing history record'"],
}


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy with such records, and one per copy whose last server is too old for the rest."""
    unreadable = tables.rows(UNREADABLE)
    left_out = {replica_of(row): row for row in unreadable}
    if unreadable:
        for row in tables.rows(LEFT_OUT):
            left_out.get(replica_of(row), {})["left_out"] = row["left_out"]
    return [*unreadable, *tables.rows(TOO_NEW)]


def describe(row: Row) -> Finding:
    if "last_version" in row:
        return too_new(row)
    return command(row) if row["entry_type"] == "command" else schema_change(row)


def command(row: Row) -> Finding:
    """A command that stops every ksqlDB server at its start."""
    offset, left_out = row["first_offset"], row.get("left_out") or 0
    more = f" It is the first of {plural(row['records'], 'unreadable record')}." if row["records"] > 1 else ""
    later = f" It does not execute {plural(left_out, 'later record')}." if left_out > 1 else ""
    return Finding(
        **placed(row, "unreadable"),
        title=f"ksqlDB stops at offset {marked.offset(offset)} of {marked.partition(row['topic'], row['partition'])}: the command cannot be read",
        explanation=(
            f"{marked.quote(row['decode_error'])} A ksqlDB server executes the topic from its start. At a record that it cannot read, it changes to "
            f"state DEGRADED. It then executes no more commands and accepts no new statements.{more}{later}"
        ),
        remedy=detector.remedy("ksqlDB", topic=row["topic"], unreadable=offset),
        references=REFERENCES["command"],
    )


def schema_change(row: Row) -> Finding:
    """History records that a Debezium connector skips."""
    offsets = list(row["offsets"])
    first = ", the first" if row["records"] > len(offsets) else ""
    return Finding(
        **placed(row, "unreadable"),
        title=(
            f"Debezium skips {plural(row['records'], 'schema change')} of {marked.partition(row['topic'], row['partition'])}{first} at "
            f"{at_offsets(offsets)}: {'it' if row['records'] == 1 else 'they'} cannot be read"
        ),
        explanation=(
            f"Offset {marked.offset(offsets[0])}: {marked.quote(row['decode_error'])} At its start, a connector reads the history of all table structures. It skips "
            "records that it cannot read and logs this. It then interprets rows with an older structure of the table. Columns are "
            'swapped or missing, or the connector stops with "schema isn\'t known to this connector".'
        ),
        remedy=detector.remedy("Debezium", topic=row["topic"]),
        references=REFERENCES["schema-change"],
    )


def too_new(row: Row) -> Finding:
    """Commands that the server which wrote last cannot read."""
    offsets = list(row["offsets"])
    return Finding(
        **placed(row, "version"),
        confidence="likely",
        title=(
            f"The newest ksqlDB server cannot execute the commands at {at_offsets(offsets)} of {marked.partition(row['topic'], row['partition'])}: version "
            f"{marked.name(row['version'])}, the server knows {marked.number(row['last_version'])}"
        ),
        explanation=(
            f"The newest command, at offset {marked.offset(row['last_command'])}, has version {marked.number(row['last_version'])}. "
            f"{plural(row['records'], 'earlier command')} {'has' if row['records'] == 1 else 'have'} a higher version, up to "
            f"{marked.name(row['version'])}. A server reads commands up to its own version and changes to state DEGRADED at a newer one. At its next "
            f"start, the server that wrote offset {marked.offset(row['last_command'])} stops at offset {marked.offset(row['first_offset'])}. Servers of two versions wrote "
            "to this topic, during an incomplete upgrade or a downgrade."
        ),
        remedy=detector.remedy("Newer version of ksqlDB"),
        references=REFERENCES["command"],
    )


def placed(row: Row, entity: str) -> dict[str, Any]:
    """What all three have in common."""
    return {
        "detector": detector.id,
        "severity": "high",
        "effects": on_records("unreadable", row, row["offsets"]),
        **located(row),
        "entity": entity,
        "evidence": list(row["offsets"]),
        "entities": {f"offset:{offset}" for offset in row["offsets"]},
    }


detector = Detector(
    id="undeserialisable-command",
    title="Unreadable command or schema change",
    find=find,
    describe=describe,
    headline=clause(
        "{count} records that ksqlDB or Debezium cannot read", "journal contains", "journals contain"
    ),
    rows_of="entries",
    dialects=("ksqldb-commands", "debezium-history"),
)
