"""ksqlDB's command topic: every statement that changed a cluster, in order, executed again at each start.

    key    JSON text "<type>/<entity>/<action>"   stream | table | topic | terminate | cluster; create | drop | ...
    value  {statement, streamsProperties, originalProperties, plan, version}

The topic has one partition and is never compacted. A server skips null values; at a key or value that it cannot read, or of
a newer version than its own, it stops executing (DEGRADED). Source: ksqlDB `CommandId.java`, `Command.java`, `CommandRunner.java`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pyarrow as pa

from spark.codecs.json_text import why_not_json
from spark.dialects import Dialect, Match
from spark.dialects._history import History, entry_values
from spark.dialects._interpret import Read, dumped, interpreter, json_object, match_by_share
from spark.terms.errors import Unreadable
from spark.terms.secret_members import redacted, without_secrets

ENTRY_TYPE = "command"
TYPES = frozenset({"topic", "stream", "table", "terminate", "cluster"})
ACTIONS = frozenset({"create", "drop", "execute", "terminate", "alter"})
SOURCES = ("stream", "table")
MAY_STAND_TWICE = re.compile(
    r"\s*CREATE\s+OR\s+REPLACE\b|.{0,200}?\bIF\s+NOT\s+EXISTS\b", re.IGNORECASE | re.DOTALL
)
INSERT = re.compile(r"\s*INSERT\b", re.IGNORECASE)


def read_record(key: bytes | None, value: bytes | None) -> Read:
    """The entity is `<type>/<entity>`."""
    entity_id = None
    try:
        kind, name, action = read_key(key)
        entity_id = f"{kind}/{name}"
        if value is None:
            return ENTRY_TYPE, "ignored", entity_id, "{}", None, "raw"
        members = read_value(value)
    except Unreadable as error:
        return ENTRY_TYPE, None, entity_id, dumped(error.marks), str(error), "raw"
    return ENTRY_TYPE, action, entity_id, dumped(members), None, "raw"


def read_key(key: bytes | None) -> tuple[str, str, str]:
    """Type, entity and action of a key."""
    if not key:
        raise Unreadable("The record has no key: the server stops executing commands there.", "fatal")
    try:
        text = orjson.loads(key)
    except ValueError as error:
        why = why_not_json(key, error)
        raise Unreadable(f"The key is not JSON: {why}. The server stops there.", "fatal") from error
    kind, _, rest = text.partition("/") if isinstance(text, str) else ("", "", "")
    name, _, action = rest.rpartition("/")
    if kind.lower() not in TYPES or action.lower() not in ACTIONS:
        raise Unreadable(
            "The key is not a JSON text <type>/<entity>/<action>: the server stops there.", "fatal"
        )
    return kind.lower(), name.strip("`"), action.lower()


def read_value(value: bytes) -> dict[str, Any]:
    """A command without its plan, except for the query that the plan starts."""
    command = json_object(value, "value", "fatal")
    statement, version, plan = command.get("statement"), command.get("version"), command.get("plan")
    if not isinstance(statement, str):
        raise Unreadable("The value has no statement: the server stops there.", "fatal")
    if version is not None and not isinstance(version, int):
        raise Unreadable("The value's version is not a number: the server stops there.", "fatal")
    settings = command.get("streamsProperties")
    return {
        "statement": without_secrets(statement),
        "version": version,
        "streamsProperties": redacted(settings) if isinstance(settings, dict) else None,
        "queryId": query_of(plan),
    }


def query_of(plan: Any) -> str | None:
    query = plan.get("queryPlan") if isinstance(plan, dict) else None
    query_id = query.get("queryId") if isinstance(query, dict) else None
    return query_id if isinstance(query_id, str) else None


@dataclass
class Engine:
    """A server's state: streams and tables by name, and running queries with their sinks."""

    history: History
    sources: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)

    def end_query(self, query: str, offset: int) -> None:
        self.queries.pop(query, None)
        self.history.end("query", query, offset)

    def end_source(self, name: str, offset: int) -> None:
        """Removes a stream or table and the queries that write into it."""
        kind, _ = self.sources.pop(name)
        self.history.end(kind, name, offset)
        for query in [query for query, sink in self.queries.items() if sink == name]:
            self.end_query(query, offset)


def replay(entries: Iterable[pa.Table], history: History) -> None:
    """A server's state after executing the commands; it stops at the first that it cannot read."""
    engine, stopped_at = Engine(history), None
    rows = entry_values(entries, "offset", "entry_action", "entity_id", "attributes", "decode_error")
    for offset, action, entity_id, attributes, error in rows:
        if stopped_at is not None:
            history.refuse(offset, ENTRY_TYPE, entity_id or "", "after-unreadable", f"offset:{stopped_at}")
        elif error is not None:
            stopped_at = offset
            history.refuse(offset, ENTRY_TYPE, entity_id or "", "unreadable")
        elif action != "ignored":
            execute(engine, offset, action, entity_id, orjson.loads(attributes))


def execute(engine: Engine, offset: int, action: str, entity_id: str, members: dict[str, Any]) -> None:
    kind, _, name = entity_id.partition("/")
    if kind in SOURCES and not INSERT.match(members["statement"]):
        change_source(engine, offset, action, kind, name, members)
    elif kind == "terminate":
        for query in list(engine.queries) if name.upper() == "ALL" else [name]:
            engine.end_query(query, offset)
    elif kind == "cluster" and action == "terminate":
        for source in list(engine.sources):
            engine.end_source(source, offset)
        for query in list(engine.queries):
            engine.end_query(query, offset)
    started = members.get("queryId")
    if started and action == "create":
        engine.queries[started] = name
        engine.history.put("query", started, {"statement": members["statement"]}, offset)


def change_source(
    engine: Engine, offset: int, action: str, kind: str, name: str, members: dict[str, Any]
) -> None:
    """CREATE, ALTER or DROP of a stream or table."""
    exists = name in engine.sources
    if action == "create":
        if exists and not MAY_STAND_TWICE.match(members["statement"]):
            engine.history.refuse(offset, kind, name, "already-exists")
            return
        engine.sources[name] = kind, members
        engine.history.put(kind, name, members, offset)
    elif not exists:
        engine.history.refuse(offset, kind, name, "source-missing", f"{kind}:{name}")
    elif action == "drop":
        engine.end_source(name, offset)
    elif action == "alter":
        kind, created = engine.sources[name]
        altered = [*created.get("altered", []), members["statement"]]
        engine.sources[name] = kind, {**created, "altered": altered}
        engine.history.put(kind, name, engine.sources[name][1], offset)


def sniff(topic: str, records: pa.Table) -> Match:
    """By keys and values together."""
    return match_by_share(
        records,
        read_record,
        "checked records are commands of ksqlDB",
        "No record has a key and a statement as ksqlDB writes them.",
    )


dialect = Dialect(
    id="ksqldb-commands",
    title="ksqlDB command topic",
    sniff=sniff,
    interpret=interpreter(read_record),
    replay=replay,
    is_compacted=False,
    reads_committed=True,
)
