"""Paths to inspect: hashes, archives, limits. Order and names: tests/spark/inputs."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from spark.terms.errors import UnreadableInput
from workers.ingest.inputs import input_files
from workers.ingest.limits import ArchiveLimits


def write(folder: Path, name: str) -> None:
    (folder / name).write_bytes(name.encode())


def test_files_and_members_carry_the_hash_of_their_own_bytes(tmp_path):
    write(tmp_path, "a.json")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("c.json", b"member")
    plain, member = input_files([tmp_path / "a.json", tmp_path / "b.zip"], tmp_path / "s", ArchiveLimits())
    assert plain.sha256 == hashlib.sha256(b"a.json").hexdigest()
    assert (member.name, member.sha256) == ("b.zip/c.json", hashlib.sha256(b"member").hexdigest())


def test_a_file_above_the_limit_is_refused(tmp_path):
    write(tmp_path, "dump.json")
    with pytest.raises(UnreadableInput, match="larger than MAX_FILE_BYTES"):
        input_files([tmp_path / "dump.json"], tmp_path / "s", ArchiveLimits(max_file_bytes=3))
