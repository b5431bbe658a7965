"""Lanes by key have the names that people know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark.tables.replica import PartitionReplica
from tests.builders import key_hash, other_table, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.timeline.lanes import key_names
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def test_a_key_that_its_service_reads_is_called_after_its_entity_and_any_other_by_its_text(
    tmp_path: Path,
) -> None:
    keys = [b'\x02{"contentId":48}', b"plain", b'\x02{"contentId":48,"more":1}']
    entries: list[dict[str, Any]] = [
        {"offset": 0, "entry_type": "Content", "entity_id": "48"},
        {"offset": 1},
        {"offset": 2, "entry_type": "Content", "entity_id": "48"},
    ]
    folder = write_results(
        tmp_path,
        records=records_table(*({"key": key} for key in keys)),
        entries=other_table("entries", *entries, topic="journal", partition=0, replica=""),
    )
    with open_results(folder) as results:
        names = key_names(results.of(JOURNAL), [key_hash(key) for key in keys])
    assert names == ["Content 48", "plain", "Content 48 (2)"]
