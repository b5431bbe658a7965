"""What other libraries need for a part of the work: aiokafka's parser, DuckDB."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from aiokafka.record._crecords import MemoryRecords  # the compiled one, or nothing

from bench.inputs import as_uploaded
from spark.sources.log_segment import batches as b
from spark.sources.log_segment.codecs import DecompressionArena
from spark.sources.log_segment.mapped import MappedFile
from spark.sources.log_segment.unpack import unpack
from spark.tables import TABLES

THREADS = 2
MAX_BATCHES = 100_000  # of one segment of the bench
CHUNK_BYTES = 6 << 20


# What our decoder gives of a record, less the columns that are the same for a whole file.
ARROW = pa.schema(
    [
        TABLES["records"].schema.field(name)
        for name in (
            "offset", "timestamp_ms", "timestamp_type", "key", "value", "key_is_null", "value_is_null",
            "key_size_bytes", "value_size_bytes", "headers", "producer_id", "producer_epoch", "sequence",
        )
    ]
)  # fmt: skip
TIMESTAMP_TYPES = ("create_time", "log_append_time")


def aiokafka_iterating_cpu_seconds(segments: list[Path]) -> tuple[float, int]:
    """CPU seconds to iterate over all records and touch their fields; and how many there were."""
    count = 0
    started = time.process_time()
    for path in segments:
        records: Any = MemoryRecords(path.read_bytes())
        while records.has_next():
            for record in records.next_batch():
                _ = record.offset, record.timestamp, record.key, record.value, record.headers
                count += 1
    return time.process_time() - started, count


def aiokafka_cpu_seconds(segments: list[Path]) -> tuple[float, int]:
    """CPU seconds from file to Arrow columns, checksums included, a batch at a time; and how many records."""
    count = 0
    started = time.process_time()
    for path in segments:
        records: Any = MemoryRecords(path.read_bytes())
        while records.has_next():
            batch = records.next_batch()
            if not batch.validate_crc():
                message = f"{path} holds a broken batch"
                raise RuntimeError(message)
            rows = [row(record, batch) for record in batch]
            columns = [pa.array(column, field.type) for column, field in zip(zip(*rows), ARROW)]  # noqa: B905
            count += pa.Table.from_arrays(columns, schema=ARROW).num_rows
    return time.process_time() - started, count


def row(record: Any, batch: Any) -> tuple[Any, ...]:
    """One record as our decoder gives it, of aiokafka's objects."""
    key, value = record.key, record.value
    base_sequence = batch.base_sequence
    return (
        record.offset,
        record.timestamp,
        TIMESTAMP_TYPES[record.timestamp_type],
        key,
        value,
        key is None,
        value is None,
        0 if key is None else len(key),
        0 if value is None else len(value),
        record.headers,
        batch.producer_id,
        batch.producer_epoch,
        -1 if base_sequence < 0 else base_sequence + record.offset - batch.base_offset,
    )


def own_cpu_seconds(segments: list[Path]) -> tuple[float, int]:
    """CPU seconds of the log-segment source from file to Arrow columns, on one core; and how many records."""
    from spark.sources import sources

    source = sources()["log-segment"]
    threads = pa.cpu_count()
    pa.set_cpu_count(1)
    count = 0
    started = time.process_time()
    for number, file in enumerate(as_uploaded(segments)):
        for split in source.split(file, number, "orders", 0, ""):
            for chunk in source.read(split):
                count += chunk.records.num_rows if chunk.records is not None else 0
    seconds = time.process_time() - started
    pa.set_cpu_count(threads)
    return seconds, count


def unpacking_cpu_seconds(segments: list[Path]) -> float:
    """CPU seconds to decompress the batches into memory used again and again: what no decoder of ours can go below."""
    started = time.process_time()
    for path in segments:
        data = MappedFile.open(str(path)).data
        headers = np.empty((MAX_BATCHES, b.FIELDS), np.int64)
        rows, _ = b.read_headers(data, 0, data.size, data.size, headers)
        arena = DecompressionArena(CHUNK_BYTES, CHUNK_BYTES)
        for header in headers[:rows].tolist():
            arena.empty()
            unpack(data, header, arena)
    return time.process_time() - started


def duckdb_seconds(lines: Path) -> float:
    """Load the lines into a table and compute each record's predecessor and successor by key."""
    started = time.perf_counter()
    with duckdb.connect(config={"threads": THREADS}) as database:
        database.execute(
            """
            create table records as select * from read_json(
                ?, format = 'newline_delimited', columns = {
                    topic: 'varchar', partition: 'integer', "offset": 'bigint', tstype: 'varchar', ts: 'bigint',
                    broker: 'integer', key: 'varchar', payload: 'varchar'})
            """,
            [str(lines)],
        )
        database.execute(
            """
            create table lifelines as select "offset",
                lag("offset") over same_key as previous_offset, lead("offset") over same_key as superseded_by
            from records window same_key as (partition by topic, partition, key order by "offset")
            """
        )
    return time.perf_counter() - started
