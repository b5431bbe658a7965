"""What two logs of a partition make of its service's state, each as of an offset, by consequence, the worst first:

    lost        the later log lacks the entity, and no record there ended it
    reappeared  the earlier log deleted it; the later one has it from a record that the earlier one had as well
    changed     both have it, with other members
    deleted     a record of the later log ended it, or deletes it although compaction took what it deletes
    new         a record that only the later log has made it

A log cleaner keeps the newest record of a key: of an entity that was made and deleted, the later log may contain the deletion
alone. Its replay has nothing to end then (a service ignores the record, or rejects it), and yet the entity is not lost.

The tables of both are open under `left_` and `right_`. The state is that of the service that the journal belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark.difference.pairs import in_force, paired
from spark.tables.service_kinds import DELETES
from spark.tables.store import ResultTables, Rows

KINDS = ("lost", "reappeared", "changed", "deleted", "new")
SAME = "same"
NAMED_KINDS = ("lost", "reappeared")
MEMBERS_LETTERS = 2_000  # of an entity; longer members are left out
COUNTS = "SELECT kind, count(*) AS entities FROM compared GROUP BY kind"
IN_ORDER = "ORDER BY list_position($kinds, kind), entity_type, before_offset, after_offset, entity_id"
LISTED = f"""
    SELECT kind, entity_type, entity_id, before_offset, after_offset, bytes_offset, deleted_offset, rejected_offset,
        (SELECT any_value(timestamp_ms) FROM after_lines WHERE "offset" = deleted_offset) AS deleted_ms,
        CASE WHEN length(before) <= {MEMBERS_LETTERS} THEN before END AS before,
        CASE WHEN length(after) <= {MEMBERS_LETTERS} THEN after END AS after
    FROM compared LEFT JOIN stored USING (entity_type, entity_id) LEFT JOIN rejected USING (entity_type, entity_id)
    WHERE list_contains($kinds, kind) {IN_ORDER} LIMIT $most
"""
SEQUENCE = "sequence"  # the highest ID in use changes with whatever is lost: no change of its own
NAMES = f"""
    SELECT kind, entity_type, entity_id FROM compared
    WHERE list_contains($kinds, kind) OR kind = 'changed' AND entity_type <> '{SEQUENCE}' AND after_offset <= {{before_at}}
    {IN_ORDER}
"""


@dataclass(frozen=True)
class StatePair:
    """`before` and `after` are `left` or `right`; `values`: topic, partition, replica and `at` of both, `left_at`."""

    before: str
    after: str
    values: Mapping[str, Any]

    def question(self, select: str) -> str:
        """A question about the table `compared`: the entities of both sides with the kind of their difference."""
        before, after = (_of_copy(side, "state_history") for side in (self.before, self.after))
        before_at, after_at = f"${self.before}_at", f"${self.after}_at"
        entities = paired(
            f"SELECT * {before} AND {in_force(before_at)}", f"SELECT * {after} AND {in_force(after_at)}"
        )
        return f"""
            WITH deleted_before AS (SELECT DISTINCT entity_type, entity_id {before} AND valid_to_offset <= {before_at}),
            paired AS ({entities}),
            absent AS (SELECT entity_type, entity_id, before_offset, before FROM paired WHERE change = 'lost'),
            after_lines AS (
                SELECT "offset", timestamp_ms, key_hash_1, key_hash_2 {_of_copy(self.after, "lifelines")}
                AND "offset" <= {after_at} AND EXISTS (FROM absent)
            ),
            deletions AS ({_deletions(self.before, self.after, after, after_at)}),
            ended AS (
                SELECT entity_type, entity_id, max("offset") AS deleted_offset FROM deletions GROUP BY ALL
            ),
            stored AS ({_stored(self.before)}),
            rejected AS (
                SELECT entity_type, entity_id, max("offset") AS rejected_offset {_of_copy(self.after, "live_refusals")}
                AND "offset" <= {after_at} GROUP BY ALL
            ),
            compared AS (
                SELECT *, CASE
                    WHEN change = 'lost' AND deleted_offset IS NOT NULL THEN 'deleted'
                    WHEN change = 'revived' AND after_offset <= {before_at}
                        AND (entity_type, entity_id) IN (SELECT (entity_type, entity_id) FROM deleted_before)
                        THEN 'reappeared'
                    WHEN change = 'revived' THEN 'new'
                    ELSE change END AS kind
                FROM paired LEFT JOIN ended USING (entity_type, entity_id)
            )
            {select}
        """


def _of_copy(side: str, table: str) -> str:
    """SQL, from FROM on: the rows of a table of one side's log."""
    return f"""FROM {side}_{table}
        WHERE topic = ${side}_topic AND "partition" = ${side}_partition AND replica = ${side}_replica"""


