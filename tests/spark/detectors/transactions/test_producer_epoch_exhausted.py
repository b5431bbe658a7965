"""Transactional ids at the last producer epoch, and what makes it normal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.examples.journals import transaction
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of


def state(name: str, status: str, epoch: int, version: int = 2, minutes: int = 0, at: int = 0) -> Record:
    row = {
        "offset": str(at), "transactional id": name, "state": status, "producer_epoch": str(epoch),
        "transaction version": str(version) if version else "",
    }  # fmt: skip
    key, value, _ = transaction(row)
    return Record(key, value, SOME_TIME_MS + minutes * 60_000)


def found(folder: Path, *records: Record) -> list[dict[str, Any]]:
    later = state("other", "CompleteCommit", 1, minutes=60)
    log = {"__transaction_state-7/00000000000000000000.log": segment([*records, later])}
    report = report_of(write(folder / "input", log), folder / "results")
    return [one for one in report["findings"] if one["severity"] == "high"]


@pytest.mark.parametrize("epoch", [32766, 32767])
def test_the_last_epoch_of_an_overdue_transaction_is_found_and_the_timeout_is_its_consequence(
    tmp_path: Path, epoch: int
) -> None:
    first, *others = found(tmp_path, state("pay-1", "Ongoing", epoch))
    assert (first["detector"], first["evidence"]) == ("producer-epoch-exhausted", [0])
    assert "KAFKA-19367" in first["explanation"]
    assert [(one["detector"], one["consequence_of"]) for one in others] == [
        ("illegal-state-transition", first["id"])
    ]


@pytest.mark.parametrize(
    "records",
    [
        (
            state("pay-1", "Ongoing", 32766),
            state("pay-1", "PrepareAbort", 32767),
            state("pay-1", "CompleteAbort", 32767),
        ),
        (state("pay-1", "Ongoing", 32765),),
        (state("pay-1", "Ongoing", 32767, version=0),),
        (state("pay-1", "Ongoing", 32767, version=1),),
    ],
    ids=["aborted", "an epoch before", "the older record", "transactions version 1"],
)
def test_what_ends_or_is_of_version_1_is_innocent(tmp_path: Path, records: tuple[Record, ...]) -> None:
    assert [one for one in found(tmp_path, *records) if one["detector"] == "producer-epoch-exhausted"] == []


@pytest.mark.parametrize(
    ("raised", "count"), [(1, 1), (0, 0)], ids=["version 2 raises it", "version 1 keeps it"]
)
def test_without_a_version_the_epoch_of_a_commit_tells_it(tmp_path: Path, raised: int, count: int) -> None:
    records = (
        state("pay-1", "Ongoing", 32766 - raised, version=0),
        state("pay-1", "PrepareCommit", 32766, version=0),
        state("pay-1", "CompleteCommit", 32766, version=0),
        state("pay-1", "Ongoing", 32766, version=0),
    )
    finders = [one["detector"] for one in found(tmp_path, *records)]
    assert finders.count("producer-epoch-exhausted") == count
