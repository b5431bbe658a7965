"""Two states set side by side: at two offsets, before and after compaction, by the rules of two services."""

from __future__ import annotations

from dataclasses import dataclass

from spark.difference.members import without_places
from spark.difference.pairs import in_force, paired
from webapp.reports.queries.state import IN_ORDER, ReplayView
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, all_of

DIFFERENCES_PER_PAGE = 100

DIFFERENCES = """
SELECT entity_type, entity_id, CASE change WHEN 'lost' THEN 'removed' WHEN 'revived' THEN 'added' ELSE change END AS difference,
       before, after, before_offset AS origin_before, after_offset AS origin_after
FROM ({paired}) WHERE change <> 'same'
"""
COUNT = f"""
SELECT entity_type, difference, count(*) AS entities FROM ({DIFFERENCES}) GROUP BY ALL ORDER BY entity_type, difference
"""
PAGE = f"""
SELECT * FROM ({DIFFERENCES}) WHERE {{chosen}}
ORDER BY list_position(['removed', 'changed', 'added'], difference), {IN_ORDER} LIMIT {DIFFERENCES_PER_PAGE} OFFSET $skip
"""
HELD_BY_ALL = f"""
SELECT entity_type, entity_id, attributes FROM state
WHERE {WHERE_REPLICA} AND view = $view AND {in_force("$at")}
"""
# Most entities are the same text everywhere; only the others are worth comparing by member.
SUSPECTS = f"""
SELECT entity_type, entity_id FROM ({HELD_BY_ALL}) GROUP BY entity_type, entity_id
HAVING count(*) < $profiles OR min(hash(attributes)) <> max(hash(attributes))
"""
DISAGREEMENTS = f"""
SELECT count(*) AS entities FROM (
    SELECT 1 FROM ({HELD_BY_ALL}) SEMI JOIN ({SUSPECTS}) USING (entity_type, entity_id)
    GROUP BY entity_type, entity_id
    HAVING count(*) < $profiles OR count(DISTINCT {without_places("attributes")}) > 1
)
"""
# Redpanda does not apply a record whose seq is not its offset. Karapace gives an ID to the last schema that a record names with it,
# also where a later record moves the version to another ID: `spark.detectors.schemas.write_race` says the same in a finding.
IDS_IN_KARAPACE = f"""
WITH refused AS (SELECT "offset" FROM refusals WHERE {WHERE_REPLICA} AND view = 'log' AND profile = 'karapace'),
named AS (
    SELECT "offset", json_extract_string(attributes, ['$.context', '$.id', '$.seq', '$.textHash']) AS said
    FROM entries ANTI JOIN refused USING ("offset")
    WHERE {WHERE_REPLICA} AND entry_type = 'SCHEMA' AND entry_action IN ('register', 'soft-delete') AND "offset" <= $at
)
SELECT TRY_CAST(said[2] AS BIGINT) AS id FROM named WHERE said[2] IS NOT NULL GROUP BY said[1], said[2]
HAVING arg_max(said[4], "offset") <> arg_max(said[4], "offset") FILTER (coalesce(TRY_CAST(said[3] AS BIGINT), "offset") = "offset")
ORDER BY id
"""


@dataclass(frozen=True)
class Side:
    """A replay at an offset."""

    replay: ReplayView
    at: int


def count_differences(partition: PartitionResults, before: Side, after: Side) -> Rows:
    """Number of entities `added`, `removed` and `changed`, by type."""
    sql, values = _both(COUNT, before, after)
    return partition.rows(sql, values)


def list_differences(
    partition: PartitionResults,
    before: Side,
    after: Side,
    entity_type: str = "",
    difference: str = "",
    page: int = 1,
) -> Rows:
    sql, values = _both(PAGE, before, after)
    condition, chosen = all_of(
        entity_type=("entity_type = $entity_type", entity_type),
        difference=("difference = $difference", difference),
    )
    values |= chosen | {"skip": (page - 1) * DIFFERENCES_PER_PAGE}
    return partition.rows(sql.replace("{chosen}", condition), values)


def count_disagreements(partition: PartitionResults, view: str, at: int, profiles: int) -> int:
    """Number of entities that not all profiles hold alike."""
    values = {"view": view, "at": at, "profiles": profiles}

    return int(partition.value(DISAGREEMENTS, values))


def ids_in_karapace(partition: PartitionResults, at: int) -> list[int]:
    """IDs for which a Karapace registry returns another schema than Redpanda's, at an offset."""
    return [row["id"] for row in partition.rows(IDS_IN_KARAPACE, {"at": at})]


def _both(sql: str, before: Side, after: Side) -> tuple[str, dict[str, object]]:
    values: dict[str, object] = {}
    for name, side in (("a", before), ("b", after)):
        values |= {
            f"at_{name}": side.at,
            f"profile_{name}": side.replay.profile,
            f"view_{name}": side.replay.view,
        }
    only = {"a": "true", "b": "true"}
    if before.replay == after.replay and before.at <= after.at:  # what holds at both is no difference
        only = {
            "a": "(valid_to_offset IS NOT NULL AND valid_to_offset <= $at_b)",
            "b": "valid_from_offset > $at_a",
        }
    return sql.replace("{paired}", paired(*(_side(name, only[name]) for name in ("a", "b")))), values


def _side(name: str, only: str) -> str:
    return f"""
        SELECT entity_type, entity_id, attributes, origin_offset FROM state
        WHERE {WHERE_REPLICA} AND profile = $profile_{name} AND view = $view_{name} AND {in_force(f"$at_{name}")} AND {only}
    """
