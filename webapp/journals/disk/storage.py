"""Content-addressed storage of raw bytes: `<RAW_STORAGE_URL>/<first two digits>/<sha256>`, in a folder or in an object store.

store_copy   a file on disk -> the store; nothing half-written ever has a final name
head         the first bytes of a blob
location     the path or the address of a blob
fetch        a path of this machine: copies a blob of an object store into a folder first
"""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

from django.conf import settings

from spark.storage.address import is_address
from spark.storage.copies import put
from spark.storage.files import is_file, open_binary
from spark.storage.stored_path import StoredPath, delete_file, delete_stored
from webapp.journals.disk import durable

UNPACKED = "unpacked"  # below the store: members of archives, by the SHA-256 of the archive
COPY_BYTES = 4 << 20


def is_remote() -> bool:
    """Whether the store is an object store, not a folder."""
    return is_address(settings.RAW_STORAGE_URL)


def location(sha256: str) -> str:
    """Path or store address of a blob."""
    return f"{settings.RAW_STORAGE_URL}/{sha256[:2]}/{sha256}"


def exists(sha256: str) -> bool:
    """Raises OSError if the store is unavailable."""
    return is_file(location(sha256))


def store_copy(file: Path, sha256: str) -> None:
    """Copy the file into the store unless its bytes are there already."""
    if not is_remote():
        _store_locally(file, Path(location(sha256)))
    elif not exists(sha256):
        put(file, location(sha256))


def _store_locally(file: Path, path: Path) -> None:
    durable.make_folder(path.parent)
    if path.exists():
        durable.sync(path.parent)  # somebody else may have placed it a moment ago
        return
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.partial")
    try:
        try:
            os.link(file, partial)
        except OSError:  # another disk, or one without hard links
            shutil.copyfile(file, partial)
        partial.chmod(0o400)
        durable.show(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def remove(sha256: str) -> None:
    """Delete the bytes and what was unpacked from them."""
    if is_remote():
        delete_file(location(sha256))
        delete_stored(StoredPath(f"{settings.RAW_STORAGE_URL}/{UNPACKED}/{sha256}"))
    else:
        Path(location(sha256)).unlink(missing_ok=True)


def head(sha256: str, max_bytes: int) -> bytes:
    """The first bytes of a blob. Raises FileNotFoundError."""
    with open_binary(location(sha256), max_bytes) as stream:
        return stream.read(max_bytes)


def fetch(sha256: str, folder: Path) -> Path:
    """Local path of the bytes; those of an object store are copied into `folder`."""
    if not is_remote():
        return Path(location(sha256))
    copy = folder / sha256
    if not copy.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = copy.with_suffix(".partial")
        with open_binary(location(sha256)) as source, partial.open("wb") as target:
            shutil.copyfileobj(source, target, COPY_BYTES)
        partial.replace(copy)
    return copy
