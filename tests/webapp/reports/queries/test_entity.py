"""What pages ask about one entity."""

from __future__ import annotations

from pathlib import Path

from spark.tables.replica import PartitionReplica
from tests.builders import entries_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.reports.queries.entity import records_with_content_of
from webapp.reports.results import open_results


def test_a_lost_content_is_found_under_another_id_by_its_hash(tmp_path: Path) -> None:
    contents = [(2, "8", "aa", False), (4, "32", "aa", True), (6, "33", "aa", True), (8, "9", "bb", False)]
    entries = [
        {
            "offset": offset,
            "entry_type": "Content",
            "entry_action": "create",
            "entity_id": name,
            "attributes": {"contentHash": digest, "has_content": has_content},
        }
        for offset, name, digest, has_content in contents
    ]
    folder = write_results(
        tmp_path,
        report_document(),
        records=records_table(*({"offset": offset} for offset, *_ in contents)),
        entries=entries_table(*entries),
    )
    with open_results(folder) as results:
        (row,) = results.rows("SELECT DISTINCT topic, partition, replica FROM entries")
        partition = results.of(PartitionReplica(**row))
        assert records_with_content_of(partition, ["8", "9"]) == {"8": 6}
        assert records_with_content_of(partition, []) == {}
