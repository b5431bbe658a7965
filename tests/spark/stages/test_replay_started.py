"""The view of what compaction leaves after the next start, from a dump to the finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.stages.state_at import state_at
from spark.tables import Manifest
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on

CASE = CORPUS / "repairs-real" / "a1-append-1-started"
pytestmark = pytest.mark.skipif(not CASE.is_dir(), reason=NO_CORPUS)


def before_the_start(folder: Path) -> tuple[dict[str, Any], Manifest]:
    """The journal that the first version of the repair made, as it was before a registry started on it."""
    records = json.loads((CASE / "repair.json").read_text())["records_before_start"]
    lines = (CASE / "kafkasql-journal.kcat-J.ndjson").read_bytes().splitlines(keepends=True)
    path = folder / "before.json"
    path.write_bytes(b"".join(lines[:records]))
    report = report_on([InputFile(path.name, str(path), path.stat().st_size)], folder / "results")
    return report, Manifest.load(folder / "results")


def test_a_repair_that_the_next_start_undoes_is_an_alarm_before_that_start(tmp_path: Path) -> None:
    report, _ = before_the_start(tmp_path)
    (finding,) = [one for one in report["findings"] if one["detector"] == "compaction-loss"]
    assert finding["severity"] == "high"
    assert finding["title"].startswith(
        "Artifact pay/invoice.proto is lost after the next start and compaction"
    )
    assert finding["evidence"] == [17, 34]
    assert "do not start one" in finding["remedy"]


def test_the_view_is_there_beside_the_others(tmp_path: Path) -> None:
    _, manifest = before_the_start(tmp_path)
    names = {
        view: {row["entity_id"] for row in state_at(manifest, view=view) if row["entity_type"] == "artifact"}
        for view in ("log", "full", "start")
    }
    assert names["log"] == names["full"]
    assert names["full"] - names["start"] == {"pay/invoice.proto"}


def test_a_start_that_writes_no_null_record_leaves_no_such_view(tmp_path: Path) -> None:
    healthy = CORPUS / "apicurio-real" / "healthy-c" / "kafkasql-journal.kcat-J.ndjson"
    report_on([InputFile(healthy.name, str(healthy), healthy.stat().st_size)], tmp_path / "results")
    assert state_at(Manifest.load(tmp_path / "results"), view="start") == []
