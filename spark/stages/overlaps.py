"""Files that say less than others of the same input, and are left out for them.

A print of kafka-dump-log that is named like a partition's folder in the input (`orders-0.txt` beside `orders-0/`) is a print
of the segments in that folder.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from spark.sources import Recognition
from spark.stages.pasted import PlannedFile

PRINTS_OF_SEGMENTS = {"dump-log-text", "dump-log-batches"}
SEGMENTS_INSTEAD = "segments-instead"  # stands where the id of a source does: none gave this answer


def without_prints_of_segments(files: Sequence[PlannedFile]) -> list[PlannedFile]:
    folders = {PurePosixPath(file.name).parent.name for file in files if file.is_of("segment")}
    return [
        left_out(file, folder)
        if file.source
        and file.source.id in PRINTS_OF_SEGMENTS
        and (folder := folder_printed(file.name, folders))
        else file
        for file in files
    ]


def folder_printed(name: str, folders: Container[str]) -> str:
    """The folder that a file is named like: `orders-0` of `orders-0.txt`, or nothing."""
    parts = PurePosixPath(name).name.split(".")
    starts = (".".join(parts[:count]) for count in range(1, len(parts)))
    return next((start for start in starts if start and start in folders), "")


def left_out(file: PlannedFile, folder: str) -> PlannedFile:
    """Such a print, which nothing reads."""
    why = Recognition(False, f"the segments of {folder} are in the input")
    return replace(file, source=None, answers={SEGMENTS_INSTEAD: why})
