"""Offsets committed in a transaction that hangs: the finding names the group and what its consumers see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.generator.groups import commit
from tests.generator.segment import Record, batch, marker
from tests.spark.log_folders import write
from tests.spark.transaction_logs import MINUTE_MS, START_MS
from tests.spark.whole_pipeline import report_of

LOG = "__consumer_offsets-12/00000000000000000000.log"


def pending(at: int, offset: int, group: str = "enrich", producer: int = 9, minutes: int = 0) -> bytes:
    """A commit of an offset for raw-0 in a transaction."""
    time_ms = START_MS + minutes * MINUTE_MS
    key, value = commit(group, "raw", 0, offset, time_ms)
    return batch(
        [Record(key, value, time_ms)], at, producer_id=producer, producer_epoch=0, transactional=True
    )


def ended(at: int, producer: int = 9, minutes: int = 0) -> bytes:
    return marker("commit", at, producer, 0, 0, START_MS + minutes * MINUTE_MS)


def found(folder: Path, *batches: bytes) -> list[dict[str, Any]]:
    report = report_of(write(folder / "input", {LOG: b"".join(batches)}), folder / "results")
    return [one for one in report["findings"] if one["severity"] in {"critical", "high", "medium"}]


def test_the_group_and_its_offsets_are_named(tmp_path: Path) -> None:
    (finding,) = found(
        tmp_path,
        pending(0, 100), ended(1), pending(2, 150, minutes=1), pending(3, 70, "score", 8, 60), ended(4, 8, 60),
    )  # fmt: skip
    assert (finding["detector"], finding["severity"]) == ("hanging-transaction", "high")
    assert finding["title"].startswith(
        "Group enrich cannot start: OffsetFetch returns UNSTABLE_OFFSET_COMMIT"
    )
    assert "raw-0 at 150 (committed before: 100)" in finding["explanation"]
    assert "ended an earlier transaction of this producer" in finding["explanation"]
    assert [effect["entity_id"] for effect in finding["effects"]] == ["enrich"]
    assert "Produce" not in finding["remedy"]


def test_commits_of_ended_transactions_are_innocent(tmp_path: Path) -> None:
    assert not found(tmp_path, pending(0, 100), ended(1), pending(2, 150, minutes=60), ended(3, minutes=60))
