"""What cleaning changes: the replay of the log as it is and of what the cleaner leaves, entity by entity.

Only entities that differ leave the database: prints of equal ones meet and are counted away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import orjson

from spark.difference import Change, changes_between
from spark.difference.members import without_bookkeeping
from spark.log.cleanings import NOTHING_SHOWN
from spark.tables.replica import IN_REPLICA, REPLICA_COLUMNS, PartitionReplica, replica_of
from spark.tables.store import ResultTables

AFTER_START = "start"
MAX_STATES = 3_000_000  # rows of `state` at a time; of four million the 512 MB of a task are full

ENTITIES = f"""
    WITH ends AS (
        SELECT {REPLICA_COLUMNS}, entity_type, entity_id, hash({REPLICA_COLUMNS}, entity_type, entity_id, attributes) AS print
        FROM state
        WHERE is_own AND valid_to_offset IS NULL AND view IN ('log', $after) AND entity_type <> 'sequence'
            AND hash(entity_id) % $slices::UBIGINT = $slice::UBIGINT
            AND ({REPLICA_COLUMNS}) IN (SELECT DISTINCT ({REPLICA_COLUMNS}) FROM state WHERE view = $after OR $after = 'full')
    ),
    single AS (SELECT print FROM ends GROUP BY print HAVING count(*) = 1),
    differing AS (SELECT DISTINCT {REPLICA_COLUMNS}, entity_type, entity_id FROM ends SEMI JOIN single USING (print))
    SELECT {REPLICA_COLUMNS}, entity_type, entity_id, view, attributes, valid_from_offset, valid_to_offset, origin_offset
    FROM state SEMI JOIN differing USING ({REPLICA_COLUMNS}, entity_type, entity_id)
    WHERE is_own AND (valid_to_offset IS NULL OR view = 'log') AND view IN ('log', 'next', $after)
    QUALIFY row_number() OVER (
        PARTITION BY {REPLICA_COLUMNS}, entity_type, entity_id, view ORDER BY valid_to_offset DESC NULLS FIRST
    ) = 1
"""
# Records that the service takes now and drops once the log is clean.
DROPPED_THEN = f"""
    SELECT {REPLICA_COLUMNS}, "offset", reason, needs, available_from_offset FROM refusals
    ANTI JOIN (SELECT {REPLICA_COLUMNS}, "offset" FROM live_refusals) AS now USING ({REPLICA_COLUMNS}, "offset")
    WHERE is_own AND view = $after
"""
# Where the service does not read the log to its end, it is that end which cleaning moves.
STOPPED = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM refusals
    WHERE is_own AND view IN ('log', 'full') AND reason = 'reader-stopped'
"""
NOT_COMPACTED = """
    SELECT topic FROM cleanings GROUP BY topic HAVING bool_and(compacted = 'no') AND bool_or(why <> $unknown)
"""
USED = f"""
    SELECT DISTINCT attributes ->> '$.contentHash' AS hash FROM state
    WHERE {IN_REPLICA} AND is_own AND view = $after AND valid_to_offset IS NULL AND entity_type = 'version'
"""


@dataclass(frozen=True)
class EntityState:
    """An entity in one view, as it is at the end; in the log also as it was before it ended."""

    attributes: dict[str, Any]
    origin_offset: int
    ended_at: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> EntityState:
        """From a row of `state`."""
        return cls(orjson.loads(row["attributes"]), row["origin_offset"], row["valid_to_offset"])


@dataclass
class EntityDifference:
    """An entity that is not the same once the log is clean."""

    entity_type: str
    entity_id: str
    change: Change
    now: EntityState | None
    then: EntityState | None
    was: EntityState | None = None  # what it was before it ended, for one that comes back
    is_soon: bool = False  # already after the next cleaning, not only when tombstones go, too
    is_by_start: bool = False  # only after the service's next start, which writes null records

    @property
    def entity(self) -> tuple[str, str]:
        return self.entity_type, self.entity_id

    @property
    def end(self) -> EntityState:
        """As it is now; of one that comes back, as it will be."""
        end = self.now or self.then
        assert end is not None
        return end

    @property
    def parent(self) -> str:
        """The name above its own: of version `g/a/2` the artifact's, `g/a`; empty where there is none."""
        return self.entity_id.rpartition("/")[0]

    @property
    def names(self) -> set[str]:
        """As findings and refusals call it."""
        names = {f"{self.entity_type}:{self.entity_id}", f"{self.entity_type}:_/{self.entity_id}"}
        attributes = self.end.attributes
        if self.entity_type == "content" and attributes.get("contentHash"):
            names.add(f"content:{attributes.get('tenantId') or '_'}/{attributes['contentHash']}")
        return names | self.schema_ids

    @property
    def schema_ids(self) -> set[str]:
        """The ids that a version of a subject has, had or gets, as findings call them."""
        if self.entity_type != "schema":
            return set()
        context = self.entity_id.split(":")[1] if self.entity_id.startswith(":.") else "."
        return {f"schema-id:{context}/{state.attributes.get('id')}" for state in self.states}

    @property
    def states(self) -> list[EntityState]:
        return [state for state in (self.now, self.then, self.was) if state]

    @property
    def offsets(self) -> set[int]:
        """Offsets of the records that made it what it is, was or will be, and that ended it."""
        offsets = {offset for state in self.states for offset in (state.origin_offset, state.ended_at)}
        return {offset for offset in offsets if offset is not None}


