"""What follows for a service that reads its journal with a Java consumer, where that gets no further.

Each of them reads to the end of the journal before it serves. Sources: Apicurio Registry `KafkaSqlRegistryStorage` (2.x and 3.x: the
consumer thread ends with the exception of `poll`, and `bootstrapped` stays false), Kafka Connect `KafkaBasedLog` (`poll` logs the exception, `readToLogEnd` goes on), Debezium
`KafkaSchemaHistory.recoverRecords`, Confluent `KafkaStoreReaderThread.doWork` and `KafkaStore.init`.
"""

from __future__ import annotations

from typing import NamedTuple

from spark.detectors.apicurio._journals import SCHEMAS, V2, V3
from spark.detectors.compaction import _kept_journals as kept
from spark.tables.replica import Row
from spark.terms.findings import Whom


class StoppedReader(NamedTuple):
    """`fails`: what its next start comes to, `Apicurio Registry does not ...`; empty where the input does not show which service reads
    the journal. `because`: the same as a sentence with its reason. `whom`: whom it befalls, as effects name it."""

    fails: str
    because: str
    whom: Whom = "service"


REGISTRY = StoppedReader(
    "Apicurio Registry does not become ready after its next start",
    "Apicurio Registry reads the whole journal at each start. The thread that reads it ends with the error of its consumer, and the registry "
    "never becomes ready. A registry that has read further does not notice it until then.",
    "registries",
)
WORKER = StoppedReader(
    "Kafka Connect does not start again",
    'A worker of Kafka Connect reads the whole topic at each start. Its consumer gets no further, the worker logs "Error polling" again and again, '
    "and its start does not end. A worker that has read further does not notice it until then.",
    "workers",
)
READERS = {
    V2: REGISTRY,
    V3: REGISTRY,
    kept.CONFIGS: WORKER,
    kept.OFFSETS: WORKER,
    kept.STATUS: WORKER,
    kept.DEBEZIUM: StoppedReader(
        "The Debezium connector does not start again",
        "The connector reads the whole history at each start and fails with the error of its consumer.",
    ),
    SCHEMAS: StoppedReader(
        "",
        "A Confluent schema registry does not start on this log: the thread that reads it ends with the error of its consumer, and the start "
        "waits for the last offset until its timeout (`kafkastore.init.timeout.ms`).",
    ),
}


def stopped_reader(row: Row) -> StoppedReader:
    """Of the service whose journal the topic is; of any other topic nothing. `row`: with its `journal`."""
    return READERS.get(row.get("journal") or "", StoppedReader("", ""))
