"""Files that say less than others of the same input, and are left out for them.

A print of kafka-dump-log that is named like a partition's folder in the input (`orders-0.txt` beside `orders-0/`) is a print
of the segments in that folder.
"""

from __future__ import annotations

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
        left_out(printed) if source and source.id in PRINTS_OF_SEGMENTS and printed else (source, answers)
        for file, (source, answers) in zip(files, found, strict=True)
        for printed in [next((folder for folder in folders if is_print_of(file.name, folder)), None)]
    ]


def is_print_of(name: str, folder: str) -> bool:
    """Whether a file is named like a folder."""
    return bool(folder) and PurePosixPath(name).name.startswith(f"{folder}.")


def left_out(folder: str) -> Found:
    """The answer for such a print."""
    return None, {SEGMENTS_INSTEAD: Recognition(False, f"the segments of {folder} are in the input")}
