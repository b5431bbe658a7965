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

from spark.difference.pairs import in_force, paired
from spark.tables.store import ResultTables, Rows

KINDS = ("lost", "reappeared", "changed", "deleted", "new")
SAME = "same"
NAMED_KINDS = ("lost", "reappeared")
MEMBERS_LETTERS = 2_000  # of an entity; longer members are left out
COUNTS = "SELECT kind, count(*) AS entities FROM compared GROUP BY kind"
IN_ORDER = "ORDER BY list_position($kinds, kind), entity_type, before_offset, after_offset, entity_id"
LISTED = f"""
    SELECT kind, entity_type, entity_id, before_offset, after_offset,
        CASE WHEN length(before) <= {MEMBERS_LETTERS} THEN before END AS before,
        CASE WHEN length(after) <= {MEMBERS_LETTERS} THEN after END AS after
    FROM compared WHERE list_contains($kinds, kind) {IN_ORDER} LIMIT $most
"""
NAMES = f"SELECT kind, entity_type, entity_id FROM compared WHERE list_contains($kinds, kind) {IN_ORDER}"


@dataclass(frozen=True)
class StatePair:
    """`before` and `after` are `left` or `right`; `values`: topic, partition, replica and `at` of both, `left_at`."""

    before: str
    after: str
    values: Mapping[str, Any]

    def question(self, select: str) -> str:
        """A question about the table `compared`: the entities of both sides with the kind of their difference."""
        before, after = (_history(side) for side in (self.before, self.after))
        before_at, after_at = f"${self.before}_at", f"${self.after}_at"
        entities = paired(
            f"SELECT * {before} AND {in_force(before_at)}", f"SELECT * {after} AND {in_force(after_at)}"
        )
        return f"""
            WITH deleted_before AS (SELECT DISTINCT entity_type, entity_id {before} AND valid_to_offset <= {before_at}),
            made_after AS (SELECT DISTINCT entity_type, entity_id {after} AND valid_from_offset <= {after_at}),
            paired AS ({entities}),
            compared AS (
                SELECT *, CASE
                    WHEN change = 'lost' AND (entity_type, entity_id) IN (SELECT (entity_type, entity_id) FROM made_after)
                        THEN 'deleted'
                    WHEN change = 'revived' AND after_offset <= {before_at}
                        AND (entity_type, entity_id) IN (SELECT (entity_type, entity_id) FROM deleted_before)
                        THEN 'reappeared'
                    WHEN change = 'revived' THEN 'new'
                    ELSE change END AS kind
                FROM paired
            )
            {select}
        """


def _history(side: str) -> str:
    """SQL, from FROM on: the intervals of state of one side's log."""
    return f"""FROM {side}_state_history
        WHERE topic = ${side}_topic AND "partition" = ${side}_partition AND replica = ${side}_replica"""


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
