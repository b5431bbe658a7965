"""Paths to inspect: order, names, hashes, and the sentence for what cannot be read."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from spark.terms.errors import UnreadableInput
from workers.ingest.inputs import input_files
from workers.ingest.limits import ArchiveLimits

SEGMENT = "00000000000000000000.log"


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())


def names(*paths: Path, scratch: Path) -> list[str]:
    return [file.name for file in input_files(paths, scratch, ArchiveLimits())]


def test_a_folder_is_walked_in_order_and_named_from_itself(tmp_path):
    write(tmp_path / "data", f"orders-1/{SEGMENT}", f"orders-0/{SEGMENT}", "meta.properties")
    found = names(tmp_path / "data", scratch=tmp_path / "s")
    assert found == ["data/meta.properties", f"data/orders-0/{SEGMENT}", f"data/orders-1/{SEGMENT}"]


def test_a_segment_given_alone_keeps_its_partition(tmp_path):
    write(tmp_path, f"orders-3/{SEGMENT}")
    assert names(tmp_path / "orders-3" / SEGMENT, scratch=tmp_path / "s") == [f"orders-3/{SEGMENT}"]


def test_a_dump_given_alone_is_named_without_its_folder(tmp_path):
    write(tmp_path, "orders-3/dump.json")
    assert names(tmp_path / "orders-3" / "dump.json", scratch=tmp_path / "s") == ["dump.json"]


def test_two_copies_of_a_partition_are_told_apart_by_the_folders_above(tmp_path):
    write(tmp_path, f"broker-1/orders-0/{SEGMENT}", f"broker-2/orders-0/{SEGMENT}")
    found = names(tmp_path / "broker-1/orders-0", tmp_path / "broker-2/orders-0", scratch=tmp_path / "s")
    assert found == [f"broker-1/orders-0/{SEGMENT}", f"broker-2/orders-0/{SEGMENT}"]


def test_a_path_given_twice_is_read_once(tmp_path):
    write(tmp_path, "dump.json")
    assert names(tmp_path / "dump.json", tmp_path / "dump.json", scratch=tmp_path / "s") == ["dump.json"]


def test_files_and_members_carry_the_hash_of_their_own_bytes(tmp_path):
    write(tmp_path, "a.json")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("c.json", b"member")
    plain, member = input_files([tmp_path / "a.json", tmp_path / "b.zip"], tmp_path / "s", ArchiveLimits())
    assert plain.sha256 == hashlib.sha256(b"a.json").hexdigest()
    assert (member.name, member.sha256) == ("b.zip/c.json", hashlib.sha256(b"member").hexdigest())


def test_a_missing_path_is_named(tmp_path):
    with pytest.raises(UnreadableInput, match=r"nowhere does not exist\. Name a dump"):
        names(tmp_path / "nowhere", scratch=tmp_path / "s")


def test_a_file_above_the_limit_is_refused(tmp_path):
    write(tmp_path, "dump.json")
    with pytest.raises(UnreadableInput, match="larger than MAX_FILE_BYTES"):
        input_files([tmp_path / "dump.json"], tmp_path / "s", ArchiveLimits(max_file_bytes=3))
