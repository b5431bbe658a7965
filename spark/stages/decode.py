"""Decode: each task reads one split and writes batches, records, damage, entries, runs and its share of the key index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.dialects import dialects
from spark.sources import Chunk, Split, sources
from spark.sources._wrapping.written import read_split
from spark.stages.buckets import bytes_of
from spark.storage.stored_path import result_path
from spark.tables import RECORDS, TABLES, Part
from spark.tables.forms import forms_of
from spark.tables.key_hash import hash_keys
from spark.tables.key_index import Buckets, key_index_rows, partition_groups, write_key_index
from spark.tables.parquet import PartWriter
from spark.tables.replica import PartitionReplica
from spark.tables.subset import bundled

BUNDLE_BYTES = 24 << 20


@dataclass(frozen=True)
class Counts:
    """What one split holds of one partition; offsets null when it holds no record."""

    topic: str
    partition: int
    replica: str
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
    """What a decode task did: the files it wrote, the key index it left, and counts."""

    parts: list[Part] = field(default_factory=list)
    key_index: str | None = None
    counts: list[Counts] = field(default_factory=list)
    unreadable_bytes: int = 0
    notes: list[tuple[int, str]] = field(default_factory=list)


def bundles(splits: Sequence[Split]) -> list[list[Split]]:
    """Splits in file order, small ones together: a task of its own costs more than a small file.

    Records and companion files apart: the latter change while segments grow.
    """
    records, companions = (
        bundled(
            [one for one in splits if is_companion(one) is kind], lambda one: bytes_of([one]), BUNDLE_BYTES
        )
        for kind in (False, True)
    )
    return records + companions


def is_companion(split: Split) -> bool:
    """Whether its file holds no records."""
    return sources()[split.source].kind == "companion"


def decode_splits(
    number: int, splits: Sequence[Split], results: str, topic_dialects: dict[str, str], buckets: Buckets
) -> Decoded:
    """Read some splits. Runs in a Spark task; a second attempt writes files of its own."""
    folder = result_path(results)
    with PartWriter.of_task(folder, number) as writer:
        reading = DecodeTask(writer, topic_dialects)
        for split in splits:
            for chunk in read_split(split):
                reading.take(chunk, split)
        reading.done.parts = writer.finish()
    if reading.key_index:
        reading.done.key_index = write_key_index(
            folder / "spine" / f"{writer.task}.arrow", reading.key_index, buckets
        )
    return reading.done


@dataclass
class DecodeTask:
    """What one task has read so far."""

    writer: PartWriter
    topic_dialects: dict[str, str]
    key_index: list[pa.Table] = field(default_factory=list)
    done: Decoded = field(default_factory=Decoded)

    def take(self, chunk: Chunk, split: Split) -> None:
        """Write the rows of one chunk and note what the later stages need of them."""
        if chunk.note:
            self.done.notes.append((split.file, chunk.note))
        for name, rows in rows_of(chunk, self.topic_dialects):
            self.writer.write(name, rows)
            if name == "damage":
                self.done.unreadable_bytes += unreadable_bytes(rows)
            if name == "records":
                self.take_records(rows)

    def take_records(self, records: pa.Table) -> None:
        """Runs, counts and the key index of some records."""
        for replica, rows in partition_groups(records):
            self.writer.write("runs", runs(replica, rows))
            self.done.counts.append(count(replica, rows))
        self.key_index.append(key_index_rows(records))


def rows_of(chunk: Chunk, topic_dialects: Mapping[str, str]) -> Iterator[tuple[str, pa.Table]]:
    """Table by table the rows of one chunk, as the pipeline writes them and the data source gives them."""
    yield from rows_as_read(chunk)
    if chunk.records is not None and chunk.records.num_rows:
        records, entries = interpreted(with_forms(with_hashes(chunk.records)), topic_dialects)
        yield from (("entries", part) for part in entries)
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
        bytes_of_part = pc.if_else(records.column(f"{part}_is_null"), None, records.column(part))
        columns = forms_of(bytes_of_part.combine_chunks())
        for name, column in zip((f"{part}_form", f"{part}_schema_id"), columns, strict=True):
            records = records.append_column(name, pc.if_else(is_control, None, column))
    return records


def interpreted(records: pa.Table, topic_dialects: Mapping[str, str]) -> tuple[pa.Table, list[pa.Table]]:
    """Let each topic's dialect read its records: the records with type and action of their entries, and the entries."""
    added = {name: np.full(records.num_rows, None, dtype=object) for name in ("entry_type", "entry_action")}
    parts = []
    for topic in records.column("topic").unique().to_pylist():
        interpret = dialects()[topic_dialects.get(topic, "plain")].interpret
        if interpret is None:
            continue
        chosen = pc.and_(pc.equal(records.column("topic"), topic), pc.is_null(records.column("control_type")))
        parts.append(interpret(records.filter(chosen)))
        positions = np.flatnonzero(chosen.to_numpy())
        for name, values in added.items():
            values[positions] = parts[-1].column(name).to_pylist()
    for name, values in added.items():
        column = pa.array(values, pa.string()) if parts else pa.nulls(len(values), pa.string())
        records = records.append_column(name, column)
    return records.select(RECORDS.schema.names), parts


def count(replica: PartitionReplica, rows: pa.Table) -> Counts:
    """Counts of one partition's records."""
    is_control = pc.is_valid(rows.column("control_type"))
    controls = pc.sum(is_control).as_py() or 0
    is_restart = pc.fill_null(pc.equal(rows.column("entry_action"), "restart"), False)
    is_data_null = pc.and_(rows.column("value_is_null"), pc.invert(is_control))
    offsets = pc.min_max(rows.column("offset")).as_py()
    times = pc.min_max(rows.column("timestamp_ms")).as_py()
    return Counts(
        *replica,
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
    n = len(starts)
    columns = [pa.repeat(value, n) for value in replica]
    return pa.table(
        [*columns, files, positions, pa.array(offsets[starts]), pa.array(offsets[ends])],
        names=[*PartitionReplica._fields, "file", "position", "first_offset", "last_offset"],
    ).cast(TABLES["runs"].schema)
