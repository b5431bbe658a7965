"""Copies that are open: they stay whatever the bound says, until nobody needs them."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spark.storage import pins, room
from spark.storage.copies import local_path
from spark.storage.pins import IN_USE, PinnedCopies
from tests.spark.storage.stores import bucket_in


@pytest.fixture
def name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a file."""
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "a").write_bytes(b"rows")
    return f"{bucket_in(tmp_path / 'objects', monkeypatch)}/a"


def make_room(folder: Path) -> None:
    """As when every copy was used long ago and there is room for none."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        os.utime(path, (time.time() - 1e6,) * 2)
    room.make(folder, 0)


def test_a_copy_stays_while_it_is_pinned(name: str, tmp_path: Path) -> None:
    one, other = PinnedCopies(), PinnedCopies()
    (path,) = one.fetched([name])
    assert other.fetched([name]) == [path] == [str(local_path(name))]
    one.close()
    make_room(tmp_path / "cache")
    assert Path(path).read_bytes() == b"rows"
    other.close()
    make_room(tmp_path / "cache")
    assert not Path(path).exists()
    assert PinnedCopies().fetched([name]) == [path]


def test_pins_that_are_forgotten_are_gone(name: str, tmp_path: Path) -> None:
    reader = PinnedCopies()
    (path,) = reader.fetched([name])
    del reader
    gc.collect()
    make_room(tmp_path / "cache")
    assert not Path(path).exists()


def test_what_a_killed_process_had_open_is_open_no_more(name: str, tmp_path: Path) -> None:
    (path,) = PinnedCopies().fetched([name])
    code = (
        "import os, sys; from spark.storage.pins import process_folder;"
        "os.link(sys.argv[1], process_folder() / 'one'); print(flush=True); sys.stdin.read()"
    )
    line = [sys.executable, "-c", code, path]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        pins.remove_left_over(tmp_path / "cache" / IN_USE)
        make_room(tmp_path / "cache")
        assert Path(path).exists()
        process.kill()
    pins.remove_left_over(tmp_path / "cache" / IN_USE)
    make_room(tmp_path / "cache")
    assert not Path(path).exists()


def test_a_cache_that_somebody_emptied_is_filled_again(name: str, tmp_path: Path) -> None:
    reader = PinnedCopies()
    (path,) = reader.fetched([name])
    shutil.rmtree(tmp_path / "cache")
    assert reader.fetched([name]) == [path]
    assert Path(path).read_bytes() == b"rows"


def test_paths_of_this_machine_are_not_pinned(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    assert PinnedCopies().fetched([str(tmp_path / "a")]) == [str(tmp_path / "a")]
    assert (tmp_path / "a").stat().st_nlink == 1
