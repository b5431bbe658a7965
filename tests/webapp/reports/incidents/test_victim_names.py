"""Names of victims as an incident's table has them."""

from __future__ import annotations

from typing import get_args

import pytest

from spark.terms.findings import Whom
from webapp.reports.incidents.victim_words import fate_of, is_stop, name_of, stopped


@pytest.mark.parametrize(
    ("entity_type", "entity_id", "name"),
    [
        ("artifact", "pay/money", "artifact pay/money"),
        ("version", "pay/money/1", "pay/money version 1"),
        ("value", "a/b/1", "value of key a/b at offset 1"),
        ("offset-commit", "a/b/orders/0", "group a/b in orders-0"),
        ("offset-commit", "hidden", "offset commit hidden"),
        ("partition", "orders/0", "orders-0"),
        ("partition", "orders-0", "orders-0"),
        ("registration", "shared-value/1/15", "registration of shared-value version 1 at offset 15"),
    ],
)
def test_a_victim_has_its_types_name(entity_type: str, entity_id: str, name: str) -> None:
    row = {"entity_type": entity_type, "entity_id": entity_id, "kind": "lost", "whom": "service"}
    assert name_of(row, {}) == name


def test_an_entity_has_the_fate_that_an_incident_tells() -> None:
    victim = {"entity_type": "content", "entity_id": "48", "kind": "lost", "when": "next_compaction"}
    document = {"incidents": [{"title": "without victims"}, {"victims": [victim]}]}
    assert fate_of(document, "content", "48") == "lost at the next compaction"
    assert fate_of(document, "content", "4") == fate_of({}, "content", "48") == ""


@pytest.mark.parametrize(
    ("kind", "last", "behind", "words"),
    [
        ("unreadable", 214, 215, "offsets 182-214 cannot be read; records again from offset 215"),
        ("unreadable", 182, 183, "offset 182 cannot be read; records again from offset 183"),
        ("unreadable", 214, None, "offsets 182-214 cannot be read"),
        ("stuck", 190, 74, "74 records hidden behind offset 182"),
        ("stuck", 190, None, "stuck from offset 182"),
    ],
)
def test_a_stop_says_what_consumers_do_not_get(kind: str, last: int, behind: int | None, words: str) -> None:
    assert stopped({"kind": kind, "when": "already"}, 182, last, behind) == words


@pytest.mark.parametrize(
    ("whom", "is_one"), [("read_committed", True), ("brokers", False), ("service", False)]
)
def test_only_consumers_stop_at_an_offset(whom: str, is_one: bool) -> None:
    assert is_stop({"kind": "stuck", "whom": whom}) == is_one


@pytest.mark.parametrize("whom", get_args(Whom))
def test_readers_of_a_partition_are_named_by_who_they_are(whom: str) -> None:
    row = {"entity_type": "partition", "entity_id": "orders-0", "kind": "missing", "whom": whom}
    assert name_of(row, {}).endswith(" orders-0")
