"""The two sample journals of a first start: the registry of a company that takes orders, in health and in trouble.

The broken one lost contents to the empty update and compaction, made one of them again and put it at risk again;
besides, one byte of it has rotted on disk and the copy stopped before the end of its last file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.generator.apicurio import healthy, incident
from tests.generator.dumps import partition_folder

if TYPE_CHECKING:
    from pathlib import Path

START_MS = 1_772_438_400_000  # 2026-03-02T08:00:00Z
RECORDS_PER_SEGMENT = 120
ROTTEN_TEXT, ROTTED_TEXT = b"minor units", b"minor unit\xf3"  # one bit
MISSING_BYTES = 37


def write(folder: Path) -> dict[str, list[Path]]:
    """Write both into `folder`; gives the files of each, to be uploaded with their paths below `folder/<name>`."""
    return {"healthy": _healthy(folder / "healthy"), "broken": _broken(folder / "broken")}


def _healthy(parent: Path) -> list[Path]:
    journal = healthy(20, artifact_count=25, restarts=4, start_ms=START_MS)
    return sorted(partition_folder(journal, parent, records_per_segment=RECORDS_PER_SEGMENT).iterdir())


def _broken(parent: Path) -> list[Path]:
    journal = incident(
        9,
        "lost",
        artifact_count=22,
        affected_count=3,
        affected_versions=2,
        life_goes_on=True,
        made_again=True,
        start_ms=START_MS,
    )
    folder = partition_folder(journal, parent, records_per_segment=RECORDS_PER_SEGMENT)
    segments = sorted(folder.glob("*.log"))
    _rot(segments)
    _cut_short(segments[-1])
    return sorted(folder.iterdir())


def _rot(segments: list[Path]) -> None:
    """Flip one bit in the text of the first comment that has the words."""
    for segment in segments:
        content = segment.read_bytes()
        if ROTTEN_TEXT in content:
            segment.write_bytes(content.replace(ROTTEN_TEXT, ROTTED_TEXT, 1))
            return


def _cut_short(segment: Path) -> None:
    """Lose the end of the last batch, as a copy does that runs out of disk."""
    segment.write_bytes(segment.read_bytes()[:-MISSING_BYTES])
