"""What of a repair's folder people came for: the files to produce, the steps beside them, and all of a way as one zip.

    TOPIC-PARTITION.WAY.zip
      TOPIC-PARTITION/repair.json        with this way only: the program refuses a way whose files it does not find
      TOPIC-PARTITION/built-from.tsv     the records of the dump, by their hashes
      TOPIC-PARTITION/ApplyRepair.java
      TOPIC-PARTITION/...                the way's files and its steps

Files of a way that does not hold are not offered.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark.repair.built import DUMP, PROGRAM
from spark.repair.built import NAME as MANIFEST

if TYPE_CHECKING:
    from spark.repair.answers import Repaired, RepairOption


def keep_what_is_produced(repaired: Sequence[Repaired], out: Path) -> None:
    """Remove what the trial left below `out`; write each way's steps beside its files."""
    for folder in [folder for folder in out.iterdir() if folder.is_dir()]:
        for tried in folder.glob("tried-*"):
            shutil.rmtree(tried) if tried.is_dir() else tried.unlink()
    for partition in repaired:
        for way in partition.ways:
            (out / steps_file(way)).write_text(
                "".join(f"{number}. {step}\n" for number, step in enumerate(way.steps, start=1)),
                encoding="utf-8",
            )


def pack(repaired: Sequence[Repaired], out: Path) -> None:
    """For downloads: one zip of each way that holds. Files of a way that does not hold are removed, and the manifest
    names it no more, so that nobody applies it."""
    for partition in [partition for partition in repaired if partition.ways]:
        manifest = json.loads((out / partition.folder / MANIFEST).read_text(encoding="utf-8"))
        for way in partition.ways:
            if way.holds:
                write_zip(way, only(manifest, [way.id]), out)
            for name in [] if way.holds else [*way.files, steps_file(way)]:
                (out / name).unlink()
        holding = only(manifest, [way.id for way in partition.ways if way.holds])
        (out / partition.folder / MANIFEST).write_text(as_text(holding), encoding="utf-8")


def write_zip(way: RepairOption, manifest: dict[str, Any], out: Path) -> None:
    """All files of a way, in the folder of its partition."""
    with zipfile.ZipFile(out / zip_file(way), "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr((folder_of(way) / MANIFEST).as_posix(), as_text(manifest))
        for name in own_files(way):
            packed.write(out / name, name)


def only(manifest: dict[str, Any], ways: Sequence[str]) -> dict[str, Any]:
    """The manifest with these options only."""
    return manifest | {"ways": {id: way for id, way in manifest["ways"].items() if id in ways}}


def as_text(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest, indent=1) + "\n"


def offered(way: RepairOption) -> list[str]:
    """Files to download, the zip first; none of a way that does not hold."""
    if not way.holds:
        return []
    return [zip_file(way), *own_files(way), (folder_of(way) / MANIFEST).as_posix()]


def own_files(way: RepairOption) -> Iterator[str]:
    """The way's records and steps, and the program that applies them."""
    yield from (
        *way.files,
        steps_file(way),
        *((folder_of(way) / name).as_posix() for name in (DUMP, PROGRAM)),
    )


def folder_of(way: RepairOption) -> Path:
    """The folder of the way's partition, below that of the repair."""
    return Path(way.files[0]).parent


def steps_file(way: RepairOption) -> str:
    """Name of the file with a way's steps, below the same folder as its records."""
    return (folder_of(way) / f"{way.id}-steps.md").as_posix()


def zip_file(way: RepairOption) -> str:
    """Name of the zip file in the same folder."""
    folder = folder_of(way)
    return (folder / f"{folder.name}.{way.id}.zip").as_posix()
