"""Every segment of the corpus, read by us and by kafka-python: record for record the same.

kafka-python lacks a library for snappy: it gets aiokafka's function. Without xxhash it does not unpack the lz4 of
format 0: the wrong byte in the frame's header is looked up here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kafka.codec
import lz4.frame
import pytest
from aiokafka.codec import snappy_decode
from kafka.record import MemoryRecords as KafkaPythonRecords
from kafka.record import default_records, legacy_records

from tests.generator.legacy import segment as old_segment
from tests.generator.segment import SOME_TIME_MS, Record
from tests.spark.sources.segment_files import read_segment

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"
DAMAGED_ON_PURPOSE = (
    "damage-2.8.2",
    # copies with a head that is missing, lines of a tool or other line ends
    "08-segment-begins-within-a-record",
    "10-kubectl-line-before-segment",
    "47-middle-of-a-segment",
    "49-crlf-by-text-transfer",
)
OF_REDPANDA = "0-1-v1.log"
# What kafka-python does not read: zstd in format 1, 26 bytes of format 2, an empty wrapper, formats nested (KAFKA-4298).
NOT_FOR_THEM = (
    "emptyZSTDMessage",
    "emptyBulkZSTDMessage",
    "emptyV2Message",
    "emptyLZ4Message",
    "emptyBulkLZ4Message",
)
RIGHT_CHECKSUMS = {0x1A: 0x82, 0x0C: 0xA7, 0x10: 0x73, 0x26: 0xCE}
Row = tuple[Any, ...]


def segments() -> list[Path]:
    """Sound segments of brokers, record sets of fetch responses, and vectors of client test suites."""
    found = [*CORPUS.rglob("[0-9]*.log"), *(CORPUS / "kafka" / "vectors").glob("*.bin")]
    known = [path for path in found if not path.stem.endswith(NOT_FOR_THEM)]
    sound = [path for path in known if not {*DAMAGED_ON_PURPOSE} & {*path.parts} and path.name != OF_REDPANDA]
    return sorted(path for path in sound if path.stat().st_size)


@pytest.fixture(autouse=True)
def codecs_of_kafka_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(payload: Any) -> bytes:
        content = bytearray(payload)
        content[6] = RIGHT_CHECKSUMS[content[6]]
        return bytes(lz4.frame.decompress(bytes(content)))

    for records in (legacy_records, default_records):
        monkeypatch.setattr(records, "snappy_decode", snappy_decode)
    monkeypatch.setattr(kafka.codec, "has_snappy", lambda: True)
    monkeypatch.setattr(legacy_records, "lz4_decode_old_kafka", decode)
    monkeypatch.setattr(kafka.codec, "has_lz4_old_kafka", lambda: True, raising=False)


def short(path: Path) -> str:
    return str(path.relative_to(CORPUS))


def headers_of(record: Any) -> list[tuple[str, bytes | None]]:
    return [(name, value) for name, value in record.headers]


def theirs(content: bytes) -> Iterator[Row]:
    """Records as kafka-python reads them."""
    reader = KafkaPythonRecords(content)
    while reader.has_next():
        batch = reader.next_batch()
        is_new = batch.magic == 2
        for r in batch:
            timestamp = None if r.timestamp == -1 and not is_new else r.timestamp
            yield (
                r.offset,
                timestamp,
                r.key,
                r.value,
                headers_of(r) if is_new else [],
                batch.producer_id if is_new else None,
            )


def ours(folder: Path, content: bytes) -> list[Row]:
    return [
        (
            r["offset"],
            r["timestamp_ms"],
            r["key"],
            r["value"],
            [(h["key"].decode(), h["value"]) for h in r["headers"]],
            None if r["batch_magic"] < 2 else r["producer_id"],
        )
        for r in with_magic(read_segment(folder, content))
    ]


def with_magic(reading: Any) -> Iterator[dict[str, Any]]:
    magics = {row["position"]: row["magic"] for row in reading.batches}
    for record in reading.records:
        yield {**record, "batch_magic": magics[record["batch_position"]]}


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside the repository")
@pytest.mark.parametrize("path", segments() if CORPUS.exists() else [], ids=short)
def test_a_segment_of_the_corpus(tmp_path: Path, path: Path) -> None:
    content = path.read_bytes()
    assert ours(tmp_path, content) == [*theirs(content)]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4"])
@pytest.mark.parametrize("magic", [0, 1])
def test_what_our_generator_writes(tmp_path: Path, magic: int, codec: str) -> None:
    records = [Record(b"k%d" % n if n % 5 else None, b"v" * n, SOME_TIME_MS + n) for n in range(250)]
    content = old_segment(records, 7, magic, codec=codec)
    assert ours(tmp_path, content) == [*theirs(content)]
