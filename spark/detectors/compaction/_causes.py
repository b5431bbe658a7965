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

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spark.detectors.compaction._differences import (
    EntityDifference,
    PartitionDifferences,
    differing,
    offsets_listed,
)
from spark.tables.replica import PartitionReplica, Row, is_of, quoted
from spark.tables.store import ResultTables

GONE_KINDS = ("tombstone", "restart")
REMOVALS = "removals"  # made before the detectors run
NO_REMOVALS = """
    SELECT NULL::VARCHAR AS topic, NULL::INT AS partition, NULL::VARCHAR AS replica, NULL::VARCHAR AS entity_type,
        NULL::VARCHAR AS entity_id, NULL::BIGINT[] AS kept WHERE false
"""


@dataclass
class Cause:
    """One record and what hangs on it."""

    replica: PartitionReplica
    offset: int  # the record that decides: it replaces another, or ended what will come back
    entry_type: str | None = None
    pairs: set[tuple[int, int]] = field(default_factory=set)  # (record that goes, record that replaces it)
    differences: list[EntityDifference] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)  # records that stay and will be dropped
    needs: set[str] = field(default_factory=set)
    # difference, by id -> what undoes it if kept
    proven: dict[int, tuple[int, ...]] = field(default_factory=dict)
    is_stopped: bool = False

    @property
    def is_by_start(self) -> bool:
        """Whether the service's next start decides: it rejects the record and writes null under its key."""
        return any(one.is_by_start for one in self.differences)

    @property
    def undone_by(self) -> list[int]:
        """The records that undo all of it if they are kept, as replaying proved; empty where it did not."""
        if any(id(one) not in self.proven for one in self.differences):
            return []
        return sorted({offset for one in self.differences for offset in self.proven[id(one)]})

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
        self.history = key_history(
            partition, tables, {offset for retained in self.proven.values() for offset in retained}
        )
        self.by_name: dict[str, list[EntityDifference]] = {}
        for one in partition.differences:
            above = one.entity_id.rpartition("/")[0]
            for name in (*one.names, *([f"below:{above}"] if above else [])):
                self.by_name.setdefault(name, []).append(one)
        self.by_offset: dict[int, Cause] = {}
        self.known: dict[int, Cause | None] = {}

    def causes(self) -> list[Cause]:
        """Each difference with its cause."""
        left = [one for one in self.partition.differences if self.cause_of(one) is None]
        for one in left:
            self.known[id(one)] = self.of_relative(one) or self.own(one)
        for one in self.partition.differences:
            cause = self.known[id(one)]
            assert cause is not None
            cause.differences.append(one)
        return [cause for cause in self.by_offset.values() if cause.differences]

    def cause_of(self, one: EntityDifference) -> Cause | None:
        """What the records of the entity themselves tell."""
        retained = self.proven.get((one.entity_type, one.entity_id)) if not one.is_by_start else None
        if retained and id(one) not in self.known:
            self.known[id(one)] = self.of_removal(one, retained)
        if id(one) not in self.known:
            self.known[id(one)] = None  # while it is looked for: what needs itself has no cause there
            self.known[id(one)] = (
                self.of_end(one) if one.now is None else self.of_record(one.now.origin_offset)
            )
        return self.known[id(one)]

    def of_removal(self, one: EntityDifference, retained: list[int]) -> Cause:
        """What replaying proved: the last of the records that would have to stay decides."""
        pairs = [(gone, self.history.get(gone, {}).get("superseded_by")) for gone in sorted(retained)]
        gone, by = pairs[-1]
        ended = one.was.ended_at if one.was else None
        cause = self.cause(ended if ended is not None and ended in (gone, by) else gone if by is None else by)
        cause.pairs |= {(gone, by) for gone, by in pairs if by is not None}
        cause.proven[id(one)] = tuple(sorted(retained))
        for offset in self.partition.dropped.keys() & {one.now.origin_offset if one.now else None, ended}:
            cause.dropped.add(offset)
            cause.needs |= {str(needs) for needs in [self.partition.dropped[offset]["needs"]] if needs}
        return cause

    def of_record(self, offset: int) -> Cause | None:
        """Why the record that says what holds now says it no longer."""
        record = self.history.get(offset)
        dropped = self.partition.dropped.get(offset)
        if record and record["superseded_by"] is not None:
            return self.replaced(offset, record["superseded_by"], record["superseded_by"])
        if dropped is None:
            return None
        cause = self.of_needed(dropped["needs"]) or self.of_replaced_before(offset, record)
        if cause:
            cause.dropped.add(offset)
        return cause

    def of_needed(self, needs: str | None) -> Cause | None:
        """What the record will lack went for a reason of its own."""
        needed = (self.cause_of(one) for one in self.by_name.get(needs or "", ()))
        cause = next((cause for cause in needed if cause), None) or self.of_needed_content(needs or "")
        if cause and needs:
            cause.needs.add(needs)
        return cause

    def of_needed_content(self, needs: str) -> Cause | None:
        """A content that is there before and after, but only after the record that needs it."""
        first = self.history.get(needs)
        if first is None or first["superseded_by"] is None:
            return None
        return self.replaced(first["offset"], first["superseded_by"], first["superseded_by"])

    def of_replaced_before(self, offset: int, record: Row | None) -> Cause | None:
        """The record before it, which it builds on and replaces."""
        if record is None or record["previous_offset"] is None:
            return None
        return self.replaced(record["previous_offset"], offset, offset)

    def of_end(self, one: EntityDifference) -> Cause | None:
        """Why what ended comes back, or what was refused comes true."""
        if one.was is None or one.was.ended_at is None:
            assert one.then is not None
            return self.of_replaced_before(one.then.origin_offset, self.history.get(one.then.origin_offset))
        ended = one.was.ended_at
        record = self.history.get(ended)
        if record and record["superseded_by"] is not None:
            return self.replaced(ended, record["superseded_by"], ended)
        if ended in self.partition.dropped:
            cause = self.of_replaced_before(ended, record)
            if cause:
                cause.dropped.add(ended)
            return cause
        return self.cause(ended) if record and record["kind"] in GONE_KINDS else None

    def of_relative(self, one: EntityDifference) -> Cause | None:
        """The cause of its namesake (one content under another id), else of the nearest entity above or beside it."""
        above = one.entity_id.rpartition("/")[0]
        relatives = (
            self.by_name.get(name, ()) for name in (*sorted(one.names), *related(one), f"below:{above}")
        )
        causes = (self.known.get(id(other)) for others in relatives for other in others)
        return next((cause for cause in causes if cause), None) or self.of_last_user(one)

    def of_last_user(self, one: EntityDifference) -> Cause | None:
        """A content whose record stays goes with the versions that go: a clean-up takes contents without a version."""
        if one.entity_type != "content" or one.change != "lost":
            return None
        versions = (other for other in self.partition.differences if other.entity_type == "version")
        causes = (self.known.get(id(other)) for other in versions if other.change == "lost")
        return next((cause for cause in causes if cause), None)

    def own(self, one: EntityDifference) -> Cause:
        """None to be found: the entity's own record stands for it."""
        end = one.now or one.then
        return self.cause(end.origin_offset if end else 0)

    def replaced(self, gone: int, by: int, decisive: int) -> Cause:
        """A cause that is a replacement."""
        cause = self.cause(decisive)
        cause.pairs.add((gone, by))
        return cause

    def cause(self, offset: int) -> Cause:
        """The cause at an offset."""
        if offset not in self.by_offset:
            entry_type = self.history.get(offset, {}).get("entry_type")
            self.by_offset[offset] = Cause(
                self.partition.replica, offset, entry_type, is_stopped=self.partition.is_stopped
            )
        return self.by_offset[offset]


