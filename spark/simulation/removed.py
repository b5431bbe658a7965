"""What is asked of the records that the cleaner removes from one partition: whose removal makes which difference.

Candidates are the removed records of the keys that the entities in question, what they hang on and what they need were
ever written under. Only records of those keys and entities are replayed; where that does not give what the replay of the
whole log gave, the whole log is, if it is not large.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.detectors.compaction._causes import first_holders
from spark.detectors.compaction._differences import Ending, PartitionDifferences, offsets_listed
from spark.dialects import Entity
from spark.stages._replay_views import kept_offsets
from spark.tables.replica import PartitionReplica, is_of, quoted
from spark.tables.store import ResultTables

FEW_ENTRIES = 2_000  # of a partition that is replayed whole at once
MAX_SIBLINGS = 1_000  # entries below one name that are replayed with one of them
ABOUT = """
    SELECT origin_offset, valid_from_offset, valid_to_offset FROM state
    WHERE {where} AND is_own AND view IN ('log', 'full') AND entity_id IN ({names})
"""
SAME_KEYS = """
    SELECT "offset", superseded_by FROM lifelines WHERE {where} AND (key_hash_1, key_hash_2) IN (
        SELECT (key_hash_1, key_hash_2) FROM lifelines WHERE {where} AND "offset" IN (SELECT unnest({offsets})))
    ORDER BY "offset"
"""
PARENT = "regexp_extract(entity_id, '^(.*)/', 1)"
ENTRIES = 'SELECT * FROM entries WHERE {where} AND {condition} ORDER BY "offset", file'


@dataclass(frozen=True)
class Question:
    """The differences of one partition, and the records that may be behind them."""

    replica: PartitionReplica
    now: Mapping[Entity, Ending | None]  # the entities that differ, as the whole log says
    left: NDArray[np.int64]  # offsets of the records that the cleaner leaves, of those that are replayed
    candidates: tuple[int, ...]  # offsets of records that it removes
    entries: pa.Table
    size: int  # entries of the partition, all of them

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Those of the entries."""
        return np.asarray(self.entries.column("offset").to_numpy())

    @cached_property
    def ids(self) -> pa.Array:
        """Of the entities."""
        return pa.array(sorted({name for _, name in self.now}), pa.string())


def question_of(partition: PartitionDifferences, tables: ResultTables, is_whole: bool = False) -> Question:
    """That of the differences which the cleaner alone makes. `is_whole`: with all entries, however many there are."""
    in_replica = is_of(partition.replica)
    (count,) = tables.rows(f"SELECT count(*) AS entries FROM entries WHERE {in_replica}")
    own = [one for one in partition.differences if not one.is_by_start]
    names = {name for one in own for name in above(one.entity_id)}
    records = about(partition, names, tables)
    left = kept_offsets("full", partition.replica, tables)
    keyed = tables.arrow(SAME_KEYS.format(where=in_replica, offsets=offsets_listed(records)))
    related = keyed.column("offset").to_numpy()
    is_whole = is_whole or count["entries"] <= FEW_ENTRIES
    condition = "true" if is_whole else chosen(in_replica, set(related.tolist()), names)
    entries = tables.arrow(ENTRIES.format(where=in_replica, condition=condition))
    return Question(
        partition.replica,
        {(one.entity_type, one.entity_id): one.now for one in own},
        np.intersect1d(left, entries.column("offset").to_numpy()),
        tuple(np.setdiff1d(np.union1d(related, sorted(records)), left).tolist()),
        entries,
        count["entries"],
    )


def above(entity_id: str) -> Iterator[str]:
    """The entity and what it is part of, by its name: `g/a/2`, `g/a`, `g`."""
    while entity_id:
        yield entity_id
        entity_id = entity_id.rpartition("/")[0]


def about(partition: PartitionDifferences, names: set[str], tables: ResultTables) -> set[int]:
    """Offsets of records that say something of these entities, that will be dropped, or that hold what those need."""
    in_replica = is_of(partition.replica)
    ends = [end for one in partition.differences for end in (one.now, one.then, one.was) if end]
    offsets = {offset for end in ends for offset in (end.origin_offset, end.ended_at)}
    offsets |= {*partition.dropped, *first_holders(partition, tables, in_replica).values()}
    listed = ", ".join(quoted(name) for name in sorted(names))
    for row in tables.rows(ABOUT.format(where=in_replica, names=listed)) if names else ():
        offsets |= set(row.values())
    return {offset for offset in offsets if offset is not None}


def chosen(in_replica: str, related: set[int], names: set[str]) -> str:
    """Condition in SQL: the entries of these records, and of these entities with what is part of them."""
    listed = ", ".join(quoted(name) for name in sorted(names))
    return f"""("offset" IN (SELECT unnest({offsets_listed(related)})) OR entity_id IN ({listed}) OR {PARENT} IN (
        SELECT {PARENT} FROM entries WHERE {in_replica} AND {PARENT} IN ({listed}) GROUP BY ALL HAVING count(*) <= {MAX_SIBLINGS}))"""
