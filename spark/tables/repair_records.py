"""Records that a repair wrote, and the repair of a partition that is not finished.

    journalscope-repair => id SP number "/" total [ SP "stays-deleted" ]     5b1c0d6a-3f0e-4d57-9d5a-0c8f0f1f2a11 3/11

`stays-deleted`: what the record deletes stays so; any other DELETE of a repair is followed by what it took.

Repairs from before this header gave the DELETE of an artifact the `req` of its CREATE. No registry does: each record that
one writes has a request id of its own. Source: KafkaSqlSubmitter.java, tag 2.6.13.Final.

What a repair deletes it writes again at once, so its DELETE is nobody's wish. A record that keeps something deleted has
a mark that says so. A repair is finished when its last record is there, or that of a later repair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from spark.tables.replica import IN_REPLICA, REPLICA_COLUMNS, PartitionReplica
from spark.tables.store import ResultTables

HEADER = "journalscope-repair"
REQUEST = "req"
STAYS_DELETED = "stays-deleted"
MARK = rf"^(\S+) ([0-9]+)/([0-9]+)( {STAYS_DELETED})?$"


def header(name: str) -> str:
    """In SQL: the value of a record's first header of this name, as text; null where it has none."""
    return f"CAST(list_filter(headers, lambda header: header['key'] = '{name}'::BLOB)[1]['value'] AS VARCHAR)"


# One row per record that carries the header: of which repair, its number there from 1 on, and how many there are in all.
MARKED = f"""
    SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, regexp_extract(mark, '{MARK}', 1) AS repair,
        CAST(regexp_extract(mark, '{MARK}', 2) AS BIGINT) AS number, CAST(regexp_extract(mark, '{MARK}', 3) AS BIGINT) AS total,
        ends_with(mark, '{STAYS_DELETED}') AS stays_deleted
    FROM (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, {header(HEADER)} AS mark FROM records
        WHERE control_type IS NULL AND len(headers) > 0
    ) WHERE regexp_matches(mark, '{MARK}')
"""
# DELETEs of artifacts by repairs without the header. One key is no proof: a tool may have copied a record with its headers.
UNMARKED_DELETES = f"""
    WITH requests AS (
        SELECT {REPLICA_COLUMNS}, "offset", entries.entry_action, entries.entity_id, records.key, records.timestamp_ms,
            {header(REQUEST)} AS request, {header(HEADER)} AS mark
        FROM entries JOIN records USING ({REPLICA_COLUMNS}, "offset")
        WHERE entries.entry_type = 'Artifact' AND entries.entry_action IN ('create', 'import', 'delete') AND len(headers) > 0
    )
    SELECT DISTINCT {REPLICA_COLUMNS}, deletes."offset", deletes.timestamp_ms, deletes.entity_id
    FROM (FROM requests WHERE entry_action = 'delete' AND mark IS NULL) AS deletes
    JOIN (FROM requests WHERE entry_action <> 'delete') AS made USING ({REPLICA_COLUMNS}, entity_id, request)
    WHERE deletes.key <> made.key
"""
# The state before these DELETEs, and the last one after them.
TAKEN = f"""
    WITH own AS (SELECT * FROM state_history WHERE {IN_REPLICA}),
    taken AS (SELECT * FROM own WHERE valid_to_offset IN (SELECT unnest($deletes)) AND entity_type <> 'content'),
    later AS (
        SELECT taken.entity_type, taken.entity_id, max_by(own.attributes, own.valid_from_offset) AS attributes,
            bool_or(own.valid_to_offset IS NULL) AS is_held
        FROM taken JOIN own USING (entity_type, entity_id) WHERE own.valid_from_offset > taken.valid_to_offset GROUP BY ALL
    )
    SELECT taken.entity_type, taken.entity_id, taken.attributes, later.attributes AS later, is_held
    FROM taken LEFT JOIN later USING (entity_type, entity_id) ORDER BY ALL
"""
SET_AGAIN = f"""
    SELECT DISTINCT entity_id FROM entries
    WHERE {IN_REPLICA} AND entry_type = 'ArtifactVersion' AND "offset" > $first
"""
DELETES_AMONG = f"""
    SELECT "offset" FROM entries
    WHERE {IN_REPLICA} AND entry_action = 'delete' AND "offset" IN (SELECT unnest($offsets::BIGINT[]))
"""
NEXT_OFFSET = f'SELECT min("offset") AS next FROM records WHERE {IN_REPLICA} AND "offset" > $offset'
SET_LATER = ("state", "name")  # of a version, by a record after the one that makes it

