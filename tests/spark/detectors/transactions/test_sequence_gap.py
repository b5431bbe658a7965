"""Sequences that skip or repeat; whatever lies in missing offsets is innocent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors.transactions.sequence_gap import detector
from spark.terms.findings import Finding
from tests.spark.transaction_logs import CORPUS, NO_CORPUS, data, findings, log, plain, read_logs

DAY_MINUTES = 24 * 60


def batch(offset: int, sequence: int, **other: Any) -> bytes:
    return data(offset, 5, sequence=sequence, transactional=False, **other)


def found(folder: Path, *rows: bytes, name: str = "t-0") -> list[Finding]:
    return findings(detector, read_logs(log(folder, rows, name=name)))


def test_a_skip_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, batch(0, 0, keys=b"abc"), batch(3, 7))
    assert (finding.severity, finding.first_offset, finding.evidence) == ("medium", 3, [0, 3])
    assert "is 3. The batch at offset 3 starts with 7" in finding.explanation


def test_a_repeat_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, batch(0, 0, keys=b"abc"), plain(3), batch(4, 0, keys=b"abc"))
    assert "its sequence numbers repeat at offset 4" in finding.title


def test_many_of_one_producer_are_one_finding(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, batch(0, 0), batch(1, 7), batch(2, 9))
    assert "and 1 more time" in finding.title


@pytest.mark.parametrize(
    "rows",
    [
        [batch(0, 0, keys=b"abc"), batch(3, 3)],
        [batch(0, 0), batch(2, 9)],
        [batch(0, 2**31 - 2, keys=b"ab"), batch(2, 0)],
        [batch(0, 2**31 - 2, keys=b"abc"), batch(3, 1)],
        [batch(0, 7), batch(1, 0, epoch=1)],
        [batch(0, 7), batch(1, 0, minutes=DAY_MINUTES)],
        [batch(0, 0, keys=b"a", last_offset_delta=3), batch(4, 4)],
        [batch(0, 0), batch(0, 0), batch(1, 1)],
        [batch(0, -1), batch(1, -1)],
    ],
    ids=["follows", "offsets missing", "wrap", "wrap in a batch", "new epoch", "forgotten", "cleaned", "copied twice", "none"],
)  # fmt: skip
def test_innocent(tmp_path: Path, rows: list[bytes]) -> None:
    assert found(tmp_path, *rows) == []


def test_a_producer_that_the_broker_still_knew_may_not_start_again(tmp_path: Path) -> None:
    assert len(found(tmp_path, batch(0, 7), batch(1, 0, minutes=DAY_MINUTES - 1))) == 1


def test_the_group_coordinator_begins_each_batch_at_0(tmp_path: Path) -> None:
    assert found(tmp_path, batch(0, 0), batch(1, 0), name="__consumer_offsets-0") == []


def test_a_log_without_a_name_may_be_the_group_coordinators(tmp_path: Path) -> None:
    assert found(tmp_path / "a", batch(0, 0), batch(1, 0), name="upload") == []
    assert len(found(tmp_path / "b", batch(0, 3), batch(1, 0), name="upload")) == 1


def test_a_damaged_batch_in_between_is_innocent(tmp_path: Path) -> None:
    broken = bytearray(batch(1, 1))
    broken[70] ^= 1
    assert found(tmp_path, batch(0, 0), bytes(broken), batch(2, 2)) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize(
    "case", ["damage-2.8.2", "transactions-2.8.1", "compaction-2.8.2", "compaction-3.9.1"]
)
def test_real_brokers_are_silent_also_where_damaged(case: str) -> None:
    for folder in sorted(path for path in (CORPUS / "brokers" / case).iterdir() if path.is_dir()):
        assert findings(detector, read_logs(folder)) == [], folder.name
