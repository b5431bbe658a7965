"""What other libraries need for a part of the work: aiokafka's parser, DuckDB."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from aiokafka.record._crecords import MemoryRecords  # the compiled one, or nothing

from bench.inputs import as_uploaded

THREADS = 2


ARROW = pa.schema(
    [
        ("offset", pa.int64()),
        ("timestamp_ms", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
    ]
)


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
            found = [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in batch]
            columns = [pa.array(column, field.type) for column, field in zip(zip(*found), ARROW)]  # noqa: B905
            count += pa.Table.from_arrays(columns, schema=ARROW).num_rows
    return time.process_time() - started, count


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
