"""Debezium's schema history: every change of a database's tables, read from the start to know how a row looked.

    key    null
    value  {source: {}, position: {}, ts_ms, databaseName, schemaName, ddl, tableChanges: [{type, id, table}]}

The topic has one partition with unlimited retention and is never compacted. Records that are null, not JSON, or without source
or position are skipped with a warning. Source: Debezium `HistoryRecord.java`, `KafkaSchemaHistory.java`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._history import History, entry_values
from spark.dialects._interpret import Read, dumped, interpreter, json_object, match_by_share
from spark.terms.errors import Unreadable
from spark.terms.secret_members import without_secrets

ENTRY_TYPE = "schema-change"
KEPT = ("source", "position", "ts_ms", "databaseName", "schemaName")
ONE_OF = frozenset({"ddl", "tableChanges", "databaseName"})


def read_record(key: bytes | None, value: bytes | None) -> Read:
    """The entity is the table, or the database if several tables change."""
    if value is None:
        return ENTRY_TYPE, "ignored", None, "{}", None, "raw"
    try:
        members = read_value(value)
    except Unreadable as error:
        return ENTRY_TYPE, None, None, dumped(error.marks), str(error), "raw"
    changes = members["tables"]
    entity_id = changes[0]["id"] if len(changes) == 1 else members["databaseName"]
    return ENTRY_TYPE, action_of(changes), entity_id, dumped(members), None, "raw"


def read_value(value: bytes) -> dict[str, Any]:
    """The members of a history record; for a table its columns and primary key."""
    record = json_object(value, "value")
    lacking = [name for name in ("source", "position") if not isinstance(record.get(name), dict)]
    if lacking:
        raise Unreadable(f"The value has no {' and no '.join(lacking)}: the connector skips the record.")
    if not ONE_OF & record.keys():
        raise Unreadable("The value contains no database, statement or tables: the connector ignores it.")
    members = {name: record.get(name) for name in KEPT}
    if not isinstance(members["databaseName"], str | None):
        raise Unreadable("The value's databaseName is not text: the connector cannot read the record.")
    changes = record.get("tableChanges")
    ddl = record.get("ddl")
    return {
        **members,
        "ddl": without_secrets(ddl) if isinstance(ddl, str) else None,
        "tables": [read_change(c) for c in changes if isinstance(c, dict)]
        if isinstance(changes, list)
        else [],
    }


def read_change(change: dict[str, Any]) -> dict[str, Any]:
    """A table's change: its type, and the table after it."""
    table = change.get("table") if isinstance(change.get("table"), dict) else {}
    listed = (table or {}).get("columns")
    columns = [column for column in (listed if isinstance(listed, list) else ()) if isinstance(column, dict)]
    return {
        "type": str(change.get("type", "")).lower(),
        "id": str(change.get("id", "")).replace('"', ""),
        "previousId": change["previousId"].replace('"', "")
        if isinstance(change.get("previousId"), str)
        else None,
        "columns": [
            f"{c.get('name')} {c.get('typeExpression') or c.get('typeName') or ''}".strip() for c in columns
        ],
        "primaryKey": (table or {}).get("primaryKeyColumnNames"),
    }


def action_of(changes: list[dict[str, Any]]) -> str:
    """What the record does to tables; `ddl` if only the statement shows it."""
    kinds = {change["type"] for change in changes}
    if len(kinds) == 1:
        return kinds.pop()
    return "change" if kinds else "ddl"


def replay(entries: Iterable[pa.Table], history: History) -> None:
    """The tables as the connector knows them. Statements without table changes become the database's last statement."""
    rows = entry_values(entries, "offset", "entity_id", "attributes", "decode_error")
    for offset, entity_id, attributes, error in rows:
        if error is not None:
            history.refuse(offset, ENTRY_TYPE, entity_id or "", "unreadable")
        elif attributes != "{}":
            apply(history, offset, orjson.loads(attributes))


def apply(history: History, offset: int, members: dict[str, Any]) -> None:
    for change in members["tables"]:
        if change["previousId"] and change["previousId"] != change["id"]:
            history.end("table", change["previousId"], offset)
        if change["type"] == "drop":
            history.end("table", change["id"], offset)
        else:
            shape = {"columns": change["columns"], "primaryKey": change["primaryKey"]}
            history.put("table", change["id"], shape, offset)
    if not members["tables"] and members["ddl"] is not None:
        history.put("database", members["databaseName"] or "", {"ddl": members["ddl"]}, offset)


def sniff(topic: str, records: pa.Table) -> Match:
    """By values; keys are null and tell nothing."""
    return match_by_share(
        records,
        read_record,
        "checked values are records of Debezium's schema history",
        "No value is a record of Debezium's schema history.",
    )


dialect = Dialect(
    id="debezium-history",
    title="Debezium schema history",
    sniff=sniff,
    interpret=interpreter(read_record),
    replay=replay,
    is_compacted=False,
)
