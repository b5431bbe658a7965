"""What of a repair's folder people came for: the files to produce, and the steps beside them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark.repair.result import Repaired, Way


def keep_what_is_produced(found: Sequence[Repaired], out: Path) -> None:
    """Remove what the trial left below `out`; write each way's steps beside its files."""
    for folder in [folder for folder in out.iterdir() if folder.is_dir()]:
        for tried in folder.glob("tried-*"):
            shutil.rmtree(tried) if tried.is_dir() else tried.unlink()
    for one in found:
        for way in one.ways:
            (out / steps_file(way)).write_text(
                "".join(f"{number}. {step}\n" for number, step in enumerate(way.steps, start=1)),
                encoding="utf-8",
            )


def steps_file(way: Way) -> str:
    """Name of the file with a way's steps, below the same folder as its records."""
    return Path(way.files[0]).with_name(f"{way.id}-steps.md").as_posix()
