"""Fields of the transaction coordinators' records. Source: Kafka `TransactionLogKey.json`, `TransactionLogValue.json` (3.9, 4.1)."""

from __future__ import annotations

from spark.codecs.kafka_message.schema import messages

TABLES = messages("""
TransactionLogKey 0
    transactionalId string

TransactionLogValue 0-1 flexible 1+
    producerId int64
    producerEpoch int16
    timeoutMs int32
    state int8
    partitions []{}?
        topic string
        numbers []int32
    lastUpdateTimestamp int64
    startTimestamp int64
    previousProducerId int64 1+ tag 0
    nextProducerId int64 1+ tag 1
    clientTransactionVersion int16 1+ tag 2
    nextProducerEpoch int16 1+ tag 3
""")
KEY, VALUE = TABLES.values()
STATES = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
