"""Paths to inspect: hashes, archives, limits. Order and names: tests/spark/inputs."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from spark.inputs.archive_limits import ArchiveLimits
from spark.runtime.in_process import in_process
from spark.storage.address import is_address
from spark.storage.files import read_bytes
from spark.terms.errors import UnreadableInput
from tests.spark.storage.stores import bucket_in
from workers.inputs import input_files


def small(size_bytes: int) -> Any:
    return in_process()


def write(folder: Path, name: str) -> None:
    (folder / name).write_bytes(name.encode())


def test_files_and_members_carry_the_hash_of_their_own_bytes(tmp_path):
    write(tmp_path, "a.json")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("c.json", b"member")
    plain, member = input_files(
        [tmp_path / "a.json", tmp_path / "b.zip"], tmp_path / "s", ArchiveLimits(), small
    )
    assert plain.sha256 == hashlib.sha256(b"a.json").hexdigest()
    assert (member.name, member.sha256) == ("b.zip/c.json", hashlib.sha256(b"member").hexdigest())


def test_a_file_above_the_limit_is_refused(tmp_path):
    write(tmp_path, "dump.json")
    with pytest.raises(UnreadableInput, match="larger than MAX_FILE_BYTES"):
        input_files([tmp_path / "dump.json"], tmp_path / "s", ArchiveLimits(max_file_bytes=3), small)


@pytest.mark.parametrize("has_store", [False, True], ids=["command line", "site"])
def test_archives_in_a_store_are_replaced_by_what_they_hold(
    has_store: bool, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = bucket_in(tmp_path / "objects", monkeypatch)
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    if has_store:
        settings.RAW_STORAGE_URL = f"{bucket}/raw"
    folder = tmp_path / "objects" / "data"
    folder.mkdir(parents=True)
    write(folder, "a.json")
    with zipfile.ZipFile(folder / "b.zip", "w") as archive:
        archive.writestr("c.json", b"member")
    write(folder, "d.json")
    found = input_files([f"{bucket}/data"], tmp_path / "s", ArchiveLimits(), small)
    assert [file.name for file in found] == ["data/a.json", "data/b.zip/c.json", "data/d.json"]
    assert [read_bytes(file.path) for file in found] == [b"a.json", b"member", b"d.json"]
    assert is_address(found[1].path) is has_store
