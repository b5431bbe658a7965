"""Workers with exactly-once support write in transactions: what was aborted never counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.stages.state_at import state_at
from spark.tables import Manifest
from tests.generator.segment import Record, batch
from tests.spark.log_folders import write
from tests.spark.transaction_logs import abort, commit
from tests.spark.whole_pipeline import report_of, said


def written(offset: int, *records: tuple[str, Any]) -> bytes:
    """A worker's transaction, up to its marker."""
    rows = [Record(key.encode(), json.dumps(value).encode()) for key, value in records]
    return batch(rows, offset, producer_id=0, producer_epoch=0, transactional=True)


def task(text: str) -> tuple[str, Any]:
    return "task-a-0", {"properties": {"is": text}}


CONNECTOR = ("connector-a", {"properties": {"tasks.max": "1"}})
COUNT = ("commit-a", {"tasks": 1})
SET = [written(0, CONNECTOR), commit(1), written(2, task("old")), commit(3), written(4, COUNT), commit(5)]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def inspected(
    folder: Path, results: Path, topic: str, *batches: bytes, view: str = "log"
) -> tuple[dict[str, Any], list[Any]]:
    """What the entities are, and the findings that matter."""
    write(folder / "input", {f"{topic}-0/00000000000000000000.log": b"".join(batches)})
    report = report_of(folder / "input", results)
    held = state_at(Manifest.load(results), view=view)
    return {f"{one['entity_type']}:{one['entity_id']}": one["attributes"] for one in held}, said(
        report, "high"
    )


@pytest.mark.parametrize("view", ["log", "next", "full"])
def test_a_task_config_of_an_aborted_transaction_is_not_there(
    tmp_path: Path, results: Path, view: str
) -> None:
    batches = [*SET, written(6, task("new")), abort(7)]
    held, found = inspected(tmp_path, results, "connect-configs", *batches, view=view)
    assert held["task:a/0"] == {"config": {"is": "old"}}
    assert found == []


def test_a_committed_task_config_without_its_count_is_incomplete(tmp_path: Path, results: Path) -> None:
    _, found = inspected(tmp_path, results, "connect-configs", *SET, written(6, task("new")), commit(7))
    assert found == [("connector-incomplete", "high")]


def test_an_offset_of_an_aborted_transaction_is_read_again(tmp_path: Path, results: Path) -> None:
    place = '["a",{"file":"x"}]'
    first, second = written(0, (place, {"position": 1})), written(2, (place, {"position": 2}))
    held, _ = inspected(tmp_path, results, "connect-offsets", first, commit(1), second, abort(3))
    assert held == {'connector-offset:a/{"file":"x"}': {"offset": {"position": 1}}}


def test_an_open_transaction_does_not_count_yet(tmp_path: Path, results: Path) -> None:
    held, _ = inspected(tmp_path, results, "connect-configs", *SET, written(6, ("connector-a", None)))
    assert "connector:a" in held
