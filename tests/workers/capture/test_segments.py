"""Segment files that are gone on with."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from workers.capture.describe import TOOL
from workers.capture.manifest import MAX_EVENTS, CapturedPartition, CapturedRange, CaptureManifest
from workers.capture.segments import SegmentWriter

ROOT = Path(__file__).resolve().parents[3]


def test_a_last_file_that_is_shorter_than_was_safe_is_an_error(tmp_path):
    names: list[str] = []
    segments = SegmentWriter(tmp_path, "orders", 3, names)
    segments.write(7, memoryview(b"whole"))
    assert names == ["orders-3/00000000000000000007.log"]
    with pytest.raises(ValueError, match="shorter than journalscope-capture"):
        SegmentWriter(tmp_path, "orders", 3, names, 6)


def partition() -> CapturedPartition:
    asked = {"from_offset": 0, "to_offset": 9}
    return CapturedPartition(
        0,
        1,
        0,
        [1],
        [1],
        0,
        9,
        9,
        dict.fromkeys(("log_start_offset", "high_watermark"), 0),
        asked,
        CapturedRange(0, 9),
    )


def test_a_manifest_is_what_was_saved(tmp_path):
    told = CaptureManifest(
        1, "ann", "tool", {"name": "c"}, {"name": "orders"}, partitions=[partition()], finished_at_ms=2
    )
    told.partitions[0].tell("broker-gone", "Gone.", 4)
    told.note("Q", "why")
    told.save(tmp_path)
    assert CaptureManifest.load(tmp_path) == told
    assert [path.name for path in tmp_path.iterdir()] == ["journalscope-capture.json"]


def test_a_manifest_of_another_version_is_not_gone_on_with(tmp_path):
    (tmp_path / "journalscope-capture.json").write_text('{"journalscope_capture": 2}')
    with pytest.raises(ValueError, match="does not have version 1"):
        CaptureManifest.load(tmp_path)


def test_a_note_is_replaced_and_taken_back():
    told = CaptureManifest(1, "ann", "tool", {}, {})
    told.note("Q", "first")
    told.note("Q", "second")
    assert told.not_asked == [{"question": "Q", "why": "second"}]
    told.note("Q", None)
    assert told.not_asked == []


def test_many_events_of_a_kind_are_not_all_told():
    one = partition()
    for number in range(MAX_EVENTS + 5):
        one.tell("broker-gone", "Gone.", number)
    one.tell("broker-back", "Back.")
    assert len(one.events) == MAX_EVENTS + 1


def test_the_manifest_names_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"Journalscope {version}" == TOOL
