"""Output of kafka-dump-log 0.11 to 2.1 has a line for each record and counts none in a batch: transactions are seen in it, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.transactions.hanging_transaction import detector as hanging
from spark.detectors.transactions.marker_without_data import detector as marker_without_data
from spark.detectors.transactions.open_transaction import detector as open_transaction
from spark.terms.marked import plain
from tests.spark.log_folders import findings, write

MINUTE_MS = 60_000
START_MS = 1_700_000_000_000
LINE = (
    "offset: {offset} position: {position} CreateTime: {time} isvalid: true keysize: {size} valuesize: 6 magic: 2 "
    "compresscodec: NONE producerId: {producer} producerEpoch: 0 sequence: {sequence} isTransactional: true headerKeys: [] {rest}"
)


def line(offset: int, producer: int, minutes: float, is_marker: bool = False) -> str:
    """A record of a transaction, or the COMMIT of one."""
    return LINE.format(
        offset=offset,
        position=100 * offset,
        time=START_MS + int(minutes * MINUTE_MS),
        size=4,
        producer=producer,
        sequence=-1 if is_marker else 0,
        rest="endTxnMarker: COMMIT coordinatorEpoch: 0" if is_marker else "key: cart payload: placed",
    )


def print_of(folder: Path, *lines: str) -> Path:
    """A file with the output of the tool."""
    heading = ["Dumping /kafka/orders-0/00000000000000000000.log", "Starting offset: 0"]
    return write(folder, {"print/dump.txt": "\n".join([*heading, *lines, ""]).encode()})


@pytest.mark.parametrize(
    ("minutes", "expected"), [(1, open_transaction), (60, hanging)], ids=["young", "old"]
)
def test_a_transaction_without_a_marker_is_seen(tmp_path: Path, minutes: int, expected: object) -> None:
    folder = print_of(
        tmp_path / "input", line(0, 7, 0), line(1, 8, minutes), line(2, 8, minutes, is_marker=True)
    )
    seen = [
        finding
        for number, each in enumerate((open_transaction, hanging))
        for finding in findings(each, folder, tmp_path / f"results-{number}")
    ]
    assert [finding.detector for finding in seen] == [expected.id]  # type: ignore[attr-defined]
    assert seen[0].evidence[0] == 0
    if expected is hanging:
        assert "2 records are hidden" in plain(seen[0].explanation)


def test_a_marker_whose_data_stands_before_it_is_not_alone(tmp_path: Path) -> None:
    folder = print_of(tmp_path / "input", line(0, 8, 0), line(1, 8, 0, is_marker=True))
    assert findings(marker_without_data, folder, tmp_path / "results") == []


def test_a_marker_without_data_is_still_found(tmp_path: Path) -> None:
    folder = print_of(tmp_path / "input", line(0, 7, 0), line(1, 8, 0, is_marker=True))
    assert [finding.evidence for finding in findings(marker_without_data, folder, tmp_path / "results")] == [
        [1]
    ]
