"""Undeserialisable command: a record of ksqlDB's command topic or of Debezium's schema history that cannot be read.

Also: a command of a newer version than the server writes that wrote last. Innocent: null values, which both skip.
Page: docs/detectors/undeserialisable-command.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spark.detectors import Detector
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import OFFSETS_NAMED, at_offsets, grouped, plural, steps

UNREADABLE = f"""
    SELECT {REPLICA_COLUMNS}, entry_type, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets, arg_min(decode_error, "offset") AS decode_error
    FROM entries WHERE entry_type IN ('command', 'schema-change') AND decode_error IS NOT NULL
    GROUP BY ALL ORDER BY {REPLICA_COLUMNS}
"""
# What stands behind the first unreadable command is not executed.
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
    left_out = {tuple(row[name] for name in ("topic", "partition", "replica")): row for row in unreadable}
    if unreadable:
        for row in tables.rows(LEFT_OUT):
            left_out.get((row["topic"], row["partition"], row["replica"]), {})["left_out"] = row["left_out"]
    return [*unreadable, *tables.rows(TOO_NEW)]


def describe(row: Row) -> Finding:
    """In words."""
    if "last_version" in row:
        return too_new(row)
    return command(row) if row["entry_type"] == "command" else schema_change(row)


def command(row: Row) -> Finding:
    """A command that stops every ksqlDB server at its start."""
    offset, left_out = row["first_offset"], row.get("left_out") or 0
    more = (
        f" Of all {plural(row['records'], 'unreadable record')} it is the first."
        if row["records"] > 1
        else ""
    )
    behind = f" {plural(left_out, 'record')} behind it are not executed." if left_out > 1 else ""
    return Finding(
        **placed(row, "unreadable"),
        title=f"ksqlDB stops at offset {offset} of {row['topic']}-{row['partition']}: the command cannot be read",
        explanation=(
            f"{row['decode_error']} A ksqlDB server executes the topic from its start. At a record that it cannot read it "
            f"goes into state DEGRADED: it executes nothing more and takes no new statements.{more}{behind}"
        ),
        remedy=steps(
            [
                f"Dump {row['topic']} before anything else, and look who wrote offset {offset}; only ksqlDB servers may write there.",
                "Stop all servers of the cluster.",
                "Restore the command topic without that record, from its backup (ksql.metastore.backup.location) with "
                "`ksql-restore-command-topic`, or from the dump.",
                "Start the servers, and compare SHOW STREAMS, SHOW TABLES and SHOW QUERIES with what should be there.",
            ]
        ),
        references=REFERENCES["command"],
    )


def schema_change(row: Row) -> Finding:
    """History records that a Debezium connector skips."""
    offsets = list(row["offsets"])
    first = ", the first" if row["records"] > len(offsets) else ""
    return Finding(
        **placed(row, "unreadable"),
        title=(
            f"Debezium skips {plural(row['records'], 'schema change')} of {row['topic']}-{row['partition']}{first} at "
            f"{at_offsets(offsets)}: {'it' if row['records'] == 1 else 'they'} cannot be read"
        ),
        explanation=(
            f"Offset {offsets[0]}: {row['decode_error']} At its start a connector reads the history to learn how each table "
            "looked when. It skips what it cannot read, with a line in its log, and then takes rows for those of an older "
            'form of the table: columns are mixed up or missing, or it stops with "schema isn\'t known to this connector".'
        ),
        remedy=steps(
            [
                f"Dump {row['topic']}, and look who wrote there; only one connector may.",
                "Stop the connector.",
                "Have the history written anew: start it with snapshot.mode=recovery (schema_only_recovery before 2.3), if no "
                "table was changed since its last offset; otherwise write the history without those records into a new topic and name "
                "it in schema.history.internal.kafka.topic.",
                "Take a new snapshot of tables whose changes are in the lost records.",
            ]
        ),
        references=REFERENCES["schema-change"],
    )


def too_new(row: Row) -> Finding:
    """Commands that the server which wrote last cannot read."""
    offsets = list(row["offsets"])
    return Finding(
        **placed(row, "version"),
        confidence="likely",
        title=(
            f"ksqlDB commands at {at_offsets(offsets)} of {row['topic']}-{row['partition']} are of version {row['version']}, the server "
            f"that wrote last knows {row['last_version']}"
        ),
        explanation=(
            f"The newest command, at offset {row['last_command']}, has version {row['last_version']}; "
            f"{plural(row['records'], 'command')} before it {'has' if row['records'] == 1 else 'have'} a higher one, up to "
            f"{row['version']}. A server reads commands up to its own version and goes into state DEGRADED at a newer one: "
            f"the server that wrote offset {row['last_command']} stops at offset {grouped(row['first_offset'])} when it starts "
            "again. Servers of two versions wrote here, in an upgrade that did not end or in a downgrade."
        ),
        remedy=steps(
            [
                "Finish the upgrade: bring all servers of the cluster to the newer version.",
                "A downgrade needs the command topic as it was before the upgrade: restore its backup.",
            ]
        ),
        references=REFERENCES["command"],
    )


def placed(row: Row, entity: str) -> dict[str, Any]:
    """What all three have in common."""
    return {
        "detector": detector.id,
        "severity": "high",
        "topic": row["topic"],
        "partition": row["partition"],
        "replica": row["replica"],
        "first_offset": row["first_offset"],
        "last_offset": row["last_offset"],
        "entity": entity,
        "evidence": list(row["offsets"]),
        "entities": {f"offset:{offset}" for offset in row["offsets"]},
    }


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return f"{plural(len(findings), 'journal')} {'has' if len(findings) == 1 else 'have'} commands that cannot be read"


detector = Detector(
    id="undeserialisable-command",
    title="Command or schema change that cannot be read",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    dialects=("ksqldb-commands", "debezium-history"),
)
