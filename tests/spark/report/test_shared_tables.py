"""Prepare: made in portions, a table holds what one task alone would have made of the whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pyarrow.parquet as pq
import pytest

from spark.detectors.schemas import _writes, hard_delete_incomplete
from spark.dialects.schema_registry import dialect
from spark.report import shared_tables as stage
from spark.runtime.in_process import InProcess
from spark.runtime.stage_runner import NoProgress, StageRunner
from spark.storage.stored_path import StoredPath
from spark.tables import Manifest
from spark.tables.store import ResultTables, spill_folder
from tests.spark.schema_journals import records_of, replays, sequenced, sequenced_tombstone
from tests.spark.storage.stores import bucket_in

if TYPE_CHECKING:
    from pyspark import SparkContext

WRITTEN = 'SELECT * FROM registry_writes ORDER BY "offset"'
JOURNAL = (
    sequenced("a", 1, 0),
    sequenced("a", 1, 1, deleted=True),
    sequenced("b", 1, 2, id=2, text='"int"'),
    sequenced_tombstone("a", 1, 0),
)  # fmt: skip


class TwoCores(InProcess):
    defaultParallelism = 2


RUNNER = StageRunner(cast("SparkContext", TwoCores()), NoProgress())


@pytest.fixture(params=["folder", "store"])
def manifest(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manifest:
    """The tables of a journal, its entries in three files."""
    entries = dialect.interpret(records_of(*JOURNAL))  # type: ignore[misc]
    files: dict[str, list[str]] = {"entries": []}
    for number, (start, count) in enumerate(((0, 1), (1, 2), (3, 1))):
        files["entries"].append(f"entries-{number}.parquet")
        pq.write_table(entries.slice(start, count), tmp_path / files["entries"][-1])
    for name, table in replays(entries).items():
        files[name] = [f"{name}.parquet"]
        pq.write_table(table, tmp_path / files[name][0])
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    folder = StoredPath(bucket_in(tmp_path, monkeypatch)) if request.param == "store" else tmp_path
    return Manifest(folder, files, dict.fromkeys(files, 1) | {"entries": len(JOURNAL)})


def test_portions_are_the_whole(manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "MAX_ENTRIES_IN_MEMORY", len(JOURNAL) - 1)
    made = stage.prepare(RUNNER, manifest, {_writes.DIALECT})
    assert len(made["registry_writes"]) == 2
    alone = _writes.prepared(ResultTables.open(manifest)).rows(WRITTEN)
    assert len(alone) == len(JOURNAL)
    assert _writes.prepared(ResultTables.open(manifest, extra=made)).rows(WRITTEN) == alone
    (left_behind,) = hard_delete_incomplete.detector.find(ResultTables.open(manifest, extra=made))
    assert [record["offset"] for record in left_behind["records"]] == [1]


def test_of_a_small_journal_none_is_made(manifest: Manifest) -> None:
    assert stage.prepare(RUNNER, manifest, {_writes.DIALECT}) == {}


def test_other_dialects_share_no_table(manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "MAX_ENTRIES_IN_MEMORY", 0)
    assert stage.prepare(RUNNER, manifest, {"plain"}) == {}


def test_a_table_is_made_where_the_process_has_spilled_before(
    manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "MAX_ENTRIES_IN_MEMORY", len(JOURNAL) - 1)
    with ResultTables.open(manifest) as tables:
        tables._views.connection.execute("SET memory_limit = '32MB'")
        tables.materialize(
            "large", "SELECT range AS number, md5(range::VARCHAR) AS text FROM range(1_000_000)"
        )
        assert any(Path(spill_folder(manifest)).iterdir())
    made = stage.prepare(RUNNER, manifest, {_writes.DIALECT})
    assert len(ResultTables.open(manifest, extra=made).rows(WRITTEN)) == len(JOURNAL)
