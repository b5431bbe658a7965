"""Content-addressed storage of raw bytes: `<RAW_STORAGE_URL>/<first two digits>/<sha256>`, any fsspec address.

place      a file on disk -> the store; nothing half-written ever has a final name
head       the first bytes of a blob
local_path where a blob's bytes lie, when the store is a local folder
fetch      the same for any store: copies a remote blob into a folder first
"""

from __future__ import annotations

import os
import shutil
import uuid
from functools import cache
from pathlib import Path

from django.conf import settings
from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from webapp.journals.disk import durable

# object stores show a new object only when all of it has arrived
ATOMIC_PUT = {"s3", "s3a", "gs", "gcs", "abfs", "az"}


@cache
def _store(url: str) -> tuple[AbstractFileSystem, str]:
    return url_to_fs(url)  # type: ignore[no-any-return]


def _where(sha256: str) -> tuple[AbstractFileSystem, str]:
    filesystem, root = _store(settings.RAW_STORAGE_URL)
    return filesystem, f"{root}/{sha256[:2]}/{sha256}"


def _is_local(filesystem: AbstractFileSystem) -> bool:
    return "file" in _protocols(filesystem)


def _protocols(filesystem: AbstractFileSystem) -> set[str]:
    return {filesystem.protocol} if isinstance(filesystem.protocol, str) else set(filesystem.protocol)


def exists(sha256: str) -> bool:
    """Whether these bytes are stored."""
    filesystem, path = _where(sha256)
    filesystem.invalidate_cache()
    return bool(filesystem.exists(path))


def place(file: Path, sha256: str) -> None:
    """Put a copy of the file's bytes in the store unless they are there. The file itself stays."""
    filesystem, path = _where(sha256)
    if _is_local(filesystem):
        _place_locally(file, Path(path))
    elif exists(sha256):
        return
    elif _protocols(filesystem) & ATOMIC_PUT:
        filesystem.put_file(str(file), path)
    else:
        filesystem.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
        partial = f"{path}.{uuid.uuid4().hex}.partial"
        filesystem.put_file(str(file), partial)
        filesystem.mv(partial, path)


def _place_locally(file: Path, path: Path) -> None:
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
    """Forget these bytes."""
    filesystem, path = _where(sha256)
    if filesystem.exists(path):
        filesystem.rm_file(path)


def head(sha256: str, most_bytes: int) -> bytes:
    """The first bytes of a blob. Raises FileNotFoundError."""
    filesystem, path = _where(sha256)
    with filesystem.open(path, "rb") as stream:
        content: bytes = stream.read(most_bytes)
    return content


def local_path(sha256: str) -> Path | None:
    """Where the bytes lie on this machine; None when the store is elsewhere."""
    filesystem, path = _where(sha256)
    return Path(path) if _is_local(filesystem) else None


def fetch(sha256: str, folder: Path) -> Path:
    """A path on this machine with the bytes, copied into `folder` when the store is elsewhere."""
    here = local_path(sha256)
    if here is not None:
        return here
    filesystem, path = _where(sha256)
    copy = folder / sha256
    if not copy.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = copy.with_suffix(".partial")
        filesystem.get_file(path, str(partial))
        partial.replace(copy)
    return copy
