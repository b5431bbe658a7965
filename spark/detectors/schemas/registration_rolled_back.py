"""Registration rolled back: a schema was registered and at once removed or replaced by a registry, its id being taken.

Innocent: a hard delete that was asked for, which a soft delete precedes. Page: docs/detectors/registration-rolled-back.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._writes import DIALECT, id_of, prepared, version_of
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import at_offsets, moment, version_name

ROLLBACK_MS = 1000  # a registry takes back what it reads; nobody deletes that fast by hand, and never without a soft delete
# A tombstone right behind a value of its key, or a value that carries `offset` and `ts`: only a rollback writes those.
SUSPECTS = f"""
    WITH tombstones AS (
        SELECT {REPLICA_COLUMNS}, previous_offset AS "offset", timestamp_ms AS deleted_ms FROM lifelines
        WHERE kind = 'tombstone' AND entry_type = 'SCHEMA' AND previous_offset IS NOT NULL
    ),
    quick AS (
        SELECT {REPLICA_COLUMNS}, "offset" FROM lifelines JOIN tombstones USING ({REPLICA_COLUMNS}, "offset")
        WHERE kind <> 'tombstone' AND deleted_ms - timestamp_ms BETWEEN -{ROLLBACK_MS} AND {ROLLBACK_MS}
    )
    SELECT {REPLICA_COLUMNS}, entity_id, subject FROM registry_writes JOIN quick USING ({REPLICA_COLUMNS}, "offset")
    WHERE entry_type = 'SCHEMA' AND entry_action = 'register' AND seq IS NULL
    UNION SELECT {REPLICA_COLUMNS}, entity_id, subject FROM registry_writes WHERE is_rewrite AND entry_type = 'SCHEMA'
"""
HISTORIES = f"""
    WITH chosen AS (
        SELECT registry_writes.* FROM registry_writes SEMI JOIN registry_suspects USING ({REPLICA_COLUMNS}, entity_id)
        WHERE entry_type = 'SCHEMA'
        UNION ALL
        SELECT registry_writes.* FROM registry_writes SEMI JOIN registry_suspects USING ({REPLICA_COLUMNS}, subject)
        WHERE entry_type = 'DELETE_SUBJECT'
    )
    SELECT chosen.*, timestamp_ms FROM chosen
    JOIN (SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM lifelines) USING ({REPLICA_COLUMNS}, "offset")
    ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per registration that was taken back, with the records that did it."""
    prepared(tables).materialize("registry_suspects", SUSPECTS)
    last: dict[str, dict[str, Any]] = {}
    rolled_back: dict[tuple[object, ...], dict[str, Any]] = {}
    is_gone: dict[tuple[object, ...], bool] = {}
    for row in tables.rows(HISTORIES):
        is_gone[*replica_of(row), row["entity_id"]] = row["entry_action"] in ("delete", "empty")
        subject = last.setdefault(str((*replica_of(row), row["subject"])), {})
        if row["entry_type"] == "DELETE_SUBJECT" or row["entry_action"] == "soft-delete":
            subject.clear() if row["entry_type"] == "DELETE_SUBJECT" else subject.pop(row["entity_id"], None)
            continue
        written = subject.get(row["entity_id"])
        if written and takes_back(row, written):
            key = (*replica_of(row), written["offset"])
            rolled_back.setdefault(key, {**written, "rollbacks": []})["rollbacks"].append(row)
        elif row["entry_action"] == "register" and not row["is_rewrite"]:
            subject[row["entity_id"]] = row
    return [{**row, "is_gone": is_gone[*replica_of(row), row["entity_id"]]} for row in rolled_back.values()]


def takes_back(row: Row, written: Row) -> bool:
    """Whether a record takes back a registration."""
    if abs(row["timestamp_ms"] - written["timestamp_ms"]) > ROLLBACK_MS:
        return False
    return row["entry_action"] == "delete" or (row["is_rewrite"] and row["text"] != written["text"])


def lost(row: Row) -> Effect:
    """The version where none is left; one that was restored or registered again exists: only this registration is lost."""
    if row["is_gone"]:
        return Effect("lost", "version", row["entity_id"])
    return Effect("lost", "registration", f"{row['entity_id']}/{row['offset']}")


def describe(row: Row) -> Finding:
    rollbacks = [record["offset"] for record in row["rollbacks"]]
    name, offset = version_name(row["entity_id"]), row["offset"]
    restores = row["rollbacks"][-1]["entry_action"] == "register"
    done = "wrote the previous schema again" if restores else "removed it with a tombstone"
    subject = f"Another schema of {name}" if restores else name
    two = len(rollbacks) > 1
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{subject} (schema ID {marked.name(row['id'])}, offset {marked.offset(offset)}) was rolled back at {at_offsets(rollbacks)} after the client got a success response",
        explanation=(
            f"At {moment(row['timestamp_ms'])} a client registered the schema, and the registry returned 200 with ID {marked.name(row['id'])}. The ID "
            f"already belonged to another schema, so a registry that read the record {done}. "
            f"{'Several records do this: in Confluent 6.2 or later two or more nodes were leaders, before 6.2 every node does this. ' if two else ''}"
            "The client gets no message about it. Its messages contain an ID that belongs to another schema."
        ),
        **located(row, offset, rollbacks[-1]),
        entity=f"registration:{row['entity_id']}@{offset}",
        evidence=[offset, *rollbacks],
        remedy=detector.remedy(
            subject=row["subject"],
            offset=offset,
            schema_id=row["id"],
            time_of_the_registration=moment(row["timestamp_ms"]),
            topic=row["topic"],
        ),
        references=detector.references,
        effects=[lost(row)],
        entities={version_of(row), id_of(row)},
    )


detector = Detector(
    id="registration-rolled-back",
    title="Registration rolled back",
    find=find,
    describe=describe,
    headline=clause(
        "{count} rolled back after the client got a success response",
        "registration was",
        "registrations were",
    ),
    rows_of="entries",
    needs=frozenset({"offset", "key", "timestamps", "null-or-empty"}),
    dialects=(DIALECT,),
    follows=("schema-id-collision",),
    family="two-writers",
)
