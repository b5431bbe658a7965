"""Lines that print companion files as Arrow tables: index entries, aborted transactions, producers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from spark.sources._fitting import fitting
from spark.sources._rows import RowOrigin
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.columns import masked
from spark.sources.dump_log_text.fields import Rows
from spark.tables import ABORTED_TXNS, INDEX_ENTRIES, PRODUCER_STATES


def companion_tables(origin: RowOrigin, rows: Rows, base_offset: int) -> dict[str, pa.Table]:
    tables = {}
    kinds = rows[:, f.KIND]
    entries = rows[(kinds == f.INDEX) | (kinds == f.TIME)]
    if len(entries):
        is_offset = entries[:, f.KIND] == f.INDEX
        names = pa.array(["time", "offset"]).take(pa.array(is_offset.astype(np.int8)))
        columns = [names, *(masked(entries[:, c]) for c in (f.OFFSET, f.POSITION, f.TIMESTAMP))]
        tables[INDEX_ENTRIES.name] = table(origin, len(entries), base_offset, columns, INDEX_ENTRIES.schema)
    for kind, schema, shown_columns in (
        (f.TXN, ABORTED_TXNS, (f.PRODUCER_ID, f.FIRST_OFFSET, f.LAST_OFFSET, f.LAST_STABLE)),
        (f.PRODUCER, PRODUCER_STATES, (f.PRODUCER_ID, f.PRODUCER_EPOCH, f.LAST_SEQUENCE, f.LAST_OFFSET, f.OFFSET_DELTA, f.TIMESTAMP, f.COORDINATOR_EPOCH, f.TXN_FIRST)),
    ):  # fmt: skip
        chosen = rows[kinds == kind]
        if len(chosen):
            columns = [masked(chosen[:, column]) for column in shown_columns]
            tables[schema.name] = table(origin, len(chosen), base_offset, columns, schema.schema)
    return tables


def table(
    origin: RowOrigin, rows: int, base_offset: int, columns: list[pa.Array], schema: pa.Schema
) -> pa.Table:
    """A companion's table: position, offset in the file's name, columns."""
    lead = [*origin.columns(rows), pa.repeat(pa.scalar(base_offset, pa.int64()), rows)]
    fitted = [
        fitting(column, field.type) for column, field in zip(columns, [*schema][len(lead) :], strict=True)
    ]
    return pa.table([*lead, *fitted], names=schema.names).cast(schema)
