"""What clients meet at a topic of some message format: the exceptions of producers, the price of old consumers.

Source: Kafka `MemoryRecordsBuilder.appendWithOffset`, `RecordAccumulator.recordsBuilder`,
`TransactionManager`, `LogValidator.validateBatch`, `KafkaApis.maybeDownConvert`; KIP-98, KIP-188, KIP-679, KIP-896.
"""

from __future__ import annotations

from spark.advice.brokers import Broker
from spark.advice.stretches import History

OLD_BROKER = "With a broker older than 0.11"
NEW_BROKER = "With a broker of 0.11 or later whose topic is in an older format"


def producers(magic: int, broker: Broker) -> list[str]:
    """What producers get where the newest batches are of this format, at each stage that is possible."""
    if magic >= 2:
        return ["Headers, idempotence and transactions work: the newest batches are of format 2."]
    found = ["Records without headers, from a producer without idempotence and transactions, are written."]
    if broker.is_new is not True:
        found += refused_by_client(magic)
    if broker.is_new is not False:
        found += refused_by_broker(magic)
    found.append(
        "Producers of clients 3.0 and later use idempotence unless told otherwise (KIP-679): here they need "
        "enable.idempotence=false."
    )
    if magic == 0:
        found.append(
            "Format 0 keeps no timestamps: consumers get -1, and retention goes by the files' times."
        )
    return found


def refused_by_client(magic: int) -> list[str]:
    """Stage one: the client knows from the broker's version that format 2 cannot be sent."""
    return [
        f"{OLD_BROKER}, a record with headers fails in the producer itself, before anything is sent: "
        f'java.lang.IllegalArgumentException: "Magic v{magic} does not support record headers".',
        f"{OLD_BROKER}, idempotence and transactions fail in the producer with UnsupportedVersionException: "
        '"Attempting to use idempotence with a broker which does not support the required message format (v2). '
        'The broker must be version 0.11 or later.", or the same exception for INIT_PRODUCER_ID.',
    ]


def refused_by_broker(magic: int) -> list[str]:
    """Stage two: the client sends format 2, the broker fails to convert it."""
    return [
        f"{NEW_BROKER}, the producer sends format 2 and the broker refuses the whole batch: the producer gets "
        "UNKNOWN_SERVER_ERROR (UnknownServerException), only the broker's log says "
        f'java.lang.IllegalArgumentException: "Magic v{magic} does not support record headers". Nothing is written.',
        f"{NEW_BROKER}, idempotent and transactional batches get UNSUPPORTED_FOR_MESSAGE_FORMAT: "
        f'UnsupportedForMessageFormatException: "Idempotent records cannot be used with magic version {magic}" or '
        f'"Transactional records cannot be used with magic version {magic}".',
        f"{NEW_BROKER}, it unpacks and rewrites every batch of a newer producer, which costs it processor and memory.",
    ]


def consumers(history: History, broker: Broker) -> list[str]:
    """What reading costs: batches of format 2 for clients that know only older ones."""
    if all(stretch.is_old for stretch in history.stretches):
        return old_batches()
    price = (
        "Consumers older than 0.11 (Fetch version 3 and below) make the broker convert batches of format 2 at every "
        "read: in memory, without zero copy, headers are dropped, and zstd cannot be served at all."
    )
    gone = (
        "Brokers of 4.0 and later convert no more: such consumers are refused with UNSUPPORTED_VERSION. Move them "
        "to clients of 2.1 or later first."
    )
    if broker.converts_for_none:
        return [gone, *old_batches(history)]
    switch = (
        "message.downconversion.enable=false refuses them instead; the broker metrics "
        "FetchMessageConversionsPerSec and MessageConversionsTimeMs show whether there are any."
    )
    return [price, switch, gone, *old_batches(history)]


def old_batches(history: History | None = None) -> list[str]:
    """What is in an older format stays so, and stays readable."""
    if history is not None and not any(stretch.is_old for stretch in history.stretches):
        return []
    return [
        "Batches of formats 0 and 1 stay as they are until retention or compaction removes them; every broker up to "
        "4.x and every newer consumer reads them without conversion."
    ]
