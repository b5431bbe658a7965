"""Committed offsets in SQL: the group, topic and partition in the id of an `offset-commit`, `GROUP/TOPIC/PARTITION`.

A group may have slashes in its name; a topic has none.
"""

from __future__ import annotations

_PARTS = r"'^(.*)/([^/]+)/([0-9]+)$'"


def group_of(entity_id: str = "entity_id") -> str:
    """SQL for the group in such an id; `entity_id`: the column, or any other SQL."""
    return f"regexp_extract({entity_id}, {_PARTS}, 1)"


def names_of(entity_id: str = "entity_id") -> str:
    """SQL for the columns group_id, data_topic and data_partition."""
    return (
        f"{group_of(entity_id)} AS group_id, regexp_extract({entity_id}, {_PARTS}, 2) AS data_topic, "
        f"TRY_CAST(regexp_extract({entity_id}, {_PARTS}, 3) AS INT) AS data_partition"
    )
