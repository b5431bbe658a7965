"""A disk that keeps what was synced and nothing else: it records system calls and says what a power cut would leave.

Every call can be the last one. What may be lost is lost: bytes that were not synced, a name whose folder was not
synced after it was given. A name that was taken away is gone, synced or not. A commit of the database is a mark (under
test, within the transaction of the test): SQLite syncs it by itself (`synchronous=FULL`), which another test checks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection

CREATING = os.O_CREAT


@dataclass(frozen=True)
class Call:
    """`name` of what happened: created, linked, renamed, unlinked, synced, folder synced, committed."""

    name: str
    path: str = ""
    target: str = ""
    inode: int = 0
    size_bytes: int = 0


@dataclass
class Disk:
    """The calls in their order."""

    calls: list[Call] = field(default_factory=list)

    def left_after(self, count: int) -> dict[str, int]:
        """Names that survive a power cut after so many calls, with the bytes that their files have for sure."""
        inodes: dict[str, int] = {}
        sure: set[str] = set()
        sizes: dict[int, int] = {}
        for call in self.calls[:count]:
            if call.name in {"created", "linked"}:
                inodes[call.target] = call.inode
            elif call.name == "renamed":
                inodes.pop(call.path, None)
                sure.discard(call.path)
                inodes[call.target] = call.inode
            elif call.name == "unlinked":
                inodes.pop(call.path, None)
                sure.discard(call.path)
            elif call.name == "synced":
                sizes[call.inode] = call.size_bytes
            elif call.name == "folder synced":
                sure |= {path for path in inodes if str(Path(path).parent) == call.path}
        return {path: sizes.get(inodes[path], 0) for path in sure}

    def index(self, name: str) -> list[int]:
        """Where calls of this name are."""
        return [place for place, call in enumerate(self.calls) if call.name == name]


@contextmanager
def recorded(monkeypatch: Any) -> Iterator[Disk]:
    """What this process does to the disk, in the block."""
    disk = Disk()
    real = {name: getattr(os, name) for name in ("open", "fsync", "link", "rename", "replace", "unlink")}

    def open_(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        is_new = bool(flags & CREATING) and not os.path.lexists(path)
        descriptor = real["open"](path, flags, *rest, **more)
        if is_new:
            inode = os.fstat(descriptor).st_ino
            disk.calls.append(Call("created", target=os.fspath(path), inode=inode))
        return descriptor

    def fsync(descriptor: Any) -> None:
        real["fsync"](descriptor)
        about = os.fstat(descriptor)
        path = os.readlink(
            f"/proc/self/fd/{descriptor if isinstance(descriptor, int) else descriptor.fileno()}"
        )
        name = "folder synced" if os.path.isdir(path) else "synced"
        disk.calls.append(Call(name, path, inode=about.st_ino, size_bytes=about.st_size))

    def two_names(name: str, word: str) -> Callable[..., None]:
        def call(path: Any, target: Any, **more: Any) -> None:
            inode = os.stat(path).st_ino
            real[name](path, target, **more)
            disk.calls.append(Call(word, os.fspath(path), os.fspath(target), inode))

        return call

    def unlink(path: Any, **more: Any) -> None:
        real["unlink"](path, **more)
        disk.calls.append(Call("unlinked", os.fspath(path)))

    commit, around = connection._savepoint_commit, len(connection.savepoint_ids)

    def committed(savepoint: str) -> None:
        commit(savepoint)
        if len(connection.savepoint_ids) == around:
            disk.calls.append(Call("committed"))

    with monkeypatch.context() as patched:
        replacing = {"open": open_, "fsync": fsync, "unlink": unlink, "link": two_names("link", "linked")}
        replacing |= {name: two_names(name, "renamed") for name in ("rename", "replace")}
        for name, function in replacing.items():
            patched.setattr(os, name, function)
        patched.setattr(connection, "_savepoint_commit", committed)
        yield disk
