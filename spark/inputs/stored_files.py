"""Files at and below addresses of stores, with the names that partitions are recognised by.

Nothing is fetched but the first bytes of files whose names are not those of a log: they may be archives.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath

from spark.inputs.archive_kind import archive_kind
from spark.inputs.files_below import single_file_name
from spark.sources import InputFile, sources
from spark.storage.address import ADDRESS, REMEDIES
from spark.storage.files import StoredName, listed_files
from spark.terms.errors import UnreadableInput

REQUESTS_AT_ONCE = 32  # to a store


def find_stored(addresses: Sequence[str]) -> list[InputFile]:
    """Every file, in order. Raises UnreadableInput with the address that cannot be read."""
    files = [named for address in addresses for named in _below(address)]
    if len({name for name, _ in files}) < len({file.address for _, file in files}):
        files = [(_whole_name(file.address), file) for _, file in files]
    return [InputFile(name, file.address, file.size_bytes) for name, file in dict.fromkeys(files)]


def archives_among(files: Sequence[InputFile]) -> list[InputFile]:
    """The archives. Raises UnreadableInput with the address of a file that cannot be read."""
    candidates = [file for file in files if not is_of_a_log(file)]
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        kinds = list(pool.map(_kind, candidates))
    return [file for file, kind in zip(candidates, kinds, strict=True) if kind is not None]


def is_of_a_log(file: InputFile) -> bool:
    """By its name."""
    return file.name.endswith(".log") or sources()["companion"].recognise(file, b"").matches


def require_no_archives(files: Sequence[InputFile]) -> None:
    """Raise UnreadableInput for the first archive: for readers that unpack none."""
    for file in archives_among(files):
        raise UnreadableInput(
            f"{file.path} is an archive. The data source does not unpack archives in a store. Unpack it into a folder of the store, and "
            "name that folder."
        )


def _below(address: str) -> list[tuple[str, StoredName]]:
    try:
        files = listed_files(address)
    except OSError as problem:
        raise unreadable(address, problem) from problem
    if not files:
        raise UnreadableInput(f"{address} has no files. Name a dump, a log segment or a folder of them.")
    whole = address.rstrip("/")
    if [file.address for file in files] == [whole]:
        return [(single_file_name(PurePosixPath(_whole_name(whole))), files[0])]
    above = len(whole) - len(PurePosixPath(whole).name)  # names begin with the folder's own
    return [(file.address[above:], file) for file in files]


def _whole_name(address: str) -> str:
    match = ADDRESS.fullmatch(address)
    assert match
    return f"{match[2]}/{match[3]}"


def _kind(file: InputFile) -> str | None:
    try:
        return archive_kind(file.path)
    except OSError as problem:
        raise unreadable(file.path, problem) from problem


def unreadable(address: str, problem: OSError) -> UnreadableInput:
    """The error for an address, with what the user can do."""
    why = problem.strerror or str(problem)
    if problem.errno == errno.ENOENT:
        return UnreadableInput(
            f"{address} cannot be read: {why}. Check the address: patterns are for paths only."
        )
    return UnreadableInput(
        f"{address} cannot be read: {why}. {REMEDIES.get(problem.errno or 0, '')}".rstrip()
    )
