"""Uploads of a few MB that unpack to 10 GB: refused at the limit, in little memory, with nothing left on the disk."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from spark.inputs.archive_limits import ArchiveLimits
from spark.inputs.archives import unpack
from spark.terms.errors import UnreadableInput
from tests.spark.memory import counted, peak_below
from tests.spark.sources.bombs import GB, MB, zeros_gzip, zeros_zstd

pytestmark = counted

MEMORY_BYTES = 128 << 20  # where the system takes back pages of libraries meanwhile, they count again
AT_ONCE = ArchiveLimits(ratio_from_bytes=32 * MB)  # the limits of the pipeline, but asked for earlier
GZIP_AROUND = slice(10, -8)  # the deflated bytes between header and trailer


def zeros_zip(size_bytes: int) -> bytes:
    """A zip of one member that says itself to be a megabyte."""
    packed = zeros_gzip(size_bytes)[GZIP_AROUND]
    name = b"zeros.log"
    told = struct.pack("<HHHHHLLLHH", 20, 0, 8, 0, 0, zlib.crc32(b""), len(packed), MB, len(name), 0)
    local = b"PK\x03\x04" + told + name + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + told + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


BOMBS = {"gz": zeros_gzip, "zst": zeros_zstd}


def refusal(content: bytes, folder: Path, limits: ArchiveLimits) -> str:
    """Why the upload was refused; nothing of it may be left."""
    path, scratch = folder / "upload", folder / "scratch"
    path.write_bytes(content)
    with peak_below(MEMORY_BYTES), pytest.raises(UnreadableInput) as caught:
        unpack(path, "dump", scratch, limits)
    assert list(scratch.iterdir()) == []
    return str(caught.value)


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_of_an_upload_is_stopped_by_its_ratio(tmp_path: Path, kind: str) -> None:
    assert "more than 200 times its size" in refusal(BOMBS[kind](GB), tmp_path, AT_ONCE)


@pytest.mark.long
@pytest.mark.parametrize("kind", BOMBS)
def test_ten_gigabytes_of_an_upload_are_refused_under_the_limits_of_the_pipeline(
    tmp_path: Path, kind: str
) -> None:
    assert "more than 200 times its size" in refusal(BOMBS[kind](10 * GB), tmp_path, ArchiveLimits())


def test_a_member_of_a_zip_that_lies_about_its_size_gives_no_more_than_it_says(tmp_path: Path) -> None:
    content = zeros_zip(GB)
    assert zipfile.is_zipfile(path_of(content, tmp_path))
    assert "truncated or damaged" in refusal(content, tmp_path, AT_ONCE)


def path_of(content: bytes, folder: Path) -> Path:
    path = folder / "zip"
    path.write_bytes(content)
    return path


def test_a_frame_that_wants_a_window_of_gigabytes_is_refused(tmp_path: Path) -> None:
    frame = bytearray(zeros_zstd(MB))
    frame[5] = (31 - 10) << 3  # the logarithm of the window's size
    assert "truncated or damaged" in refusal(bytes(frame), tmp_path, AT_ONCE)
