"""Files that say less than others of the same input, and are left out for them.

A print of kafka-dump-log that is named like a partition's folder in the input (`orders-0.txt` beside `orders-0/`) is a print
of the segments in that folder.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import PurePosixPath

from spark.sources import InputFile, Recognition, Source

PRINTS_OF_SEGMENTS = {"dump-log-text", "dump-log-batches"}
SEGMENTS_INSTEAD = "segments-instead"  # stands where the id of a source does: none gave this answer
Found = tuple[Source | None, dict[str, Recognition]]


def without_prints_of_segments(files: list[InputFile], found: list[Found]) -> list[Found]:
    """What was recognised, without the prints of segments that are in the input."""
    folders = {
        PurePosixPath(file.name).parent.name
        for file, (source, _) in zip(files, found, strict=True)
        if source and source.kind == "segment"
    }
    return [
        left_out(folder)
        if source and source.id in PRINTS_OF_SEGMENTS and (folder := folder_printed(file.name, folders))
        else (source, answers)
        for file, (source, answers) in zip(files, found, strict=True)
    ]


def folder_printed(name: str, folders: Container[str]) -> str:
    """The folder that a file is named like: `orders-0` of `orders-0.txt`, or nothing."""
    parts = PurePosixPath(name).name.split(".")
    starts = (".".join(parts[:count]) for count in range(1, len(parts)))
    return next((start for start in starts if start and start in folders), "")


def left_out(folder: str) -> Found:
    """The answer for such a print."""
    return None, {SEGMENTS_INSTEAD: Recognition(False, f"the segments of {folder} are in the input")}
