"""Decode: each task reads one split and writes batches, records, damage, entries, runs and its share of the key index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.dialects import dialects
from spark.sources import Chunk, Split
from spark.sources._wrapping.written import read_split
from spark.storage.stored_path import result_path
from spark.tables import RECORDS, TABLES, Part
from spark.tables.forms import forms_of
from spark.tables.key_hash import hash_keys
from spark.tables.key_index import Buckets, key_index_rows, partition_groups, write_key_index
from spark.tables.parquet import PartWriter
from spark.tables.replica import PartitionReplica

KEY_INDEX_FOLDER = "spine"  # below the results, until the next inspection of the log takes it over


@dataclass(frozen=True)
class Counts:
    """What one chunk contains of one partition replica: at least one record."""

    replica: PartitionReplica
    data_records: int
    control_records: int
    tombstones: int
    restarts: int
    first_offset: int
    last_offset: int
    first_timestamp_ms: int | None
    last_timestamp_ms: int | None


@dataclass
class Decoded:
    """What a decode task did with its bundle: the files it wrote, its file of the key index, counts, and notes by file number."""

    parts: list[Part] = field(default_factory=list)
    key_index: str | None = None
    counts: list[Counts] = field(default_factory=list)
    unreadable_bytes: int = 0
    notes: list[tuple[int, str]] = field(default_factory=list)


def decode_splits(
    number: int, splits: Sequence[Split], results: str, dialect_ids: Mapping[str, str], buckets: Buckets
) -> Decoded:
    """Read a bundle of splits. `dialect_ids`: by topic. Runs in a Spark task; a second attempt writes files of its own."""
    folder = result_path(results)
    with PartWriter.of_task(folder, number) as writer:
        task = DecodeTask(writer, dialect_ids)
        for split in splits:
            for chunk in read_split(split):
                task.take(chunk, split)
        task.decoded.parts = writer.finish()
    if task.key_index:
        path = folder / KEY_INDEX_FOLDER / f"{writer.task}.arrow"
        task.decoded.key_index = write_key_index(path, task.key_index, buckets)
    return task.decoded


@dataclass
class DecodeTask:
    """A decode task while it reads; `key_index`: its rows so far."""

    writer: PartWriter
    dialect_ids: Mapping[str, str]
    key_index: list[pa.Table] = field(default_factory=list)
    decoded: Decoded = field(default_factory=Decoded)

    def take(self, chunk: Chunk, split: Split) -> None:
        """Write the rows of one chunk and note what the later stages need of them."""
        if chunk.note:
            self.decoded.notes.append((split.file, chunk.note))
        for table, rows in rows_of(chunk, self.dialect_ids):
            self.writer.write(table, rows)
            if table == "damage":
                self.decoded.unreadable_bytes += unreadable_bytes(rows)
            if table == "records":
                self.take_records(rows)

    def take_records(self, records: pa.Table) -> None:
        """Runs, counts and the key index of some records."""
        for replica, rows in partition_groups(records):
            self.writer.write("runs", runs(replica, rows))
            self.decoded.counts.append(count(replica, rows))
        self.key_index.append(key_index_rows(records))


def rows_of(chunk: Chunk, dialect_ids: Mapping[str, str]) -> Iterator[tuple[str, pa.Table]]:
    """Table by table the rows of one chunk, as the pipeline writes them and the data source gives them."""
    yield from rows_as_read(chunk)
    if chunk.records is not None and chunk.records.num_rows:
        records, entries = interpreted(with_forms(with_hashes(chunk.records)), dialect_ids)
        yield from (("entries", rows) for rows in entries)
        yield "records", records


def rows_as_read(chunk: Chunk) -> Iterator[tuple[str, pa.Table]]:
    """The rows that no dialect changes: all but records and entries."""
    if chunk.batches is not None:
        yield "batches", chunk.batches
    if chunk.damage is not None:
        yield "damage", chunk.damage
    yield from chunk.others.items()


def unreadable_bytes(damage: pa.Table) -> int:
    """Bytes of the log that could not be read; not among them: zeros that a broker preallocated, companion files."""
    reasons = pa.array(["zeros_at_end", "bad_companion"])
    lost = damage.filter(pc.invert(pc.is_in(damage.column("reason"), reasons)))
    return pc.sum(lost.column("size_bytes")).as_py() or 0


def with_hashes(records: pa.Table) -> pa.Table:
    """Add the two halves of the key's hash."""
    first, second = hash_keys(records.column("key").combine_chunks())
    return records.append_column("key_hash_1", pa.array(first)).append_column("key_hash_2", pa.array(second))


