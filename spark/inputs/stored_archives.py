"""Archives in a store: a Spark task unpacks each of them into the store. What the store has unpacked is not unpacked again.

    <folder>/<SHA-256 of the archive>/<hash of its name>/000001, 000002, ...
    <folder>/<SHA-256 of the archive>/<hash of its name>/members.json          written last: names and sizes

Names of members begin with the archive's, and a compressed file without a name of its own is called by it.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from spark.inputs.archive_limits import ArchiveLimits
from spark.inputs.archives import members
from spark.runtime.tasks import run_tasks
from spark.sources import InputFile
from spark.storage.copies import put, scratch_path
from spark.storage.files import open_binary, read_bytes
from spark.terms.errors import UnreadableInput

if TYPE_CHECKING:
    from pyspark import SparkContext

MEMBERS = "members.json"
COPY_BYTES = 4 << 20


@dataclass(frozen=True)
class RefusedArchive:
    """Why a task did not unpack an archive."""

    why: str


def unpack_stored(
    context: Callable[[], SparkContext], archives: Sequence[InputFile], folder: str, limits: ArchiveLimits
) -> list[list[InputFile]]:
    """The files of each archive, below a folder or an address. The context is asked for only if there is an archive.

    Raises UnreadableInput for the first that is refused, OSError and ExecutorFailure as `run_tasks` does.
    """
    outcomes = (
        run_tasks(context(), partial(unpacked, folder=folder, limits=limits), archives) if archives else []
    )
    for outcome in outcomes:
        if isinstance(outcome, RefusedArchive):
            raise UnreadableInput(outcome.why)
    return [outcome for outcome in outcomes if not isinstance(outcome, RefusedArchive)]


def unpacked(archive: InputFile, folder: str, limits: ArchiveLimits) -> list[InputFile] | RefusedArchive:
    """The files of one archive, stored now or by an earlier task."""
    files = archive.sha256 and known_members(target_of(archive, archive.sha256, folder))
    if files:
        return files
    work = scratch_path(folder)
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        local = Path(scratch) / "archive"
        target = target_of(archive, copied(archive.path, local), folder)
        try:
            return known_members(target) or store_members(archive.name, local, target, limits)
        except UnreadableInput as refused:
            return RefusedArchive(str(refused))


def target_of(archive: InputFile, sha256: str, folder: str) -> str:
    return f"{folder}/{sha256}/{hashlib.sha256(archive.name.encode(errors='surrogatepass')).hexdigest()[:16]}"


def known_members(target: str) -> list[InputFile]:
    """The files that an earlier task stored; empty if none finished."""
    try:
        rows = json.loads(read_bytes(f"{target}/{MEMBERS}"))
    except FileNotFoundError:
        return []
    return [InputFile(**row) for row in rows]


def copied(path: str, local: Path) -> str:
    """Copy an archive to this machine; its SHA-256."""
    sha256 = hashlib.sha256()
    with open_binary(path) as source, local.open("wb") as copy:
        while portion := source.read(COPY_BYTES):
            sha256.update(portion)
            copy.write(portion)
    return sha256.hexdigest()


def store_members(name: str, local: Path, target: str, limits: ArchiveLimits) -> list[InputFile]:
    """Store each member as soon as it is unpacked: this machine has one at a time."""
    folder, numbers, files = local.with_name("members"), count(1), []
    folder.mkdir()
    for member in members(local, name, folder, limits):
        path = f"{target}/{next(numbers):06d}"
        put(member.path, path)
        member.path.unlink()
        files.append(InputFile(member.name, path, member.size_bytes))
    document = folder / MEMBERS
    document.write_text(json.dumps([asdict(file) for file in files]))
    put(document, f"{target}/{MEMBERS}")
    return files
