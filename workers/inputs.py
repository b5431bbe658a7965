"""Paths of this machine and addresses of stores -> the files to inspect: folders walked in order, archives unpacked, all on this machine hashed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from spark.inputs.archive_kind import archive_kind
from spark.inputs.archive_limits import ArchiveLimits
from spark.inputs.archives import unpack
from spark.inputs.files_below import NamedFile, find
from spark.inputs.stored_archives import unpack_stored
from spark.inputs.stored_files import archives_among, find_stored
from spark.sources import InputFile
from spark.storage.address import is_address
from spark.terms.errors import UnreadableInput
from webapp.journals.disk.storage import UNPACKED

if TYPE_CHECKING:
    from pyspark import SparkContext

Engine = Callable[[int], "SparkContext"]  # what runs tasks over so many bytes


def archive_limits() -> ArchiveLimits:
    """From the environment."""
    return ArchiveLimits(
        max_members=settings.MAX_ARCHIVE_MEMBERS,
        max_file_bytes=settings.MAX_FILE_BYTES,
        max_ratio=settings.MAX_ARCHIVE_RATIO,
    )


def input_files(
    paths: Sequence[Path | str], scratch: Path, limits: ArchiveLimits, engine: Engine
) -> list[InputFile]:
    """Every file below `paths`, hashed; below addresses of stores (texts) without hashes, for nothing is fetched here.

    Raises UnreadableInput with the path that could not be read.
    """
    addresses = [path for path in paths if isinstance(path, str)]
    local = [path for path in paths if isinstance(path, Path)]
    files = hashed([file for named in find(local) for file in opened(named, scratch, limits)])
    return files + (opened_in_store(find_stored(addresses), scratch, limits, engine) if addresses else [])


def opened_in_store(
    files: Sequence[InputFile], scratch: Path, limits: ArchiveLimits, engine: Engine
) -> list[InputFile]:
    """Files of a store, archives replaced by what they hold. That goes into the store of raw bytes, where there is one, else below `scratch`.

    Raises UnreadableInput for a file that is too large, and for an archive that is refused.
    """
    for file in files:
        require_size(file.name, file.size_bytes, limits)
    archives = archives_among(files)
    context = partial(engine, sum(file.size_bytes for file in archives))
    unpacked = dict(
        zip(archives, unpack_stored(context, archives, unpacked_folder(scratch), limits), strict=True)
    )
    return [name for file in files for name in unpacked.get(file, [file])]


def unpacked_folder(scratch: Path) -> str:
    """Folder for members of archives that are in a store."""
    raw = settings.RAW_STORAGE_URL
    return f"{raw}/{UNPACKED}" if is_address(raw) else str(scratch / UNPACKED)


def hashed(files: Sequence[InputFile]) -> list[InputFile]:
    """With their SHA-256."""
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
        unpacked = unpack(named.path, named.name, scratch, limits)
        return [InputFile(member.name, str(member.path), member.size_bytes) for member in unpacked]
    except OSError as problem:
        raise UnreadableInput(f"{named.name} cannot be read: {problem.strerror or problem}.") from problem


def require_size(name: str, size_bytes: int, limits: ArchiveLimits) -> None:
    """Raise UnreadableInput for a file that is too large."""
    if size_bytes > limits.max_file_bytes:
        raise UnreadableInput(f"{name} is larger than MAX_FILE_BYTES ({limits.max_file_bytes:,}).")


def _sha256(file: InputFile) -> str:
    with Path(file.path).open("rb") as stream:
        return file.sha256 or hashlib.file_digest(stream, "sha256").hexdigest()
