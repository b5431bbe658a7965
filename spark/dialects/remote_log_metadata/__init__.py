"""`__remote_log_metadata`: which segments the brokers copied to remote storage (tiered storage, KIP-405).

interpret   records -> entries                    replay      entries -> state, as a broker keeps it

Recognised by records without keys whose values are framed events to the last byte. The same records as text
(kafka-dump-log --remote-log-metadata-decoder) stay a plain topic.
"""

from __future__ import annotations

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._interpret import data_records, keys_and_values
from spark.dialects.remote_log_metadata.interpret import interpret, read_record
from spark.dialects.remote_log_metadata.replay import replay
from spark.terms.wording import grouped

TOPIC = "__remote_log_metadata"
SAMPLE_RECORDS = 500
NAMED, READABLE, ONLY_NAMED = 100, 85, 90
TEXT_STARTS = (b"RemoteLogSegment", b"RemotePartition")


def sniff(topic: str, records: pa.Table) -> Match:
    """By the bytes of all values; the topic's name decides the rest."""
    data = data_records(records.slice(0, SAMPLE_RECORDS))
    pairs = list(zip(*keys_and_values(data), strict=True))
    readable = sum(key is None and read_record(key, value)[4] is None for key, value in pairs)
    if readable and readable == len(pairs):
        why = f"All {grouped(readable)} checked records are events of Kafka's tiered storage."
        return Match(NAMED if topic == TOPIC else READABLE, why)
    is_text = any(value is not None and value.startswith(TEXT_STARTS) for _, value in pairs)
    if topic == TOPIC and not is_text:
        return Match(
            ONLY_NAMED, "The topic has the name in which brokers keep the segments of tiered storage."
        )
    return Match(0, "Values are not events of Kafka's tiered storage.")


dialect = Dialect(
    id="remote-log-metadata",
    title="Tiered storage (__remote_log_metadata)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    is_compacted=False,
)
