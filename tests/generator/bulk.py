"""Large inputs within seconds: the same records as log segments with any codec and as `kcat -J` lines.

Batches are cut from a few shapes (record counts, value lengths, tombstones) whose bytes are prepared once; numpy
then fills in keys, digits, offsets and times. Keys come from a pool, so each has about five versions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tests.generator.dumps import yajl_string
from tests.generator.segment import (
    CODEC_NUMBERS,
    SOME_TIME_MS,
    BatchHeader,
    Codec,
    compress,
    segment_name,
    varint,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Bytes = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
    Places = np.ndarray[tuple[int, ...], np.dtype[np.intp]]

TOPIC = "orders"
FIRST_OFFSET = 1_000_000_000  # ten digits from the first record to the last, so that lines have a fixed width
OFFSET_DIGITS, TIME_DIGITS = 10, 13
KEY_BYTES = 32
VERSIONS_PER_KEY = 5
RECORD_COUNTS = (50, 150, 300, 1000)  # 16 to 340 KB before compression
MILLIS_BETWEEN_RECORDS = 7
TOMBSTONE_SHARE = 0.01
SEGMENT_BYTES = 128 << 20
LINES_AT_ONCE_BYTES = 8 << 20

HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
DIGITS = np.frombuffer(b"123456789", np.uint8)
HEX_SLOT, DIGIT_SLOT = "\x01", "\x02"  # marks in a prepared value; JSON escapes them
VALUE = json.dumps(
    {
        "orderId": HEX_SLOT * 16,
        "customer": "c-" + DIGIT_SLOT * 8,
        "amountMinor": 0,
        "currency": "EUR",
        "status": "captured",
        "channel": "web",
        "warehouse": "central",
        "trace": HEX_SLOT * 32,
        "note": "",
    },
    separators=(",", ":"),
    ensure_ascii=False,
)
NOTES = (
    "",
    "gift wrapping, card enclosed",
    "leave at the neighbour when nobody answers",
    "second delivery attempt, customer asked for the afternoon",
    "express delivery, invoice by mail, please ring twice at the back door",
)


@dataclass(frozen=True)
class Slots:
    """Where the changing bytes of a prepared text go."""

    text: Bytes
    keys: Places  # one row of 32 positions per record
    hexes: Places
    digits: Places
    offsets: Places | None = None
    times: Places | None = None

    def filled(self, batch: Batch) -> Bytes:
        """The text with the bytes of one batch in it."""
        text = self.text.copy()
        text[self.keys] = batch.keys
        text[self.hexes] = batch.hexes
        text[self.digits] = batch.digits
        if self.offsets is not None and self.times is not None:
            count = len(batch.keys)
            text[self.offsets] = decimal(batch.base_offset + np.arange(count), OFFSET_DIGITS)
            times_ms = batch.base_timestamp_ms + MILLIS_BETWEEN_RECORDS * np.arange(count)
            text[self.times] = decimal(times_ms, TIME_DIGITS)
        return text


@dataclass(frozen=True)
class Shape:
    """A batch without its keys, digits, offsets and times: as records and as lines."""

    record_count: int
    records: Slots
    lines: Slots


@dataclass(frozen=True)
class Batch:
    """What fills a shape."""

    shape: Shape
    base_offset: int
    base_timestamp_ms: int
    keys: Bytes
    hexes: Bytes
    digits: Bytes


def decimal(numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]], width: int) -> Bytes:
    """One row of ASCII digits per number."""
    powers = 10 ** np.arange(width - 1, -1, -1, dtype=np.int64)
    return (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)


class Preparation:
    """Text that grows, and the positions of its slots."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.slots: dict[str, list[range]] = {"keys": [], "offsets": [], "times": []}
        self.hexes: list[int] = []
        self.digits: list[int] = []

    def fixed(self, text: bytes) -> None:
        self.text += text

    def slot(self, name: str, width: int) -> None:
        self.slots[name].append(range(len(self.text), len(self.text) + width))
        self.text += b"0" * width

    def value(self, text: bytes) -> None:
        start = len(self.text)
        self.text += text
        self.hexes += [start + place for place, byte in enumerate(text) if byte == ord(HEX_SLOT)]
        self.digits += [start + place for place, byte in enumerate(text) if byte == ord(DIGIT_SLOT)]

    def done(self) -> Slots:
        rows = {name: np.array(ranges, np.intp) for name, ranges in self.slots.items()}
        return Slots(
            np.frombuffer(bytes(self.text), np.uint8),
            rows["keys"],
            np.array(self.hexes, np.intp),
            np.array(self.digits, np.intp),
            rows["offsets"] if rows["offsets"].size else None,
            rows["times"] if rows["times"].size else None,
        )


def _value(rng: np.random.Generator) -> bytes | None:
    if rng.random() < TOMBSTONE_SHARE:
        return None
    note = " - ".join(rng.choice(NOTES, size=2).tolist())
    amount = DIGIT_SLOT * int(rng.integers(3, 7))
    text = VALUE.replace('"amountMinor":0', f'"amountMinor":{amount}').replace(
        '"note":""', f'"note":"{note}"'
    )
    return _with_slots(text.encode())


