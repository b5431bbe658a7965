"""A task's splits -> Arrow batches of one table: the readers of `spark.sources`, the rows of the decode stage."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from spark.datasource.inspected import WholeJournal, inspected_rows
from spark.datasource.planning import FileRows, Task
from spark.datasource.selection import ReadSelection
from spark.inputs.stored_files import unreadable
from spark.sources import Chunk, Split
from spark.sources._cutting import parts
from spark.sources._wrapping.written import read_split
from spark.stages.decode import rows_as_read, rows_of
from spark.storage.address import is_address
from spark.storage.files import open_binary
from spark.terms.errors import UnreadableInput

WITH_RECORDS = frozenset({"records", "entries"})


def batches_of(
    task: Task, table: str, selection: ReadSelection, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Batches in the schema that Spark expects: some columns of the table, in its order."""
    for rows in rows_of_task(task, table):
        selected = selection.rows(table, rows)
        if selected.num_rows:
            yield from selected.select(schema.names).cast(schema).to_batches()


def rows_of_task(task: Task, table: str) -> Iterator[pa.Table]:
    """All rows of a table that a task reads, a bounded number at a time."""
    if isinstance(task, FileRows):
        yield pa.ipc.open_stream(task.stream).read_all()
        return
    if isinstance(task, WholeJournal):
        for file in task.files:
            with naming_machine(file.path):
                open_binary(file.path, 0).close()
        yield from inspected_rows(task, table)
        return
    for split in task.splits:
        for chunk in chunks(split):
            yield from rows_of_table(chunk, table, task.dialect_ids)


def rows_of_table(chunk: Chunk, table: str, dialect_ids: dict[str, str]) -> Iterator[pa.Table]:
    """The rows of one table; records are hashed and read into entries only where that is asked for."""
    tables = rows_of(chunk, dialect_ids) if table in WITH_RECORDS else rows_as_read(chunk)
    return (rows for name, rows in tables if name == table)


def chunks(split: Split) -> Iterator[Chunk]:
    with naming_machine(split.path):
        for piece in parts(split):
            yield from read_split(piece)


@contextmanager
def naming_machine(path: str) -> Iterator[None]:
    """Raises UnreadableInput that names this machine if it cannot open the file."""
    try:
        yield
    except OSError as problem:
        if is_address(path):
            raise UnreadableInput(f"{socket.gethostname()}: {unreadable(path, problem)}") from problem
        raise UnreadableInput(
            f"{socket.gethostname()} cannot read {path}: {problem.strerror or problem}. Put the journal into a "
            "folder that the driver and all executors see under the same path."
        ) from problem
