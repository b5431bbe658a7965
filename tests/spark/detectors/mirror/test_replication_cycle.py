"""Topics that MirrorMaker copies in a cycle."""

from __future__ import annotations

import json

from spark.detectors.mirror.replication_cycle import detector
from spark.terms.findings import Finding
from tests.builders import entries_table, given_tables, other_table


def found(*topics: str, journal: str = "mm2-offset-syncs.x.internal") -> list[Finding]:
    rows = (
        {"entry_type": "offset-sync", "attributes": json.dumps({"topic": topic}), "entity_id": topic + "/0"}
        for topic in topics
    )
    runs = other_table("runs", {"first_offset": 0, "last_offset": 9}, topic=journal)
    tables = given_tables({"entries": entries_table(*rows, topic=journal), "runs": runs})
    return [detector.describe(row) for row in detector.find(tables)]


def test_a_mirror_that_reads_its_own_copies_is_found() -> None:
    (finding,) = found("orders", "a.orders", "a.a.orders", "a.a.a.orders")
    assert finding.severity == "medium"
    assert "source and target of the mirror a are one cluster" in finding.explanation
    assert "has alias a 3 times" in finding.title


def test_mirrors_that_copy_each_others_copies_are_found() -> None:
    (finding,) = found("orders", "a.orders", "a.b.a.orders")
    assert "different aliases for one cluster" in finding.explanation


def test_an_alias_that_mirrormaker_names_is_enough() -> None:
    assert found("eu.us.eu.orders", journal="mm2-offset-syncs.eu.internal")


def test_commits_of_groups_name_copies_of_copies() -> None:
    rows = [
        {"entry_type": "offset-commit", "entity_id": f"billing/{topic}/0"}
        for topic in ("a.orders", "a.b.a.orders", "com.shop.com.events")
    ]
    (finding,) = (
        detector.describe(row)
        for row in detector.find(given_tables({"entries": entries_table(*rows, topic="__consumer_offsets")}))
    )
    assert "a.b.a.orders has alias a 2 times" in finding.title


def test_chains_of_different_aliases_are_innocent() -> None:
    assert found("orders", "a.orders", "b.a.orders", "c.b.a.orders") == []


def test_names_with_dots_are_innocent() -> None:
    assert found("app.v1.app.events", "app.events.app", "events") == []
