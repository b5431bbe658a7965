"""Aborts by the coordinator after the timeout, and aborts that look like them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.examples.journals import transaction
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

TIMEOUT_SECONDS = 60  # of the generated records; they start at second 0


def state(second: int, status: str, epoch: int, name: str = "pay-1", version: int = 0) -> Record:
    row = {
        "offset": str(second), "transactional id": name, "state": status, "producer_epoch": str(epoch),
        "transaction version": str(version) if version else "",
    }  # fmt: skip
    key, value, _ = transaction(row)
    return Record(key, value, SOME_TIME_MS + second * 1000)


def found(folder: Path, *records: Record) -> list[dict[str, Any]]:
    log = {"__transaction_state-7/00000000000000000000.log": segment(list(records))}
    report = report_of(write(folder / "input", log), folder / "results")
    return [one for one in report["findings"] if one["detector"] == "transaction-timed-out"]


def test_an_abort_after_the_timeout_with_a_higher_epoch_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, state(0, "Ongoing", 4), state(61, "PrepareAbort", 5))
    assert (finding["severity"], finding["confidence"], finding["evidence"]) == ("low", "proven", [1])
    assert "after the timeout of 1 minute" in finding["title"]


def test_several_are_one_finding(tmp_path: Path) -> None:
    steps = [
        state(second, status, epoch, name)
        for name in ("a", "b")
        for second, status, epoch in ((0, "Ongoing", 4), (75, "PrepareAbort", 5), (76, "CompleteAbort", 5))
    ]
    (finding,) = found(tmp_path, *steps)
    assert (finding["severity"], finding["evidence"]) == ("medium", [1, 4])
    assert finding["title"].startswith("2 transactional IDs lost 2 transactions")


@pytest.mark.parametrize(("epoch", "confidence"), [(5, "likely"), (6, "proven")])
def test_transactions_version_2_raise_the_epoch_with_each_abort(
    tmp_path: Path, epoch: int, confidence: str
) -> None:
    steps = (state(0, "Ongoing", 4, version=2), state(90, "PrepareAbort", epoch, version=2))
    (finding,) = found(tmp_path, *steps)
    assert finding["confidence"] == confidence


@pytest.mark.parametrize(
    "steps",
    [
        [state(0, "Ongoing", 4), state(TIMEOUT_SECONDS, "PrepareAbort", 5)],
        [state(0, "Ongoing", 4), state(90, "PrepareAbort", 4)],
        [state(0, "Ongoing", 4), state(90, "PrepareCommit", 4)],
        [state(0, "Ongoing", 4, version=2), state(30, "PrepareAbort", 6, version=2)],
        [state(90, "PrepareAbort", 5), state(91, "CompleteAbort", 5)],
    ],
    ids=["fenced in time", "aborted by the producer", "committed", "version 2 in time", "no Ongoing before"],
)
def test_innocent(tmp_path: Path, steps: list[Record]) -> None:
    assert found(tmp_path, *steps) == []
