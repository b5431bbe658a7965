"""What cleaning changes: the replay of the log as it is and of what the cleaner leaves, entity by entity.

Only entities that differ leave the database: prints of equal ones meet and are counted away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal
from weakref import WeakKeyDictionary

import orjson

from spark.log.cleanings import NOTHING_SHOWN
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, is_of, replica_of
from spark.tables.store import ResultTables

Change = Literal["lost", "revived", "changed"]
AFTER_START = "start"
MAX_STATES = 3_000_000  # rows of `state` at a time; of four million the 512 MB of a task are full
# Members that say when and where, not what; and whose change nobody notices.
BOOKKEEPING = frozenset({"record_offset", "uuid", "createdOn", "modifiedOn", "createdBy", "modifiedBy"})

ENTITIES = f"""
    WITH ends AS (
        SELECT {REPLICA_COLUMNS}, entity_type, entity_id, hash({REPLICA_COLUMNS}, entity_type, entity_id, attributes) AS print
        FROM state
        WHERE is_own AND valid_to_offset IS NULL AND view IN ('log', '{{after}}') AND entity_type <> 'sequence'
            AND hash(entity_id) % {{slices}} = {{slice}}
            AND ({REPLICA_COLUMNS}) IN (SELECT DISTINCT ({REPLICA_COLUMNS}) FROM state WHERE view = '{{after}}' OR '{{after}}' = 'full')
    ),
    single AS (SELECT print FROM ends GROUP BY print HAVING count(*) = 1),
    differing AS (SELECT DISTINCT {REPLICA_COLUMNS}, entity_type, entity_id FROM ends SEMI JOIN single USING (print))
    SELECT {REPLICA_COLUMNS}, entity_type, entity_id, view, attributes, valid_from_offset, valid_to_offset, origin_offset
    FROM state SEMI JOIN differing USING ({REPLICA_COLUMNS}, entity_type, entity_id)
    WHERE is_own AND (valid_to_offset IS NULL OR view = 'log') AND view IN ('log', 'next', '{{after}}')
    QUALIFY row_number() OVER (
        PARTITION BY {REPLICA_COLUMNS}, entity_type, entity_id, view ORDER BY valid_to_offset DESC NULLS FIRST
    ) = 1
    ORDER BY {REPLICA_COLUMNS}, entity_type, entity_id
"""
# Records that the service takes now and drops once the log is clean.
DROPPED_THEN = f"""
    WITH dropped AS (SELECT * FROM refusals WHERE is_own AND view = '{{after}}')
    SELECT {REPLICA_COLUMNS}, "offset", reason, needs, available_from_offset FROM dropped
    ANTI JOIN (SELECT {REPLICA_COLUMNS}, "offset" FROM refusals WHERE is_own AND view = 'log') AS now
        USING ({REPLICA_COLUMNS}, "offset")
"""


# Where the service does not read the log to its end, it is that end which cleaning moves.
STOPPED = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM refusals
    WHERE is_own AND view IN ('log', 'full') AND reason = 'reader-stopped'
"""


NOT_COMPACTED = """
    SELECT topic FROM cleanings GROUP BY topic HAVING bool_and(compacted = 'no') AND bool_or(why <> $unknown)
"""


@dataclass(frozen=True)
class Ending:
    """An entity in one view, as it is at the end; in the log also as it was before it ended."""

    attributes: dict[str, Any]
    origin_offset: int
    ended_at: int | None = None


@dataclass
class EntityDifference:
    """An entity that is not the same once the log is clean."""

    entity_type: str
    entity_id: str
    change: Change
    now: Ending | None
    then: Ending | None
    was: Ending | None = None  # what it was before it ended, for one that comes back
    is_soon: bool = False  # already after the next cleaning, not only when tombstones go, too
    is_by_start: bool = False  # only after the service's next start, which writes null records

    @property
    def label(self) -> str:
        """As people call it."""
        return f"{self.entity_type} {self.entity_id}"

    @property
    def names(self) -> set[str]:
        """As findings and refusals call it."""
        names = {f"{self.entity_type}:{self.entity_id}", f"{self.entity_type}:_/{self.entity_id}"}
        attributes = (self.now or self.then or Ending({}, 0)).attributes
        if self.entity_type == "content" and attributes.get("contentHash"):
            names.add(f"content:{attributes.get('tenantId') or '_'}/{attributes['contentHash']}")
        return names | self.schema_ids

    @property
    def schema_ids(self) -> set[str]:
        """The ids that a version of a subject has, had or gets, as findings call them."""
        if self.entity_type != "schema":
            return set()
        context = self.entity_id.split(":")[1] if self.entity_id.startswith(":.") else "."
        ends = (end for end in (self.now, self.then, self.was) if end)
        return {f"schema-id:{context}/{end.attributes.get('id')}" for end in ends}


@dataclass
class PartitionDifferences:
    """What differs in one copy of a partition, and what the service will drop there."""

    replica: PartitionReplica
    differences: list[EntityDifference] = field(default_factory=list)
    dropped: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    is_stopped: bool = False  # the service ends at a record that it cannot read


