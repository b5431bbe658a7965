"""Local copies of a store's files that never change after they are written, such as results.

A writer writes the copy, then stores it; a reader fetches the copy unless this machine has it. For a path of this machine
each function returns the path. Copies are in `CACHE_DIR`, else in Spark's scratch folder, and take at most
`CACHE_MAX_BYTES` (`room.py`); every process of the machine may use them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from spark.storage import room
from spark.storage.address import ADDRESS, SCHEMES, explained, is_address, require_known, store_of

if TYPE_CHECKING:
    from pyarrow import NativeFile
    from pyarrow.fs import FileSystem

FETCHES = 8  # at the same time
PORTION_BYTES = 4 << 20


def copies_folder() -> Path:
    """The folder of copies on this machine, private to its user."""
    scratch = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir()
    folder = Path(os.environ.get("CACHE_DIR") or Path(scratch) / f"journalscope-{os.getuid()}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user. Set CACHE_DIR to a folder of your own.")
    return folder


def local_path(name: str) -> Path:
    """The path of the copy of a file or folder, whether or not it exists."""
    if not is_address(name):
        return Path(name)
    require_known(name)
    match = ADDRESS.fullmatch(name)
    assert match
    parts = match[3].rstrip("/").split("/")
    if any(segment in {".", ".."} for segment in parts):
        raise ValueError(f"{name} has a dot for a name")
    return copies_folder().joinpath(SCHEMES[match[1].lower()], match[2], *parts)


def scratch_path(folder: str) -> Path:
    """A folder for this machine's temporary files for results; never stored."""
    return Path(folder) if not is_address(folder) else copies_folder() / room.SCRATCH


def store(name: str) -> None:
    """Uploads the complete copy to its store. Raises OSError with the address."""
    if is_address(name):
        local = local_path(name)
        put(local, name)
        room.note(copies_folder(), local.stat().st_size)


def put(local: Path, name: str) -> None:
    """Puts a complete file of this machine at an address or path, atomically. Raises OSError with it."""
    if not is_address(name):
        _put_here(local, Path(name))
        return
    system, path = store_of(name)
    is_shown_early = system.type_name == "hdfs"  # other stores show an object when all of it has arrived
    written = f"{path}.{uuid.uuid4().hex}{room.PARTIAL}" if is_shown_early else path
    with local.open("rb") as source:
        os.fsync(source.fileno())
        with explained(name):
            target = system.open_output_stream(written)
        while portion := source.read(PORTION_BYTES):
            with explained(name):
                target.write(portion)
        with explained(name):
            target.close()
            if is_shown_early:
                system.move(written, path)


def _put_here(local: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}{room.PARTIAL}")
    try:
        shutil.copyfile(local, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def fetched(name: str) -> str:
    """The path of the copy, fetched if needed. Raises OSError with the address."""
    if not is_address(name):
        return name
    local = local_path(name)
    try:
        os.utime(local)  # by this it is known which were not used for longest
    except FileNotFoundError:
        _fetch(name, local)
    return str(local)


def all_fetched(names: Sequence[str]) -> list[str]:
    """The same for several files, some in parallel."""
    absent = [name for name in names if is_address(name) and not local_path(name).exists()]
    with ThreadPoolExecutor(FETCHES) if len(absent) > 1 else nullcontext() as pool:
        if pool:
            list(pool.map(fetched, absent))
    return [fetched(name) for name in names]


@contextmanager
def opened_by_ranges(name: str) -> Iterator[NativeFile]:
    """A file for Arrow and Parquet readers: a memory-mapped one of this machine, or one of the store, read by ranges."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(local_path(name))) as file:
            yield file
        return
    except FileNotFoundError:
        if not is_address(name):
            raise
    system, path = store_of(name)
    with explained(name), system.open_input_file(path) as stream:
        yield stream


def _fetch(name: str, local: Path) -> None:
    local.parent.mkdir(parents=True, exist_ok=True)
    partial = local.with_name(f"{local.name}.{uuid.uuid4().hex}{room.PARTIAL}")
    system, path = store_of(name)
    try:
        with partial.open("wb") as target:
            for portion in _portions(system, path, name):
                target.write(portion)
            target.flush()
            os.fsync(target.fileno())
            size_bytes = target.tell()
        partial.replace(local)
    finally:
        partial.unlink(missing_ok=True)
    room.note(copies_folder(), size_bytes)


def _portions(system: FileSystem, path: str, name: str) -> Iterator[bytes]:
    """The bytes of a store's file. Disk errors while the caller writes them are not the store's."""
    with explained(name):
        source = system.open_input_stream(path)
    with source:
        while True:
            with explained(name):
                portion = source.read(PORTION_BYTES)
            if not portion:
                return
            yield portion
