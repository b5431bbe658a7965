"""Paths on this machine -> the files to inspect: folders walked in order, archives unpacked, everything hashed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from spark.sources import InputFile
from spark.stages.partition_folders import PARTITION_FOLDER
from spark.terms.errors import UnreadableInput
from workers.ingest.archives import archive_kind, unpack
from workers.ingest.limits import ArchiveLimits


@dataclass(frozen=True)
class NamedFile:
    """A file on disk and the name to show for it."""

    name: str
    path: Path


def input_files(paths: Sequence[Path], scratch: Path, limits: ArchiveLimits) -> list[InputFile]:
    """Every file below `paths`, hashed. Raises UnreadableInput with the path that could not be read."""
    files = [file for named in find(paths) for file in opened(named, scratch, limits)]
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
            if size_bytes > limits.max_file_bytes:
                raise UnreadableInput(
                    f"{named.name} is larger than MAX_FILE_BYTES ({limits.max_file_bytes:,})."
                )
            return [InputFile(named.name, str(named.path), size_bytes, sha256)]
        found = unpack(named.path, named.name, scratch, limits)
        return [InputFile(one.name, str(one.path), one.size_bytes) for one in found]
    except OSError as problem:
        raise UnreadableInput(f"{named.name} cannot be read: {problem.strerror or problem}.")


def find(paths: Sequence[Path]) -> list[NamedFile]:
    """Files below the paths, named below the folder that was given; below their common folder when names clash."""
    found = [named for path in paths for named in _below(path)]
    if len({named.name for named in found}) == len({named.path for named in found}):
        return list(dict.fromkeys(found))
    common = Path(os.path.commonpath([path.resolve() for path in paths]))
    base = common if common.is_dir() else common.parent
    return list(
        dict.fromkeys(NamedFile(named.path.relative_to(base).as_posix(), named.path) for named in found)
    )


def _below(path: Path) -> Iterator[NamedFile]:
    whole = path.resolve()
    if whole.is_dir():
        for file in _walk(whole):
            yield NamedFile(f"{whole.name}/{file.relative_to(whole).as_posix()}", file)
    elif whole.is_file():
        yield NamedFile(_name_of_one(whole), whole)
    else:
        what = "is neither a file nor a folder" if whole.exists() else "does not exist"
        raise UnreadableInput(
            f"{path} {what}. Name a dump, a log segment, a partition folder or an archive of them."
        )


def _name_of_one(file: Path) -> str:
    """A segment given alone keeps its partition's folder: topic and partition stand nowhere else."""
    above = file.parent.name
    return f"{above}/{file.name}" if PARTITION_FOLDER.match(above) and file.suffix == ".log" else file.name


def _walk(folder: Path) -> Iterator[Path]:
    def stop(problem: OSError) -> None:
        raise UnreadableInput(f"{problem.filename} cannot be read: {problem.strerror}.")

    for above, folders, names in os.walk(folder, onerror=stop):
        folders.sort()
        yield from (Path(above) / name for name in sorted(names) if (Path(above) / name).is_file())


def _sha256(file: InputFile) -> str:
    with open(file.path, "rb") as stream:
        return file.sha256 or hashlib.file_digest(stream, "sha256").hexdigest()
