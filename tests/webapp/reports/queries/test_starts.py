"""How often a service started: marks of one producer are of one start."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.partitions import PartitionTables, starts, survey
from webapp.reports.results import open_results

REPLICA = PartitionReplica("_schemas", 0, "")
NOOPS = [
    (0, 0),
    (1, 0),
    (2, 1),
    (3, 1),
    (42, 2),
    (43, 2),
]  # offsets and producers: three registries, each elected


@pytest.mark.parametrize(
    ("entry_type", "marks", "count"),
    [
        ("NOOP", NOOPS, 3),
        ("NOOP", [(offset, -1) for offset, _ in NOOPS], None),
        ("NOOP", [(offset, None) for offset, _ in NOOPS], None),
        ("Bootstrap", [(0, -1), (5, -1), (9, 7)], 3),
        ("NOOP", [], 0),
    ],
    ids=["producers", "no producers", "a text dump", "one mark a start", "no marks"],
)
def test_marks_of_one_producer_are_one_start(
    tmp_path: Path, entry_type: str, marks: list[tuple[int, int | None]], count: int | None
) -> None:
    rows = [
        {"offset": offset, "producer_id": producer, "entry_type": entry_type, "entry_action": "restart"}
        for offset, producer in marks
    ]
    other = {"offset": 50, "entry_type": "SCHEMA", "entry_action": "register", "producer_id": 3}
    folder = write_results(tmp_path, records=records_table(*rows, other, topic="_schemas", key=b"{}"))
    with open_results(folder) as results:
        assert starts(PartitionTables(results, REPLICA, survey(results))) == count