def _deletions(before: str, after: str, history: str, after_at: str) -> str:
    """SQL: records of the later log that end entities which its state lacks: where its replay ended them; deletions under the
    key of the record that set the entity in the earlier log; deletions that the service rejects because the entity, or what it
    belongs to, is not there. A tombstone counts where the journal's own reading says that it deletes.
    """
    return f"""
        SELECT entity_type, entity_id, valid_to_offset AS "offset" {history} AND valid_to_offset <= {after_at}
            AND (entity_type, entity_id) IN (SELECT (entity_type, entity_id) FROM absent)
        UNION ALL
        SELECT * FROM (
            SELECT absent.entity_type, absent.entity_id, later."offset"
            FROM absent
            JOIN (SELECT "offset", key_hash_1, key_hash_2 {_of_copy(before, "lifelines")} AND EXISTS (FROM absent)) AS own
                ON own."offset" = absent.before_offset
            JOIN after_lines AS later USING (key_hash_1, key_hash_2)
            WHERE later."offset" > absent.before_offset
            UNION ALL
            SELECT absent.entity_type, absent.entity_id, rejected."offset"
            FROM absent JOIN (SELECT * {_of_copy(after, "live_refusals")} AND ends_with(reason, '-missing')) AS rejected
                ON rejected."offset" > absent.before_offset AND rejected."offset" <= {after_at}
                AND (rejected.entity_type = absent.entity_type AND rejected.entity_id = absent.entity_id
                    OR rejected.entity_type <> absent.entity_type AND contains(absent.entity_id, '/')
                    AND rejected.entity_id = regexp_replace(absent.entity_id, '/[^/]*$', ''))
        ) SEMI JOIN (
            SELECT "offset" FROM (SELECT "offset", entry_action AS action {_of_copy(after, "entries")} AND EXISTS (FROM absent))
            WHERE {DELETES}
        ) USING ("offset")
    """


def _stored(before: str) -> str:
    """SQL: of entities that the later state lacks, the newest record of the earlier log with their bytes, where a record
    without them came after it."""
    with_bytes = f"""SELECT "offset", entity_id, attributes->>'contentHash' AS name {_of_copy(before, "entries")}
        AND EXISTS (FROM absent) AND contains(attributes, '"has_content":true')"""
    return f"""
        SELECT entity_type, entity_id, max("offset") AS bytes_offset
        FROM (SELECT *, before->>'contentHash' AS name FROM absent) AS lacking JOIN ({with_bytes}) USING (entity_id, name)
        WHERE "offset" <= before_offset GROUP BY ALL
    """


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
    """Kind, type and id of everything that is lost, has reappeared, or changed without a new record."""
    names = NAMES.format(before_at=f"${pair.before}_at")
    return tables.rows(pair.question(names), {**pair.values, "kinds": list(NAMED_KINDS)})


def is_named(row: Mapping[str, Any], before_at: int) -> bool:
    """The same of a row of `list_differences`."""
    is_changed_alone = row["kind"] == "changed" and row["entity_type"] != SEQUENCE
    return row["kind"] in NAMED_KINDS or (is_changed_alone and (row["after_offset"] or 0) <= before_at)
