"""Inputs of the bench: generated once, kept below var/bench/inputs."""

from __future__ import annotations

import hashlib
import shutil
from functools import cache
from pathlib import Path

from bench.figures import say
from spark.sources import InputFile
from tests.generator import bulk, dumps, legacy, long_apicurio, long_log, long_schemas
from tests.generator.apicurio import healthy
from tests.generator.registry import TOPIC
from tests.generator.segment import Codec

CACHE = Path(__file__).resolve().parent.parent / "var" / "bench"
MB = 1 << 20


def segments(size_mb: int, codec: Codec) -> list[Path]:
    """Segments of one partition whose records are `size_mb` before compression."""
    folder = CACHE / "inputs" / f"segments-{size_mb}-{codec}"
    if not folder.exists():
        say(f"generating {size_mb} MB of segments, codec {codec}")
        partial = _fresh(folder)
        bulk.write_segments(partial, size_mb * MB, codec)
        partial.replace(folder)
    return sorted(folder.rglob("*.log"))


def data_folder(size_mb: int, partitions: int) -> list[Path]:
    """Segments of many partitions, `size_mb` in all, as a broker's data folder holds them."""
    folder = CACHE / "inputs" / f"folder-{size_mb}-{partitions}"
    if not folder.exists():
        say(f"generating {size_mb} MB of segments in {partitions} partitions")
        partial = _fresh(folder)
        for partition in range(partitions):
            bulk.write_segments(partial / "one", size_mb * MB // partitions, "none", seed=partition)
            (partial / "one" / f"{bulk.TOPIC}-0").replace(partial / f"{bulk.TOPIC}-{partition}")
        shutil.rmtree(partial / "one")
        partial.replace(folder)
    return sorted(folder.rglob("*.log"))


def legacy_segments(size_mb: int) -> list[Path]:
    """The same records as a segment of format 1 whose messages are wrapped with gzip."""
    folder = CACHE / "inputs" / f"segments-{size_mb}-legacy-gzip"
    if not folder.exists():
        say(f"generating {size_mb} MB of messages of format 1, gzip")
        partial = _fresh(folder)
        legacy.write_segment(partial, size_mb * MB)
        partial.replace(folder)
    return sorted(folder.rglob("*.log"))


def kcat_lines(size_mb: int) -> Path:
    """The same records as output of `kcat -J`."""
    folder = CACHE / "inputs" / f"lines-{size_mb}"
    if not folder.exists():
        say(f"generating the records of {size_mb} MB of segments as lines")
        partial = _fresh(folder)
        bulk.write_kcat_lines(partial / "orders.json", size_mb * MB)
        partial.replace(folder)
    return folder / "orders.json"


JOURNALS = {
    "apicurio": (TOPIC, long_apicurio.journal),
    **{writer: (long_schemas.TOPIC, journal) for writer, journal in long_schemas.JOURNALS.items()},
}


def journal(writer: str, entries: int) -> list[Path]:
    """Segments of a registry's journal with so many entries."""
    folder = CACHE / "inputs" / f"journal-{writer}-{entries}"
    if not folder.exists():
        say(f"generating a journal of {entries} entries, {writer}")
        partial = _fresh(folder)
        topic, written = JOURNALS[writer]
        long_log.write_segments(partial, topic, written(entries))
        partial.replace(folder)
    return sorted(folder.rglob("*.log"))


def small_dump() -> Path:
    """A registry's journal of some hundred records as a `kcat -J` dump."""
    path = CACHE / "inputs" / "kafkasql-journal.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dumps.kcat_raw(healthy(1, artifact_count=25)))
    return path


def _fresh(folder: Path) -> Path:
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    return partial


@cache
def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def as_uploaded(paths: list[Path]) -> list[InputFile]:
    """What the worker hands to the pipeline: the hash is known since the upload."""
    return [
        InputFile(f"{path.parent.name}/{path.name}", str(path), path.stat().st_size, _sha256(path))
        for path in paths
    ]
