"""Steps of transactional ids: what Kafka's coordinator writes, what it never writes, what it should have ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.transactions.illegal_state_transition import detector
from spark.terms.findings import Finding
from tests.spark.transaction_logs import CORPUS, NO_CORPUS, findings, log, plain, read_logs, state

EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT, DEAD, TOMBSTONE = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    -1,
)


def found(folder: Path, *batches: bytes) -> list[Finding]:
    return findings(detector, read_logs(log(folder, batches, name="__transaction_state-0")))


def stepped(*statuses: int) -> list[bytes]:
    return [state(offset, status) for offset, status in enumerate(statuses)]


@pytest.mark.parametrize(
    "statuses",
    [
        (
            EMPTY,
            ONGOING,
            ONGOING,
            PREPARE_COMMIT,
            COMPLETE_COMMIT,
            ONGOING,
            PREPARE_ABORT,
            COMPLETE_ABORT,
            EMPTY,
        ),
        (COMPLETE_COMMIT, EMPTY, EMPTY, TOMBSTONE, ONGOING, PREPARE_COMMIT, COMPLETE_COMMIT, DEAD, TOMBSTONE),
        (COMPLETE_COMMIT, PREPARE_ABORT, COMPLETE_ABORT),
    ],
    ids=["both ends", "expired", "empty abort of KIP-890"],
)
def test_what_kafka_writes_is_healthy(tmp_path: Path, statuses: tuple[int, ...]) -> None:
    assert found(tmp_path, *stepped(*statuses)) == []


@pytest.mark.parametrize(
    "statuses",
    [
        (ONGOING, COMPLETE_COMMIT), (EMPTY, PREPARE_COMMIT), (ONGOING, EMPTY), (PREPARE_ABORT, COMPLETE_COMMIT),
        (PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_ABORT), (ONGOING, TOMBSTONE), (DEAD, EMPTY),
    ],
    ids=str,
)  # fmt: skip
def test_what_kafka_forbids_is_found(tmp_path: Path, statuses: tuple[int, ...]) -> None:
    (finding,) = found(tmp_path, *stepped(*statuses))
    assert (finding.severity, finding.evidence) == ("high", [0, 1])


def test_missing_offsets_in_between_are_innocent(tmp_path: Path) -> None:
    assert found(tmp_path, state(0, ONGOING), state(2, COMPLETE_COMMIT)) == []


def test_records_of_another_id_in_between_are_no_gap(tmp_path: Path) -> None:
    rows = [state(0, ONGOING), state(1, EMPTY, name=b"other"), state(2, COMPLETE_COMMIT)]
    (finding,) = found(tmp_path, *rows)
    assert (finding.first_offset, finding.last_offset) == (0, 2)


def test_a_producer_epoch_that_goes_back_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, state(0, COMPLETE_COMMIT, epoch=4), state(1, EMPTY, epoch=3))
    assert "back from producer epoch 4 to 3" in finding.title


def test_a_new_producer_id_begins_at_epoch_0(tmp_path: Path) -> None:
    assert found(tmp_path, state(0, COMPLETE_COMMIT, epoch=4), state(1, EMPTY, producer=1)) == []


@pytest.mark.parametrize(("seconds", "count"), [(70, 0), (71, 1)], ids=["at", "past"])
@pytest.mark.parametrize("status", [ONGOING, PREPARE_COMMIT, PREPARE_ABORT])
def test_overdue_is_the_timeout_and_the_coordinators_interval(
    tmp_path: Path, status: int, seconds: int, count: int
) -> None:
    log(tmp_path, [plain(0, seconds / 60)])
    result = found(tmp_path, state(0, status))
    assert [(finding.severity, finding.key) for finding in result] == [("high", "till")] * count


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize(
    "case",
    [
        "internal-real/transaction-state-391",
        "brokers/transactions-2.8.1",
        "brokers/hanging-transaction-2.8.2",
    ],
)
def test_real_coordinators_are_healthy(case: str) -> None:
    assert findings(detector, read_logs(CORPUS / case)) == []
