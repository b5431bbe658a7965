"""Segment files of one partition: `<topic>-<partition>/<20 digits: base offset>.log`, the broker's bytes one after the other."""

from __future__ import annotations

import os
from pathlib import Path

from webapp.journals.disk.durable import sync

SEGMENT_BYTES = 256 * 1024**2


class SegmentWriter:
    """Appends to the files in `names` (relative to `folder`), which it lets grow; `size_bytes` is that of all of them."""

    def __init__(
        self, folder: Path, topic: str, partition: int, names: list[str], size_bytes: int = 0
    ) -> None:
        self.folder, self.names = folder, names
        self.partition_folder = f"{topic}-{partition}"
        self._last_size = self._restore(size_bytes)
        self._unsafe: set[Path] = set()

    def write(self, base_offset: int, entries: memoryview) -> None:
        """Append whole entries; a new file, named for `base_offset`, when they would make the last one too large."""
        if not self.names or (self._last_size and self._last_size + len(entries) > SEGMENT_BYTES):
            (self.folder / self.partition_folder).mkdir(parents=True, exist_ok=True)
            self.names.append(f"{self.partition_folder}/{base_offset:020d}.log")
            self._last_size = 0
        path = self.folder / self.names[-1]
        with path.open("ab", buffering=0) as file:
            rest = entries
            while rest:
                rest = rest[file.write(rest) :]
        self._last_size += len(entries)
        self._unsafe.add(path)

    def sync(self) -> None:
        """fsync."""
        for path in self._unsafe:
            sync(path)
        if self._unsafe:
            sync(self.folder / self.partition_folder)
        self._unsafe.clear()

    def _restore(self, size_bytes: int) -> int:
        """Cut what came after `size_bytes` were known to be whole; gives the last file's size.

        A file that is shorter than it must be raises FileNotFoundError or ValueError.
        """
        before = [self.folder / name for name in self.names[:-1]]
        last_bytes = size_bytes - sum(path.stat().st_size for path in before)
        for path in (self.folder / self.partition_folder).glob("*.log"):
            if path.relative_to(self.folder).as_posix() not in self.names:
                path.unlink()
        if not self.names:
            return 0
        last = self.folder / self.names[-1]
        if not 0 <= last_bytes <= last.stat().st_size:
            raise ValueError(
                f"{last} is shorter than journalscope-capture.json says. Capture into another folder."
            )
        os.truncate(last, last_bytes)
        return last_bytes
