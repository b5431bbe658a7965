"""What two logs of a partition make of its service's state, each as of an offset, by consequence, the worst first:

    lost        the later log lacks the entity, and no record there ended it
    reappeared  the earlier log deleted it; the later one has it from a record that the earlier one had as well
    changed     both have it, with other members
    deleted     a record of the later log ended it
    new         a record that only the later log has made it

The tables of both are open under `left_` and `right_`. The state is that of the service that the journal belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark.tables.store import ResultTables, Rows

KINDS = ("lost", "reappeared", "changed", "deleted", "new")
SAME = "same"
NAMED_KINDS = ("lost", "reappeared")
MEMBERS_LETTERS = 2_000  # of an entity; longer members are left out
OWN = """topic = ${side}_topic AND "partition" = ${side}_partition AND replica = ${side}_replica AND is_own AND view = 'log'"""
# Offsets within an entity's members move when a topic is copied: they are no change of it.
AS_OF = """
    SELECT entity_type, entity_id, attributes, origin_offset,
        regexp_replace(attributes, '"[a-z_]+_offset":-?[0-9]+,?', '', 'g') AS members
    FROM {side}_state WHERE {own} AND valid_from_offset <= ${side}_at
    AND (valid_to_offset IS NULL OR valid_to_offset > ${side}_at)
"""
PAIRED = """
    WITH earlier AS ({earlier}), later AS ({later}),
    ended AS (SELECT DISTINCT entity_type, entity_id FROM {after}_state WHERE {own_after} AND valid_from_offset <= ${after}_at),
    deleted_before AS (
        SELECT DISTINCT entity_type, entity_id FROM {before}_state WHERE {own_before} AND valid_to_offset <= ${before}_at
    ),
    paired AS (
        SELECT coalesce(e.entity_type, l.entity_type) AS entity_type, coalesce(e.entity_id, l.entity_id) AS entity_id,
            CASE WHEN l.entity_id IS NULL AND (e.entity_type, e.entity_id) IN (SELECT (entity_type, entity_id) FROM ended)
                     THEN 'deleted'
                 WHEN l.entity_id IS NULL THEN 'lost'
                 WHEN e.entity_id IS NULL AND l.origin_offset <= ${before}_at
                     AND (l.entity_type, l.entity_id) IN (SELECT (entity_type, entity_id) FROM deleted_before)
                     THEN 'reappeared'
                 WHEN e.entity_id IS NULL THEN 'new'
                 WHEN e.members IS DISTINCT FROM l.members THEN 'changed'
                 ELSE 'same' END AS kind,
            e.origin_offset AS before_offset, l.origin_offset AS after_offset, e.attributes AS before, l.attributes AS after
        FROM earlier e FULL JOIN later l ON e.entity_type = l.entity_type AND e.entity_id = l.entity_id
    )
"""
COUNTS = "SELECT kind, count(*) AS entities FROM paired GROUP BY kind"
IN_ORDER = "ORDER BY list_position($kinds, kind), entity_type, before_offset, after_offset, entity_id"
LISTED = f"""
    SELECT kind, entity_type, entity_id, before_offset, after_offset,
        CASE WHEN length(before) <= {MEMBERS_LETTERS} THEN before END AS before,
        CASE WHEN length(after) <= {MEMBERS_LETTERS} THEN after END AS after
    FROM paired WHERE list_contains($kinds, kind) {IN_ORDER} LIMIT $most
"""
NAMES = f"SELECT kind, entity_type, entity_id FROM paired WHERE list_contains($kinds, kind) {IN_ORDER}"


@dataclass(frozen=True)
class StatePair:
    """`before` and `after` are `left` or `right`; `values`: topic, partition, replica and `at` of both, `left_at`."""

    before: str
    after: str
    values: Mapping[str, Any]

    def question(self, select: str) -> str:
        """A question about the entities of both sides in pairs, the table `paired`."""
        own = {side: OWN.replace("{side}", side) for side in (self.before, self.after)}
        paired = PAIRED.format(
            before=self.before,
            after=self.after,
            own_before=own[self.before],
            own_after=own[self.after],
            earlier=AS_OF.format(side=self.before, own=own[self.before]),
            later=AS_OF.format(side=self.after, own=own[self.after]),
        )
        return paired + select


def count_differences(tables: ResultTables, pair: StatePair) -> dict[str, int]:
    """Entities by kind, those that are the `same` too; every kind is there."""
    rows = tables.rows(pair.question(COUNTS), pair.values)
    return dict.fromkeys((*KINDS, SAME), 0) | {row["kind"]: row["entities"] for row in rows}


def list_differences(
    tables: ResultTables, pair: StatePair, max_rows: int, kinds: tuple[str, ...] = KINDS
) -> Rows:
    """Entities that differ, with their records and their members (JSON; null where they are long) on both sides."""
    return tables.rows(pair.question(LISTED), {**pair.values, "kinds": list(kinds), "most": max_rows})


def name_differences(tables: ResultTables, pair: StatePair) -> Rows:
    """Kind, type and id of everything that is lost or has reappeared."""
    return tables.rows(pair.question(NAMES), {**pair.values, "kinds": list(NAMED_KINDS)})
