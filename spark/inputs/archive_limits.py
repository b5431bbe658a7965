"""How much an archive may unpack to, and the running count of what it did."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from spark.terms.errors import DISK_FULL, UnreadableInput

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class ArchiveLimits:
    """Bounds for all archives of one input together. `ratio_from_bytes`: an index of a live log is 10 MB of zeros,
    so a few of them in a small archive are no bomb."""

    max_members: int = 20_000
    max_file_bytes: int = 64 << 30
    max_total_bytes: int = 256 << 30
    max_ratio: int = 200
    ratio_from_bytes: int = 1 << 30


@dataclass
class Budget:
    """What has been unpacked so far, of one archive and those inside it."""

    archive: str
    packed_bytes: int
    limits: ArchiveLimits
    members: int = 0
    unpacked_bytes: int = 0
    _names: set[str] = field(default_factory=set)

    def refuse(self, why: str, remedy: str = "Unpack it and upload the files.") -> UnreadableInput:
        """The error that ends the unpacking."""
        return UnreadableInput(f"{self.archive} was not unpacked: {why} {remedy}")

    def add_member(self, name: str) -> None:
        """Count a member; its name may be there once."""
        self.members += 1
        if self.members > self.limits.max_members:
            raise self.refuse(
                f"it contains more than {self.limits.max_members:,} files (MAX_ARCHIVE_MEMBERS)."
            )
        if name in self._names:
            raise self.refuse(
                f"it contains two files named {name}.", "Create the archive again with unique file names."
            )
        self._names.add(name)

    def add_bytes(self, size_bytes: int, member: str, member_bytes: int) -> None:
        """Count unpacked bytes; `member_bytes` is what this member has come to."""
        self.unpacked_bytes += size_bytes
        limits = self.limits
        if member_bytes > limits.max_file_bytes:
            raise self.refuse(
                f"{member} unpacks to more than {_size(limits.max_file_bytes)} (MAX_FILE_BYTES)."
            )
        if self.unpacked_bytes > limits.max_total_bytes:
            raise self.refuse(f"it unpacks to more than {_size(limits.max_total_bytes)} in all.")
        grown = self.unpacked_bytes / max(1, self.packed_bytes)
        if self.unpacked_bytes > limits.ratio_from_bytes and grown > limits.max_ratio:
            raise self.refuse(
                f"it unpacks to more than {limits.max_ratio} times its size (MAX_ARCHIVE_RATIO)."
            )

    def copy(self, source: IO[bytes], target: Path, member: str) -> int:
        """Write a member's bytes to `target`, counted as they come; return their number."""
        total = 0
        try:
            with target.open("wb") as out:
                while chunk := source.read(CHUNK_BYTES):
                    total += len(chunk)
                    self.add_bytes(len(chunk), member, total)
                    out.write(chunk)
        except OSError as problem:
            if problem.errno in DISK_FULL:
                free = shutil.disk_usage(target.parent).free
                raise self.refuse(
                    f"the disk is full ({_size(free)} left).", "Free space in the data folder and try again."
                ) from problem
            raise
        return total


def _size(size_bytes: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:,.0f} {unit}"
    return f"{size_bytes} bytes"
