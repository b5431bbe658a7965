"""Tables that relate the records of a whole journal: the task inspects the journal and gives the rows of one table.

Spark plans and reads a Python data source in processes without a Spark context, so this inspection cannot use the cluster. Its
input is bounded as where there is no Spark at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from spark.datasource.options import Request
from spark.datasource.paths import input_files
from spark.datasource.tables import FINDINGS
from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.in_process import ALONE_BYTES, in_process
from spark.sources import InputFile
from spark.tables import Manifest
from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME


@dataclass(frozen=True)
class WholeJournal:
    """What one task inspects. `read_as`: topic ("": every one) -> dialect id."""

    files: tuple[InputFile, ...]
    read_as: Mapping[str, str]


def whole_journal(request: Request) -> WholeJournal:
    """Raises UnreadableInput if one task is not enough."""
    files = tuple(input_files(request.paths))
    size_bytes = sum(file.size_bytes for file in files)
    if size_bytes >= ALONE_BYTES:
        raise UnreadableInput(
            f"The table {request.table} needs the whole journal, which one task inspects: up to "
            f"{ALONE_BYTES >> 20} MiB, and these files have {size_bytes >> 20:,} MiB. Run `{COMMAND_NAME} inspect PATH --out "
            "FOLDER`, which has no such bound. FOLDER then contains report.json and a folder of Parquet files for each table."
        )
    return WholeJournal(files, request.read_as)


def inspected_rows(journal: WholeJournal, table: str) -> Iterator[pa.Table]:
    with TemporaryDirectory(prefix="journalscope-") as scratch:
        results = Path(scratch)
        report = inspect(
            in_process, list(journal.files), results, NoProgress(), Limits(read_as=journal.read_as)
        )
        if table == FINDINGS.name:
            yield pa.Table.from_pylist(report["findings"], schema=FINDINGS.schema)
            return
        for path in Manifest.load(results).paths(table):
            with pq.ParquetFile(path) as file:
                yield from (pa.Table.from_batches([batch]) for batch in file.iter_batches())
