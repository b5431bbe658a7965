"""Dead-letter topics: records that consumers could not process, recognised by the headers that their writers add.

    share groups      __dlq.errors.topic, .partition, .offset, .group, .delivery.count?, .message?      numbers as text
    Kafka Connect     __connect.errors.topic, .partition, .offset, .connector.name, .exception.class.name, ..   numbers as text
    Kafka Streams     __streams.errors.topic, .partition, .offset, .exception, ..                       numbers as text
    spring-kafka      kafka_dlt-original-topic, -partition (int32), -offset (int64), -consumer-group, kafka_dlt-exception-fqcn, ..
    SmallRye          dead-letter-topic, -partition, -offset, -exception-class-name, -reason            numbers as text

Key and value are those of the original record, or null, so nothing is replayed. Source: Kafka `ShareGroupDLQStateManager` (4.4,
KIP-1191), `DeadLetterQueueReporter` (KIP-298), `ExceptionHandlerUtils` (4.2, 4.4, KIP-1034), spring-kafka `KafkaHeaders`,
`DeadLetterPublishingRecoverer` (3.x), SmallRye `KafkaDeadLetterQueue`.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._interpret import data_records
from spark.terms.wording import grouped

ID = "dead-letters"
MAX_SAMPLED = 500
WHY_NOT = "The records do not all have the headers of dead letters."
SCORE = 75  # below every journal that is read by its keys and values


@dataclass(frozen=True)
class DeadLetterWriter:
    """A program that writes dead letters, and its names of headers; of `errors` the first that a record has counts."""

    title: str
    topic: str
    partition: str
    offset: str
    reader: str  # the group or connector that could not process the record
    reader_noun: str
    errors: tuple[str, ...]  # classes of exceptions
    message: str
    has_binary_numbers: bool = False


WRITERS = (
    DeadLetterWriter(
        "Kafka's share groups", "__dlq.errors.topic", "__dlq.errors.partition", "__dlq.errors.offset", "__dlq.errors.group", "share group",
        (), "__dlq.errors.message",
    ),
    DeadLetterWriter(
        "Kafka Connect", "__connect.errors.topic", "__connect.errors.partition", "__connect.errors.offset",
        "__connect.errors.connector.name", "connector", ("__connect.errors.exception.class.name",), "__connect.errors.exception.message",
    ),
    DeadLetterWriter(
        "Kafka Streams", "__streams.errors.topic", "__streams.errors.partition", "__streams.errors.offset", "", "",
        ("__streams.errors.exception",), "__streams.errors.message",
    ),
    DeadLetterWriter(
        "spring-kafka", "kafka_dlt-original-topic", "kafka_dlt-original-partition", "kafka_dlt-original-offset",
        "kafka_dlt-original-consumer-group", "group", ("kafka_dlt-exception-cause-fqcn", "kafka_dlt-exception-fqcn"),
        "kafka_dlt-exception-message", has_binary_numbers=True,
    ),
    DeadLetterWriter(
        "SmallRye Reactive Messaging", "dead-letter-topic", "dead-letter-partition", "dead-letter-offset", "", "",
        ("dead-letter-exception-class-name",), "dead-letter-reason",
    ),
)  # fmt: skip


def sniff(topic: str, records: pa.Table) -> Match:
    """By the headers of all sampled records: they name the topic and the offset that a record comes from."""
    sample = data_records(records.slice(0, MAX_SAMPLED)).column("headers")
    if not len(sample) or not sample[0].as_py():  # spares most topics the rest
        return Match(0, WHY_NOT)
    names = [{header["key"] for header in headers or ()} for headers in sample.to_pylist()]
    for writer in WRITERS:
        if all({writer.topic.encode(), writer.offset.encode()} <= of_record for of_record in names):
            why = f"All {grouped(len(names))} checked records have the headers of dead letters of {writer.title}."
            return Match(SCORE, why)
    return Match(0, WHY_NOT)


dialect = Dialect(id=ID, title="Dead-letter topic", sniff=sniff, is_compacted=False)
