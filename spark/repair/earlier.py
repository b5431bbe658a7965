"""An earlier repair of a journal that is unfinished: its records, and what its DELETEs took that nothing brought back.

What it deleted was to be written again at once, so its DELETE is nobody's wish. A record that keeps something deleted has
a mark of its own (`repair_records.STAYS_DELETED`). A repair is finished when all its records are there, or a later one is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from spark.dialects import Entity
from spark.tables.repair_records import MARKED, UNMARKED_DELETES

if TYPE_CHECKING:
    from spark.repair.journal import PartitionJournal

TAKEN = """
    WITH own AS (SELECT * FROM state WHERE {here} AND is_own AND view = 'log'),
    taken AS (SELECT * FROM own WHERE valid_to_offset IN (%s) AND entity_type <> 'content'),
    later AS (
        SELECT taken.entity_type, taken.entity_id, max_by(own.attributes, own.valid_from_offset) AS attributes,
            bool_or(own.valid_to_offset IS NULL) AS is_held
        FROM taken JOIN own USING (entity_type, entity_id) WHERE own.valid_from_offset > taken.valid_to_offset GROUP BY ALL
    )
    SELECT taken.entity_type, taken.entity_id, taken.attributes, taken.valid_to_offset, later.attributes AS later, is_held
    FROM taken LEFT JOIN later USING (entity_type, entity_id)
"""
SET_AGAIN = """
    SELECT DISTINCT entity_id FROM entries
    WHERE {here} AND entry_type = 'ArtifactVersion' AND "offset" > %d AND "offset" NOT IN (%s)
"""
SET_LATER = ("state", "name")  # of a version, by a record after the one that makes it


@dataclass(frozen=True)
class UnfinishedRepair:
    """Offsets of its records and, among them, of its DELETEs; how many records it has in all, None where nothing says it;
    what it took, with the attributes of then."""

    offsets: frozenset[int] = frozenset()
    deletes: frozenset[int] = frozenset()
    total: int | None = None
    lost: Mapping[Entity, Mapping[str, Any]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.offsets)


def unfinished_repair(journal: PartitionJournal) -> UnfinishedRepair:
    """The unfinished repair of a journal; without one, an empty one."""
    marked = [row for row in journal.rows(f"SELECT * FROM ({MARKED}) WHERE {{here}} ORDER BY \"offset\"")]
    finished = {row["repair"] for row in marked if row["number"] == row["total"]}
    finished_at = max((row["offset"] for row in marked if row["repair"] in finished), default=-1)
    last = marked[-1] if marked and marked[-1]["offset"] > finished_at else None
    named = [row for row in marked if last and row["repair"] == last["repair"]]
    applied = [offset for offset in journal.applied if offset > finished_at]
    offsets = {row["offset"] for row in named} | set(applied)
    wishes = {row["offset"] for row in named if row["stays_deleted"]}
    deletes = delete_offsets(journal, offsets) - wishes
    if journal.dialect == "apicurio-v2":
        query = f"SELECT \"offset\" FROM ({UNMARKED_DELETES}) WHERE {{here}}"
        deletes |= {row["offset"] for row in journal.rows(query) if row["offset"] > finished_at}
    lost = taken(journal, deletes)
    is_cut = bool(offsets) and not may_be_cleaned(journal, max(offsets))
    if not lost and not is_cut:
        return UnfinishedRepair()
    return UnfinishedRepair(
        frozenset(offsets | deletes), frozenset(deletes), last["total"] if last else None, lost
    )


def delete_offsets(journal: PartitionJournal, offsets: Iterable[int]) -> set[int]:
    """Those of the records that delete something."""
    numbers = ", ".join(map(str, offsets)) or "-1"
    return {entry.offset for entry in journal.entries(f"entry_action = 'delete' AND \"offset\" IN ({numbers})")}


def may_be_cleaned(journal: PartitionJournal, offset: int) -> bool:
    """Whether the record behind this one is missing: the cleaner may have removed the last records of a finished repair."""
    query = f'SELECT min("offset") AS next FROM lifelines WHERE {{here}} AND "offset" > {offset}'
    (row,) = journal.rows(query)
    return row["next"] is not None and int(row["next"]) > offset + 1


def taken(journal: PartitionJournal, deletes: Iterable[int]) -> dict[Entity, dict[str, Any]]:
    """What these DELETEs took and nothing brought back as it was."""
    numbers = ", ".join(map(str, sorted(deletes)))
    if not numbers:
        return {}
    lost: dict[Entity, dict[str, Any]] = {}
    first = min(deletes)
    set_again = {row["entity_id"] for row in journal.rows(SET_AGAIN % (first, numbers))}
    for row in journal.rows(TAKEN % numbers):
        entity, attributes = (row["entity_type"], row["entity_id"]), orjson.loads(row["attributes"])
        if row["later"] is None:
            lost[entity] = attributes
        elif row["is_held"] and entity[0] == "version" and entity[1] not in set_again:
            later = orjson.loads(row["later"])
            if any(later.get(name) != attributes.get(name) for name in SET_LATER):
                lost[entity] = later | {name: attributes.get(name) for name in SET_LATER}
    return lost
