"""Lines with a record, as programs log it in formats of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.client_log import source, template_of
from tests.spark.sources.prints import read, recognised, saved

EXAMPLES = {
    "kafka-python": b"t:2:5: key=b'k' value=b'v'",
    "aiokafka": b"consumed:  t 2 5 b'k' b'v' 1529569531392",
    "confluent-kafka-python": b"% t [2] at offset 5 with key b'k':\nb'v'",
    "quick start": b"Consumed event from topic t: key = k          value = v",
    ".NET": b"Consumed message 'v' at: 't [[2]] @5'.",
    ".NET, a producer": b"Delivered 'v' to 't [[2]] @5'",
    ".NET, a producer of 0.11": b"- Delivered 'v' to: t [[2]] @5",
    "confluent-kafka-go": b"% Message on t[2]@5:\nv",
    "kafka-go": b"message at topic/partition/offset t/2/5: k = v",
    "sarama": b"Message claimed: value = v, timestamp = 2023-01-01 10:00:00 +0000 UTC, topic = t",
    "kafkajs": b"- t[2 | 5] / 1602000000000 k#v",
    "rust-rdkafka": b"key: 'Some([107])', payload: 'v', topic: t, partition: 2, offset: 5, timestamp: CreateTime(1602000000000)",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_formats_of_the_clients_examples(tmp_path: Path, name: str) -> None:
    content = b"starting\n" + EXAMPLES[name] + b"\n"
    found = read(source, content, tmp_path)
    [row] = found.records
    assert (row["topic"], row["value"]) == ("t", b"v")
    assert row["key"] == (None if name.startswith((".NET", "confluent-kafka-go", "sarama")) else b"k")
    assert row["offset"] == (0 if name in ("quick start", "sarama") else 5)
    [split] = source.split(saved(content, tmp_path), 0, "?", 0, "")
    assert ("offset" in split.lacks) is (name in ("quick start", "sarama"))
    assert recognised(content, tmp_path)[source.id].matches


@pytest.mark.parametrize(
    "form",
    [
        "offset = {o}, key = {k}, value = {v}",
        "INFO [x-{o}] partition: 0 offset: {o} key: {k} | value: {v}",
        "topic=t partition=0 offset={o} key={k} value={v}",
        "Received (key: {k}; offset: {o}; partition: 0; value: {v}",
        "value={v}, key={k}, offset={o}, timestamp={o}",
    ],
)
def test_labels_of_a_programs_own(tmp_path: Path, form: str) -> None:
    sides = [
        ("k", "v, w"),
        ("null", '{"a": [1,\n2]}' if form.endswith("{v}") else "x"),
        ("j", "http://h:1/?a=b"),
    ]
    content = (
        "\n".join(form.format(o=10 + n, k=key, v=value) for n, (key, value) in enumerate(sides)).encode()
        + b"\nother\n"
    )
    found = read(source, content, tmp_path)
    expected = [
        (10 + n, None if key == "null" else key.encode(), value.encode())
        for n, (key, value) in enumerate(sides)
    ]
    assert [(row["offset"], row["key"], row["value"]) for row in found.records] == expected
    assert "1 line without a record" in found.note


@pytest.mark.parametrize(
    "content",
    [
        b"the offset = 5 and the value = 7 are wrong\nthe key was lost\n",
        b"offset = x, key = k, value = v\n" * 2,
        b"key = k, value = v\n" * 3,
        b"partition 3, offset 7: value too large\n" * 3,
        b'{"topic": "t", "offset": 1, "key": "k", "value": "v"}\n' * 2,
    ],
)
def test_other_lines_are_not(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches


def test_one_line_among_others_is_no_print(tmp_path: Path) -> None:
    line = b"offset = 0, key = k, value = v\n"
    assert template_of(line) is not None
    assert recognised(line, tmp_path)[source.id].matches
    assert not recognised(b"They log\n" + line + b"for each record.\n", tmp_path)[source.id].matches
