"""What shows that a dump of a history or of Connect's configs starts too late: entries that need what no record creates.

    Debezium's schema history   a table is altered that nothing creates: each connector begins with the CREATE of every table
    ksqlDB's command topic      a statement reads, alters or drops what nothing creates: a server checks it before it writes it
    Connect's configs           a state is wanted of a connector without a config; a task's config without a connector, and from it
                                to the end no offset is missing, so that no tombstone was removed

Histories are never compacted. Innocent: IF EXISTS; a deleted connector, whose tasks are left over; a print that was asked to begin later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

from spark.detectors.apicurio._journals import CONNECT
from spark.tables.replica import PartitionReplica, is_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import listed, plural

KSQLDB, DEBEZIUM = "ksqlDB server", "Debezium connector"
OF_ENTRIES = {"schema-change": DEBEZIUM, "command": KSQLDB}
NAMED = 4
HISTORIES = "SELECT DISTINCT topic, entry_type FROM entries WHERE entry_type IN ('schema-change', 'command')"
# Commands of kcat and kafka-console-consumer that do not begin at the start.
ASKED_LATER = """
    SELECT 1 FROM set_aside WHERE file IN (SELECT file FROM runs WHERE {of_replica}) AND kind = 'command'
        AND regexp_matches(text, '(^|\\s)(-o|--offset)[\\s=]*(-?[1-9]|end|stored|latest|s@)') LIMIT 1
"""
CHANGES = """
    SELECT "offset", attributes FROM entries
    WHERE {of_replica} AND entry_type = 'schema-change' AND decode_error IS NULL AND entry_action <> 'ignored' ORDER BY "offset"
"""
COMMANDS = """
    SELECT "offset", entry_action AS action, entity_id, attributes ->> '$.statement' AS statement
    FROM entries WHERE {of_replica} AND entry_type = 'command' AND decode_error IS NULL AND entry_action <> 'ignored' ORDER BY "offset"
"""
WITHOUT_CONNECTOR = """
    WITH mine AS (
        SELECT "offset", entry_type, entry_action, CASE WHEN entry_type = 'task' THEN regexp_replace(entity_id, '/[0-9]+$', '') ELSE entity_id END AS connector
        FROM entries WHERE {of_replica} AND entry_type IN ('connector', 'task', 'commit', 'target-state') AND decode_error IS NULL
    ),
    rest AS (
        SELECT "offset", max("offset") OVER () - "offset" + 1 = count(*) OVER (ORDER BY "offset" DESC) AS is_whole
        FROM lifelines WHERE {of_replica}
    )
    SELECT connector, min("offset") AS "offset", arg_min(entry_type, "offset") AS entry_type
    FROM mine JOIN rest USING ("offset")
    WHERE connector NOT IN (SELECT connector FROM mine WHERE entry_type = 'connector') AND entry_action <> 'delete'
        AND (entry_type = 'target-state' OR is_whole)
    GROUP BY connector ORDER BY 2
