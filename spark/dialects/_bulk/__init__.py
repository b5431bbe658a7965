"""Replay of many entries in SQL, as far as a dialect finds its histories plain; its reader takes the others."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from spark.dialects._history import CLOSED, History
from spark.tables.connections import PORTION, connect

if TYPE_CHECKING:
    from spark.tables.connections import DuckDBPyConnection

COLUMNS = ("offset", "entry_type", "entry_action", "entity_id", "attributes")
BATCH_ROWS = 100_000  # to prepare a query costs as much as to run it on the rows of a portion
FEW_ENTRIES = 20_000  # fewer than these the readers take sooner than a question to them all is prepared


@dataclass
class PlainHistories:
    """The result for the plain histories of a journal.

    intervals  source: the offset of the entry that holds what the interval says, ascending; and what the dialect needs to
               tell it
    telling    the query that makes rows of History (columns CLOSED) of these entries with the columns of their intervals
    columns    of entries that this query reads
    remaining  offsets of the entries that the readers must take, ascending
    """

    intervals: pa.Table
    telling: str
    columns: tuple[str, ...]
    remaining: np.ndarray

    def rest(self, entries: Iterable[pa.Table], histories: Sequence[History]) -> Iterator[pa.Table]:
        """The entries that remain, in batches; passes the intervals of the others to the histories."""
        with opened() as connection:
            for batch in in_batches(entries):
                offsets = batch.column("offset").to_numpy()
                rows = self.closed_rows(batch.select(self.columns), offsets, connection)
                for history in histories:
                    history.take(rows)
                first, last = np.searchsorted(self.remaining, [offsets[0], offsets[-1] + 1])
                places = np.searchsorted(offsets, self.remaining[first:last])
                yield batch.take(pa.array(places))

    def closed_rows(self, batch: pa.Table, offsets: np.ndarray, connection: DuckDBPyConnection) -> pa.Table:
        """Intervals of a batch's plain entries, as History takes them."""
        sources = self.intervals.column("source").to_numpy()
        first, last = np.searchsorted(sources, [offsets[0], offsets[-1] + 1])
        intervals = self.intervals.slice(first, last - first)
        rows = batch.take(pa.array(np.searchsorted(offsets, sources[first:last])))
        for name in intervals.column_names[1:]:
            rows = rows.append_column(name, intervals.column(name))
        return rows_of(connection, rows, self.telling).select(CLOSED)


@contextmanager
def opened() -> Iterator[DuckDBPyConnection]:
    """A connection for a replay; what does not fit into memory goes to disk. Afterwards Arrow keeps no memory for later."""
    with connect(PORTION, tempfile.gettempdir()) as connection:
        yield connection
    pa.default_memory_pool().release_unused()


def are_loaded(entries: Iterable[pa.Table], connection: DuckDBPyConnection, *queries: str) -> bool:
    """Runs the queries on all entries of a partition, batch by batch, as `portion`. False if an offset occurs twice."""
    last = -1
    for batch in in_batches(entries):
        offsets = batch.column("offset").to_numpy()
        if offsets[0] <= last or (np.diff(offsets) <= 0).any():
            return False
        last = offsets[-1]
        connection.register("portion", batch.select(COLUMNS))
        for query in queries:
            connection.execute(query)
    return True


def in_batches(entries: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Portions, several together."""
    waiting: list[pa.Table] = []
    for portion in entries:
        waiting.append(portion)
        if sum(table.num_rows for table in waiting) >= BATCH_ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def rows_of(connection: DuckDBPyConnection, batch: pa.Table, query: str) -> pa.Table:
    """The result of a query on the rows of a batch, as `portion`."""
    connection.register("portion", batch)
    return connection.sql(query).to_arrow_table()


def offsets_of(connection: DuckDBPyConnection, query: str) -> np.ndarray:
    """The first column of a query's result."""
    return connection.sql(query).to_arrow_table().column(0).to_numpy()


def number_of(connection: DuckDBPyConnection, query: str) -> int:
    """The one number that a query results in."""
    return int(offsets_of(connection, query)[0])


def has_many(entries: Iterable[pa.Table]) -> bool:
    """Whether there are enough entries for a query over all of them to pay off."""
    counts = accumulate(portion.num_rows for portion in entries)
    return any(count >= FEW_ENTRIES for count in counts)
