"""What the service's state lost between two copies: entities first, records below.

The states at the end of both logs, as the service that owns the journal replays them. The earlier copy is the one whose log
ends first; of two that end alike the one with more records, as the log cleaner only removes. An entity of the earlier copy that the
later one lacks was `deleted` where a record in the later copy ended it, else it is `lost`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spark.compare.sides import CopyPair
from spark.compare.tables import HERE, THERE, of_copy
from spark.tables.store import ResultTables
from spark.terms.entity_ids import owners
from spark.terms.wording import grouped, listed, some

SHOWN = 500
NAMED = 3
WORDS = {"content": "content item"}
KINDS = ("lost", "deleted", "changed", "new")  # the worst first
# Offsets within an entity's members move when a topic is copied: they are no change of it.
SAME_MEMBERS = """regexp_replace(attributes, '"[a-z_]+_offset":-?[0-9]+,?', '', 'g')"""
AT_END = """
    SELECT entity_type, entity_id, {members} AS members, origin_offset FROM {side}_state
    WHERE {where} AND is_own AND view = 'log' AND valid_to_offset IS NULL
"""
DIFFERENCES = """
    WITH earlier AS ({earlier}), later AS ({later}),
    ended AS (
        SELECT DISTINCT entity_type, entity_id FROM {after}_state WHERE {where_after} AND is_own AND view = 'log'
    ),
    differing AS (
    SELECT coalesce(e.entity_type, l.entity_type) AS entity_type, coalesce(e.entity_id, l.entity_id) AS entity_id,
        CASE WHEN e.entity_id IS NULL THEN 'new' WHEN l.entity_id IS NOT NULL THEN 'changed'
             WHEN (e.entity_type, e.entity_id) IN (SELECT (entity_type, entity_id) FROM ended) THEN 'deleted'
             ELSE 'lost' END AS kind,
        e.origin_offset AS before_offset, l.origin_offset AS after_offset
    FROM earlier e FULL JOIN later l ON e.entity_type = l.entity_type AND e.entity_id = l.entity_id
    WHERE e.entity_id IS NULL OR l.entity_id IS NULL OR e.members IS DISTINCT FROM l.members
    )
    SELECT * FROM differing ORDER BY list_position(['lost', 'deleted', 'changed', 'new'], kind), entity_type, before_offset, after_offset, entity_id
"""


@dataclass(frozen=True)
class StateDifferences:
    """`before` is the side whose log is the earlier one; `counts` by kind; `shown`: rows, the worst first."""

    before: str
    counts: dict[str, int] = field(default_factory=dict)
    shown: list[dict[str, Any]] = field(default_factory=list)
    lost: dict[str, list[str]] = field(default_factory=dict)  # by type, without what belongs to a lost one

    @property
    def sentence(self) -> str:
        """`Between these dumps 3 content items (48, 61 and 63) and 4 artifacts were lost.`; empty where nothing was."""
        if not self.lost:
            return ""
        parts = [named(entity_type, ids) for entity_type, ids in self.lost.items()]
        is_one = sum(map(len, self.lost.values())) == 1
        return f"Between these dumps {listed(parts)} {'was' if is_one else 'were'} lost."


def named(entity_type: str, ids: list[str]) -> str:
    """`3 content items (48, 61 and 63)`."""
    word = WORDS.get(entity_type, entity_type.replace("-", " "))
    if len(ids) == 1:
        return f"{word} {ids[0]}"
    many = f"{grouped(len(ids))} {word[:-1] + 'ies' if word.endswith('y') else word + 's'}"
    return f"{many} ({some(ids, NAMED)})"


def state_differences(tables: ResultTables, pair: CopyPair) -> StateDifferences | None:
    """None where a side has no state: nobody replays it, or nothing of it was left."""
    if not is_replayed(tables, pair):
        return None
    before, after = earlier_first(pair)
    rows = tables.rows(
        DIFFERENCES.format(
            earlier=AT_END.format(side=before, where=of_copy(before), members=SAME_MEMBERS),
            later=AT_END.format(side=after, where=of_copy(after), members=SAME_MEMBERS),
            after=after,
            where_after=of_copy(after),
        ),
        pair.parameters,
    )
    gone = {row["entity_id"] for row in rows if row["kind"] == "lost"}
    lost: dict[str, list[str]] = {}
    for row in rows:
        if row["kind"] == "lost" and not any(above in gone for above in owners(row["entity_id"])):
            lost.setdefault(row["entity_type"], []).append(row["entity_id"])
    counts = {kind: sum(row["kind"] == kind for row in rows) for kind in KINDS}
    return StateDifferences(before, counts, rows[:SHOWN], lost)


def earlier_first(pair: CopyPair) -> tuple[str, str]:
    """The sides, the earlier log first."""
    left, right = ((copy.end_offset, -copy.records) for copy in (pair.left, pair.right))
    return (HERE, THERE) if left <= right else (THERE, HERE)


def is_replayed(tables: ResultTables, pair: CopyPair) -> bool:
    """Whether both logs have a state."""
    return all(
        tables.rows(f"SELECT 1 FROM {side}_state WHERE {of_copy(side)} LIMIT 1", pair.parameters)
        for side in (HERE, THERE)
    )