Attributes = Mapping[str, Any]


@dataclass(frozen=True)
class UnfinishedRepair:
    """Its id, empty where its records do not carry it; their offsets and, among them, those of its DELETEs; the number of the
    last record that is there and of all, None where nothing says them; when the first was written. `lost`: what it took, by
    type and id, with the attributes of then."""

    id: str = ""
    offsets: frozenset[int] = frozenset()
    deletes: frozenset[int] = frozenset()
    number: int | None = None
    total: int | None = None
    written_at_ms: int | None = None
    lost: Mapping[tuple[str, str], Attributes] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.offsets)


def unfinished_repair(
    tables: ResultTables, replica: PartitionReplica, applied: Sequence[int] = ()
) -> UnfinishedRepair:
    """The unfinished repair of a partition; without one, an empty one. `applied`: offsets of records that are known to be a
    repair's although they carry no mark."""
    here = replica._asdict()
    marked = tables.rows(f'SELECT * FROM ({MARKED}) WHERE {IN_REPLICA} ORDER BY "offset"', here)
    finished = {row["repair"] for row in marked if row["number"] == row["total"]}
    finished_at = max((row["offset"] for row in marked if row["repair"] in finished), default=-1)
    last = marked[-1] if marked and marked[-1]["offset"] > finished_at else None
    own = [row for row in marked if last and row["repair"] == last["repair"]]
    offsets = {row["offset"] for row in own} | {offset for offset in applied if offset > finished_at}
    wishes = {row["offset"] for row in own if row["stays_deleted"]}
    unmarked = tables.rows(
        f'SELECT * FROM ({UNMARKED_DELETES}) WHERE {IN_REPLICA} AND "offset" > $finished_at',
        {**here, "finished_at": finished_at},
    )
    own_deletes = {row["offset"] for row in tables.rows(DELETES_AMONG, {**here, "offsets": sorted(offsets)})}
    deletes = {row["offset"] for row in unmarked} | (own_deletes - wishes)
    lost = taken(tables, replica, deletes)
    if not lost and (not offsets or may_be_cleaned(tables, replica, max(offsets))):
        return UnfinishedRepair()
    times = [row["timestamp_ms"] for row in (*own, *unmarked) if row["offset"] in deletes]
    return UnfinishedRepair(
        last["repair"] if last else "",
        frozenset(offsets | deletes),
        frozenset(deletes),
        max((row["number"] for row in own), default=None),
        last["total"] if last else None,
        min(times, default=None),
        lost,
    )


def may_be_cleaned(tables: ResultTables, replica: PartitionReplica, offset: int) -> bool:
    """Whether the record behind this one is missing: the cleaner may have removed the last records of a finished repair."""
    (row,) = tables.rows(NEXT_OFFSET, {**replica._asdict(), "offset": offset})
    return row["next"] is not None and int(row["next"]) > offset + 1


def taken(
    tables: ResultTables, replica: PartitionReplica, deletes: Iterable[int]
) -> dict[tuple[str, str], Attributes]:
    """What these DELETEs took and nothing brought back as it was."""
    offsets = sorted(deletes)
    if not offsets:
        return {}
    values = {**replica._asdict(), "deletes": offsets, "first": offsets[0]}
    set_again = {row["entity_id"] for row in tables.rows(SET_AGAIN, values)}
    lost: dict[tuple[str, str], Attributes] = {}
    for row in tables.rows(TAKEN, values):
        entity, attributes = (row["entity_type"], row["entity_id"]), orjson.loads(row["attributes"])
        if row["later"] is None:
            lost[entity] = attributes
        elif row["is_held"] and entity[0] == "version" and entity[1] not in set_again:
            later = orjson.loads(row["later"])
            before = {name: attributes.get(name) for name in SET_LATER}
            if any(later.get(name) != before[name] for name in SET_LATER):
                lost[entity] = later | before
    return lost
