"""Files below paths of this machine, in order, with the names that partitions are recognised by.

Whoever takes paths from a user (commands, the web's worker, the Spark data source) names files the same way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from spark.stages.partition_folders import PARTITION_FOLDER
from spark.terms.errors import UnreadableInput


@dataclass(frozen=True)
class NamedFile:
    """A file on disk and the name to show for it."""

    name: str
    path: Path


def find(paths: Sequence[Path]) -> list[NamedFile]:
    """Files below the paths, named below the folder that was given; below their common folder when names clash.

    Raises UnreadableInput with the path that could not be read.
    """
    files = [named for path in paths for named in _below(path)]
    if len({named.name for named in files}) == len({named.path for named in files}):
        return list(dict.fromkeys(files))
    common = Path(os.path.commonpath([path.resolve() for path in paths]))
    base = common if common.is_dir() else common.parent
    return list(
        dict.fromkeys(NamedFile(named.path.relative_to(base).as_posix(), named.path) for named in files)
    )


def _below(path: Path) -> Iterator[NamedFile]:
    whole = path.resolve()
    if whole.is_dir():
        above = len(str(whole)) - len(whole.name)  # names begin with the folder's own
        for file in _walk(whole):
            yield NamedFile(file[above:], Path(file))
    elif whole.is_file():
        yield NamedFile(single_file_name(whole), whole)
    else:
        reason = "is neither a file nor a folder" if whole.exists() else "does not exist"
        raise UnreadableInput(
            f"{path} {reason}. Name a dump, a log segment, a partition folder or an archive of them."
        )


def single_file_name(file: PurePath) -> str:
    """A segment given alone keeps its partition's folder: topic and partition stand nowhere else."""
    above = file.parent.name
    return f"{above}/{file.name}" if PARTITION_FOLDER.match(above) and file.suffix == ".log" else file.name


def _walk(folder: Path) -> Iterator[str]:
    def stop(problem: OSError) -> None:
        raise UnreadableInput(f"{problem.filename} cannot be read: {problem.strerror}.")

    for above, folders, names in os.walk(folder, onerror=stop):
        folders.sort()
        yield from (path for name in sorted(names) if os.path.isfile(path := f"{above}/{name}"))  # noqa: PTH113 - fifty thousand files
