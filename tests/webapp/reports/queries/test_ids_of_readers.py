"""IDs of schemas that a Karapace registry answers with another schema than Redpanda's, which ignores writes that lost a race."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.state_differences import ids_in_karapace
from webapp.reports.results import open_results

REPLICA = PartitionReplica("_schemas", 0, "")


def schema(offset: int, seq: int, schema_id: int, text: str) -> dict[str, Any]:
    attributes = {"seq": seq, "id": schema_id, "textHash": text}
    return {
        "offset": offset,
        "entry_type": "SCHEMA",
        "entry_action": "register",
        "attributes": json.dumps(attributes),
    }


def test_a_write_that_lost_its_race_takes_its_id_in_karapace(tmp_path: Path) -> None:
    rows = [schema(1, 1, 1, "foo"), schema(2, 1, 1, "bar"), schema(3, 3, 2, "bar"), schema(4, 3, 2, "bar")]
    refused = {"offset": 5, "view": "log", "profile": "karapace", "entity_type": "schema", "entity_id": "x/1"}
    place = {"topic": "_schemas", "partition": 0, "replica": ""}
    folder = write_results(
        tmp_path,
        records=records_table({"offset": 1}, topic="_schemas"),
        entries=other_table("entries", *rows, schema(5, 4, 2, "baz"), **place),
        refusals=other_table("refusals", refused, **place),
    )
    with open_results(folder) as results:
        assert ids_in_karapace(results.of(REPLICA), 9) == [1]
        assert ids_in_karapace(results.of(REPLICA), 1) == []
