"""A few MB in a batch that unpack to as much as the codec can: refused within the limit, and the rest is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.entry import compile_ahead
from spark.sources.log_segment.read import MAX_BATCH_BYTES
from tests.generator import legacy
from tests.generator.segment import CODEC_NUMBERS, BatchHeader, Record, batch
from tests.spark.memory import counted, peak_below
from tests.spark.sources.bombs import GB, MB, UNPACKED_BYTES, ZEROS
from tests.spark.sources.segment_files import read_segment

pytestmark = counted

SOUND = [Record(b"k", b"v")]
BESIDE_BYTES = 96 * MB  # the file itself, as it is read through memory, and what reading takes anyway
KINDS = [(2, codec) for codec in ZEROS] + [
    (magic, codec) for magic in (0, 1) for codec in ZEROS if codec != "zstd"
]


@pytest.fixture(autouse=True, scope="module")
def compiled_before() -> None:
    compile_ahead.read_sample()


def holding(payload: bytes, magic: int, codec: str) -> bytes:
    """A segment: one batch whose records are these compressed bytes, and a sound one."""
    number = CODEC_NUMBERS[codec]
    if magic == 2:
        return BatchHeader(0, 0, number, 0, 0, 1).before(payload) + batch(SOUND, 1)
    outer = legacy.message(Record(None, payload), 0, magic, attributes=number)
    return outer + legacy.message(SOUND[0], 1, magic)


def check_refused(folder: Path, content: bytes, limit_bytes: int) -> None:
    with peak_below(limit_bytes + BESIDE_BYTES):
        reading = read_segment(folder, content, max_batch_bytes=limit_bytes)
    assert reading.offsets == [1]
    assert reading.reasons == [("not_decompressed", 0, 0)]
    assert f"more than {limit_bytes:,} bytes" in reading.damage[0]["detail"]


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_a_bomb_takes_no_more_memory_than_one_batch_may(tmp_path: Path, magic: int, codec: str) -> None:
    size_bytes = 10 * GB if codec == "zstd" else 256 * MB
    check_refused(tmp_path, holding(ZEROS[codec](size_bytes), magic, codec), 8 * MB)


@pytest.mark.long
@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_as_much_as_the_codec_can_do_is_refused_at_the_limit_of_the_pipeline(
    tmp_path: Path, magic: int, codec: str
) -> None:
    content = holding(ZEROS[codec](UNPACKED_BYTES[codec]), magic, codec)
    check_refused(tmp_path, content, MAX_BATCH_BYTES)


@pytest.mark.long
@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
def test_the_largest_batch_that_is_allowed_is_held_once(tmp_path: Path, codec: str) -> None:
    """It unpacks, and what it holds is no record: nothing is kept of it."""
    content = holding(ZEROS[codec](MAX_BATCH_BYTES), 2, codec)
    with peak_below(MAX_BATCH_BYTES + BESIDE_BYTES):
        reading = read_segment(tmp_path, content)
    assert reading.offsets == [1]
    assert [row["reason"] for row in reading.damage] == ["undecodable_records"]
