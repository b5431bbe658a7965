"""The story of the log, written by one task or by several: the same rows, and no task has too many records."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.log import write
from spark.log.write import log_subsets, write_log
from spark.tables import Manifest
from spark.tables.store import ResultTables
from tests.generator.segment import Record, batch, marker
from tests.spark.log_folders import tables_of
from tests.spark.log_folders import write as write_files

TABLES = ("transactions", "epochs", "formats", "cleanings", "gaps")
HUNDRED_GB = {(f"topic-{topic}", number): 400_000 for topic in range(10) for number in range(100)}


def test_no_task_of_four_hundred_million_records_has_more_than_it_may() -> None:
    tasks = log_subsets(HUNDRED_GB)
    named = frozenset().union(*(task.partitions for task in tasks[:-1]))
    sizes = [sum(HUNDRED_GB[one] for one in task.partitions) for task in tasks[:-1]]
    sizes.append(sum(count for one, count in HUNDRED_GB.items() if one not in named))
    assert sum(HUNDRED_GB.values()) == sum(sizes) == 400_000_000
    assert len(tasks) == 100
    assert max(sizes) <= write.MAX_RECORDS


def orders(first: int, producer_id: int) -> bytes:
    """A transaction that is committed, one that is open, and a hole before them."""
    record = [Record(b"key", b"value")]
    return (
        batch(record, first, producer_id=producer_id, producer_epoch=0, transactional=True, leader_epoch=1)
        + marker("commit", first + 1, producer_id, 0, leader_epoch=1)
        + batch(
            record, first + 5, producer_id=producer_id, producer_epoch=0, transactional=True, leader_epoch=2
        )
    )


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    """Two partitions of a topic in two replicas, one of another topic, and one of which only the epochs are there."""
    files = {
        f"{broker}/{folder}/00000000000000000000.log": orders(first, first + 7)
        for broker in ("broker-1", "broker-2")
        for folder, first in (("orders-0", 0), ("orders-1", 3), ("users-0", 9))
    }
    files["broker-1/bare-0/leader-epoch-checkpoint"] = b"0\n1\n4 17\n"
    write_files(tmp_path / "input", dict(files))
    tables_of(tmp_path / "input", tmp_path / "results")
    parts = sorted(
        path for path in (tmp_path / "results").rglob("*.parquet") if path.parent.name not in TABLES
    )
    named = {path.parent.name: [str(path.relative_to(tmp_path / "results"))] for path in parts}
    return Manifest(tmp_path / "results", named, dict.fromkeys(named, 1))


def rows(manifest: Manifest, table: str) -> list[str]:
    return sorted(map(str, ResultTables.open(manifest).rows(f"FROM {table}")))


@pytest.mark.parametrize("most", [1, 4, 1000])
def test_subsets_of_the_partitions_give_the_rows_of_the_whole(
    most: int, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = manifest.with_parts(write_log(manifest, {}))
    expected = {table: rows(whole, table) for table in TABLES}
    assert all(expected[table] for table in TABLES)
    monkeypatch.setattr(write, "MAX_RECORDS", most)
    counts = {("orders", 0): 4, ("orders", 1): 4, ("users", 0): 4}
    parts = [part for task in log_subsets(counts) for part in write_log(manifest.of(task), {})]
    assert len({part.name for part in parts}) == len(parts)
    divided = manifest.with_parts(parts)
    assert {table: rows(divided, table) for table in TABLES} == expected
