"""What clients meet at a topic of some message format: the exceptions of producers, the price of old consumers.

Source: Kafka `MemoryRecordsBuilder.appendWithOffset`, `RecordAccumulator.recordsBuilder`,
`TransactionManager`, `LogValidator.validateBatch`, `KafkaApis.maybeDownConvert`; KIP-98, KIP-188, KIP-679, KIP-896.
"""

from __future__ import annotations

from spark.advice.brokers import Broker
from spark.advice.format_history import FormatHistory

OLD_BROKER = "With a broker older than 0.11"
NEW_BROKER = "With a broker of 0.11 or later whose topic is in an older format"


def producers(magic: int, broker: Broker) -> list[str]:
    """What producers get where the newest batches are of this format, at each stage that is possible."""
    if magic >= 2:
        return ["Headers, idempotence and transactions work: the newest batches have message format 2."]
    sentences = [
        "Brokers accept records without headers from producers without idempotence and transactions."
    ]
    if broker.is_new is not True:
        sentences += refused_by_client(magic)
    if broker.is_new is not False:
        sentences += refused_by_broker(magic)
    sentences.append(
        "Producers with clients 3.0 or later enable idempotence by default (KIP-679). For this topic, set "
        "enable.idempotence=false."
    )
    if magic == 0:
        sentences.append(
            "Message format 0 contains no timestamps. Consumers get -1, and retention uses the modification times of the files."
        )
    return sentences


def refused_by_client(magic: int) -> list[str]:
    """Stage one: the client knows from the broker's version that format 2 cannot be sent."""
    return [
        f"{OLD_BROKER}, a record with headers fails in the producer itself, before it is sent: "
        f'java.lang.IllegalArgumentException: "Magic v{magic} does not support record headers".',
        f"{OLD_BROKER}, idempotence and transactions fail in the producer with UnsupportedVersionException: "
        '"Attempting to use idempotence with a broker which does not support the required message format (v2). '
        'The broker must be version 0.11 or later.", or the same exception for INIT_PRODUCER_ID.',
    ]


def refused_by_broker(magic: int) -> list[str]:
    """Stage two: the client sends format 2, the broker fails to convert it."""
    return [
        f"{NEW_BROKER}, the producer sends message format 2, and the broker rejects a batch in which a record has headers. The producer gets "
        "UNKNOWN_SERVER_ERROR (UnknownServerException). Only the broker's log contains "
        f'java.lang.IllegalArgumentException: "Magic v{magic} does not support record headers". No record is written.',
        f"{NEW_BROKER}, idempotent and transactional batches get UNSUPPORTED_FOR_MESSAGE_FORMAT: "
        f'UnsupportedForMessageFormatException: "Idempotent records cannot be used with magic version {magic}" or '
        f'"Transactional records cannot be used with magic version {magic}".',
        f"{NEW_BROKER}, it decompresses and rewrites every batch of a newer producer. This uses processor time and memory.",
    ]


def consumers(history: FormatHistory, broker: Broker) -> list[str]:
    """What reading costs: batches of format 2 for clients that know only older ones."""
    if all(format_range.is_old for format_range in history.ranges):
        return old_batches()
    price = (
        "For consumers older than 0.11 (Fetch version 3 or lower), the broker converts batches of message format 2 at every read. It "
        "does this in memory, without zero copy. The consumers get no headers and cannot read zstd batches."
    )
    gone = (
        "Brokers from 4.0 do not convert batches and reject such consumers with UNSUPPORTED_VERSION. Upgrade these clients to 2.1 or "
        "later first."
    )
    if broker.converts_for_none:
        return [gone, *old_batches(history)]
    switch = (
        "With message.downconversion.enable=false the broker rejects these consumers. The broker metrics "
        "FetchMessageConversionsPerSec and MessageConversionsTimeMs show whether such consumers exist."
    )
    return [price, switch, gone, *old_batches(history)]


def old_batches(history: FormatHistory | None = None) -> list[str]:
    """Batches in an older format do not change and stay readable."""
    if history is not None and not any(format_range.is_old for format_range in history.ranges):
        return []
    return [
        "Batches of message formats 0 and 1 stay unchanged until retention or compaction removes them. Every broker up to 4.x and every "
        "newer consumer reads them without conversion."
    ]