def with_forms(records: pa.Table) -> pa.Table:
    """Add what keys and values look like; of a control record neither is an application's."""
    is_control = pc.is_valid(records.column("control_type"))
    for part in ("key", "value"):
        columns = forms_of(records.column(part).combine_chunks())
        for name, column in zip((f"{part}_form", f"{part}_schema_id"), columns, strict=True):
            records = records.append_column(name, pc.if_else(is_control, None, column))
    return records


def interpreted(records: pa.Table, dialect_ids: Mapping[str, str]) -> tuple[pa.Table, list[pa.Table]]:
    """Let each topic's dialect read its records: the records with type and action of their entries, and the entries by topic."""
    added = {name: np.full(records.num_rows, None, dtype=object) for name in ("entry_type", "entry_action")}
    entries = []
    for topic in records.column("topic").unique().to_pylist():
        interpret = dialects()[dialect_ids.get(topic, "plain")].interpret
        if interpret is None:
            continue
        chosen = pc.and_(pc.equal(records.column("topic"), topic), pc.is_null(records.column("control_type")))
        entries.append(interpret(records.filter(chosen)))
        positions = np.flatnonzero(chosen.to_numpy())
        for name, values in added.items():
            values[positions] = entries[-1].column(name).to_pylist()
    for name, values in added.items():
        column = pa.array(values, pa.string()) if entries else pa.nulls(len(values), pa.string())
        records = records.append_column(name, column)
    return records.select(RECORDS.schema.names), entries


def count(replica: PartitionReplica, rows: pa.Table) -> Counts:
    is_control = pc.is_valid(rows.column("control_type"))
    controls = pc.sum(is_control).as_py() or 0
    is_restart = pc.fill_null(pc.equal(rows.column("entry_action"), "restart"), False)
    is_data_null = pc.and_(rows.column("value_is_null"), pc.invert(is_control))
    offsets = pc.min_max(rows.column("offset")).as_py()
    times = pc.min_max(rows.column("timestamp_ms")).as_py()
    return Counts(
        replica,
        data_records=rows.num_rows - controls,
        control_records=controls,
        tombstones=pc.sum(pc.and_(is_data_null, pc.invert(is_restart))).as_py() or 0,
        restarts=pc.sum(is_restart).as_py() or 0,
        first_offset=offsets["min"],
        last_offset=offsets["max"],
        first_timestamp_ms=times["min"],
        last_timestamp_ms=times["max"],
    )


def runs(replica: PartitionReplica, rows: pa.Table) -> pa.Table:
    """Unbroken runs of one partition's offsets, in file order."""
    offsets = rows.column("offset").to_numpy()
    starts = np.flatnonzero(np.r_[True, np.diff(offsets) != 1])
    ends = np.r_[starts[1:], len(offsets)] - 1
    positions = rows.column("batch_position").take(pa.array(starts))
    files = rows.column("file").take(pa.array(starts))
    columns = [pa.repeat(value, len(starts)) for value in replica]
    return pa.table(
        [*columns, files, positions, pa.array(offsets[starts]), pa.array(offsets[ends])],
        names=[*PartitionReplica._fields, "file", "position", "first_offset", "last_offset"],
    ).cast(TABLES["runs"].schema)
