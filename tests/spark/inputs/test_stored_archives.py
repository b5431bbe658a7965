"""Archives in a store: what is unpacked into it, what is not unpacked twice, what a refusal leaves."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from spark.inputs.archive_limits import ArchiveLimits
from spark.inputs.stored_archives import unpack_stored
from spark.runtime.in_process import in_process
from spark.sources import InputFile
from spark.storage.files import read_bytes
from spark.terms.errors import UnreadableInput
from tests.spark.storage.stores import bucket_in

FILES = {"orders-0/00000000000000000000.log": b"first segment", "orders-0/leader-epoch-checkpoint": b"0\n0\n"}


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


class Bucket:
    """A bucket with archives in it; unpacks them below `unpacked`."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address = folder, address

    def file(self, name: str, content: bytes, has_hash: bool = False) -> InputFile:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        sha256 = hashlib.sha256(content).hexdigest() if has_hash else None
        return InputFile(name, f"{self.address}/{name}", len(content), sha256)

    def unpack(self, *archives: InputFile, limits: ArchiveLimits | None = None) -> list[dict[str, bytes]]:
        held = unpack_stored(in_process, archives, f"{self.address}/unpacked", limits or ArchiveLimits())
        return [{file.name: read_bytes(file.path) for file in files} for files in held]

    def unpacked(self) -> dict[str, int]:
        """Name of each object below `unpacked` -> when it was written."""
        below = self.folder / "unpacked"
        return {
            str(path.relative_to(below)): path.stat().st_mtime_ns
            for path in below.rglob("*")
            if path.is_file()
        }


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    return Bucket(tmp_path / "objects", bucket_in(tmp_path / "objects", monkeypatch))


def test_members_are_stored_and_named_below_their_archive(bucket: Bucket, tmp_path: Path) -> None:
    nested = packed({"inner.zip": packed({"dump.json": b"{}"})})
    archives = [
        bucket.file("a.zip", packed(FILES)),
        bucket.file("b.zip", nested),
        bucket.file("c.log.gz", gzip.compress(b"c")),
    ]
    assert bucket.unpack(*archives) == [
        {f"a.zip/{name}": content for name, content in FILES.items()},
        {"b.zip/inner.zip/dump.json": b"{}"},
        {"c.log.gz/c.log": b"c"},
    ]
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("has_hash", [False, True])
def test_what_the_store_has_unpacked_is_not_unpacked_again(bucket: Bucket, has_hash: bool) -> None:
    archive = bucket.file("a.zip", packed(FILES), has_hash)
    first = bucket.unpack(archive)
    written = bucket.unpacked()
    assert bucket.unpack(archive) == first
    assert bucket.unpacked() == written


def test_the_same_bytes_under_another_name_have_members_of_their_own(bucket: Bucket) -> None:
    content = gzip.compress(b"text")
    assert bucket.unpack(bucket.file("a.json.gz", content), bucket.file("b.csv.gz", content)) == [
        {"a.json.gz/a.json": b"text"},
        {"b.csv.gz/b.csv": b"text"},
    ]


def test_what_was_not_unpacked_to_the_end_is_unpacked_again(bucket: Bucket) -> None:
    archive = bucket.file("a.zip", packed(FILES))
    first = bucket.unpack(archive)
    (document,) = [name for name in bucket.unpacked() if name.endswith("members.json")]
    (bucket.folder / "unpacked" / document).unlink()
    assert bucket.unpack(archive) == first
    assert document in bucket.unpacked()


def test_an_archive_that_is_refused_is_told_and_counts_for_nothing(bucket: Bucket, tmp_path: Path) -> None:
    limits = ArchiveLimits(max_members=1)
    with pytest.raises(UnreadableInput, match=r"a\.zip was not unpacked: it contains more than 1 files"):
        bucket.unpack(bucket.file("a.zip", packed(FILES)), limits=limits)
    with pytest.raises(UnreadableInput, match=r"b\.zip was not unpacked: it is truncated or damaged"):
        bucket.unpack(bucket.file("b.zip", packed(FILES)[:-30]))
    assert [name for name in bucket.unpacked() if name.endswith("members.json")] == []
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_without_archives_nothing_is_started(bucket: Bucket) -> None:
    def never() -> None:
        raise AssertionError

    assert unpack_stored(never, [], "s3://bucket/unpacked", ArchiveLimits()) == []  # type: ignore[arg-type]
