"""Local copies of stored files: written here and stored, fetched once, read by ranges."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest

from spark.storage import copies
from spark.storage.copies import all_fetched, fetched, local_path, opened_by_ranges, scratch_path, store
from tests.spark.storage.stores import bucket_in


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """With its objects in `objects`, the copies in `cache`."""
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    return bucket_in(tmp_path / "objects", monkeypatch)


def test_what_is_written_here_is_stored_and_read_without_the_store(bucket: str, tmp_path: Path) -> None:
    name = f"{bucket}/results/1/records/0.parquet"
    local = local_path(name)
    local.parent.mkdir(parents=True)
    local.write_bytes(b"rows" * 3_000_000)
    store(name)
    (stored,) = (path for path in (tmp_path / "objects").rglob("*") if path.is_file())
    assert stored == tmp_path / "objects" / "results" / "1" / "records" / "0.parquet"
    assert stored.read_bytes() == local.read_bytes()
    stored.unlink()
    assert fetched(name) == str(local)


def test_a_stored_file_is_fetched_once_by_its_name(bucket: str, tmp_path: Path) -> None:
    (tmp_path / "objects" / "a").mkdir(parents=True)
    for number in range(20):
        (tmp_path / "objects" / "a" / f"{number}.bin").write_bytes(bytes([number]) * 5_000_000)
    names = [f"{bucket}/a/{number}.bin" for number in range(20)]
    paths = all_fetched(names)
    assert [Path(path).read_bytes()[:2] for path in paths] == [bytes([number] * 2) for number in range(20)]
    (tmp_path / "objects" / "a" / "3.bin").write_bytes(b"changed, which no file of results ever is")
    assert Path(fetched(names[3])).stat().st_size == 5_000_000
    assert list((tmp_path / "cache").rglob("*.tmp")) == []


def test_one_file_is_one_copy_by_whatever_scheme_it_is_named(bucket: str) -> None:
    assert local_path("s3a://bucket/a") == local_path("S3://bucket/a") != local_path("gs://bucket/a")
    with pytest.raises(ValueError, match="dot for a name"):
        local_path("s3://bucket/../../etc/passwd")


def test_an_absent_file_names_its_address_and_leaves_no_copy(bucket: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        fetched(f"{bucket}/nothing")
    assert caught.value.filename == f"{bucket}/nothing"
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_what_the_disk_refuses_is_no_error_of_the_store(bucket: str, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "a").write_bytes(bytes(3 << 20))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(OSError) as caught:
            fetched(f"{bucket}/a")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, None)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_ranges_of_a_stored_file_leave_no_copy(bucket: str, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "a").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "plain").write_bytes(b"0123456789")
    with opened_by_ranges(f"{bucket}/a") as file:
        file.seek(1000)
        assert file.read(4) == bytes([232, 233, 234, 235])
    assert not local_path(f"{bucket}/a").exists()
    with opened_by_ranges(str(tmp_path / "plain")) as file:
        assert file.read(3) == b"012"
    for name in (f"{bucket}/nothing", str(tmp_path / "nothing")):
        with pytest.raises(FileNotFoundError), opened_by_ranges(name):
            pass


def test_paths_of_this_machine_are_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    path = str(tmp_path / "a")
    store(path)
    assert (fetched(path), all_fetched([path])) == (path, [path])
    assert local_path(path) == scratch_path(path) == Path(path)
    assert not (tmp_path / "cache").exists()


def test_copies_are_in_the_scratch_folder_of_spark_where_nothing_else_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CACHE_DIR", raising=False)
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/one,{tmp_path}/two")
    folder = copies.copies_folder()
    assert folder.parent == tmp_path / "one"
    assert folder.stat().st_mode & 0o077 == 0
    assert scratch_path("s3://bucket/a").parent == folder
    assert os.access(folder, os.W_OK)
