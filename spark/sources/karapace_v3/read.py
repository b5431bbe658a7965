"""Reads a data file: records, damage, and the results of comparing checksums and metadata.

A checksum covers everything before it, so nothing after the first mismatch can be verified. The range between the last match
and the first mismatch is damage; its readable records are shown nevertheless.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import xxhash

from spark.sources import Chunk, Split
from spark.sources._karapace import BackupRows, DataFile, Metadata, read_metadata
from spark.sources._rows import DamagedRange, Reason, RowOrigin, properties
from spark.sources.karapace_v3.frames import BackupFrame, DamagedSpan, FileContent, frames
from spark.storage.address import is_address, sibling
from spark.storage.files import file_size, read_bytes
from spark.storage.ranges import StoredRanges

CHANGED = (
    "the bytes {start} to {end} were changed after the backup was written: the {what} at byte {at} does not match them; "
    "their readable part is shown"
)
CUT = "the record is truncated at byte {end}"
NO_RECORD = "no record of a version 3 backup starts at byte {start}"
MAX_METADATA_BYTES = 16 * 1024 * 1024
NULLS_LOST = (
    "Karapace {version} wrote this backup. From 5.1 it writes null keys and values as empty values (0 bytes). So the backup does not "
    "distinguish tombstones from empty values."
)
CHECKED = "Its length and checksum match {name}."
ALONE = "The input contains no {name}, so the checksum at the end could not be compared."


@dataclass
class Checksums:
    """The part of the file that its checkpoints have confirmed.

    Karapace's metadata names the algorithm `xxhash3_64_be`; its code uses XXH64 with seed 0, the digest in big-endian order.
    """

    mapped: mmap.mmap
    hasher: xxhash.xxh64 = field(default_factory=xxhash.xxh64)
    hashed: int = 0
    confirmed: int = 0
    checked: int = 0
    is_broken: bool = False

    def check(self, digest_before: bytes, end: int, what: str) -> str | None:
        """A sentence if content[:end] has another digest; after the first mismatch always None."""
        if self.is_broken:
            return None
        self.checked += 1
        if self.digest(end) == digest_before:
            self.confirmed = end
            return None
        self.is_broken = True
        return CHANGED.format(start=self.confirmed, end=end, what=what, at=end)

    def digest(self, end: int) -> bytes:
        """Digest of everything before `end`; call it with ascending ends, so that each byte is read once."""
        with memoryview(self.mapped)[self.hashed : end] as more:
            self.hasher.update(more)
        self.hashed = end
        return self.hasher.digest()


def read(split: Split) -> Iterator[Chunk]:
    """Chunks of records and damage; the last with the backup's properties."""
    if is_address(split.path):
        stored = StoredRanges(split.path)
        stored.load(0, split.end)
        yield from _chunks(split, Cut(stored.map, split.end), Checksums(stored.map))
        return
    with Path(split.path).open("rb") as file:
        if Path(split.path).stat().st_size == 0:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            yield from _chunks(split, Cut(mapped, split.end), Checksums(mapped))


@dataclass(frozen=True)
class Cut:
    mapped: mmap.mmap
    size: int

    def __len__(self) -> int:
        return min(self.size, len(self.mapped))

    def __getitem__(self, places: slice, /) -> bytes:
        return self.mapped[places.start : min(places.stop, len(self))]


def _chunks(split: Split, content: FileContent, checksums: Checksums) -> Iterator[Chunk]:
    rows, count = BackupRows(split), 0
    metadata, beside = metadata_beside(split)
    for frame in frames(content):
        if isinstance(frame, DamagedSpan):
            _add_damage(rows, frame, len(content))
            continue
        _add(rows, frame, checksums)
        count += 1
        if rows.is_full:
            yield rows.chunk()
            rows = BackupRows(split)
    described = metadata.file_named(base_name(split)) if metadata else None
    if described:
        _compare(rows, described, count, checksums, len(content))
    computed = {"karapace.checksum": checksums.digest(len(content)).hex()}
    computed |= {"karapace.record_count": str(count), "karapace.file": base_name(split)}
    last = rows.chunk(_note(metadata, described, beside, bool(rows.damage)))
    yield replace(last, others={"properties": properties(RowOrigin.of_split(split), computed)})


def _add(rows: BackupRows, frame: BackupFrame, checksums: Checksums) -> None:
    rows.add(frame.record)
    if frame.checkpoint is None:
        return
    start, end = checksums.confirmed, frame.record.start
    if changed := checksums.check(frame.checkpoint, end, "checksum in the record"):
        rows.damage.append(DamagedRange(start, end - start, "bad_line", changed, None, None, True))


def _add_damage(rows: BackupRows, frame: DamagedSpan, size_bytes: int) -> None:
    reason: Reason = "truncated" if frame.is_cut else "bad_line"
    detail = (CUT if frame.is_cut else NO_RECORD).format(start=frame.start, end=frame.end)
    is_read_on = frame.end < size_bytes
    rows.damage.append(
        DamagedRange(frame.start, frame.end - frame.start, reason, detail, None, None, is_read_on)
    )


def _compare(
    rows: BackupRows, described: DataFile, count: int, checksums: Checksums, size_bytes: int
) -> None:
    """Damage if the metadata contradicts the file."""
    start = checksums.confirmed
    changed = checksums.check(described.checksum, size_bytes, "checksum in the metadata for the file's end")
    if changed:
        rows.damage.append(DamagedRange(start, size_bytes - start, "bad_line", changed, None, None, False))
    if count < described.record_count and not rows.damage:
        detail = f"the metadata counts {described.record_count} records, {count} are here"
        rows.damage.append(DamagedRange(size_bytes, 0, "truncated", detail, None, None, False))


def _note(metadata: Metadata | None, described: DataFile | None, beside: str, has_damage: bool) -> str | None:
    if metadata is None or described is None:
        return ALONE.format(name=beside)
    if metadata.nulls_are_lost:
        return NULLS_LOST.format(version=metadata.tool_version)
    return None if has_damage else CHECKED.format(name=beside)


def base_name(split: Split) -> str:
    """The data file's own name."""
    return PurePosixPath(split.name).name


def metadata_beside(split: Split) -> tuple[Metadata | None, str]:
    """The metadata file in the same folder, if the upload kept the folder; and its name."""
    name = f"{split.topic}.metadata"
    path = sibling(split.path, name)
    try:
        if file_size(path) > MAX_METADATA_BYTES:
            return None, name
        return read_metadata(read_bytes(path)), name
    except (OSError, ValueError):
        return None, name
