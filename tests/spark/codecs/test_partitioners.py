"""Partitioners, against values of the clients' own tests."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

from spark.codecs.partitioners import PARTITIONERS, Fit, fit_of, hashes, kafkajs_legacy, murmur2

# librdkafka 2.x, unittest_murmur2 (rdmurmur2.c) and unittest_fnv1a (rdfnv1a.c), the latter by Go's hash/fnv
UNALIGNED = "PreAmbleWillBeRemoved,ThePrePartThatIs"
OF_LIBRDKAFKA = {
    "kafka": (0xD067CF64, 0xD33C4E1),
    "giberish123456789": (0x8F552B0C, 0x77A58295),
    "1234": (0x9FC97B14, 0x23BDD03),
    "234": (0xE7C009CA, 0x2DEA3CD2),
    "34": (0x873930DA, 0x740FA83E),
    "4": (0x5A4B5CA1, 0x310CA263),
    UNALIGNED: (0x78424F1C, 0x65CBD69C),
    UNALIGNED[1:]: (0x4A62B377, 0x6E49C79A),
    "": (0x106E08D9, 0x7EE3623B),
}
# Kafka, UtilsTest.testMurmur2
OF_JAVA = {
    "21": -973932308,
    "foobar": -790332482,
    "a-little-bit-long-string": -985981536,
    "a-little-bit-longer-string": -1486304829,
    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    "abc": 479470107,
}
# kafkajs, murmur2.spec.js of the partitioner "default" before 2.0
OF_KAFKAJS = {
    "0": 272173970,
    "1": 1311020360,
    "128": 2053105854,
    "2187": -2081355488,
    "16384": 204404061,
    "78125": -677491393,
    "279936": -622460209,
    "823543": 651276451,
    "2097152": 944683677,
    "10000000": -1778616326,
    "170859375": 102939717,
}


def one(key: str) -> np.ndarray:
    """A matrix of one key."""
    return np.frombuffer(key.encode(), np.uint8).reshape(1, -1)


@pytest.mark.parametrize("key", OF_LIBRDKAFKA)
def test_murmur2_and_fnv1a_are_those_of_librdkafka(key: str) -> None:
    murmur, fnv = OF_LIBRDKAFKA[key]
    assert int(murmur2(one(key))[0]) == murmur
    assert int(hashes("fnv1a", [key.encode()])[0]) == fnv


@pytest.mark.parametrize("key", OF_JAVA)
def test_murmur2_is_that_of_the_java_client(key: str) -> None:
    assert int(murmur2(one(key)).view(np.int32)[0]) == OF_JAVA[key]


@pytest.mark.parametrize("key", OF_KAFKAJS)
def test_kafkajs_before_2_0_has_a_murmur2_of_its_own(key: str) -> None:
    assert int(kafkajs_legacy(one(key)).view(np.int32)[0]) == OF_KAFKAJS[key]


def test_crc32_is_that_of_zlib() -> None:
    chance = random.Random(7)
    keys = [chance.randbytes(chance.randrange(40)) for _ in range(200)]
    assert [int(one) for one in hashes("crc32", keys)] == [zlib.crc32(key) for key in keys]


@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_many_keys_have_the_hashes_that_each_has_alone(partitioner: str) -> None:
    keys = [b"customer-%d" % number for number in range(0, 12_000, 113)]
    assert hashes(partitioner, keys).tolist() == [int(hashes(partitioner, [key])[0]) for key in keys]


KEYS = [b"customer-%d" % number for number in range(60)]


def placed(partitioner: str, count: int, keys: list[bytes] = KEYS) -> list[int]:
    return [int(number) % count for number in hashes(partitioner, keys)]


@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_keys_prove_their_partitioner(partitioner: str) -> None:
    assert fit_of(KEYS, placed(partitioner, 6)) == Fit(partitioner, 6, 60)
    assert fit_of(KEYS, placed(partitioner, 6), 6) == Fit(partitioner, 6, 60)


def test_a_few_records_may_name_their_partition() -> None:
    partitions = placed("murmur2", 6)
    partitions[7] = (partitions[7] + 1) % 6
    assert fit_of(KEYS, partitions) == Fit("murmur2", 6, 59)


def test_few_keys_prove_nothing() -> None:
    assert fit_of(KEYS[:4], placed("murmur2", 6, KEYS[:4])) is None
    assert fit_of([], []) is None


def test_keys_placed_at_random_or_by_two_partitioners_prove_nothing() -> None:
    dice = random.Random(4)
    assert fit_of(KEYS, [dice.randrange(6) for _ in KEYS]) is None
    assert fit_of(KEYS, placed("murmur2", 6)[:30] + placed("crc32", 6)[30:]) is None


def test_one_partition_of_a_topic_proves_it_if_its_keys_are_many_enough() -> None:
    many = [b"customer-%d" % number for number in range(600)]
    keys = [key for key, partition in zip(many, placed("murmur2", 6, many), strict=True) if partition == 2]
    assert fit_of(keys, [2] * len(keys), 6) == Fit("murmur2", 6, len(keys))


def test_a_topic_of_one_partition_says_nothing() -> None:
    assert fit_of(KEYS, [0] * len(KEYS), 1) is None
