"""Files by path and by address: the same bytes, sizes and lines; a store is asked for ranges."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spark.storage.files import StoredFile, file_size, listed_files, open_binary, read_bytes
from tests.spark.storage.stores import bucket_in

CONTENT = b"one\ntwo\n" + bytes(range(256)) * 9000


@pytest.fixture(params=["path", "address"])
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same file on this machine and in a store."""
    (tmp_path / "dump #1.bin").write_bytes(CONTENT)
    folder = str(tmp_path) if request.param == "path" else bucket_in(tmp_path, monkeypatch)
    return f"{folder}/dump #1.bin"


@pytest.mark.parametrize("buffering", [-1, 0, 4096])
def test_a_file_is_read_from_anywhere(name: str, buffering: int) -> None:
    with open_binary(name, buffering) as file:
        assert file.readline() == b"one\n"
        assert file.seek(300) == 300
        assert file.read(5000) == CONTENT[300:5300]
        assert file.seek(-7, os.SEEK_END) == len(CONTENT) - 7
        target = bytearray(20)
        assert file.readinto(target) == 7
        assert target[:7] == CONTENT[-7:]
        assert file.read() == b""
    assert (file_size(name), read_bytes(name)) == (len(CONTENT), CONTENT)


def test_an_absent_file_names_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"{bucket_in(tmp_path, monkeypatch)}/nothing"
    for ask in (read_bytes, file_size, listed_files):
        with pytest.raises(FileNotFoundError) as caught:
            ask(address)
        assert caught.value.filename == address


def test_files_below_an_address_are_listed_in_order_with_their_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, size_bytes in (("data/b/2.log", 7), ("data/a/1.log", 5), ("other/3.log", 1)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(bytes(size_bytes))
    bucket = bucket_in(tmp_path, monkeypatch)
    assert listed_files(f"{bucket}/data/") == [(f"{bucket}/data/a/1.log", 5), (f"{bucket}/data/b/2.log", 7)]
    assert listed_files(f"{bucket}/data/b/2.log") == [(f"{bucket}/data/b/2.log", 7)]


def test_nothing_is_fetched_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.bin").write_bytes(CONTENT)
    file = StoredFile(f"{bucket_in(tmp_path, monkeypatch)}/a.bin")
    assert file.size_bytes == len(CONTENT)
    assert file.seek(5) == file.tell() == 5
    (tmp_path / "a.bin").write_bytes(b"x" * len(CONTENT))
    assert file.read(3) == b"xxx"
