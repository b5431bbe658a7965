"""Paths on this machine -> the files to inspect: folders walked in order, archives unpacked, everything hashed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from spark.inputs.archive_kind import archive_kind
from spark.inputs.files_below import NamedFile, find
from spark.inputs.stored_files import find_stored
from spark.sources import InputFile
from spark.terms.errors import UnreadableInput
from workers.ingest.archives import unpack
from workers.ingest.limits import ArchiveLimits


def input_files(paths: Sequence[Path | str], scratch: Path, limits: ArchiveLimits) -> list[InputFile]:
    """Every file below `paths`, hashed; below addresses of stores (texts) as it is, for nothing is fetched here.

    Raises UnreadableInput with the path that could not be read.
    """
    addresses = [path for path in paths if isinstance(path, str)]
    local = [path for path in paths if isinstance(path, Path)]
    return [
        *hashed([file for named in find(local) for file in opened(named, scratch, limits)]),
        *stored_files(addresses, limits),
    ]


def stored_files(addresses: Sequence[str], limits: ArchiveLimits) -> list[InputFile]:
    """Every file below addresses. Raises UnreadableInput for one that is too large."""
    files = find_stored(addresses) if addresses else []
    for file in files:
        require_size(file.name, file.size_bytes, limits)
    return files


def hashed(files: Sequence[InputFile]) -> list[InputFile]:
    """The files with their SHA-256."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        digests = pool.map(_sha256, files)
        return [replace(file, sha256=digest) for file, digest in zip(files, digests, strict=True)]


def opened(
    named: NamedFile, scratch: Path, limits: ArchiveLimits, sha256: str | None = None
) -> list[InputFile]:
    """The file itself, or what an archive holds. `sha256` is given to the file itself when it is no archive."""
    try:
        size_bytes = named.path.stat().st_size
        if archive_kind(named.path) is None:
            require_size(named.name, size_bytes, limits)
            return [InputFile(named.name, str(named.path), size_bytes, sha256)]
        found = unpack(named.path, named.name, scratch, limits)
        return [InputFile(one.name, str(one.path), one.size_bytes) for one in found]
    except OSError as problem:
        raise UnreadableInput(f"{named.name} cannot be read: {problem.strerror or problem}.")


def require_size(name: str, size_bytes: int, limits: ArchiveLimits) -> None:
    """Raise UnreadableInput for a file that is too large."""
    if size_bytes > limits.max_file_bytes:
        raise UnreadableInput(f"{name} is larger than MAX_FILE_BYTES ({limits.max_file_bytes:,}).")


def _sha256(file: InputFile) -> str:
    with open(file.path, "rb") as stream:
        return file.sha256 or hashlib.file_digest(stream, "sha256").hexdigest()
