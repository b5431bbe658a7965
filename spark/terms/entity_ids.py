"""Ids of entities: names joined with `/`, each below what it belongs to."""

from __future__ import annotations


def owners(entity_id: str) -> list[str]:
    """`a` and `a/b` of `a/b/1`."""
    parts = entity_id.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
