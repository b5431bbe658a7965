"""Names of victims as an incident's table has them."""

from __future__ import annotations

import pytest

from webapp.reports.incidents.victim_words import fate_of, name_of


@pytest.mark.parametrize(
    ("entity_type", "entity_id", "name"),
    [
        ("artifact", "pay/money", "artifact pay/money"),
        ("version", "pay/money/1", "pay/money version 1"),
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