def related(one: EntityDifference) -> Iterator[str]:
    """Names of what an entity hangs on: a comment on its version, a version on its artifact, that on its group."""
    members = (one.now or one.then).attributes if one.now or one.then else {}  # type: ignore[union-attr]
    if one.entity_type == "comment":
        artifact = f"{members.get('groupId')}/{members.get('artifactId')}"
        yield from (f"version:{artifact}/{members.get('version')}", f"artifact:{artifact}")
    artifact = one.entity_id if one.entity_type == "artifact" else one.entity_id.rpartition("/")[0]
    yield from (f"artifact:{artifact}", f"group:{artifact.partition('/')[0]}")


def proven(partition: PartitionDifferences, tables: ResultTables) -> dict[tuple[str, str], list[int]]:
    """For each entity the removed records that would have to stay for it to stay as it is."""
    tables.materialize(REMOVALS, NO_REMOVALS)
    rows = tables.rows(f"SELECT entity_type, entity_id, kept FROM removals WHERE {is_of(partition.replica)}")
    return {(row["entity_type"], row["entity_id"]): row["kept"] for row in rows}


def key_history(partition: PartitionDifferences, tables: ResultTables, others: set[int]) -> dict[Any, Row]:
    """The lifelines of every record in question, by offset; and of needed contents' first records, by name."""
    of_replica = is_of(partition.replica)
    offsets = {
        offset
        for one in partition.differences
        for end in (one.now, one.then, one.was)
        if end
        for offset in (end.origin_offset, end.ended_at)
        if offset is not None
    }
    held = first_holders(partition, tables, of_replica)
    known = key_history_at(tables, of_replica, offsets | others | set(partition.dropped) | set(held.values()))
    later = {record["superseded_by"] for record in known.values() if record["superseded_by"] is not None}
    known |= key_history_at(tables, of_replica, later - known.keys())
    named = {name: known[offset] for name, offset in held.items() if offset in known}
    return {**known, **named}


def key_history_at(tables: ResultTables, of_replica: str, offsets: set[int]) -> dict[Any, Row]:
    """The lifelines at some offsets."""
    if not offsets:
        return {}
    rows = tables.rows(
        f"""SELECT "offset", previous_offset, superseded_by, kind, entry_type FROM lifelines
        WHERE {of_replica} AND "offset" IN (SELECT unnest({offsets_listed(offsets)}))"""
    )
    return {row["offset"]: row for row in rows}


def first_holders(partition: PartitionDifferences, tables: ResultTables, of_replica: str) -> dict[str, int]:
    """Where the contents that records will lack were first held."""
    needs = {
        str(row["needs"]) for row in partition.dropped.values() if str(row["needs"]).startswith("content:")
    }
    if not needs:
        return {}
    hashes = ", ".join(quoted(name.rpartition("/")[2]) for name in sorted(needs))
    rows = tables.rows(
        f"""SELECT attributes ->> '$.tenantId' AS tenant, attributes ->> '$.contentHash' AS hash,
            min(origin_offset) AS "offset"
        FROM state WHERE {of_replica} AND is_own AND view = 'log' AND entity_type = 'content'
            AND attributes ->> '$.contentHash' IN ({hashes}) GROUP BY ALL"""
    )
    return {f"content:{row['tenant'] or '_'}/{row['hash']}": row["offset"] for row in rows}
