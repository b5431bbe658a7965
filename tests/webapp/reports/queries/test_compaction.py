"""One answer to "is this topic compacted", and what follows from it on each page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import other_table
from tests.webapp.reports.registry import registry
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.compaction import Compaction, compaction_of
from webapp.reports.results import open_results

pytestmark = pytest.mark.django_db
AFTER = "after the next compaction"
ENTITY = {"type": "content", "id": "1"}


def with_policy(certainty: str) -> Callable[[Path], Path]:
    """The registry's journal, of which the report says so; its row of `cleanings` shows nothing."""

    def make(folder: Path) -> Path:
        row = {"compacted": "no", "why": "nothing shows it", "first_uncleanable_offset": 17}
        cleanings = other_table("cleanings", row, topic="journal", partition=0, replica="")
        made = registry(folder, cleanings=cleanings)
        document = json.loads((made / "report.json").read_text())
        said = {"certainty": certainty, "sentence": f"It is {certainty}."}
        document["journals"] = [journal | {"compaction": said} for journal in document["journals"]]
        (made / "report.json").write_text(json.dumps(document))
        return made

    return make


@pytest.mark.parametrize(("certainty", "is_offered"), [("proven", True), ("assumed", True), ("no", False)])
def test_the_switch_after_compaction_is_there_on_all_pages_or_on_none(
    certainty: str, is_offered: bool, inspected: Callable[..., Any], get: Callable[..., Any]
) -> None:
    inspection = inspected(with_policy(certainty))
    pages = {
        name: get(inspection, name).content.decode()
        for name in ("report-state", "report-records", "report-keys", "report-timeline")
    }
    assert {name: AFTER in page for name, page in pages.items()} == dict.fromkeys(pages, is_offered)
    for name in ("report-overview", "report-log"):
        assert f"It is {certainty}." in get(inspection, name).content.decode()


def test_an_older_report_is_answered_by_the_partitions_own_row(tmp_path: Path) -> None:
    row = {"compacted": "likely", "why": "a null value deletes a key"}
    cleanings = other_table("cleanings", row, topic="journal", partition=0, replica="")
    with open_results(write_results(tmp_path, cleanings=cleanings)) as results:
        assert compaction_of(results.of(PartitionReplica("journal", 0))) == Compaction(
            "likely", "a null value deletes a key."
        )
        assert compaction_of(results.of(PartitionReplica("other", 0))) == Compaction("assumed", "")
