"""Files that a power cut leaves as they were promised: bytes first, then names, then the row that speaks of them.

A rename, a new name and a new folder are on the disk when the folder around them is (fsync(2), NOTES).
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

CANNOT = {errno.EINVAL, errno.ENOTSUP}  # file systems that sync no folders


def sync(path: Path) -> None:
    """fsync of a file, or of a folder's entries."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in CANNOT or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """With its parents; each new entry is synced."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
    sync(folder.parent)


def sync_all(path: Path) -> None:
    """fsync of a file, or of a folder and everything below it."""
    for each in [*path.rglob("*"), path] if path.is_dir() else [path]:
        if each.is_dir() or each.is_file():
            sync(each)


def rename(partial: Path, final: Path) -> None:
    """Survives a crash: the folder is synced."""
    partial.rename(final)
    sync(final.parent)


def show(partial: Path, final: Path) -> None:
    """Give a file or a folder its final name after syncing all of it."""
    sync_all(partial)
    rename(partial, final)
