"""A buffer that moves over a file: processed bytes are dropped, an incomplete rest stays before the next ones."""

from __future__ import annotations

from io import BufferedReader

import numpy as np
from numpy.typing import NDArray

from spark.sources._lines.lines import BOM


class ByteWindow:
    """`buffer[:used]` are the bytes of the file from `base` on. `is_all`: the end of the range is reached."""

    def __init__(self, file: BufferedReader, start: int, end: int, size_bytes: int) -> None:
        self.file, self.end = file, end
        self.base = file.seek(len(BOM) if start == 0 and file.read(len(BOM)) == BOM else start)
        self.buffer: NDArray[np.uint8] = np.empty(size_bytes, np.uint8)
        self.used = 0
        self.is_all = False

    def fill(self) -> None:
        """Reads until the buffer is full or the range ends."""
        room = max(0, min(len(self.buffer) - self.used, self.end - self.base - self.used))
        count = self.file.readinto(self.buffer[self.used : self.used + room].data)
        self.used += count
        self.is_all = self.is_all or count < room or self.base + self.used >= self.end

    def drop(self, done: int) -> None:
        """Drops the first bytes; enlarges a full buffer of which nothing could be dropped."""
        rest = self.used - done
        if done:
            self.buffer[:rest] = self.buffer[done : self.used].copy()
        elif rest == len(self.buffer):
            self.buffer = np.concatenate([self.buffer, np.empty(rest, np.uint8)])
        self.used, self.base = rest, self.base + done
