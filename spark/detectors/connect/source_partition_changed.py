"""Source partition changed: a source connector keeps its offset under another key since an upgrade or a new name, and the old one is orphaned.

A source key is an object that the connector defines. All keys with one set of members end, then keys with another set begin, and the members
that both have agree. Or all keys of one server end, then those of another begin: Debezium's server is the topic.prefix. Innocent: both go on; tables that were removed or added (the same members); an old key that was deleted.
Page: docs/detectors/source-partition-changed.md
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import orjson

from spark.detectors import Detector, clause, located
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import listed, moment, plural

MAX_KEYS = 50_000
ENDED = 3  # records of the old key: it was in use
NAMED = 3
SERVERS = ("server", "server_id")  # of Debezium's source partitions: topic.prefix; server_id is MongoDB's
KEYS = f"SELECT DISTINCT entity_id FROM entries WHERE entry_type = 'connector-offset' AND decode_error IS NULL LIMIT {MAX_KEYS}"
# One row per source key. Keys of one connector lie in several partitions, so times order them.
SOURCE_KEYS = f"""
    WITH offsets AS (
        SELECT topic, partition, replica, "offset", entity_id, entry_action FROM entries
        WHERE entry_type = 'connector-offset' AND decode_error IS NULL
    )
    SELECT topic, partition, replica, entity_id, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms, arg_max(entry_action, "offset") AS last_action
    FROM offsets JOIN lifelines USING (topic, partition, replica, "offset")
    GROUP BY topic, partition, replica, entity_id ORDER BY topic, replica, first_ms, partition, first_offset LIMIT {MAX_KEYS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per connector whose keys changed their members."""
    key_forms: dict[str, set[tuple[frozenset[str], Any]]] = defaultdict(set)
    for row in tables.rows(KEYS):
        connector, source = source_of(row["entity_id"])
        key_forms[connector].add((frozenset(source), server_of(source)))
    if not any(len(forms) > 1 for forms in key_forms.values()):
        return
    by_connector: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in tables.rows(SOURCE_KEYS):
        connector, source = source_of(row["entity_id"])
        by_connector[row["topic"], row["replica"], connector].append({**row, "source": source})
    for (*_, connector), keys in by_connector.items():
        yield from changed(connector, keys)


def source_of(entity_id: str) -> tuple[str, dict[str, Any]]:
    """Connector and source partition."""
    connector, _, members = entity_id.partition("/{")
    return connector, orjson.loads("{" + members) if members else {}


def server_of(source: dict[str, Any]) -> Any:
    """The name that Debezium gives a source, or None."""
    return next((source[name] for name in SERVERS if name in source), None)


def changed(connector: str, keys: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Sets of members, and servers, of which one ends before the next begins."""
    forms, servers = defaultdict(list), defaultdict(list)
    for key in keys:
        forms[frozenset(key["source"])].append(key)
        servers[server_of(key["source"])].append(key)
    for old, new in successions(forms.values()):
        if any(agree(a["source"], b["source"]) for a in old for b in new):
            yield row_of(connector, old, new, is_renamed=False)
    if None not in servers:
        for old, new in successions(servers.values()):
            if members_of(old) == members_of(new):
                yield row_of(connector, old, new, is_renamed=True)


def members_of(keys: list[dict[str, Any]]) -> set[frozenset[str]]:
    """Their sets of members."""
    return {frozenset(key["source"]) for key in keys}


def successions(
    groups: Iterable[list[dict[str, Any]]],
) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Keys that were in use, ended and were not deleted, and those that began afterwards."""
    ordered = sorted(groups, key=lambda keys: min(key["first_ms"] or 0 for key in keys))
    for old, new in pairwise(ordered):
        if any(key["last_ms"] is None for key in (*old, *new)):
            continue
        orphans = [key for key in old if key["last_action"] != "delete"]
        in_use = any(key["records"] >= ENDED for key in old)
        if orphans and in_use and max(key["last_ms"] for key in old) < min(key["first_ms"] for key in new):
            yield orphans, new


def row_of(
    connector: str, old: list[dict[str, Any]], new: list[dict[str, Any]], is_renamed: bool
) -> dict[str, Any]:
    begun_ms = min(key["first_ms"] for key in new)
    return {
        **new[0],
        "connector": connector,
        "old": old,
        "new": new,
        "begun_ms": begun_ms,
        "is_renamed": is_renamed,
    }


def agree(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether both may name one source: members that both have are equal, or qualified since then (`t`, `db.t`)."""
    shared = old.keys() & new.keys()
    if not shared:
        return bool({str(value) for value in old.values()} & {str(value) for value in new.values()})
    return all(old[name] == new[name] or str(new[name]).endswith(f".{old[name]}") for name in shared)


def describe(row: Row) -> Finding:
    old, new = row["old"], row["new"]
    connector = marked.entity(row["connector"], "connector")
    last = old[0]
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=[Effect("at_risk", "connector", row["connector"])],
        confidence="likely",
        title=f"Source connector {connector} does not find its old offset: {difference(row)}",
        explanation=(
            f"Up to offset {marked.offset(last['last_offset'])} of {marked.partition(last['topic'], last['partition'])}, the connector stored its "
            f"offset under {marked.quote(text_of(last))}. Since {moment(row['begun_ms'])} it stores it under {marked.quote(text_of(new[0]))}, from offset "
            f"{marked.offset(new[0]['first_offset'])} of {marked.partition(new[0]['topic'], new[0]['partition'])} on. A connector looks up its offset by exactly "
            f"these members. {cause(row)} It started with a snapshot or at the current end. "
            f"{plural(len(old), 'old source partition is', 'old source partitions are')} no longer used."
        ),
        **located(new[0]),
        entity=f"connector:{row['connector']}",
        evidence=[new[0]["first_offset"]],
        remedy=detector.remedy(connector=row["connector"], old_key=text_of(last), new_key=text_of(new[0])),
        references=detector.references,
        entities={f"connector:{row['connector']}"},
    )


def difference(row: Row) -> str:
    """What the new keys have instead of the old ones."""
    old, new = row["old"][0]["source"], row["new"][0]["source"]
    if row["is_renamed"]:
        return f"the server of its source partition is {marked.quote(str(server_of(new)))} instead of {marked.quote(str(server_of(old)))}"
    names_old, names_new = (listed(map(marked.name, sorted(source))) for source in (old, new))
    return f"its source partition has members {names_new} instead of {names_old}"


def cause(row: Row) -> str:
    """Why the offset was not found."""
    if row["is_renamed"]:
        return (
            "Debezium's server is the connector's topic.prefix (before 2.0 database.server.name). So it was changed, and the connector did not find the "
            "old offset. Its records also go to other topics. If the connector had to begin again, nothing is wrong."
        )
    return "So the new version of the connector did not find the old offset."


def text_of(key: dict[str, Any]) -> str:
    """The source partition as JSON."""
    return orjson.dumps(key["source"]).decode()


detector = Detector(
    id="source-partition-changed",
    title="Source partition changed its form",
    find=find,
    describe=describe,
    headline=clause("{count} not find the old offset", "source connector does", "source connectors do"),
    rows_of="entries",
    needs=frozenset({"timestamps"}),
    dialects=("connect",),
    one_cause="each",
)