def _records(values: list[bytes | None]) -> Slots:
    prepared = Preparation()
    for delta, value in enumerate(values):
        before_key = b"\x00" + varint(MILLIS_BETWEEN_RECORDS * delta) + varint(delta) + varint(KEY_BYTES)
        before_value = varint(-1 if value is None else len(value))
        length = len(before_key) + KEY_BYTES + len(before_value) + len(value or b"") + 1
        prepared.fixed(varint(length) + before_key)
        prepared.slot("keys", KEY_BYTES)
        prepared.fixed(before_value)
        prepared.value(value or b"")
        prepared.fixed(b"\x00")
    return prepared.done()


def _lines(values: list[bytes | None]) -> Slots:
    prepared = Preparation()
    for value in values:
        prepared.fixed(b'{"topic":"%s","partition":0,"offset":' % TOPIC.encode())
        prepared.slot("offsets", OFFSET_DIGITS)
        prepared.fixed(b',"tstype":"create","ts":')
        prepared.slot("times", TIME_DIGITS)
        prepared.fixed(b',"broker":1,"key":"')
        prepared.slot("keys", KEY_BYTES)
        prepared.fixed(b'","payload":')
        prepared.value(b"null" if value is None else _with_slots(yajl_string(value)))
        prepared.fixed(b"}\n")
    return prepared.done()


def _with_slots(text: bytes) -> bytes:
    return text.replace(b"\\u0001", HEX_SLOT.encode()).replace(b"\\u0002", DIGIT_SLOT.encode())


def _shape(record_count: int, rng: np.random.Generator) -> Shape:
    values = [_value(rng) for _ in range(record_count)]
    return Shape(record_count, _records(values), _lines(values))


def _some(letters: Bytes, size: int | tuple[int, int], rng: np.random.Generator) -> Bytes:
    return letters[rng.integers(0, len(letters), size=size, dtype=np.uint8)]


def batches(size_bytes: int, seed: int = 1) -> Iterator[Batch]:
    """Batches whose uncompressed records are about `size_bytes` together; the same for a seed, whatever the codec."""
    rng = np.random.default_rng(seed)
    shapes = [_shape(count, rng) for count in RECORD_COUNTS for _ in range(2)]
    bytes_per_record = sum(len(s.records.text) for s in shapes) / sum(s.record_count for s in shapes)
    key_count = max(100, int(size_bytes / bytes_per_record / VERSIONS_PER_KEY))
    pool = np.frombuffer(b"order-" * key_count, np.uint8).reshape(key_count, 6)
    pool = np.hstack([pool, _some(HEX, (key_count, KEY_BYTES - 6), rng)])
    offset, timestamp_ms, written_bytes = FIRST_OFFSET, SOME_TIME_MS, 0
    while written_bytes < size_bytes:
        shape = shapes[rng.integers(len(shapes))]
        count, slots = shape.record_count, shape.records
        keys = pool[rng.integers(0, key_count, size=count)]
        hexes = _some(HEX, len(slots.hexes), rng)
        yield Batch(shape, offset, timestamp_ms, keys, hexes, _some(DIGITS, len(slots.digits), rng))
        offset += count
        timestamp_ms += MILLIS_BETWEEN_RECORDS * count
        written_bytes += len(slots.text)


def encoded(batch: Batch, codec: Codec) -> bytes:
    """The batch as a producer sends it."""
    count = batch.shape.record_count
    header = BatchHeader(
        base_offset=batch.base_offset,
        last_offset_delta=count - 1,
        attributes=CODEC_NUMBERS[codec],
        base_timestamp_ms=batch.base_timestamp_ms,
        max_timestamp_ms=batch.base_timestamp_ms + MILLIS_BETWEEN_RECORDS * (count - 1),
        record_count=count,
    )
    return header.before(compress(batch.shape.records.filled(batch).tobytes(), codec))


def write_segments(
    parent: Path, size_bytes: int, codec: Codec = "none", seed: int = 1, segment_bytes: int = SEGMENT_BYTES
) -> list[Path]:
    """A partition folder whose records are about `size_bytes` before compression; gives its segments."""
    folder = parent / f"{TOPIC}-0"
    folder.mkdir(parents=True)
    paths: list[Path] = []
    stream, room_bytes = None, 0
    for batch in batches(size_bytes, seed):
        content = encoded(batch, codec)
        if stream is None or room_bytes < len(content):
            if stream is not None:
                stream.close()
            paths.append(folder / segment_name(batch.base_offset))
            stream, room_bytes = paths[-1].open("wb"), segment_bytes
        stream.write(content)
        room_bytes -= len(content)
    if stream is not None:
        stream.close()
    return paths


def write_kcat_lines(path: Path, size_bytes: int, seed: int = 1) -> Path:
    """The records of `write_segments` with the same size and seed, as `kcat -C -J` prints them."""
    with path.open("wb", buffering=LINES_AT_ONCE_BYTES) as stream:
        for batch in batches(size_bytes, seed):
            stream.write(batch.shape.lines.filled(batch).tobytes())
    return path
