"""Repair of a journal whose log has a batch at which the registry stops."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spark.repair.alarms import damage_of, in_copy
from spark.repair.inputs import Input
from spark.repair.result import repair
from spark.sources import InputFile
from spark.tables.replica import PartitionReplica
from tests.spark.whole_pipeline import report_on
from webapp import journals

AT_RISK = Path(journals.__file__).parent / "samples" / "at-risk.zip"
FAILS = "Apicurio Registry does not become ready after its next start: 1 corrupt record batch in kafkasql-journal-0"


def inspected(folder: Path, changed_byte: int | None) -> Input:
    """The sample at risk; one bit of its largest segment changed, at the end of the batch that has this byte."""
    with zipfile.ZipFile(AT_RISK) as archive:
        archive.extractall(folder / "log")
    paths = sorted(path for path in (folder / "log").rglob("*") if path.is_file())
    if changed_byte is not None:
        path = max(paths, key=lambda path: path.stat().st_size)
        content = bytearray(path.read_bytes())
        start = 0
        while (end := start + 12 + int.from_bytes(content[start + 8 : start + 12], "big")) <= changed_byte:
            start = end
        content[end - 1] ^= 1
        path.write_bytes(content)
    files = [
        InputFile(str(path.relative_to(folder / "log")), str(path), path.stat().st_size) for path in paths
    ]
    return Input(report_on(files, folder / "results"), folder / "results", "journal")


@pytest.mark.parametrize("changed_byte", [None, 3000])
def test_no_record_is_appended_behind_a_batch_at_which_the_registry_stops(
    tmp_path: Path, changed_byte: int | None
) -> None:
    broken = inspected(tmp_path, changed_byte)
    (found,) = repair(broken, [], [], report_on, tmp_path / "out").partitions
    append, copy = found.ways
    titles = [
        finding["title"] for finding in broken.report["findings"] if finding["detector"] == "crc-mismatch"
    ]
    assert copy.holds
    if changed_byte is None:
        assert (titles, append.holds, found.recommended) == ([], True, append)
        assert not any("corrupt" in need for need in copy.needs)
        return
    assert titles[0].startswith(FAILS)
    assert (append.holds, found.recommended) == (False, copy)
    (outcome,) = append.outcomes
    assert outcome.why_not.startswith(FAILS)
    assert "Their batch is corrupt" in copy.needs[-1]


def finding(**members: Any) -> dict[str, Any]:
    return {
        "detector": "crc-mismatch",
        "severity": "critical",
        "topic": "t",
        "partition": 0,
        "title": "",
        "last_offset": None,
    } | members


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"first_offset": 4, "last_offset": 6}, "offsets 4-6 are in the copy as they could be decoded"),
        (
            {"detector": "unreadable-bytes", "first_offset": 4, "last_offset": 4},
            "offset 4 cannot be in the copy",
        ),
        (
            {"detector": "unreadable-bytes", "first_offset": None, "title": "9 bytes of t-0 are unreadable"},
            "9 bytes of t-0 are unreadable: what",
        ),
    ],
)
def test_a_copy_says_which_of_its_records_are_in_doubt(members: Mapping[str, Any], words: str) -> None:
    report = {"findings": [finding(**members), finding(detector="producer-reset", first_offset=1)]}
    (damage,) = damage_of(report, PartitionReplica("t", 0, ""))
    assert words in in_copy(damage)
