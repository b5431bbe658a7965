"""Pins: copies that stay while a process has them open. A hard link shows this to all processes of the machine.

Each process has a locked folder of such links; the next process removes what an ended one left.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
import uuid
import weakref
from collections.abc import Sequence
from pathlib import Path

from spark.storage.address import is_address
from spark.storage.copies import all_fetched, copies_folder, fetched

IN_USE = ".in-use"

_folders: dict[tuple[int, Path], Path] = {}  # by process and folder of copies
_locks: list[int] = []  # file descriptors, open until the process ends
_making = threading.Lock()


class PinnedCopies:
    """The copies that one reader needs until it is closed or garbage-collected."""

    def __init__(self) -> None:
        self._names: list[Path] = []
        self.close = weakref.finalize(self, unlink, self._names)

    def fetched(self, names: Sequence[str]) -> list[str]:
        """The paths of copies, which exist until `close`; paths of this machine unchanged."""
        return [self._pinned(name, path) for name, path in zip(names, all_fetched(names), strict=True)]

    def _pinned(self, name: str, path: str) -> str:
        while is_address(name):
            second = process_folder() / uuid.uuid4().hex
            try:
                os.link(path, second)
            except FileNotFoundError:  # removed for room a moment ago
                path = fetched(name)
                continue
            self._names.append(second)
            break
        return path


def unlink(names: Sequence[Path]) -> None:
    for name in names:
        name.unlink(missing_ok=True)


def process_folder() -> Path:
    """The folder of this process's hard links."""
    folder = copies_folder()
    with _making:
        names_folder = _folders.get((os.getpid(), folder))
        if names_folder is None or not names_folder.is_dir():  # somebody may have emptied the cache
            remove_left_over(folder / IN_USE)
            names_folder = _folders[os.getpid(), folder] = folder / IN_USE / uuid.uuid4().hex
            names_folder.mkdir(parents=True)
            _locks.append(locked(names_folder))
        return names_folder


def locked(folder: Path) -> int:
    """The folder's file descriptor, which holds its lock. Raises BlockingIOError if another process has it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    return descriptor


def remove_left_over(folder: Path) -> None:
    """Removes hard links of processes that have ended."""
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            descriptor = locked(path)
        except (BlockingIOError, FileNotFoundError):
            continue
        shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)
