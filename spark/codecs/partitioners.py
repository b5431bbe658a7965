"""Partitioners of producers: key bytes -> the number whose remainder by the partition count is the partition.

    murmur2          Java client, librdkafka `murmur2_random`, kafka-python, franz-go: murmur2 & 0x7fffffff
    crc32            librdkafka's default `consistent_random`, ruby-kafka: CRC-32 (of zlib)
    fnv1a            sarama's `NewHashPartitioner`, kafka-go's `Hash`: |FNV-1a as int32|
    kafkajs-legacy   kafkajs before 2.0: murmur2 whose products are doubles (they lose low bits), and whose last bytes go in twice

Null keys, and for librdkafka empty keys, have no such partition. Sources: Kafka `Utils.murmur2`; librdkafka `rdkafka_msg.c`, `rdmurmur2.c`,
`rdfnv1a.c`; kafkajs 1.x `src/producer/partitioners/default/murmur2.js`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.uint8]  # keys of one length, a row each
Hashes = NDArray[np.uint32]

SEED, M, R = 0x9747B28C, 0x5BD1E995, 24
FNV_PRIME, FNV_OFFSET = 0x01000193, 0x811C9DC5
LOW_31 = np.uint32(0x7FFFFFFF)
NAMES = {
    "murmur2": "murmur2 (Java clients, kafka-python, franz-go)",
    "crc32": "CRC32 (the default of librdkafka clients, ruby-kafka)",
    "fnv1a": "FNV-1a (sarama, kafka-go)",
    "kafkajs-legacy": "the murmur2 of kafkajs before 2.0",
}
MAX_CHANCE = 1e-3  # that keys fit by chance what is said to place them
FITTING_SHARE = 0.95  # of the keys; a few records may name their partition
SHIFTS = np.array([0, 8, 16, 24], np.uint32)


def _crc_table() -> Hashes:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1).astype(np.uint32)
    return table


CRC_TABLE = _crc_table()


def murmur2(keys: Matrix) -> Hashes:
    """As `Utils.murmur2`, before it is made positive."""
    count, length = keys.shape
    h = np.full(count, SEED ^ length, np.uint32)
    m = np.uint32(M)
    for word in _words(keys[:, : length // 4 * 4]):
        k = word * m
        k ^= k >> np.uint32(R)
        h = h * m ^ k * m
    if length % 4:
        h = (h ^ _words(_padded(keys[:, length // 4 * 4 :]))[0]) * m
    h ^= h >> np.uint32(13)
    h = h * m
    return h ^ h >> np.uint32(15)


def crc32(keys: Matrix) -> Hashes:
    """As `zlib.crc32`."""
    crc = np.full(len(keys), 0xFFFFFFFF, np.uint32)
    for column in keys.T:
        crc = CRC_TABLE[(crc ^ column) & np.uint32(0xFF)] ^ crc >> np.uint32(8)
    return ~crc


def fnv1a(keys: Matrix) -> Hashes:
    """FNV-1a with 32 bits, made positive as sarama does: its absolute value as int32."""
    h = np.full(len(keys), FNV_OFFSET, np.uint32)
    for column in keys.T:
        h = (h ^ column) * np.uint32(FNV_PRIME)
    return np.abs(h.view(np.int32).astype(np.int64)).astype(np.uint32)


def kafkajs_legacy(keys: Matrix) -> Hashes:
    """As JavaScript computes it: `*` on doubles, `^` and `>>>` on 32 bits; the last word of 1 to 3 bytes counts as a whole one, too."""
    count, length = keys.shape
    h = np.full(count, SEED ^ length, np.uint32)
    for word in _words(_padded(keys)):
        k = _product(word)
        k = _product(k ^ k >> np.uint32(R))
        h = _product(h) ^ k
    if length % 4:
        h = _product(h ^ _words(_padded(keys[:, length // 4 * 4 :]))[0])
    h ^= h >> np.uint32(13)
    h = _product(h)
    return h ^ h >> np.uint32(15)


def _product(numbers: Hashes) -> Hashes:
    """By M: a signed number times M as a double, its low 32 bits."""
    return (numbers.view(np.int32).astype(np.float64) * M).astype(np.int64).astype(np.uint32)


def _padded(keys: Matrix) -> Matrix:
    """With zeros up to whole words."""
    return np.pad(keys, ((0, 0), (0, -keys.shape[1] % 4)))


def _words(keys: Matrix) -> Hashes:
    """Little-endian words, a row for each place."""
    count, length = keys.shape
    parts = keys.reshape(count, length // 4, 4).astype(np.uint32) << SHIFTS
    words: Hashes = np.ascontiguousarray(np.bitwise_or.reduce(parts, axis=2).T)
    return words


PARTITIONERS: Mapping[str, Callable[[Matrix], Hashes]] = {
    "murmur2": lambda keys: murmur2(keys) & LOW_31,
    "crc32": crc32,
    "fnv1a": fnv1a,
    "kafkajs-legacy": lambda keys: kafkajs_legacy(keys) & LOW_31,
}


def hashes(partitioner: str, keys: Sequence[bytes]) -> Hashes:
    """Of each key the number that its partition is the remainder of."""
    lengths = np.array([len(key) for key in keys], np.int64)
    numbers = np.zeros(len(keys), np.uint32)
    for length in np.unique(lengths):
        at = np.flatnonzero(lengths == length)
        matrix = np.frombuffer(b"".join(keys[int(n)] for n in at), np.uint8).reshape(len(at), int(length))
        numbers[at] = PARTITIONERS[partitioner](matrix)
    return numbers


@dataclass(frozen=True)
class Fit:
    """A partitioner that puts `fitting` keys where they are, with the smallest partition count that does so."""

    partitioner: str
    count: int
    fitting: int


def fit_of(keys: Sequence[bytes], partitions: Sequence[int], count: int | None = None) -> Fit | None:
    """The partitioner of a topic, where its keys prove it. `count`: of its partitions, if that is known; else some are tried.

    A key fits by chance once in as many times as there are partitions; a key that does not fit weighs as much as ten that do.
    """
    if not keys:
        return None
    least = max(partitions) + 1
    counts = [count] if count and count >= least else range(max(2, least), 2 * least + 8)
    log_tried = math.log(len(PARTITIONERS) * len(counts))
    fits = []
    for name in PARTITIONERS:
        numbers = hashes(name, keys)
        for tried in counts:
            fitting = int((numbers % np.uint32(tried) == np.array(partitions, np.uint32)).sum())
            evidence = (fitting - 10 * (len(keys) - fitting)) * math.log(tried)
            if fitting >= FITTING_SHARE * len(keys) and log_tried - evidence < math.log(MAX_CHANCE):
                fits.append(Fit(name, tried, fitting))
    return max(fits, key=lambda fit: (fit.fitting, -fit.count), default=None)
