"""Advice on a live cluster: formats found by samples, and what follows from brokers and settings."""

from __future__ import annotations

import pytest

from tests.generator.legacy import message
from tests.generator.segment import Record
from tests.workers.capture.small_cluster import NEW, OLD, TOPIC, Log, SmallCluster, filled
from workers.capture.format_advice import Sample, advise, sampled

OLD_FORMAT = {"message.format.version": "0.10.2", "inter.broker.protocol.version": "2.8"}
OF_2_8 = {**NEW, 0: (0, 9), 1: (0, 12)}


def old(count: int, first: int = 0) -> list[tuple[int, int, bytes]]:
    """Messages of format 1."""
    return [(at, at, message(Record(b"k", b"v"), at)) for at in range(first, first + count)]


def stretches(*logs: Log, versions: dict[int, tuple[int, int]] | None = None) -> list[tuple[int, ...]]:
    with (
        SmallCluster(*logs, **({"versions": versions} if versions else {})) as small,
        small.connected() as ours,
    ):
        rows = advise(ours, TOPIC)["formats"]
    return [(row["partition"], row["magic"], row["first_offset"], row["last_offset"]) for row in rows]


def test_a_log_of_one_format_is_one_stretch() -> None:
    assert stretches(Log(filled(200))) == [(0, 2, 0, 399)]


def test_an_empty_log_has_none() -> None:
    assert stretches(Log()) == []


@pytest.mark.parametrize("border", [1, 7, 200, 501, 998])
def test_the_border_between_two_formats_is_found_to_the_batch(border: int) -> None:
    entries = old(border) + filled((1000 - border) // 2, first=border)
    end = border + 2 * ((1000 - border) // 2)
    assert stretches(Log(entries)) == [(0, 1, 0, border - 1), (0, 2, border, end - 1)]


def test_each_partition_is_sampled() -> None:
    assert stretches(Log(filled(5)), Log(old(4))) == [(0, 2, 0, 9), (1, 1, 0, 3)]


def test_a_border_beside_a_gap_is_found() -> None:
    held = {0: 1, 1: 1, 900: 2, 999: 2}

    def take(offset: int) -> Sample | None:
        at = min((each for each in held if each >= offset), default=None)
        return None if at is None else Sample(at, at, held[at], -1, None)

    rows = sampled("t", 0, 0, 1000, take)
    assert [(row["magic"], row["first_offset"], row["last_offset"]) for row in rows] == [
        (1, 0, 1),
        (2, 900, 999),
    ]


def test_a_topic_held_at_an_old_format_refuses_headers_with_the_exact_exception() -> None:
    with SmallCluster(Log(old(4)), configs=OLD_FORMAT, versions=OF_2_8) as small, small.connected() as ours:
        found = advise(ours, TOPIC)
    (headers,) = [fit for fit in found["advice"]["fits"] if fit["feature"] == "record headers"]
    assert headers["outcome"] == "fails"
    assert "Magic v1 does not support record headers" in headers["exception"]
    assert found["brokers"][0]["release"] == "2.8 to 3.0"
    assert found["topic"]["configs"]["message.format.version"]["value"] == "0.10.2"


def test_an_old_broker_says_what_it_can() -> None:
    with SmallCluster(Log(old(4)), versions=OLD) as small, small.connected() as ours:
        found = advise(ours, TOPIC)
    assert [row["magic"] for row in found["formats"]] == [1]
    assert "DescribeConfigs" in " ".join(note["question"] for note in found["not_asked"])
    assert "Magic v1 does not support record headers" in str(found["advice"]["fits"])
