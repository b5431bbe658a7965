"""What kind of archive a file is, by its first bytes, never by its name."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Literal

import zstandard

from spark.storage.files import read_bytes

Kind = Literal["zip", "tar", "gzip", "zstd"]
HEAD_BYTES = 512


def archive_kind(path: Path | str) -> Kind | None:
    """What kind of archive the first bytes say; None for a file that is none."""
    return _kind_of(read_bytes(str(path), HEAD_BYTES))


def is_tar(head: bytes) -> bool:
    """A tar header sums up its own bytes; that also finds archives older than the `ustar` mark."""
    if len(head) < HEAD_BYTES or not head[0]:
        return False
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _kind_of(head: bytes) -> Kind | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if head.startswith(b"\x1f\x8b\x08"):
        return "gzip"
    if head.startswith(zstandard.FRAME_HEADER):
        return "zstd"
    return "tar" if is_tar(head) else None
