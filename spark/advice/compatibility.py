"""Clients side by side with a cluster and the format of a topic: what works, what fails and with which exception.

A client asks for the versions that a broker speaks and takes the newest that both know. So what a feature needs is a version
of a request on every broker (the one that leads decides), and for what is stored also the topic's message format.

Source: Kafka `ProduceRequest.validateRecords`, `MemoryRecordsBuilder`, `TransactionManager`, `LogValidator`,
`KafkaApis.maybeDownConvert`; KIP-98, KIP-110, KIP-679, KIP-896.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from spark.advice.rolling import LiveBroker
from spark.terms.wording import listed

PRODUCE, FETCH, INIT_PRODUCER_ID, ADD_PARTITIONS = 0, 1, 22, 24
OF_FORMAT_1, OF_FORMAT_2 = 2, 3  # Produce
WITH_ZSTD = {PRODUCE: 7, FETCH: 10}
UNCONVERTED = 4  # Fetch: batches of format 2 as they are
NO_ZSTD = "java.lang.IllegalArgumentException: ZStandard compression is not supported for magic"

Outcome = Literal["works", "costs", "fails"]


@dataclass(frozen=True)
class ClientCompatibility:
    """One kind of client and what it does. `exception`: its text or the code of the error; `raised_by`: who says it."""

    client: str
    feature: str
    outcome: Outcome
    why: str
    exception: str | None = None
    raised_by: Literal["client", "broker"] | None = None


def client_compatibilities(
    brokers: Sequence[LiveBroker], magic: int, *, converts: bool = True
) -> list[ClientCompatibility]:
    """Every kind of client. `magic`: the oldest format that a leader writes; `converts`: message.downconversion.enable."""
    return [
        plain(brokers),
        headers(brokers, magic),
        idempotence(brokers, magic),
        transactions(brokers, magic),
        zstd(brokers, magic),
        old_consumers(brokers, magic, converts),
        zstd_consumers(brokers, magic),
    ]


def lacking(brokers: Sequence[LiveBroker], key: int, least: int) -> str:
    """The brokers that do not speak this version of a request, as a clause; empty where all that were asked do."""
    unable = [broker for broker in brokers if broker.api_versions and broker.speaks(key)[1] < least]
    return listed(f"{broker.name} ({broker.release})" for broker in unable)


def refusing(brokers: Sequence[LiveBroker], key: int, newest: int) -> str:
    """The brokers whose oldest version of a request is above this one."""
    return listed(broker.name for broker in brokers if broker.speaks(key)[0] > newest)


def plain(brokers: Sequence[LiveBroker]) -> ClientCompatibility:
    """The oldest producers."""
    client, feature = "Producers older than 0.11", "records without headers"
    if names := refusing(brokers, PRODUCE, OF_FORMAT_2 - 1):
        why = f"{names} no longer supports Produce versions 0 to 2 (KIP-896, Kafka 4.0)."
        return ClientCompatibility(
            client, feature, "fails", why, "UNSUPPORTED_VERSION (UnsupportedVersionException)", "broker"
        )
    return ClientCompatibility(
        client, feature, "works", "The broker converts them if the topic has another message format."
    )


def headers(brokers: Sequence[LiveBroker], magic: int) -> ClientCompatibility:
    """KIP-82: record headers."""
    client, feature = "Producers of 0.11 and later", "record headers"
    if names := lacking(brokers, PRODUCE, OF_FORMAT_2):
        built = 1 if not lacking(brokers, PRODUCE, OF_FORMAT_1) else 0
        why = f"{names} does not support message format 2, so the producer builds format {built} and fails before it sends the record."
        text = f"java.lang.IllegalArgumentException: Magic v{built} does not support record headers"
        return ClientCompatibility(client, feature, "fails", why, text, "client")
    if magic < 2:
        why = (
            f"The broker fails to convert the records to message format {magic}. The producer gets UNKNOWN_SERVER_ERROR. The text is in "
            "the broker's log. No record is written."
        )
        text = f"java.lang.IllegalArgumentException: Magic v{magic} does not support record headers"
        return ClientCompatibility(client, feature, "fails", why, text, "broker")
    return ClientCompatibility(client, feature, "works", "Message format 2 contains headers.")


def idempotence(brokers: Sequence[LiveBroker], magic: int) -> ClientCompatibility:
    """KIP-98, on by default since KIP-679."""
    client = "Producers with enable.idempotence (the default of clients since 3.0)"
    return identified(
        brokers, magic, client, "idempotence", INIT_PRODUCER_ID, "InitProducerId", "Idempotent records"
    )


def transactions(brokers: Sequence[LiveBroker], magic: int) -> ClientCompatibility:
    """KIP-98."""
    client, feature = "Producers with a transactional.id", "transactions"
    compatibility = identified(
        brokers, magic, client, feature, ADD_PARTITIONS, "AddPartitionsToTxn", "Transactional records"
    )
    if compatibility.outcome == "works" or compatibility.raised_by == "client":
        return compatibility
    why = (
        f"Message format {magic} cannot contain producer IDs. The producer gets UNKNOWN_SERVER_ERROR, or for compressed batches "
        "UNSUPPORTED_FOR_MESSAGE_FORMAT. The text is in the broker's log. No record is written."
    )
    text = f"java.lang.IllegalArgumentException: Transactional records are not supported for magic {magic}"
    return ClientCompatibility(client, feature, "fails", why, text, "broker")


def identified(
    brokers: Sequence[LiveBroker], magic: int, client: str, feature: str, key: int, request: str, records: str
) -> ClientCompatibility:
    """What needs a producer id."""
    if names := lacking(brokers, key, 0):
        why = f"{names} does not support {request}: the software or inter.broker.protocol.version is below 0.11."
        return ClientCompatibility(client, feature, "fails", why, "UnsupportedVersionException", "client")
    if magic < 2:
        why = f"Message format {magic} cannot contain producer IDs. The broker rejects the batch with UNSUPPORTED_FOR_MESSAGE_FORMAT."
        text = f"UnsupportedForMessageFormatException: {records} cannot be used with magic version {magic}"
        return ClientCompatibility(client, feature, "fails", why, text, "broker")
    return ClientCompatibility(
        client,
        feature,
        "works",
        "Message format 2 contains producer IDs, producer epochs and sequence numbers.",
    )


def zstd(brokers: Sequence[LiveBroker], magic: int) -> ClientCompatibility:
    """KIP-110."""
    client, feature = "Producers of 2.1 and later", "compression.type=zstd"
    if names := lacking(brokers, PRODUCE, WITH_ZSTD[PRODUCE]):
        why = f"{names} does not support Produce version 7."
        newest = min(broker.speaks(PRODUCE)[1] for broker in brokers)
        text = f"UnsupportedCompressionTypeException: Produce requests with version {newest} are not allowed to use ZStandard compression"
        if newest < OF_FORMAT_2:
            text = f"{NO_ZSTD} {int(newest >= OF_FORMAT_1)}"
        return ClientCompatibility(client, feature, "fails", why, text, "client")
    if magic < 2:
        why = f"The broker would have to convert the batch to message format {magic}, which does not support zstd. No record is written."
        return ClientCompatibility(client, feature, "fails", why, f"{NO_ZSTD} {magic}", "broker")
    return ClientCompatibility(client, feature, "works", "Message format 2 supports zstd.")


def old_consumers(brokers: Sequence[LiveBroker], magic: int, converts: bool) -> ClientCompatibility:
    """Fetch up to version 3."""
    client, feature = "Consumers older than 0.11", "reading"
    code = "UNSUPPORTED_VERSION (UnsupportedVersionException)"
    if names := refusing(brokers, FETCH, UNCONVERTED - 1):
        return ClientCompatibility(
            client,
            feature,
            "fails",
            f"{names} no longer supports Fetch versions 0 to 3 (KIP-896, Kafka 4.0).",
            code,
            "broker",
        )
    if magic < 2:
        return ClientCompatibility(
            client,
            feature,
            "works",
            f"The broker sends batches of message format {magic} unchanged and converts batches of format 2.",
        )
    if not converts:
        why = "With message.downconversion.enable=false the broker does not convert batches of message format 2."
        return ClientCompatibility(client, feature, "fails", why, code, "broker")
    why = "The broker converts every batch of message format 2 at every read, in memory and without headers. It cannot send zstd batches."
    return ClientCompatibility(client, feature, "costs", why)


def zstd_consumers(brokers: Sequence[LiveBroker], magic: int) -> ClientCompatibility:
    """KIP-110, the other side."""
    client, feature = "Consumers older than 2.1", "reading batches compressed with zstd"
    if magic < 2 or lacking(brokers, FETCH, WITH_ZSTD[FETCH]):
        return ClientCompatibility(client, feature, "works", "This cluster cannot contain such batches.")
    why = "They use a Fetch version below 10, and the broker does not send such batches."
    text = "UNSUPPORTED_COMPRESSION_TYPE (UnsupportedCompressionTypeException)"
    return ClientCompatibility(client, feature, "fails", why, text, "broker")