"""
NAME = r"((?:[`\"\[]?[\w$]+[`\"\]]?\s*\.\s*)*[`\"\[]?[\w$]+[`\"\]]?)"
DDL = re.compile(
    rf"\s*(CREATE|ALTER)\s+(?:\w+\s+){{0,2}}?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{NAME}", re.IGNORECASE
)
QUOTES = re.compile(r"[`\"\[\]\s]")
IF_EXISTS = re.compile(r"\bIF\s+EXISTS\b", re.IGNORECASE)
READS = re.compile(r"\b(?:FROM|JOIN)\s+(`[^`]+`|[A-Za-z_][\w$]*)", re.IGNORECASE)
AS_SELECT = re.compile(
    r"\s*(?:CREATE\b.*?\bAS\s+SELECT|INSERT\s+INTO\b.*?\bSELECT)\b", re.IGNORECASE | re.DOTALL
)
TEXTS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)

Proof = dict[str, Any]


def history_owners(tables: ResultTables) -> dict[str, str]:
    """Topic -> who reads this history."""
    return {row["topic"]: OF_ENTRIES[row["entry_type"]] for row in tables.rows(HISTORIES)}


def is_asked_later(tables: ResultTables, replica: PartitionReplica) -> bool:
    """Whether the command of the print says that it does not begin at the start."""
    return bool(tables.rows(ASKED_LATER.format(of_replica=is_of(replica))))


def rows_of(question: str, tables: ResultTables, replica: PartitionReplica) -> Iterable[Any]:
    return tables.rows(question.format(of_replica=is_of(replica)))


def altered_tables(tables: ResultTables, replica: PartitionReplica) -> Proof | None:
    """Tables that are altered and that no record before creates."""
    created: set[tuple[str, str]] = set()
    lacking: dict[str, int] = {}
    for row in rows_of(CHANGES, tables, replica):
        members = orjson.loads(row["attributes"])
        source = str(members.get("source"))
        for kind, table, before in changes_of(members):
            if kind == "alter" and (source, before) not in created:
                lacking.setdefault(before, row["offset"])
            created.add((source, table))
    return proof(
        lacking, "table", "changes {0}, which no earlier record creates", "This topic is never compacted."
    )


def changes_of(members: Any) -> Iterator[tuple[str, str, str]]:
    """What a record does to which tables, and their names before it: by its table changes, or by the statement alone."""
    for change in members["tables"]:
        yield change["type"], change["id"], change["previousId"] or change["id"]
    if not members["tables"] and (statement := DDL.match(members["ddl"] or "")):
        table = QUOTES.sub("", statement[2]).rpartition(".")[2]
        yield statement[1].lower(), table, table


def unknown_sources(tables: ResultTables, replica: PartitionReplica) -> Proof | None:
    """Streams and tables that statements read, alter or drop, and that no command before creates."""
    created: set[str] = set()
    lacking: dict[str, int] = {}
    for row in rows_of(COMMANDS, tables, replica):
        kind, _, name = (row["entity_id"] or "").partition("/")
        statement = TEXTS.sub(" ", row["statement"] or "")
        needed = [
            source.strip("`") if source[0] == "`" else source.upper() for source in READS.findall(statement)
        ]
        needed = needed if AS_SELECT.match(statement) else []
        if (
            kind in ("stream", "table")
            and row["action"] in ("drop", "alter")
            and not IF_EXISTS.search(statement)
        ):
            needed.append(name)
        for source in needed:
            if source not in created:
                lacking.setdefault(source, row["offset"])
        if row["action"] == "create":
            created.add(name)
    return proof(
        lacking,
        "stream or table",
        "needs {0}, which no earlier command creates",
        "This topic is never compacted.",
    )


def lost_connectors(tables: ResultTables, replica: PartitionReplica) -> Proof | None:
    """Connectors that are spoken of and have no config."""
    lacking = {row["connector"]: row["offset"] for row in rows_of(WITHOUT_CONNECTOR, tables, replica)}
    return proof(
        lacking,
        "connector",
        "belongs to {0}, whose config the dump does not contain",
        "Compaction keeps the newest config of each connector, and the dump contains no later deletion.",
    )


def proof(lacking: dict[str, int], kind: str, needs: str, closing: str) -> Proof | None:
    """The sentence and its offsets."""
    if not lacking:
        return None
    offsets = sorted(set(lacking.values()))
    names = listed(
        f"{kind if kind != 'stream or table' else 'source'} {marked.entity(name, kind)}"
        for name in list(lacking)[:NAMED]
    )
    more = f" and {plural(len(lacking) - NAMED, 'other', 'others')}" if len(lacking) > NAMED else ""
    first = needs.format(f"{kind} {marked.entity(next(iter(lacking)), kind)}")
    all_named = (
        f" In total, {names}{more} {'is' if len(lacking) == 1 else 'are'} missing."
        if len(lacking) > 1
        else ""
    )
    sentence = f"The record at offset {marked.offset(offsets[0])} {first}.{all_named} {closing}"
    return {"shown": sentence, "evidence": offsets[:10], "confidence": "proven"}


HISTORY_PROOFS: dict[str, Callable[[ResultTables, PartitionReplica], Proof | None]] = {
    DEBEZIUM: altered_tables,
    KSQLDB: unknown_sources,
    CONNECT: lost_connectors,
}