@dataclass
class PartitionDifferences:
    """What differs in one copy of a partition, and what the service will drop there."""

    replica: PartitionReplica
    differences: list[EntityDifference] = field(default_factory=list)
    dropped: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    is_stopped: bool = False  # the service ends at a record that it cannot read


_of_tables: WeakKeyDictionary[ResultTables, list[PartitionDifferences]] = WeakKeyDictionary()


def differing(tables: ResultTables) -> list[PartitionDifferences]:
    """Partitions with differences: those that compaction makes, and those that it makes after the next start."""
    if tables not in _of_tables:
        _of_tables[tables] = _differing(tables)
    return _of_tables[tables]


def _differing(tables: ResultTables) -> list[PartitionDifferences]:
    by_compaction = differing_after("full", tables)
    entities = {
        (partition.replica, difference.entity)
        for partition in by_compaction
        for difference in partition.differences
    }
    by_start = differing_after(AFTER_START, tables)
    for partition in by_start:
        partition.differences = [
            difference
            for difference in partition.differences
            if (partition.replica, difference.entity) not in entities
        ]
    partitions = [partition for partition in (*by_compaction, *by_start) if partition.differences]
    return on_compacted_topics(partitions, tables)


def on_compacted_topics(
    partitions: list[PartitionDifferences], tables: ResultTables
) -> list[PartitionDifferences]:
    """Without partitions of topics that are known not to be compacted: no cleaner will come by."""
    if not partitions:
        return []
    spared = {row["topic"] for row in tables.rows(NOT_COMPACTED, {"unknown": NOTHING_SHOWN})}
    return [partition for partition in partitions if partition.replica.topic not in spared]


def differing_after(after: str, tables: ResultTables) -> list[PartitionDifferences]:
    """Partitions that are not the same in this view."""
    partitions: dict[PartitionReplica, PartitionDifferences] = {}
    views = states_by_view(after, tables)
    log, next_ = views["log"], views["next"]
    now = {entity: state for entity, state in log.items() if state.ended_at is None}
    changes = changes_between(now, views[after], lambda _, before, then: is_same(before, then)).by_entity
    for entity, change in sorted(changes.items()):
        replica, entity_type, entity_id = entity
        difference = EntityDifference(
            entity_type,
            entity_id,
            change,
            now.get(entity),
            views[after].get(entity),
            was=None if entity in now else log.get(entity),
            is_soon=not is_same(next_.get(entity), now.get(entity)),
            is_by_start=after == AFTER_START,
        )
        partitions.setdefault(replica, PartitionDifferences(replica)).differences.append(difference)
    add_rejections(partitions, after, tables)
    for partition in partitions.values():
        partition.differences = noticed(partition, after, tables)
    return [partition for partition in partitions.values() if partition.differences]


def states_by_view(
    after: str, tables: ResultTables
) -> dict[str, dict[tuple[PartitionReplica, str, str], EntityState]]:
    """Entities whose text is not the same in the log and in this view, in each view; of the log also those that ended."""
    [(_,), (count,)] = tables.tuples("SELECT count(*) AS states FROM state")
    slices = 1 + count // MAX_STATES
    views: dict[str, dict[tuple[PartitionReplica, str, str], EntityState]] = defaultdict(dict)
    for number in range(slices):
        for row in tables.rows(ENTITIES, {"after": after, "slices": slices, "slice": number}):
            entity = replica_of(row), row["entity_type"], row["entity_id"]
            views[row["view"]][entity] = EntityState.of(row)
    return views


def add_rejections(
    partitions: Mapping[PartitionReplica, PartitionDifferences], after: str, tables: ResultTables
) -> None:
    """Note in each partition which records the service will drop, and whether it reads the log to its end."""
    if not partitions:
        return
    for row in tables.rows(DROPPED_THEN, {"after": after}):
        if partition := partitions.get(replica_of(row)):
            partition.dropped[row["offset"]] = row
    for row in tables.rows(STOPPED):
        if partition := partitions.get(replica_of(row)):
            partition.is_stopped = True


def noticed(partition: PartitionDifferences, after: str, tables: ResultTables) -> list[EntityDifference]:
    """Differences without contents that come back and that nothing uses: a registry cleans them up and nobody asks for
    them."""
    if not any(map(is_content_back, partition.differences)):
        return partition.differences
    values = {**partition.replica._asdict(), "after": after}
    used = {row["hash"] for row in tables.rows(USED, values)}
    return [
        difference
        for difference in partition.differences
        if not is_content_back(difference) or str(difference.end.attributes.get("contentHash")) in used
    ]


def is_content_back(difference: EntityDifference) -> bool:
    return difference.entity_type == "content" and difference.change == "revived"


def is_same(state: EntityState | None, other: EntityState | None) -> bool:
    """Whether an entity is the same, or in neither, but for bookkeeping."""
    if state is None or other is None:
        return state is other
    return without_bookkeeping(state.attributes) == without_bookkeeping(other.attributes)
