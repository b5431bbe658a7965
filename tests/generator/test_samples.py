"""The sample journals are what a first start promises."""

from __future__ import annotations

import struct

import pytest
from aiokafka.record import MemoryRecords

from tests.generator import samples


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return samples.write(tmp_path_factory.mktemp("samples"))


def batches(paths):
    for path in paths:
        if path.suffix == ".log":
            records = MemoryRecords(path.read_bytes())
            while records.has_next():
                yield records.next_batch()


def test_each_is_a_folder_of_one_partition(written):
    for name, paths in written.items():
        assert {path.parent.parent.name for path in paths} == {name}
    for paths in (written[name] for name in ("healthy", "broken", "at-risk")):
        assert {path.parent.name for path in paths} == {"kafkasql-journal-0"}
        assert {path.suffix for path in paths} >= {".log", ".index", ".timeindex"}


def test_the_healthy_one_is_sound_and_restarted_several_times(written):
    found = list(batches(written["healthy"]))
    assert all(batch.validate_crc() for batch in found)
    records = [record for batch in found for record in batch]
    assert 200 < len(records) < 500
    assert [record.offset for record in records] == list(range(len(records)))
    assert sum(record.key[0] == 0 for record in records) == 5


def test_the_broken_one_has_one_rotten_batch_gaps_and_a_cut_tail(written):
    found = list(batches(written["broken"]))
    assert sum(not batch.validate_crc() for batch in found) == 1
    offsets = [record.offset for batch in found for record in batch]
    assert offsets == sorted(offsets)
    assert offsets[-1] - offsets[0] + 1 > len(offsets)
    content = max(path for path in written["broken"] if path.suffix == ".log").read_bytes()
    position = size_bytes = 0
    while position + size_bytes < len(content):
        position += size_bytes
        size_bytes = 12 + struct.unpack_from(">i", content, position + 8)[0]
    assert position < len(content) < position + size_bytes


def test_the_broken_one_has_contents_lost_and_one_at_risk(written):
    updates = [
        (record.key, record.value)
        for batch in batches(written["broken"])
        for record in batch
        if record.key[0] == 2
    ]
    empty = {key for key, value in updates if value[1] == 2}
    full = {key for key, value in updates if value[1] == 1}
    assert len(empty - full) >= 3
    assert len(empty & full) == 1


def test_one_transaction_hangs_among_those_that_end(written):
    found = list(batches(written["hanging"]))
    assert all(batch.validate_crc() for batch in found)
    assert [batch.base_offset for batch in found if batch.producer_id == 7] == [40]
    assert sum(batch.is_control_batch for batch in found) == 19


def test_one_batch_is_corrupt_and_its_neighbours_are_intact(written):
    assert [batch.base_offset for batch in batches(written["corrupt"]) if not batch.validate_crc()] == [60]
