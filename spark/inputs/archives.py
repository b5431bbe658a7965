"""Unpack zip, tar, tar.gz, tar.zst, gz and zst, told apart by their first bytes, never by their names.

Members are written to numbered files, so no name in an archive ever becomes a path on disk; names that try to
leave the folder, links and devices are refused all the same, because an honest archive holds none. What was
unpacked before a refusal is removed. An archive inside an archive is unpacked, one inside that is refused.
"""

from __future__ import annotations

import gzip
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

import zstandard
from isal import igzip, isal_zlib

from spark.inputs.archive_kind import HEAD_BYTES, archive_kind, is_tar
from spark.inputs.archive_limits import ArchiveLimits, Budget
from spark.inputs.tar_stream import TarStream
from spark.inputs.zstd_stream import ZstdStream

ZIP_ENCRYPTED = 0x1
BROKEN: tuple[type[BaseException], ...] = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    cast(type[Exception], isal_zlib.IsalError),
    zlib.error,
    zstandard.ZstdError,
    EOFError,
    NotImplementedError,
)

REASONS = {"File is not a zip file": "its end, with the list of its files, is missing"}  # of zipfile
REMEDY = "Create the archive again, or upload the files themselves: `tar -czf TOPIC-0.tar.gz TOPIC-0`."


@dataclass(frozen=True)
class Unpacked:
    """A file out of an archive: its name there, below the archive's own, and where its bytes lie."""

    name: str
    path: Path
    size_bytes: int


def unpack(path: Path, name: str, scratch: Path, limits: ArchiveLimits) -> list[Unpacked]:
    """All files of an archive, in its order, written below `scratch`. Raises UnreadableInput; then nothing is left."""
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        return list(members(path, name, folder, limits))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def members(path: Path, name: str, folder: Path, limits: ArchiveLimits) -> Iterator[Unpacked]:
    """The files of an archive one after another, each when it is written into `folder`. Raises UnreadableInput."""
    budget = Budget(name, path.stat().st_size, limits)
    try:
        yield from _unpack(path, name, folder, budget, depth=0)
    except BROKEN as problem:
        why = str(problem or type(problem).__name__)
        raise budget.refuse(f"it is truncated or damaged ({REASONS.get(why, why)}).", REMEDY) from problem


def _unpack(path: Path, name: str, folder: Path, budget: Budget, depth: int) -> Iterator[Unpacked]:
    kind = archive_kind(path)
    if kind is not None and depth > 1:
        raise budget.refuse(f"{name} is an archive nested three levels deep.")
    readers = {"zip": _zip_members, "tar": _tar_file_members, "gzip": _compressed, "zstd": _compressed}
    if kind is None:
        yield Unpacked(name, path, path.stat().st_size)
        return
    for member in readers[kind](path, name, folder, budget):
        yield from _unpack(member.path, member.name, folder, budget, depth + 1)
    if depth:
        path.unlink()


def _zip_members(path: Path, name: str, folder: Path, budget: Budget) -> Iterator[Unpacked]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            mode = info.external_attr >> 16
            if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
                raise budget.refuse(f"{info.filename} is a link or a device, not a file.")
            if info.flag_bits & ZIP_ENCRYPTED:
                raise budget.refuse("it is protected with a password.")
            with archive.open(info) as stream:
                yield _write(stream, name, info.filename, folder, budget)


def _tar_file_members(path: Path, name: str, folder: Path, budget: Budget) -> Iterator[Unpacked]:
    with path.open("rb") as stream:
        yield from _tar_members(stream, name, folder, budget)


def _tar_members(stream: IO[bytes], name: str, folder: Path, budget: Budget) -> Iterator[Unpacked]:
    with TarStream(stream, budget) as archive:
        for info, content in archive:
            if not info.isfile():
                raise budget.refuse(f"{_shown(info.name)} is a link or a device, not a file.")
            yield _write(content, name, info.name, folder, budget)


def _compressed(path: Path, name: str, folder: Path, budget: Budget) -> Iterator[Unpacked]:
    """One compressed file, or a compressed tar."""
    with path.open("rb") as raw, _decompressor(raw) as stream:
        head = _read_fully(stream, HEAD_BYTES)
        whole = cast(IO[bytes], _Rewound(head, stream))
        if is_tar(head):
            yield from _tar_members(whole, name, folder, budget)
        else:
            yield _write(whole, name, PurePosixPath(name).stem or "file", folder, budget)


def _decompressor(raw: IO[bytes]) -> IO[bytes]:
    if raw.read(2) == b"\x1f\x8b":
        raw.seek(0)
        return cast(IO[bytes], igzip.IGzipFile(fileobj=raw, mode="rb"))
    raw.seek(0)
    return cast(IO[bytes], ZstdStream(raw))


class _Rewound:
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int) -> bytes:
        if not self._head:
            return self._rest.read(size)
        taken, self._head = self._head[:size], self._head[size:]
        return taken


def _read_fully(stream: IO[bytes], size: int) -> bytes:
    content = b""
    while len(content) < size and (chunk := stream.read(size - len(content))):
        content += chunk
    return content


def _write(stream: IO[bytes], archive: str, member: str, folder: Path, budget: Budget) -> Unpacked:
    inside = _checked(member, budget)
    full_name = f"{archive}/{inside}"
    budget.add_member(full_name)
    target = folder / f"{budget.members:06d}"
    return Unpacked(full_name, target, budget.copy(stream, target, inside))


def _checked(member: str, budget: Budget) -> str:
    """The member's name as a plain relative path."""
    path = PurePosixPath(_shown(member).replace("\\", "/"))
    if _leaves(path):
        raise budget.refuse(f"the name {_shown(member)} leads out of the archive's folder.")
    return str(path)


def _leaves(path: PurePosixPath) -> bool:
    """Absolute (also with a drive letter), or with `..` in it."""
    has_drive = len(path.parts) > 0 and len(path.parts[0]) == 2 and path.parts[0][1] == ":"
    return path.is_absolute() or ".." in path.parts or has_drive or not path.parts


def _shown(name: str) -> str:
    """A name of any bytes as text that can be stored and printed."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
