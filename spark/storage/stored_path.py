"""Folders of results on this machine or in a store, and operations on their files.

A folder in a store has the interface of `pathlib.Path`: `folder / "records" / name`. Its files never change once complete, so
reading one fetches a local copy (`copies.py`). An incomplete file does not exist.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from spark.storage.address import explained, is_address, store_of
from spark.storage.copies import fetched, local_path, store
from spark.storage.files import listed_files


@dataclass(frozen=True)
class StoredPath:
    """The address of a file or folder in a store, with pathlib's interface."""

    address: str

    def __truediv__(self, name: str) -> StoredPath:
        return StoredPath(f"{self.address.rstrip('/')}/{name}")

    def __str__(self) -> str:
        return self.address

    @property
    def name(self) -> str:
        return self.address.rstrip("/").rpartition("/")[2]

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix

    def exists(self) -> bool:
        """Whether the file is in the store, or was fetched to this machine before. Raises OSError if the store does not answer."""
        try:
            fetched(self.address)
        except FileNotFoundError:
            return False
        return True

    is_file = exists

    def is_dir(self) -> bool:
        try:
            return bool(listed_files(self.address))
        except FileNotFoundError:
            return False

    def stat(self) -> os.stat_result:
        return os.stat(fetched(self.address))  # noqa: PTH116

    def open(self, mode: str = "rb") -> BinaryIO:
        return cast(BinaryIO, Path(fetched(self.address)).open(mode))

    def read_bytes(self) -> bytes:
        return Path(fetched(self.address)).read_bytes()

    def read_text(self) -> str:
        return self.read_bytes().decode()

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Creates the folder of copies: a store has no folders."""
        local_path(self.address).mkdir(mode, parents=True, exist_ok=True)


ResultPath = Path | StoredPath


def result_path(text: str | ResultPath) -> ResultPath:
    """A Path or StoredPath."""
    if isinstance(text, str):
        return StoredPath(text) if is_address(text) else Path(text)
    return text


def write_whole(path: ResultPath, text: str) -> None:
    """Writes a document atomically."""
    local = local_path(str(path))
    partial = local.with_name(f"{local.name}.tmp")
    if isinstance(path, StoredPath):
        local.parent.mkdir(parents=True, exist_ok=True)
    partial.write_text(text)
    partial.replace(local)
    store(str(path))


def copy_file(source: ResultPath, target: ResultPath) -> None:
    """The same bytes under another name: a hard link on one disk, a copy made by the store in one store."""
    if isinstance(source, StoredPath) and isinstance(target, StoredPath):
        (system, old), (_, new) = store_of(str(source)), store_of(str(target))
        with explained(str(source)):
            system.copy_file(old, new)
        return
    path, local = Path(fetched(str(source))), local_path(str(target))
    local.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, local)
    except FileNotFoundError:
        raise
    except OSError:  # the disk knows no links, or has the file on another one
        shutil.copyfile(path, local)
    store(str(target))


def remove_tree(folder: ResultPath) -> None:
    """Removes everything below, as far as possible; nothing else refers to it."""
    shutil.rmtree(local_path(str(folder)), ignore_errors=True)
    if isinstance(folder, StoredPath):
        with suppress(OSError):
            delete_stored(folder)


def delete_file(address: str) -> None:
    """Deletes a store's file, if it exists. Raises OSError with the address."""
    system, path = store_of(address)
    with suppress(FileNotFoundError), explained(address):
        system.delete_file(path)


def delete_stored(folder: StoredPath) -> None:
    """Deletes all files below an address. Raises OSError with the address."""
    system, path = store_of(str(folder))
    with suppress(FileNotFoundError), explained(str(folder)):
        try:
            system.delete_dir(path)
        except FileNotFoundError:
            return
        except OSError:  # some servers refuse many names at once, as S3Proxy does with folders in folders
            for name in sorted(file.address for file in listed_files(str(folder))):
                system.delete_file(store_of(name)[1])
