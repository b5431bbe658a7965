"""Segments that a copy changed become files of the plan in their original form, where that is proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spark.sources import InputFile, Recognition
from spark.sources._transfer import CopiedSegment, CopyChange, copied
from spark.sources._wrapping.pieces import Aside
from spark.tables.replica import PartitionReplica

SURE_SCORE = 80  # of a segment whose first batch is intact
UNDONE = {
    "hex": "a hex dump was read as the bytes that it prints",
    "base64": "base64 was decoded",
    "text_before": "text before the first batch was taken away",
    "text_after": "text behind the last batch was taken away",
    "line_ends": "CR LF was read as LF, as checksums prove",
    "utf_8": "UTF-8 was read as one byte for each letter",
    "utf_16": "UTF-16 was read as one byte for each letter",
}
WHY = "a segment that was changed while it was copied"


@dataclass(frozen=True)
class RestoredFile:
    """A file to inspect in place of an upload, or the upload itself if nothing could be undone."""

    file: InputFile
    changes: tuple[CopyChange, ...]

    @property
    def undone(self) -> str:
        return "; ".join(UNDONE[change.cause] for change in self.changes if change.is_undone)


def restored_files(
    file: InputFile, number: int, folder: Path | None, segment: Recognition | None
) -> tuple[list[RestoredFile], list[Aside]]:
    """The segments of upload `number` that a copy changed, written into `folder`, and a text's other lines.

    `segment`: the recognition of the upload by the segment source.
    """
    is_intact_at_start = segment is not None and segment.matches and segment.score >= SURE_SCORE
    copies = copied(file, is_intact_at_start)
    if copies is None or (
        folder is None and any(segment_copy.content is not None for segment_copy in copies.segments)
    ):
        return [], []
    return list(written(file, number, folder, copies.segments)), copies.asides


def written(
    file: InputFile, number: int, folder: Path | None, segments: Sequence[CopiedSegment]
) -> Iterator[RestoredFile]:
    for count, segment in enumerate(segments):
        if segment.content is None or folder is None:
            yield RestoredFile(file, segment.changes)
            continue
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number}-{count}.segment"
        path.write_bytes(segment.content if isinstance(segment.content, bytes) else segment.content.data)
        name = file.name
        if len(segments) > 1:
            name += f" (lines {segment.lines[0].number}-{segment.lines[-1].number})"
        size_bytes, command = path.stat().st_size, segment.command or file.command
        yield RestoredFile(
            replace(file, name=name, path=str(path), size_bytes=size_bytes, command=command), segment.changes
        )


def change_rows(
    file: int, name: str, replica: PartitionReplica, changes: Sequence[CopyChange]
) -> list[dict[str, Any]]:
    """Rows of `copy_changes`."""
    return [{**replica._asdict(), "file": file, "name": name, **vars(change)} for change in changes]
