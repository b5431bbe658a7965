"""Which record's removal changes an entity: differences grouped by the record that is behind them.

What replaying proved (table `removals`, spark/simulation/removals.py) decides. For what no replay told, the records of the
entity themselves say it:

lost, changed   its record is replaced by a later one of the same key; or it stays and is dropped, for what it needs
                went that way, or for the record before it of the same key did
revived         the record that ended it is replaced, or stays and is dropped
What has no record of its own to blame goes with its nearest relative (the artifact of a version, the group of an
artifact) that has one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spark.detectors.compaction._differences import EntityDifference, PartitionDifferences, differing
from spark.detectors.compaction._key_history import KeyHistory
from spark.dialects import Entity
from spark.tables.replica import PartitionReplica, is_of
from spark.tables.store import ResultTables

GONE_KINDS = ("tombstone", "restart")
REMOVALS = "removals"  # made before the detectors run
NO_REMOVALS = """
    SELECT NULL::VARCHAR AS topic, NULL::INT AS partition, NULL::VARCHAR AS replica, NULL::VARCHAR AS entity_type,
        NULL::VARCHAR AS entity_id, NULL::BIGINT[] AS kept WHERE false
"""


@dataclass
class Cause:
    """One record and the differences that it makes."""

    replica: PartitionReplica
    offset: int  # the record that decides: it replaces another, or ended what will come back
    entry_type: str | None = None
    pairs: set[tuple[int, int]] = field(default_factory=set)  # (record that goes, record that replaces it)
    differences: list[EntityDifference] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)  # records that stay and will be dropped
    needs: set[str] = field(default_factory=set)
    proven: dict[Entity, tuple[int, ...]] = field(default_factory=dict)  # what undoes a difference if kept
    is_stopped: bool = False

    @property
    def is_by_start(self) -> bool:
        """Whether the service's next start decides: it rejects the record and writes null under its key."""
        return any(difference.is_by_start for difference in self.differences)

    @property
    def undone_by(self) -> list[int]:
        """The records that undo all of it if they are kept, as replaying proved; empty where it did not."""
        entities = [difference.entity for difference in self.differences]
        if any(entity not in self.proven for entity in entities):
            return []
        return sorted({offset for entity in entities for offset in self.proven[entity]})

    @property
    def evidence(self) -> list[int]:
        """What goes, what replaces it, what will be dropped then."""
        replacements = [offset for pair in sorted(self.pairs) for offset in pair]
        return list(dict.fromkeys([*replacements, self.offset, *sorted(self.dropped)]))

    @property
    def names(self) -> set[str]:
        """What causes and consequences share."""
        own = {name for difference in self.differences for name in difference.names}
        stopped = {"reader-stopped"} if self.is_stopped else set()
        return {f"cause:{self.offset}", f"offset:{self.offset}", *stopped, *self.needs, *own}


def causes(tables: ResultTables) -> Iterator[Cause]:
    """Every record whose replacement changes the state, in the order of the log."""
    for partition in differing(tables):
        yield from sorted(CauseSearch(partition, tables).causes(), key=lambda cause: cause.offset)


