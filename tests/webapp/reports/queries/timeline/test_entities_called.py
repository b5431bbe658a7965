"""Which entities somebody means by what is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.comparison.results import state
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.timeline.pins import entities_called
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
HERE = {"topic": "journal", "partition": 0, "replica": ""}


@pytest.mark.parametrize(
    ("text", "pins"),
    [
        ("48", ["entity:content:48", "entity:global-id:48"]),
        ("content 48", ["entity:content:48"]),
        ("Global Id 48", ["entity:global-id:48"]),
        ("a b/c d", ["entity:artifact:a b/c d"]),
        ("artifact a b/c d", ["entity:artifact:a b/c d"]),
        ("Comment 7", ["entity:Comment:7"]),
        ("content 49", []),
        ("rule 48", []),
    ],
)
def test_a_type_and_an_id_or_an_id_alone(tmp_path: Path, text: str, pins: list[str]) -> None:
    rows = [state("content", "48", 0), state("global-id", "48", 1), state("artifact", "a b/c d", 2)]
    entries = [
        {"offset": 0, "entry_type": "Content", "entry_action": "create", "entity_id": "48"},
        {"offset": 3, "entry_type": "Comment", "entry_action": "create", "entity_id": "7"},
    ]
    folder = write_results(
        tmp_path,
        records=records_table({}),
        state=other_table("state", *rows, **HERE),
        entries=other_table("entries", *entries, **HERE),
    )
    with open_results(folder) as results:
        assert [pin.id for pin in entities_called(results.of(JOURNAL), text)] == pins
