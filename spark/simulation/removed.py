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

from spark.detectors.compaction._differences import EntityState, PartitionDifferences
from spark.detectors.compaction._key_history import first_holders
from spark.dialects import Entity
from spark.stages._replay_views import kept_offsets
from spark.tables.replica import IN_REPLICA, PartitionReplica
from spark.tables.store import ResultTables

FEW_ENTRIES = 2_000  # of a partition that is replayed whole at once
MAX_SIBLINGS = 1_000  # entries below one name that are replayed with one of them
COUNT = f"SELECT count(*) AS entries FROM entries WHERE {IN_REPLICA}"
ABOUT = f"""
    SELECT origin_offset, valid_from_offset, valid_to_offset FROM state
    WHERE {IN_REPLICA} AND is_own AND view IN ('log', 'full') AND entity_id IN (SELECT unnest($names::VARCHAR[]))
"""
SAME_KEYS = f"""
    SELECT "offset", superseded_by FROM lifelines WHERE {IN_REPLICA} AND (key_hash_1, key_hash_2) IN (
        SELECT (key_hash_1, key_hash_2) FROM lifelines
        WHERE {IN_REPLICA} AND "offset" IN (SELECT unnest($offsets::BIGINT[])))
    ORDER BY "offset"
"""
PARENT = "regexp_extract(entity_id, '^(.*)/', 1)"
# The entries of some records, and those of some entities with what is part of them.
CHOSEN = f"""
    "offset" IN (SELECT unnest($offsets::BIGINT[])) OR entity_id IN (SELECT unnest($names::VARCHAR[])) OR {PARENT} IN (
        SELECT {PARENT} FROM entries WHERE {IN_REPLICA} AND {PARENT} IN (SELECT unnest($names::VARCHAR[]))
        GROUP BY ALL HAVING count(*) <= {MAX_SIBLINGS})
"""
ENTRIES = f'SELECT * FROM entries WHERE {IN_REPLICA} AND ($is_whole OR {CHOSEN}) ORDER BY "offset", file'


@dataclass(frozen=True)
class Question:
    """The differences of one partition, and the records that may be behind them."""

    replica: PartitionReplica
    now: Mapping[Entity, EntityState | None]  # the entities that differ, as the whole log says
    remaining: NDArray[np.int64]  # offsets of the records that the cleaner leaves, of those that are replayed
    candidates: tuple[int, ...]  # offsets of records that it removes
    entries: pa.Table
    size: int  # entries of the partition, all of them

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Of the entries, in their order."""
        return np.asarray(self.entries.column("offset").to_numpy())

    @cached_property
    def ids(self) -> pa.Array:
        """Of the entities."""
        return pa.array(sorted({name for _, name in self.now}), pa.string())


def question_of(partition: PartitionDifferences, tables: ResultTables, is_whole: bool = False) -> Question:
    """That of the differences which the cleaner alone makes. `is_whole`: with all entries, however many there are."""
    values = partition.replica._asdict()
    (count,) = tables.rows(COUNT, values)
    own = [difference for difference in partition.differences if not difference.is_by_start]
    names = sorted({name for difference in own for name in names_along(difference.entity_id)})
    records = about(partition, names, tables)
    remaining = kept_offsets("full", partition.replica, tables)
    related = tables.arrow(SAME_KEYS, {**values, "offsets": records}).column("offset").to_numpy()
    is_whole = is_whole or count["entries"] <= FEW_ENTRIES
    entries = tables.arrow(
        ENTRIES, {**values, "is_whole": is_whole, "offsets": related.tolist(), "names": names}
    )
    return Question(
        partition.replica,
        {difference.entity: difference.now for difference in own},
        np.intersect1d(remaining, entries.column("offset").to_numpy()),
        tuple(np.setdiff1d(np.union1d(related, records), remaining).tolist()),
        entries,
        count["entries"],
    )


def names_along(entity_id: str) -> Iterator[str]:
    """The entity and what it is part of, by its name: `g/a/2`, `g/a`, `g`."""
    while entity_id:
        yield entity_id
        entity_id = entity_id.rpartition("/")[0]


def about(partition: PartitionDifferences, names: list[str], tables: ResultTables) -> list[int]:
    """Offsets of records that say something of these entities, that will be dropped, or that hold what those need."""
    offsets = {*partition.dropped, *first_holders(partition, tables).values()}
    offsets.update(*(difference.offsets for difference in partition.differences))
    for row in tables.rows(ABOUT, {**partition.replica._asdict(), "names": names}):
        offsets.update(offset for offset in row.values() if offset is not None)
    return sorted(offsets)