class CauseSearch:
    """The causes of one partition's differences."""

    def __init__(self, partition: PartitionDifferences, tables: ResultTables) -> None:
        self.partition = partition
        self.proven = proven(partition, tables)
        retained = {offset for offsets in self.proven.values() for offset in offsets}
        self.history = KeyHistory.of(partition, tables, retained)
        self.by_name: dict[str, list[EntityDifference]] = defaultdict(list)
        for difference in partition.differences:
            for name in difference.names:
                self.by_name[name].append(difference)
            if difference.parent:
                self.by_name[f"below:{difference.parent}"].append(difference)
        self.by_offset: dict[int, Cause] = {}
        self.by_entity: dict[Entity, Cause | None] = {}
        self.in_progress: set[Entity] = set()

    def causes(self) -> list[Cause]:
        """Each difference with its cause."""
        unexplained = [
            difference for difference in self.partition.differences if self.cause_of(difference) is None
        ]
        for difference in unexplained:
            self.by_entity[difference.entity] = self.of_relative(difference) or self.own(difference)
        for difference in self.partition.differences:
            cause = self.by_entity[difference.entity]
            assert cause is not None
            cause.differences.append(difference)
        return [cause for cause in self.by_offset.values() if cause.differences]

    def cause_of(self, difference: EntityDifference) -> Cause | None:
        """What replaying proved, or the records of the entity themselves tell. What needs itself has no cause there."""
        entity = difference.entity
        if entity in self.in_progress:
            return None
        if entity not in self.by_entity:
            self.in_progress.add(entity)
            self.by_entity[entity] = self.find_cause(difference)
            self.in_progress.remove(entity)
        return self.by_entity[entity]

    def find_cause(self, difference: EntityDifference) -> Cause | None:
        retained = None if difference.is_by_start else self.proven.get(difference.entity)
        if retained:
            return self.of_removal(difference, retained)
        if difference.now is None:
            return self.of_end(difference)
        return self.of_record(difference.now.origin_offset)

    def of_removal(self, difference: EntityDifference, retained: list[int]) -> Cause:
        """What replaying proved: the last of the records that would have to stay decides."""
        pairs = [(gone, self.history.successor(gone)) for gone in sorted(retained)]
        gone, by = pairs[-1]
        ended = difference.was.ended_at if difference.was else None
        decisive = gone if by is None else by
        if ended is not None and ended in (gone, by):
            decisive = ended
        cause = self.cause_at(decisive)
        cause.pairs |= {(gone, by) for gone, by in pairs if by is not None}
        cause.proven[difference.entity] = tuple(sorted(retained))
        origin = difference.now.origin_offset if difference.now else None
        for offset in self.partition.dropped.keys() & {origin, ended}:
            cause.dropped.add(offset)
            if needs := self.partition.dropped[offset]["needs"]:
                cause.needs.add(str(needs))
        return cause

    def of_record(self, offset: int) -> Cause | None:
        """Why the record that says what holds now says it no longer."""
        successor = self.history.successor(offset)
        if successor is not None:
            return self.replaced(offset, successor, successor)
        dropped = self.partition.dropped.get(offset)
        if dropped is None:
            return None
        cause = self.of_needed(dropped["needs"]) or self.of_replaced_before(offset)
        if cause:
            cause.dropped.add(offset)
        return cause

    def of_needed(self, needs: str | None) -> Cause | None:
        """What the record will lack went for a reason of its own."""
        if not needs:
            return None
        causes = (self.cause_of(difference) for difference in self.by_name.get(needs, ()))
        cause = next((cause for cause in causes if cause), None) or self.of_needed_content(needs)
        if cause:
            cause.needs.add(needs)
        return cause

    def of_needed_content(self, needs: str) -> Cause | None:
        """A content that is there before and after, but only after the record that needs it."""
        first = self.history.at(self.history.first_holders.get(needs))
        if first is None or first["superseded_by"] is None:
            return None
        return self.replaced(first["offset"], first["superseded_by"], first["superseded_by"])

    def of_replaced_before(self, offset: int) -> Cause | None:
        """The record before this one, which it builds on and replaces."""
        record = self.history.at(offset)
        if record is None or record["previous_offset"] is None:
            return None
        return self.replaced(record["previous_offset"], offset, offset)

    def of_end(self, difference: EntityDifference) -> Cause | None:
        """Why what ended comes back, or what was refused comes true."""
        ended = difference.was.ended_at if difference.was else None
        if ended is None:
            return self.of_replaced_before(difference.end.origin_offset)
        successor = self.history.successor(ended)
        if successor is not None:
            return self.replaced(ended, successor, ended)
        if ended in self.partition.dropped:
            cause = self.of_replaced_before(ended)
            if cause:
                cause.dropped.add(ended)
            return cause
        record = self.history.at(ended)
        return self.cause_at(ended) if record and record["kind"] in GONE_KINDS else None

    def of_relative(self, difference: EntityDifference) -> Cause | None:
        """The cause of its namesake (one content under another id), else of the nearest entity above or beside it."""
        names = (*sorted(difference.names), *names_above(difference), f"below:{difference.parent}")
        relatives = (relative for name in names for relative in self.by_name.get(name, ()))
        return self.first_cause(relatives) or self.of_last_user(difference)

    def of_last_user(self, difference: EntityDifference) -> Cause | None:
        """A content whose record stays goes with the versions that go: a clean-up takes contents without a version."""
        if difference.entity_type != "content" or difference.change != "lost":
            return None
        return self.first_cause(
            other
            for other in self.partition.differences
            if other.entity_type == "version" and other.change == "lost"
        )

    def first_cause(self, differences: Iterable[EntityDifference]) -> Cause | None:
        """Of those whose cause is found by now."""
        causes = (self.by_entity.get(difference.entity) for difference in differences)
        return next((cause for cause in causes if cause), None)

    def own(self, difference: EntityDifference) -> Cause:
        """Without another cause the entity's own record stands for it."""
        return self.cause_at(difference.end.origin_offset)

    def replaced(self, gone: int, by: int, decisive: int) -> Cause:
        cause = self.cause_at(decisive)
        cause.pairs.add((gone, by))
        return cause

    def cause_at(self, offset: int) -> Cause:
        if offset not in self.by_offset:
            record = self.history.at(offset)
            entry_type = record["entry_type"] if record else None
            self.by_offset[offset] = Cause(
                self.partition.replica, offset, entry_type, is_stopped=self.partition.is_stopped
            )
        return self.by_offset[offset]


def names_above(difference: EntityDifference) -> Iterator[str]:
    """Names of what an entity belongs to: a comment to its version, a version to its artifact, that to its group."""
    if difference.entity_type == "comment":
        attributes = difference.end.attributes
        artifact = f"{attributes.get('groupId')}/{attributes.get('artifactId')}"
        yield from (f"version:{artifact}/{attributes.get('version')}", f"artifact:{artifact}")
    artifact = difference.entity_id if difference.entity_type == "artifact" else difference.parent
    yield from (f"artifact:{artifact}", f"group:{artifact.partition('/')[0]}")


def proven(partition: PartitionDifferences, tables: ResultTables) -> dict[Entity, list[int]]:
    """For each entity the removed records that would have to stay for it to stay as it is."""
    tables.materialize(REMOVALS, NO_REMOVALS)
    rows = tables.rows(f"SELECT entity_type, entity_id, kept FROM removals WHERE {is_of(partition.replica)}")
    return {(row["entity_type"], row["entity_id"]): row["kept"] for row in rows}