_known: WeakKeyDictionary[ResultTables, list[PartitionDifferences]] = WeakKeyDictionary()


def differing(tables: ResultTables) -> list[PartitionDifferences]:
    """Partitions with differences: those that compaction makes, and those that it makes after the next start."""
    if tables not in _known:
        _known[tables] = _differing(tables)
    return _known[tables]


def _differing(tables: ResultTables) -> list[PartitionDifferences]:
    soon = differing_after("full", tables)
    known = {
        (one.replica, difference.entity_type, difference.entity_id)
        for one in soon
        for difference in one.differences
    }
    later = differing_after(AFTER_START, tables)
    for partition in later:
        partition.differences = [
            difference
            for difference in partition.differences
            if (partition.replica, difference.entity_type, difference.entity_id) not in known
        ]
    return on_compacted_topics([one for one in (*soon, *later) if one.differences], tables)


def on_compacted_topics(
    partitions: list[PartitionDifferences], tables: ResultTables
) -> list[PartitionDifferences]:
    """Without partitions of topics that are known not to be compacted: no cleaner will come by."""
    if not partitions:
        return []
    spared = {row["topic"] for row in tables.rows(NOT_COMPACTED, {"unknown": NOTHING_SHOWN})}
    return [one for one in partitions if one.replica[0] not in spared]


def differing_after(after: str, tables: ResultTables) -> list[PartitionDifferences]:
    """Partitions that are not the same in this view."""
    partitions: dict[PartitionReplica, PartitionDifferences] = {}
    [(_,), (states,)] = tables.tuples("SELECT count(*) AS states FROM state")
    slices = 1 + states // MAX_STATES
    rows = [
        row
        for number in range(slices)
        for row in tables.rows(ENTITIES.format(after=after, slices=slices, slice=number))
    ]
    rows.sort(key=lambda row: (replica_of(row), row["entity_type"], row["entity_id"]))
    for key, own in groupby(rows, lambda row: (replica_of(row), row["entity_type"], row["entity_id"])):
        views = {("full" if row["view"] == after else row["view"]): row for row in own}
        difference = difference_of(key[1], key[2], views)
        if difference:
            difference.is_by_start = after == AFTER_START
            partitions.setdefault(key[0], PartitionDifferences(key[0])).differences.append(difference)
    for row in tables.rows(DROPPED_THEN.format(after=after)) if partitions else ():
        if replica_of(row) in partitions:
            partitions[replica_of(row)].dropped[row["offset"]] = row
    for row in tables.rows(STOPPED) if partitions else ():
        if replica_of(row) in partitions:
            partitions[replica_of(row)].is_stopped = True
    for partition in partitions.values():
        partition.differences = noticed(partition, after, tables)
    return [partition for partition in partitions.values() if partition.differences]


USED = """
    SELECT DISTINCT attributes ->> '$.contentHash' AS hash FROM state
    WHERE {of} AND is_own AND view = '{after}' AND valid_to_offset IS NULL AND entity_type = 'version'
"""


def noticed(partition: PartitionDifferences, after: str, tables: ResultTables) -> list[EntityDifference]:
    """Differences without contents that come back and that nothing uses: a registry cleans them up and nobody asks for
    them."""
    back = [one for one in partition.differences if (one.entity_type, one.change) == ("content", "revived")]
    if not back:
        return partition.differences
    used = {row["hash"] for row in tables.rows(USED.format(of=is_of(partition.replica), after=after))}
    unused = {id(one) for one in back if one.then and str(one.then.attributes.get("contentHash")) not in used}
    return [one for one in partition.differences if id(one) not in unused]


def difference_of(
    entity_type: str, entity_id: str, rows: Mapping[str, Mapping[str, Any]]
) -> EntityDifference | None:
    """How an entity differs; None where only bookkeeping does."""
    log, then = ending(rows.get("log")), ending(rows.get("full"))
    now, was = (log, None) if log and log.ended_at is None else (None, log)
    change: Change = "changed" if now and then else "lost" if now else "revived"
    if now and then and same(now, then):
        return None
    is_soon = not same(ending(rows.get("next")), now)
    return EntityDifference(entity_type, entity_id, change, now, then, was, is_soon)


def same(one: Ending | None, other: Ending | None) -> bool:
    """Whether an entity is the same, or in neither, but for members that only say when."""
    return compared_members(one) == compared_members(other) if one and other else one is other


def ending(row: Mapping[str, Any] | None) -> Ending | None:
    """A row of `state`."""
    if row is None:
        return None
    return Ending(orjson.loads(row["attributes"]), row["origin_offset"], row["valid_to_offset"])


def compared_members(end: Ending) -> dict[str, Any]:
    """What the entity says, bookkeeping aside. Of a content its hash, for the rest follows from it."""
    if "contentHash" in end.attributes and "globalId" not in end.attributes:
        return {"contentHash": end.attributes["contentHash"]}
    return {name: value for name, value in end.attributes.items() if name not in BOOKKEEPING}


def offsets_listed(offsets: Iterable[int]) -> str:
    """Offsets as a list in SQL."""
    return "[" + ", ".join(map(str, sorted(set(offsets)))) + "]::BIGINT[]"
