"""Ids of entities."""

from __future__ import annotations

from spark.terms.entity_ids import owners


def test_the_owners_of_an_entity_are_the_beginnings_of_its_id() -> None:
    assert owners("a/b/1") == ["a", "a/b"]
    assert owners("a") == []
