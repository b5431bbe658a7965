"""Healthy folders of real brokers, uploaded in part: what is not there is no alarm."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from spark.detectors.log.stale_epoch_checkpoint import detector as stale_epoch_checkpoint
from spark.report.verdict import HEALTHY
from tests.spark.whole_pipeline import report_of, said

BROKERS = Path(__file__).parents[3].parent / "shared" / "corpus" / "brokers"
TRANSACTIONS = BROKERS / "transactions-2.8.1"
COMPACTION = BROKERS / "compaction-3.9.1" / "before"
BAD = ("critical", "high", "medium", "low")

pytestmark = pytest.mark.skipif(not BROKERS.is_dir(), reason="no corpus beside the repository")


def copied(files: Iterable[Path], root: Path, target: Path) -> Path:
    """The files below a new folder, in the folders they had."""
    for file in files:
        if file.is_file() and file.name != "case.json":
            place = target / file.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
    return target


TIMED_OUT = ("transaction-timed-out", "low")  # as happened while the broker was recorded


def check(folder: Path, results: Path) -> None:
    report = report_of(folder, results)
    assert set(said(report, *BAD)) <= {TIMED_OUT}
    assert report["verdict"]["level"] == HEALTHY


def test_without_the_indexes_of_aborted_transactions(tmp_path: Path) -> None:
    files = [file for file in TRANSACTIONS.rglob("*") if file.suffix != ".txnindex"]
    check(copied(files, TRANSACTIONS, tmp_path / "in"), tmp_path / "out")


def test_a_partition_alone_whose_log_start_only_the_broker_knew(tmp_path: Path) -> None:
    folder = COMPACTION / "plainlog-0"
    check(copied(folder.iterdir(), COMPACTION, tmp_path / "in"), tmp_path / "out")
    assert stale_epoch_checkpoint.id in report_of(tmp_path / "in", tmp_path / "again")["clean"]


@pytest.mark.parametrize("partition", ["__consumer_offsets-0", "payments-0"])
def test_segments_without_a_folder(tmp_path: Path, partition: str) -> None:
    folder = TRANSACTIONS / partition
    check(copied(folder.glob("*.log"), folder, tmp_path / "in"), tmp_path / "out")


def test_the_last_segment_of_a_copy_made_while_the_broker_ran(tmp_path: Path) -> None:
    folder = copied(TRANSACTIONS.glob("payments-0/*22.*"), TRANSACTIONS, tmp_path / "in") / "payments-0"
    log = folder / "00000000000000000022.log"
    log.write_bytes(log.read_bytes()[:-7])
    for name, size_bytes in (("index", 8 * 100), ("timeindex", 12 * 100)):
        index = folder / f"00000000000000000022.{name}"
        index.write_bytes(bytes(size_bytes))
    check(tmp_path / "in", tmp_path / "out")
