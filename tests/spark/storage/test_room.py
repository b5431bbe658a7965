"""The bound of all copies: what was used longest ago goes first; what is in use or half made stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from spark.storage import room
from spark.storage.room import copies_in, make, note

HOUR_S = 3600


def copy(folder: Path, name: str, age_s: float, size_bytes: int = 1000) -> Path:
    """A copy that was last used so long ago."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size_bytes))
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def test_the_copies_used_longest_ago_go_until_the_others_fit(tmp_path: Path) -> None:
    ages = {"s3/b/old": 9, "s3/b/older": 10, "s3/b/young": 1, "s3/b/middle": 5}
    paths = {name: copy(tmp_path, name, age * HOUR_S) for name, age in ages.items()}
    make(tmp_path, 2500)
    assert {name for name, path in paths.items() if path.exists()} == {"s3/b/young", "s3/b/middle"}


def test_what_is_in_use_stays_and_so_does_what_was_asked_for_a_moment_ago(tmp_path: Path) -> None:
    pinned, fresh, other = (copy(tmp_path, name, age) for name, age in (("a", 9e5), ("b", 1), ("c", 8e5)))
    (tmp_path / ".in-use").mkdir()
    os.link(pinned, tmp_path / ".in-use" / "1")
    make(tmp_path, 0)
    assert (pinned.exists(), fresh.exists(), other.exists()) == (True, True, False)


def test_half_a_file_goes_once_its_process_must_have_ended(tmp_path: Path) -> None:
    writing, abandoned = copy(tmp_path, "a.tmp", 120), copy(tmp_path, "b.tmp", 2 * HOUR_S)
    make(tmp_path, 1 << 30)
    assert (writing.exists(), abandoned.exists()) == (True, False)


def test_folders_of_our_own_are_not_looked_into(tmp_path: Path) -> None:
    copy(tmp_path, f"{room.SCRATCH}/spilled/1", 9e5)
    copy(tmp_path, "s3/b/a", 9e5)
    assert [Path(one.path).name for one in copies_in(tmp_path)] == ["a"]


def test_the_folder_is_looked_through_at_first_and_after_each_part_of_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_MAX_BYTES", "1000")
    old = copy(tmp_path, "1", 2 * HOUR_S, 2000)
    note(tmp_path, 1)
    assert not old.exists()
    old = copy(tmp_path, "2", 2 * HOUR_S, 2000)
    note(tmp_path, 49)
    assert old.exists()
    note(tmp_path, 1)
    assert not old.exists()
