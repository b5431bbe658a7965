"""Dead-letter topics, recognised by their headers."""

from __future__ import annotations

import pytest

from spark.dialects import dialects
from spark.dialects.dead_letters import WRITERS, dialect, sniff
from tests.builders import records_table

Headers = list[dict[str, bytes | None]]


def headers(*names: str) -> Headers:
    return [{"key": name.encode(), "value": b"1"} for name in names]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.title)
def test_each_writer_is_recognised(writer) -> None:  # type: ignore[no-untyped-def]
    letter = headers("trace", writer.topic, writer.partition, writer.offset)
    match = sniff("any", records_table({"headers": letter}, {"headers": letter, "value": None}))
    assert match.score > dialects()["streams-changelog"].sniff("a-b-changelog", records_table({})).score
    assert writer.title in match.why


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"headers": None}],
        [{"headers": []}],
        [{"headers": headers("__dlq.errors.topic")}],
        [{"headers": headers("__dlq.errors.topic", "__streams.errors.offset")}],
        [{"headers": headers("__dlq.errors.topic", "__dlq.errors.offset")}, {"headers": []}],
        [{"headers": headers("kafka_original-topic", "kafka_original-offset")}],
    ],
    ids=[
        "empty",
        "no headers in the layout",
        "none",
        "topic alone",
        "of two writers",
        "one in between",
        "a retry topic",
    ],
)
def test_other_topics_are_none(rows: list[dict[str, Headers | None]]) -> None:
    assert sniff("orders.DLT", records_table(*rows)).score == 0


def test_nothing_is_read_or_replayed_so_that_checks_of_values_run() -> None:
    assert (dialect.interpret, dialect.replay) == (None, None)
