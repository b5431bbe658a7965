"""What a report says about a dead-letter topic: writers, origins and reasons, from the headers of all records."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from spark.report.report_text import coverage_text
from tests.generator.segment import Record, segment
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

Headers = tuple[tuple[bytes, bytes | None], ...]
LOG = "00000000000000000000.log"


def share(offset: int, deliveries: int | None, message: bytes) -> Headers:
    """As a broker of 4.4 writes them."""
    count = () if deliveries is None else ((b"__dlq.errors.delivery.count", str(deliveries).encode()),)
    return (
        (b"__dlq.errors.topic", b"orders"), (b"__dlq.errors.partition", b"1"), (b"__dlq.errors.offset", str(offset).encode()),
        (b"__dlq.errors.group", b"workers"), *count, (b"__dlq.errors.message", message),
    )  # fmt: skip


def connect(partition: int, offset: int) -> Headers:
    prefix = b"__connect.errors."
    return (
        (prefix + b"topic", b"orders"), (prefix + b"partition", str(partition).encode()), (prefix + b"offset", str(offset).encode()),
        (prefix + b"connector.name", b"sink"), (prefix + b"exception.class.name", b"org.apache.kafka.connect.errors.DataException"),
    )  # fmt: skip


def spring(
    offset: int, failure: bytes = b"java.lang.IllegalStateException", group: bytes = b"Gr\xc3\xb6\xc3\x9fe"
) -> Headers:
    return (
        (b"kafka_dlt-original-topic", b"orders"), (b"kafka_dlt-original-partition", struct.pack(">i", 2)),
        (b"kafka_dlt-original-offset", struct.pack(">q", offset)), (b"kafka_dlt-original-consumer-group", group),
        (b"kafka_dlt-exception-fqcn", b"org.springframework.kafka.listener.ListenerExecutionFailedException"),
        (b"kafka_dlt-exception-cause-fqcn", failure),
    )  # fmt: skip


def streams(offset: bytes) -> Headers:
    prefix = b"__streams.errors."
    return (
        (prefix + b"exception", b"java.lang.IllegalStateException"), (prefix + b"message", None), (prefix + b"topic", b"orders"),
        (prefix + b"partition", b"1"), (prefix + b"offset", offset),
    )  # fmt: skip


def report(folder: Path, *letters: Headers, topic: str = "failed") -> dict[str, Any]:
    log = segment([Record(b"k", b"v", headers=headers) for headers in letters])
    return report_of(write(folder / "input", {f"{topic}-0/{LOG}": log}), folder / "results")


@pytest.mark.parametrize(
    ("letters", "sentences"),
    [
        (
            [share(3, 1, b"Offset rejected by client."), share(4, 5, b"Offset delivery count exceeded the threshold."),
             share(9, None, b"Offset rejected by client.")],
            ["3 dead letters of share groups (share group workers).", "The original records: orders-1, offsets 3-9 (3 records).",
             "Reasons: Offset rejected by client. (2 records) and Offset delivery count exceeded the threshold. (1 record).",
             "A record was delivered up to 5 times."],
        ),
        (
            [connect(0, 5), connect(0, 5), connect(1, 7)],
            ["3 dead letters of Kafka Connect (connector sink).",
             "The original records: orders-0, offset 5 (2 records) and orders-1, offset 7 (1 record).",
             "Reasons: org.apache.kafka.connect.errors.DataException (3 records)."],
        ),
        (
            [spring(1 << 40), (*spring(7), *spring(8, b"java.io.IOException"))],
            ["2 dead letters of spring-kafka (group Größe).", "The original records: orders-2, offsets 7-1099511627776 (2 records).",
             "Reasons: java.io.IOException (1 record) and java.lang.IllegalStateException (1 record)."],
        ),
        (
            [streams(b"3"), streams(b"none")],
            ["2 dead letters of Kafka Streams.", "The original records: orders-1, offset 3 (2 records).",
             "Reasons: java.lang.IllegalStateException (2 records)."],
        ),
    ],
    ids=["share group", "Connect", "spring-kafka, failed twice", "Streams, an offset that is no number"],
)  # fmt: skip
def test_the_headers_are_counted(tmp_path: Path, letters: list[Headers], sentences: list[str]) -> None:
    written = report(tmp_path, *letters)
    (journal,) = written["journals"]
    assert (journal["dialect"], journal["is_replayed"], journal["facts"]) == (
        "dead-letters",
        False,
        sentences,
    )
    assert len(journal["typed"]["facts"]) == len(sentences)
    assert sentences[0].split(" (")[0] in " ".join(coverage_text(written).split())
    assert written["verdict"]["level"] == "healthy"


def test_a_plain_topic_has_no_facts(tmp_path: Path) -> None:
    (journal,) = report(tmp_path, ((b"trace", b"1"),))["journals"]
    assert (journal["dialect"], journal["facts"]) == ("plain", [])
