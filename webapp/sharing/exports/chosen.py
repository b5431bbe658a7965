"""The records of an export: narrow columns say which (lifelines or marks), then they are read whole, portion by portion.

A portion holds whole offsets, so that records that share an offset stay together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.storage.stored_path import ResultPath
from spark.tables.replica import PartitionReplica
from webapp.reports.filters.former import RecordFilter
from webapp.reports.queries.isolation import IsolationView, seen_by
from webapp.reports.queries.kinds import kind_source
from webapp.reports.queries.partitions import PartitionTables
from webapp.reports.queries.records import EXPORT_SECONDS, in_time, whole_filter
from webapp.reports.results import WHERE_REPLICA, open_results
from webapp.sharing.exports.decoded import with_decoded

PORTION_RECORDS = 20_000
PORTION_BYTES = 16 * 1024**2

CHOSEN = f"""
SELECT "offset", coalesce(key_size_bytes, 0)::BIGINT + coalesce(value_size_bytes, 0) AS size_bytes
FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}} ORDER BY "offset" LIMIT $most
"""
COUNT = f"SELECT count(*) AS fitting FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}}"
WHOLE = f"""
SELECT r.topic, r."partition", r.replica, r."offset", r.timestamp_ms, r.timestamp_type, r."key", r.key_is_null,
       r."value", r.value_is_null, r.headers, r.control_type, r.producer_id, r.producer_epoch, r.sequence,
       r.entry_type, r.entry_action, of_offset.kind, entry.file IS NOT NULL AS is_entry, entry.attributes
FROM (SELECT * FROM records WHERE {WHERE_REPLICA} AND "offset" BETWEEN $low AND $high AND {{only}}) AS r
LEFT JOIN (
    SELECT "offset", any_value(kind) AS kind FROM ({{kinds}}) WHERE "offset" BETWEEN $low AND $high GROUP BY "offset"
) AS of_offset USING ("offset")
LEFT JOIN (
    SELECT "offset", file, CASE WHEN decode_error IS NULL THEN attributes END AS attributes FROM entries
    WHERE {WHERE_REPLICA} AND "offset" BETWEEN $low AND $high
) AS entry ON entry."offset" = r."offset" AND entry.file = r.file
ORDER BY r."offset", r.file, r.batch_position
"""
ONLY = '"offset" IN (SELECT unnest($offsets))'


@dataclass(frozen=True)
class ChosenRecords:
    """Offsets of the records to export, in order, with the sizes of what they hold; `fitting` may be more."""

    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    fitting: int
    is_all: bool  # no filter: every record between two offsets is meant

    @property
    def count(self) -> int:
        """Number of records in the file."""
        return len(self.offsets)


def choose(partition: PartitionTables, records: RecordFilter, max_records: int) -> ChosenRecords:
    """The first `max_records` records that match the filter. Raises Rejected for one that takes too long."""
    bounds = partition.facts.bounds
    with in_time(partition, bounds, EXPORT_SECONDS):
        fitting = whole_filter(partition, records, bounds)
        columns = partition.columns(fitting.of(CHOSEN), fitting.values | {"most": max_records})
        offsets, sizes = (np.ma.getdata(columns[name]).astype(np.int64) for name in ("offset", "size_bytes"))
        count = len(offsets)
        if count == max_records:
            count = int(partition.columns(fitting.of(COUNT), fitting.values)["fitting"][0])
    return ChosenRecords(offsets, sizes, count, fitting.is_all and not partition.results.is_restricted)


def portions(
    folder: ResultPath,
    replica: PartitionReplica,
    chosen: ChosenRecords,
    hidden: Collection[str] = (),
    decodes: bool = True,
) -> Iterator[pa.Table]:
    """The records whole and decoded; of no records one portion without rows. `hidden`: parts that a share hides.

    The folder is opened anew: the request that chose them may be over.
    """
    with open_results(folder) as results:
        partition = seen_by(
            IsolationView(), results.of(replica)
        )  # names what belongs to aborted transactions
        whole = WHOLE.replace("{kinds}", kind_source(partition).sql)
        if not chosen.count:
            none = partition.arrow(whole.replace("{only}", "false"), {"low": 0, "high": 0})
            yield with_decoded(results, none, hidden, decodes)
        for offsets in cut(chosen):
            values = {"low": int(offsets[0]), "high": int(offsets[-1])}
            only = "true" if chosen.is_all else ONLY
            if not chosen.is_all:
                values["offsets"] = offsets.tolist()
            portion = partition.arrow(whole.replace("{only}", only), values)
            yield with_decoded(results, portion, hidden, decodes)


def cut(chosen: ChosenRecords) -> Iterator[NDArray[np.int64]]:
    """Stretches of the offsets, none with more bytes or records than a portion may have."""
    start, size = 0, 0
    for at, row_size in enumerate(chosen.sizes.tolist()):
        is_new = at > start and chosen.offsets[at] != chosen.offsets[at - 1]
        if is_new and (size + row_size > PORTION_BYTES or at - start >= PORTION_RECORDS):
            yield chosen.offsets[start:at]
            start, size = at, 0
        size += row_size
    if start < len(chosen.offsets):
        yield chosen.offsets[start:]
