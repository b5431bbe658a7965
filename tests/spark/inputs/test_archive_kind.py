"""Archives are told from dumps by their first bytes, whatever their names."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from spark.inputs.archive_kind import archive_kind


def tar(form: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        archive.addfile(tarfile.TarInfo("dump.json"))
    return out.getvalue()


def without_mark(archive: bytes) -> bytes:
    """As tar wrote before POSIX: no `ustar`, and a checksum without it."""
    header = bytearray(archive)
    header[257:265] = bytes(8)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    return bytes(header)


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("dump.json", "[]")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (zipped(), "zip"),
        (gzip.compress(b"[]"), "gzip"),
        (zstandard.compress(b"[]"), "zstd"),
        (tar(tarfile.GNU_FORMAT), "tar"),
        (without_mark(tar(tarfile.USTAR_FORMAT)), "tar"),
    ],
    ids=["zip", "gzip", "zstd", "tar", "tar without its mark"],
)
def test_an_archive_is_known_by_its_first_bytes(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "dump.json"
    path.write_bytes(data)
    assert archive_kind(path) == kind


@pytest.mark.parametrize("data", [b"", b"\0" * 600, b'{"offset": 1}', b"\0" * 8 + b"\0\0\1\0" + b"\0" * 600])
def test_a_dump_or_a_segment_is_no_archive(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert archive_kind(path) is None
