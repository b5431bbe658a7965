"""Results at an address: the same report and rows as in a folder, read by a machine that wrote none of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.pipeline import IncrementalRun, Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from spark.sources import InputFile
from spark.storage.copies import all_fetched, copies_folder
from spark.storage.stored_path import ResultPath, StoredPath
from spark.tables import Manifest
from spark.tables.store import ResultTables
from tests.generator import bulk
from tests.spark.log_folders import inputs
from tests.spark.sources._wrapping.sorted_texts import kcat
from tests.spark.storage.stores import bucket_in

pytestmark = pytest.mark.pipeline


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """With its objects in `objects`."""
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    return bucket_in(tmp_path / "objects", monkeypatch)


def inspected(
    files: list[InputFile], results: ResultPath, growing: IncrementalRun | None = None
) -> dict[str, Any]:
    return inspect(in_process, files, results, NoProgress(), Limits(), growing)


def rows(results: ResultPath) -> dict[str, Counter[str]]:
    """The rows of every table, in any order."""
    manifest = Manifest.load(results)
    return {
        table: Counter(
            map(repr, pa.concat_tables(map(pq.read_table, all_fetched(manifest.paths(table)))).to_pylist())
        )
        for table in manifest.files
    }


def objects(folder: Path) -> set[str]:
    """Names of the objects in the store."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_report_and_rows_are_those_of_a_folder(bucket: str, tmp_path: Path) -> None:
    bulk.write_segments(tmp_path / "topic", 1 << 20, "lz4")
    files = inputs(tmp_path / "topic")
    stored = StoredPath(f"{bucket}/results/1")
    report = inspected(files, stored)
    assert report == inspected(files, tmp_path / "folder")
    assert objects(tmp_path / "objects" / "results" / "1") == objects(tmp_path / "folder")
    shutil.rmtree(copies_folder())  # another machine
    assert json.loads((stored / "report.json").read_text()) == report
    assert rows(stored) == rows(tmp_path / "folder")


def test_a_question_fetches_the_tables_that_it_names(bucket: str, tmp_path: Path) -> None:
    bulk.write_segments(tmp_path / "topic", 1 << 20, "lz4")
    stored = StoredPath(f"{bucket}/results/1")
    inspected(inputs(tmp_path / "topic"), stored)
    shutil.rmtree(copies_folder())
    manifest = Manifest.load(stored)
    with ResultTables.open(manifest) as tables:
        assert tables.row("SELECT count(*) AS n FROM batches") == {"n": manifest.rows["batches"]}
    assert {path.parent.name for path in copies_folder().rglob("*.parquet")} == {"batches"}


def test_pasted_text_is_read_from_the_store(bucket: str, tmp_path: Path) -> None:
    text = b"Look:\r\n```\r\n> " + kcat(7) + b"\r\n> " + kcat(8) + b"\r\n```\r\n"
    (tmp_path / "ticket").mkdir()
    (tmp_path / "ticket" / "ticket.txt").write_bytes(text)
    files = inputs(tmp_path / "ticket")
    stored = StoredPath(f"{bucket}/results/1")
    assert inspected(files, stored) == inspected(files, tmp_path / "folder")
    assert rows(stored) == rows(tmp_path / "folder")
    assert not [name for name in objects(tmp_path / "objects") if "prints" in name]


def test_a_log_that_grew_takes_over_what_is_stored(bucket: str, tmp_path: Path) -> None:
    bulk.write_segments(tmp_path / "topic", 1 << 20, "none")
    (path,) = (path for path in (tmp_path / "topic").rglob("*.log"))
    shutil.copytree(path.parent, tmp_path / "topic" / "more-0")
    files = [
        InputFile(file.name, file.path, file.size_bytes, sha256(Path(file.path).read_bytes()).hexdigest())
        for file in inputs(tmp_path / "topic")
    ]
    stored = [StoredPath(f"{bucket}/results/{number}") for number in (1, 2)]
    inspected(files[:1], stored[0], IncrementalRun())
    shutil.rmtree(copies_folder())
    report = inspected(files, stored[1], IncrementalRun(stored[0]))
    assert report == inspected(files, tmp_path / "full")
    assert rows(stored[1]) == rows(tmp_path / "full")
    assert any("-kept-" in name for name in Manifest.load(stored[1]).files["records"])
