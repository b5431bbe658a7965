"""Bulk input is what it says: sound batches, and lines with the same records."""

from __future__ import annotations

import json

import pytest
from aiokafka.record import MemoryRecords

from tests.generator import bulk

SIZE_BYTES = 1 << 20


def records(paths):
    for path in paths:
        batches = MemoryRecords(path.read_bytes())
        while batches.has_next():
            batch = batches.next_batch()
            assert batch.validate_crc()
            yield from batch


@pytest.mark.wide
@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_segments_and_lines_hold_the_same_records(tmp_path, codec):
    segments = bulk.write_segments(tmp_path, SIZE_BYTES, codec, segment_bytes=1 << 18)
    lines = bulk.write_kcat_lines(tmp_path / "orders.json", SIZE_BYTES)
    rows = [json.loads(line) for line in lines.read_bytes().splitlines()]
    expected = [
        (row["offset"], row["ts"], row["key"].encode(), row["payload"] and row["payload"].encode())
        for row in rows
    ]
    assert [(r.offset, r.timestamp, r.key, r.value) for r in records(segments)] == expected
    assert [int(path.stem) for path in segments] == sorted(int(path.stem) for path in segments)


def test_keys_repeat_and_some_values_are_tombstones(tmp_path):
    found = list(records(bulk.write_segments(tmp_path, SIZE_BYTES)))
    assert len(found) / len({record.key for record in found}) > 2
    assert 0 < sum(record.value is None for record in found) < len(found) / 20
    sizes = [len(record.value) for record in found if record.value is not None]
    assert 200 < sum(sizes) / len(sizes) < 400
    assert len({len(record.value) for record in found if record.value}) > 10
    assert all(json.loads(record.value)["currency"] == "EUR" for record in found if record.value)


@pytest.mark.wide
def test_a_seed_gives_the_same_bytes(tmp_path):
    first, again, other = (
        bulk.write_segments(tmp_path / name, SIZE_BYTES, seed=seed)[0].read_bytes()
        for name, seed in (("first", 1), ("again", 1), ("other", 2))
    )
    assert first == again
    assert first != other
