"""Limits local copies: the least recently used are removed if all together exceed `CACHE_MAX_BYTES`.

A copy with a hard link is in use (`pins.py`) and stays, as does one used a moment ago, which is about to be opened. Open
copies may therefore exceed the limit.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAX_BYTES = 20 << 30  # unless CACHE_MAX_BYTES says otherwise
SHARE = 20  # the folder is looked through each time that a process has added this part of the bound
MOMENT_S = 60
ABANDONED_S = 3600  # half a file, of a process that ended
PARTIAL = ".tmp"
SCRATCH = ".scratch"

_added: dict[Path, int] = {}  # by folder: bytes since it was looked through
_counting = threading.Lock()


class LocalCopy(NamedTuple):
    """A file of the folder. `used_at`: seconds since 1970."""

    used_at: float
    path: str
    size_bytes: int
    is_in_use: bool


def max_bytes() -> int:
    """The limit for all copies on this machine."""
    return int(os.environ.get("CACHE_MAX_BYTES") or MAX_BYTES)


def note(folder: Path, size_bytes: int) -> None:
    """Counts a new copy, and occasionally removes old ones."""
    with _counting:
        is_first = folder not in _added
        _added[folder] = _added.get(folder, 0) + size_bytes
        if not is_first and _added[folder] * SHARE < max_bytes():
            return
        _added[folder] = 0
    make(folder, max_bytes())


def make(folder: Path, most_bytes: int) -> None:
    """Removes the least recently used copies until the others take at most `most_bytes`."""
    copies = sorted(copies_in(folder))
    total = sum(copy.size_bytes for copy in copies)
    now = time.time()
    for copy in copies:
        is_partial = copy.path.endswith(PARTIAL)
        if total <= most_bytes and not is_partial:
            continue
        if copy.is_in_use or copy.used_at > now - (ABANDONED_S if is_partial else MOMENT_S):
            continue
        Path(copy.path).unlink(missing_ok=True)
        total -= copy.size_bytes


def copies_in(folder: Path) -> Iterator[LocalCopy]:
    """All files below, except those in folders of our own."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(parent, name)  # noqa: PTH118 - of many thousand files
            try:
                status = os.stat(path)  # noqa: PTH116
            except FileNotFoundError:
                continue
            yield LocalCopy(status.st_mtime, path, status.st_size, status.st_nlink > 1)
