"""Two sets of rows of the table `state` side by side, in SQL: one row for each entity of either."""

from __future__ import annotations

from spark.difference.members import without_places


def in_force(offset: str) -> str:
    """Condition on rows of `state`: those that hold at an offset. `offset`: in SQL, such as `$at`."""
    return f"valid_from_offset <= {offset} AND (valid_to_offset IS NULL OR valid_to_offset > {offset})"


def paired(before: str, after: str) -> str:
    """SQL: entity_type, entity_id, `change` (lost, changed, revived, same) and each side's attributes and origin_offset as
    `before`, `after`, `before_offset`, `after_offset`; null where a side lacks the entity.

    `before`, `after`: queries for rows with entity_type, entity_id, attributes and origin_offset, one for each entity.
    """
    # Equal texts need no regular expression.
    are_different = (
        "b.attributes IS DISTINCT FROM a.attributes"
        f" AND {without_places('b.attributes')} IS DISTINCT FROM {without_places('a.attributes')}"
    )
    return f"""
        SELECT coalesce(b.entity_type, a.entity_type) AS entity_type, coalesce(b.entity_id, a.entity_id) AS entity_id,
            CASE WHEN a.entity_id IS NULL THEN 'lost' WHEN b.entity_id IS NULL THEN 'revived'
                WHEN {are_different} THEN 'changed' ELSE 'same' END AS change,
            b.attributes AS before, a.attributes AS after, b.origin_offset AS before_offset, a.origin_offset AS after_offset
        FROM ({before}) AS b FULL JOIN ({after}) AS a ON b.entity_type = a.entity_type AND b.entity_id = a.entity_id
    """
