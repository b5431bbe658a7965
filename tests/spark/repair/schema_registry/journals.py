"""Journals of schema registries, dumped, inspected and repaired."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spark.repair import AddedSchemaFile, RequestedSchema
from spark.repair.answers import RepairAnswer, Repaired
from spark.repair.inputs import Input
from spark.repair.result import repair
from spark.sources import InputFile
from tests.generator.dumps import kcat_base64
from tests.generator.journal import Journal, Stored
from tests.generator.segment import Record
from tests.spark.dialects.schema_registry.journals import Parts
from tests.spark.whole_pipeline import report_on

TOPIC = "_schemas"
NOOP: Parts = (b'{"keytype":"NOOP","magic":0}', None)
Log = Sequence[tuple[int, Parts]]  # records with their offsets


def numbered(*records: Parts, first: int = 0) -> Log:
    """Records at offsets one after the other."""
    return list(enumerate(records, start=first))


def inspected(log: Log, folder: Path, name: str) -> Input:
    """A journal as kcat dumps it."""
    stored = [Stored(offset, Record(key, value)) for offset, (key, value) in log]
    path = folder / f"{name}.json"
    path.write_bytes(kcat_base64(Journal(TOPIC, 0, stored)))
    file = InputFile(path.name, str(path), path.stat().st_size)
    return Input(report_on([file], folder / name), folder / name, f"the dump {name}")


def answered(
    folder: Path,
    log: Log,
    *older: Log,
    files: Sequence[AddedSchemaFile] = (),
    requested: Sequence[RequestedSchema] = (),
) -> RepairAnswer:
    """What a repair says of a journal."""
    others = [inspected(one, folder, f"older-{number}") for number, one in enumerate(older)]
    broken = inspected(log, folder, "broken")
    return repair(broken, others, files, report_on, folder / "out", requested=requested)


def repaired(
    folder: Path,
    log: Log,
    *older: Log,
    files: Sequence[AddedSchemaFile] = (),
    requested: Sequence[RequestedSchema] = (),
) -> Repaired:
    """The one partition that needs a repair."""
    (one,) = answered(folder, log, *older, files=files, requested=requested).partitions
    return one
