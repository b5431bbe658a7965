"""Companion files: known by name, indexes read as far as they are filled."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources.companion import source
from spark.tables import INDEX_ENTRIES

BASE = 154


def entries(folder: Path, name: str, content: bytes) -> list[dict[str, object]]:
    """Rows of INDEX_ENTRIES of one file, only the columns that are about the entry."""
    path = folder / name
    path.write_bytes(content)
    found: list[dict[str, object]] = []
    for split in source.split(InputFile(name, str(path), len(content)), 3, "steady", 0, ""):
        for chunk in source.read(split):
            table = chunk.others["index_entries"]
            assert table.schema == INDEX_ENTRIES.schema
            found += table.select(
                ["base_offset", "kind", "offset", "position_bytes", "timestamp_ms"]
            ).to_pylist()
    return found


def test_an_offset_index_gives_offsets_and_positions(tmp_path: Path) -> None:
    content = struct.pack(">iiii", 7, 4150, 20, 9000)
    assert entries(tmp_path, f"{BASE:020d}.index", content) == [
        {"base_offset": BASE, "kind": "offset", "offset": 161, "position_bytes": 4150, "timestamp_ms": None},
        {"base_offset": BASE, "kind": "offset", "offset": 174, "position_bytes": 9000, "timestamp_ms": None},
    ]


def test_a_time_index_gives_offsets_and_times(tmp_path: Path) -> None:
    assert entries(tmp_path, f"{BASE:020d}.timeindex", struct.pack(">qi", 1_700_000_000_000, 5)) == [
        {"base_offset": BASE, "kind": "time", "offset": 159, "position_bytes": None, "timestamp_ms": 1_700_000_000_000}
    ]  # fmt: skip


def test_preallocated_zeros_are_no_entries(tmp_path: Path) -> None:
    filled = entries(tmp_path, f"{BASE:020d}.index", struct.pack(">ii", 7, 4150) + bytes(800))
    assert [row["offset"] for row in filled] == [161]
    assert entries(tmp_path, f"{BASE:020d}.index", bytes(800)) == []


def test_a_first_entry_of_zeros_counts_when_entries_follow(tmp_path: Path) -> None:
    found = entries(tmp_path, f"{BASE:020d}.index", struct.pack(">iiii", 0, 0, 9, 4200))
    assert [row["offset"] for row in found] == [154, 163]


@pytest.mark.parametrize("size", range(20))
def test_any_length_is_read_as_far_as_it_goes(tmp_path: Path, size: int) -> None:
    content = struct.pack(">iiiii", 7, 4150, 20, 9000, 30)[:size]
    assert len(entries(tmp_path, f"{BASE:020d}.index", content)) == size // 8


@pytest.mark.parametrize(
    "name",
    [
        "00000000000000000000.index",
        "steady-0/00000000000000000077.snapshot",
        "steady-0/leader-epoch-checkpoint",
        "partition.metadata",
        "till-app/0_1/.checkpoint",
        "cleaner-offset-checkpoint",
        "meta.properties",
        "00000000000000000154.txnindex",
        "00000000000000000010-0000000001.checkpoint.part",
    ],
)
def test_companions_are_known_by_their_names(name: str) -> None:
    answer = source.recognise(InputFile(name, name, 8), b"\x00" * 8)
    assert answer.matches
    assert answer.score > 90


@pytest.mark.parametrize("suffix", ["deleted", "cleaned", "swap"])
def test_leftovers_are_no_part_of_the_log(suffix: str) -> None:
    name = f"00000000000000000000.log.{suffix}"
    answer = source.recognise(InputFile(name, name, 100), b"")
    assert answer.matches
    assert "not a part of the log" in answer.why
    assert source.split(InputFile(name, name, 100), 0, "t", 0, "") == []


def test_a_segment_is_no_companion() -> None:
    assert not source.recognise(InputFile("00000000000000000000.log", "", 8), b"").matches
