"""A folder of log files -> the tables of an inspection, by the stages themselves but without Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from spark.detectors import Detector
from spark.log.write import write_log
from spark.sources import InputFile
from spark.stages.buckets import SEGMENT
from spark.stages.decode import decode_splits
from spark.stages.plan import InspectionPlan, plan_inputs
from spark.stages.relate import relate_bucket
from spark.tables import TABLES, Manifest
from spark.tables.key_index import Buckets
from spark.tables.parquet import PartWriter
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.generator.segment import segment_name


def write(folder: Path, files: dict[str | int, bytes]) -> Path:
    """Files by name or base offset, below a folder `journal-0` where the name gives none."""
    for name, content in files.items():
        short = segment_name(name) if isinstance(name, int) else name
        path = folder / (short if "/" in short else f"journal-0/{short}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def inputs(folder: Path) -> list[InputFile]:
    """Every file below a folder, named from it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "case.json")
    return [InputFile(str(path.relative_to(folder)), str(path), path.stat().st_size) for path in paths]


def planned(folder: Path) -> InspectionPlan:
    """The plan of a folder."""
    return plan_inputs(inputs(folder), {})


def tables_of(folder: Path, results: Path) -> ResultTables:
    """Plan, decode, relate and the log's own story; `results` takes the files."""
    results.mkdir(parents=True, exist_ok=True)
    found = planned(folder)
    topics = {topic: name for topic, (name, _) in found.dialects.items()}
    decoded = decode_splits(0, found.splits, str(results), topics, Buckets(1))
    manifest = Manifest(results, {}, {}).with_parts(decoded.parts)
    writer = PartWriter(results, "00000-0")
    writer.write("files", pa.Table.from_pylist(found.files, schema=TABLES["files"].schema))
    manifest = manifest.with_parts(writer.finish())
    related = relate_bucket(0, [decoded.key_index], str(results)) if decoded.key_index else None
    manifest = manifest.with_parts(related.parts if related else [])
    paths = {split.file: split.path for split in found.splits if split.source == SEGMENT}
    story = write_log(manifest, related.first_repeat if related else {}, segments=paths)
    return ResultTables.open(manifest.with_parts(story))


def findings(detector: Detector, folder: Path, results: Path) -> list[Finding]:
    """What one detector finds in a folder."""
    tables = tables_of(folder, results)
    return [detector.describe(row) for row in detector.find(tables)]
