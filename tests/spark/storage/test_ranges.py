"""Ranges of a file in a store, loaded into memory of the file's size."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest

from spark.storage.ranges import BLOCK_BYTES, StoredRanges
from tests.spark.storage.stores import bucket_in

SIZE = 3 * BLOCK_BYTES + 100
CONTENT = np.random.default_rng(5).integers(1, 256, SIZE, np.uint8).tobytes()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredRanges:
    """Of bytes that are never zero."""
    (tmp_path / "a.bin").write_bytes(CONTENT)
    return StoredRanges(f"{bucket_in(tmp_path, monkeypatch)}/a.bin")


def there(file: StoredRanges) -> list[bool]:
    """Which blocks are loaded, told by their bytes."""
    starts = range(0, SIZE, BLOCK_BYTES)
    blocks = [
        (file.map[start : start + BLOCK_BYTES], CONTENT[start : start + BLOCK_BYTES]) for start in starts
    ]
    assert all(
        loaded in {expected, bytes(len(expected))}
        for loaded, expected in ((loaded[: len(expected)], expected) for loaded, expected in blocks)
    )
    return [any(loaded) for loaded, _ in blocks]


def test_only_the_blocks_of_a_range_are_loaded(file: StoredRanges) -> None:
    assert there(file) == [False, False, False, False]
    file.load(BLOCK_BYTES + 5, 2 * BLOCK_BYTES + 1)
    assert there(file) == [False, True, True, False]
    file.load(0, SIZE + 61)
    assert there(file) == [True, True, True, True]


def test_what_was_forgotten_is_loaded_again(file: StoredRanges) -> None:
    file.load(0, SIZE)
    file.forget(5, 2 * BLOCK_BYTES + 9)
    assert there(file) == [False, False, True, True]
    file.load(7, 8)
    assert there(file) == [True, False, True, True]


def test_an_empty_file_and_an_odd_range_are_nothing_to_load(tmp_path: Path, file: StoredRanges) -> None:
    (tmp_path / "empty").write_bytes(b"")
    empty = StoredRanges("s3://bucket/empty")
    empty.load(0, 61)
    assert empty.size_bytes == 0
    file.load(50, -3)
    assert there(file) == [False, False, False, False]


def test_a_file_that_became_shorter_is_an_error_with_its_address(tmp_path: Path, file: StoredRanges) -> None:
    (tmp_path / "a.bin").write_bytes(CONTENT[:BLOCK_BYTES])
    with pytest.raises(OSError, match="is shorter now") as caught:
        file.load(0, SIZE)
    assert caught.value.filename == "s3://bucket/a.bin"


def test_a_large_file_takes_no_memory_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "large").open("wb") as large:
        large.truncate(1 << 34)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    file = StoredRanges(f"{bucket_in(tmp_path, monkeypatch)}/large")
    file.load(1 << 33, (1 << 33) + 1)
    assert file.size_bytes == 1 << 34
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10
