"""Missing offsets of a captured partition: what the broker had deleted, and what the capture did not ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors import detectors
from tests.spark.captures import manifest, partition, write_capture
from tests.spark.log_folders import findings, tables_of
from tests.spark.transaction_logs import data, plain

Gap = tuple[int, int, str]


def gaps(folder: Path, document: dict[str, Any], segments: dict[str | int, list[bytes]]) -> list[Gap]:
    tables = tables_of(write_capture(folder / "capture", document, segments), folder / "results")
    rows = tables.rows("FROM gaps ORDER BY first_offset")
    return [(row["first_offset"], row["last_offset"], row["cause"]) for row in rows]


def nothing_is_missing(folder: Path) -> bool:
    names = ("missing-segment", "unexplained-gap", "misnamed-segment")
    return not [
        one
        for name in names
        for one in findings(detectors()[name], folder / "capture", folder / f"results-{name}")
    ]


BATCHES = [plain(offset) for offset in range(20, 30)]


def test_what_was_deleted_before_the_capture_is_retention(tmp_path: Path) -> None:
    whole = partition(first=20, end=30, log_start_offset=20)
    assert gaps(tmp_path, manifest(whole), {20: BATCHES}) == [(0, 19, "retention")]


def test_its_proof_names_the_start_of_the_log(tmp_path: Path) -> None:
    whole = partition(first=20, end=30, log_start_offset=20)
    folder = write_capture(tmp_path / "capture", manifest(whole), {20: BATCHES})
    (row,) = tables_of(folder, tmp_path / "results").rows("FROM gaps")
    assert row["proof"].endswith("the broker's log then started at offset 20")


def test_what_the_capture_began_above_is_its_limit(tmp_path: Path) -> None:
    later = partition(first=20, end=30, log_start_offset=5)
    assert gaps(tmp_path, manifest(later), {20: BATCHES}) == [(0, 4, "retention"), (5, 19, "capture limit")]


def test_a_compacted_head_is_compaction(tmp_path: Path) -> None:
    asked = partition(asked={"from_offset": 0, "to_offset": 30}, end=30)
    asked["got"]["next_offset"] = 30
    assert gaps(tmp_path, manifest(asked, policy="compact"), {20: BATCHES}) == [(0, 19, "compaction")]


@pytest.mark.parametrize(
    ("stopped_by", "said"), [("limit", "limit of bytes"), ("cancelled", "cancelled"), (None, "no more")]
)
def test_what_a_capture_did_not_reach_is_its_limit(tmp_path: Path, stopped_by: str | None, said: str) -> None:
    short = partition(first=20, end=30, log_start_offset=20, stopped_by=stopped_by, high_watermark=50)
    folder = write_capture(tmp_path / "capture", manifest(short), {20: BATCHES})
    head, tail = tables_of(folder, tmp_path / "results").rows("FROM gaps ORDER BY first_offset")
    assert head["cause"] == "retention"
    assert (tail["first_offset"], tail["last_offset"], tail["cause"]) == (30, 49, "capture limit")
    assert said in tail["proof"]


def test_a_log_whose_start_moved_meanwhile_has_lost_nothing_else(tmp_path: Path) -> None:
    moved = partition(end=30, log_start_offset=20, at_start={"log_start_offset": 0, "high_watermark": 30})
    segments: dict[str | int, list[bytes]] = {0: [plain(0), plain(1)], 20: BATCHES}
    assert gaps(tmp_path, manifest(moved), segments) == [(2, 19, "retention")]
    assert nothing_is_missing(tmp_path)


def test_two_captures_of_one_log_leave_what_neither_asked_for(tmp_path: Path) -> None:
    first = partition(end=2, high_watermark=25)
    second = partition(first=20, end=30)
    folder = write_capture(tmp_path / "capture", manifest(first, minutes=1), {0: [plain(0), plain(1)]})
    (folder / "journalscope-capture.json").rename(folder / "journalscope-capture-1.json")
    assert gaps(tmp_path, manifest(second, minutes=2), {20: BATCHES}) == [(2, 19, "capture limit")]
    assert nothing_is_missing(tmp_path)


def test_a_hole_in_what_was_asked_for_stays_unexplained_where_nothing_compacts(tmp_path: Path) -> None:
    batches = [plain(0), plain(1), plain(0 + 5), plain(6)]
    assert gaps(tmp_path, manifest(partition(end=7)), {0: batches}) == [(2, 4, "unexplained")]


@pytest.mark.parametrize(
    ("policy", "compacted"), [("compact", "proven"), ("delete", "no"), ("compact,delete", "proven")]
)
def test_the_policy_tells_whether_the_cleaner_works_on_it(
    tmp_path: Path, policy: str, compacted: str
) -> None:
    folder = write_capture(tmp_path / "capture", manifest(policy=policy), {0: [plain(0)]})
    (row,) = tables_of(folder, tmp_path / "results").rows("FROM cleanings")
    assert row["compacted"] == compacted
    assert f"cleanup.policy was {policy}" in row["why"]


def test_the_cleaner_stops_at_the_last_stable_offset_that_the_broker_told(tmp_path: Path) -> None:
    whole = partition(end=30, last_stable_offset=25)
    folder = write_capture(
        tmp_path / "capture", manifest(whole, policy="compact"), {0: [plain(0), data(1), plain(29)]}
    )
    (row,) = tables_of(folder, tmp_path / "results").rows("FROM cleanings")
    assert row["stopped_by"] == "open transaction"
    assert row["first_uncleanable_offset"] == 1  # its own open transaction stands before


def test_files_of_a_capture_are_no_segments_of_the_brokers_log(tmp_path: Path) -> None:
    segments: dict[str | int, list[bytes]] = {0: [plain(0)], 1: [plain(1)]}
    folder = write_capture(tmp_path / "capture", manifest(partition(end=2), policy="compact"), segments)
    (row,) = tables_of(folder, tmp_path / "results").rows("FROM cleanings")
    assert (row["active_offset"], row["stopped_by"]) == (None, "end of the log")
