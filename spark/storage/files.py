"""Opens, measures, reads and lists files, given by a path of this machine or an address of a store."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, NamedTuple, cast

from spark.storage.address import explained, is_address, store_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BUFFER_BYTES = 1 << 20  # of one request to a store, where a reader asks for less


def open_binary(path: str, buffering: int = -1) -> io.BufferedReader:
    """A file for reading. `buffering`: bytes to read ahead, 0 for none; a store has a minimum."""
    if not is_address(path):
        return cast(io.BufferedReader, open(path, "rb", buffering))  # noqa: PTH123 - of fifty thousand files
    raw = StoredFile(path)
    if not buffering:
        return cast(io.BufferedReader, raw)
    return io.BufferedReader(raw, BUFFER_BYTES if buffering < 0 else buffering)


def file_size(path: str) -> int:
    """In bytes."""
    if not is_address(path):
        return os.stat(path).st_size  # noqa: PTH116 - of fifty thousand files
    with StoredFile(path) as file:
        return file.size_bytes


def is_file(path: str) -> bool:
    """Whether it exists. Raises OSError if a store does not answer."""
    try:
        file_size(path)
    except FileNotFoundError:
        return False
    return True


def read_bytes(path: str, max_bytes: int = -1) -> bytes:
    with open_binary(path, 0) as file:
        return file.read(max_bytes)


class StoredFile(io.RawIOBase):
    """A file of a store. Every read is one request; opening makes none except for the size."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        system, path = store_of(address)
        with explained(address):
            self._stream = system.open_input_file(path)
            self.size_bytes = int(self._stream.size())
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size_bytes}[whence]
        self._position = max(0, base + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, target: WriteableBuffer, /) -> int:
        """Fills the buffer; returns fewer bytes only at the end of the file."""
        view = memoryview(target).cast("B")
        count = max(0, min(len(view), self.size_bytes - self._position))
        if count:
            with explained(self.address):
                self._stream.seek(self._position)
                count = int(self._stream.readinto(view[:count]))
            self._position += count
        return count

    def readall(self) -> bytes:
        content = bytearray(max(0, self.size_bytes - self._position))
        self.readinto(content)
        return bytes(content)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_stream"):
            self._stream.close()
        super().close()


class StoredName(NamedTuple):
    """A file that a store lists: its address and its size."""

    address: str
    size_bytes: int


def listed_files(address: str) -> list[StoredName]:
    """The file at an address, or all files below it: a folder's files by name, then those of its folders. Raises OSError if there is none."""
    from pyarrow.fs import FileSelector, FileType

    address = address.rstrip("/")
    system, path = store_of(address)
    with explained(address):
        info = system.get_file_info(path)
        if info.type == FileType.File:
            return [StoredName(address, info.size)]
        if info.type == FileType.NotFound:
            raise FileNotFoundError
        below = system.get_file_info(FileSelector(path, recursive=True))
    head = len(path)
    files = [
        StoredName(address + entry.path[head:], entry.size) for entry in below if entry.type == FileType.File
    ]
    return sorted(files, key=_place)


def _place(file: StoredName) -> list[tuple[bool, str]]:
    *folders, name = file.address.split("/")
    return [(True, folder) for folder in folders] + [(False, name)]


def listed_folders(address: str) -> list[str]:
    """Sorted names of the folders at an address, none if it does not exist. Raises OSError with the address."""
    from pyarrow.fs import FileSelector, FileType

    system, path = store_of(address.rstrip("/"))
    with explained(address):
        inside = system.get_file_info(FileSelector(path, allow_not_found=True))
    return sorted(info.base_name for info in inside if info.type == FileType.Directory)
