"""Samples: the first records of splits, from as few bytes as give any. What they say tells dialects and nameless copies apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from spark.sources import HEAD_BYTES, Split, sources
from spark.sources._wrapping.written import read_split
from spark.stages.partition_folders import UNKNOWN_TOPIC

SAMPLES_PER_TOPIC = 3
SAMPLE_ROWS = 2_000
# A data folder of hundreds of topics: every dialect is asked about each of them, and fewer records tell as much.
MANY_TOPICS, SAMPLE_ROWS_OF_MANY = 64, 20


def samples(splits: Sequence[Split]) -> dict[str, pa.Table]:
    """A few records of each topic, from the first, the middle and the last split that may hold some."""
    by_topic = defaultdict(list)
    for split in splits:
        if sources()[split.source].kind != "companion":
            by_topic[split.topic if split.topic != UNKNOWN_TOPIC else split.file].append(split)
    tables = defaultdict(list)
    max_rows = SAMPLE_ROWS if len(by_topic) <= MANY_TOPICS else SAMPLE_ROWS_OF_MANY
    for splits in by_topic.values():
        picked = {0, len(splits) // 2, len(splits) - 1}
        for number in sorted(picked)[:SAMPLES_PER_TOPIC]:
            rows = sample(splits[number], max_rows)
            if rows is None:
                continue
            for topic in rows.column("topic").unique().to_pylist():
                tables[topic].append(rows.filter(pc.equal(rows.column("topic"), topic)))
    return {topic: pa.concat_tables(parts) for topic, parts in tables.items()}


def sample(split: Split, max_rows: int = SAMPLE_ROWS) -> pa.Table | None:
    """The first data records of a split, from as few bytes as give any."""
    size_bytes = HEAD_BYTES
    while True:
        head = replace(split, end=min(split.end, split.start + size_bytes))
        rows = first_records((chunk.records for chunk in read_split(head)), max_rows)
        if rows is not None or head.end == split.end:
            return rows
        size_bytes *= 8


def first_records(chunks: Iterable[pa.Table | None], max_rows: int) -> pa.Table | None:
    for records in chunks:
        if records is not None:
            data = records.filter(pc.is_null(records.column("control_type")))
            if data.num_rows:
                return data.slice(0, max_rows)
    return None
