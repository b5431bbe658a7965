"""Folders of journals for the tests of the data source, and requests for their tables."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa

from spark.datasource.options import Request, request_of
from spark.datasource.planning import planned
from spark.datasource.rows import rows_of_task
from tests.generator.segment import Codec, Record, segment, segment_name
from tests.generator.shipped import damaged_segment

ROOT = Path(__file__).resolve().parents[3]
BROKEN_SAMPLE = ROOT / "webapp/journals/samples/broken.zip"


def orders(folder: Path, *, partitions: int = 2, records: int = 40, codec: Codec = "none") -> Path:
    """Partitions of `orders`, each of two segments with ten records in a batch, and one of `payments`."""
    for number in range(partitions):
        write_segments(folder / f"orders-{number}", records, codec)
    write_segments(folder / "payments-0", records, codec)
    return folder


def write_segments(partition: Path, records: int, codec: Codec = "none") -> None:
    """Two segments of half the records each."""
    partition.mkdir(parents=True)
    half = records // 2
    for base_offset in (0, half):
        several = [Record(b"key-%d" % (base_offset + n), b"value") for n in range(half)]
        content = segment(several, base_offset, records_per_batch=10, codec=codec)
        (partition / segment_name(base_offset)).write_bytes(content)


def broken_sample(folder: Path) -> Path:
    """The shipped journal that lost a content, with its companions."""
    with ZipFile(BROKEN_SAMPLE) as archive:
        archive.extractall(folder)
    return folder


def damaged(folder: Path) -> Path:
    """A segment of all message formats with zeros, a batch of a wrong length and a cut tail."""
    (folder / "damaged-0").mkdir(parents=True)
    (folder / "damaged-0" / segment_name(0)).write_bytes(damaged_segment())
    return folder


def request(folder: Path, table: str, **options: str) -> Request:
    """A request for a table of a folder."""
    return request_of({"path": str(folder), "table": table, **options})


def rows(request: Request) -> pa.Table:
    """All rows of a request, its columns in order; read as Spark's tasks read them, one after another."""
    parts = [
        request.selection.rows(request.table, part).select(request.columns)
        for task in planned(request, request.selection)
        for part in rows_of_task(task, request.table)
    ]
    return pa.concat_tables(parts) if parts else pa.table({})
