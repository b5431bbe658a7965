"""`__share_group_state`: what the share coordinators know of the deliveries of share groups (KIP-932).

interpret   records -> entries                    deliveries  two lists of batches -> one
replay      entries -> state

Recognised by keys that begin with a record type and contain exactly a share partition.
"""

from __future__ import annotations

import pyarrow as pa

from spark.codecs.kafka_message import exact, read_versioned
from spark.codecs.kafka_topics.share_group_state import KEY
from spark.dialects import Dialect, Match
from spark.dialects._interpret import data_records, keys_and_values
from spark.dialects.share_group_state.interpret import interpret, kind_of
from spark.dialects.share_group_state.replay import replay
from spark.terms.errors import Unreadable
from spark.terms.wording import grouped

TOPIC = "__share_group_state"
SAMPLE_RECORDS = 500
NAMED, READABLE, ONLY_NAMED = 100, 85, 90  # READABLE: above group coordinators, whose first keys begin alike
MIN_SHARE = 0.9


def sniff(topic: str, records: pa.Table) -> Match:
    """By the bytes of keys and values; the topic's name decides the rest."""
    data = data_records(records.slice(0, SAMPLE_RECORDS))
    pairs = list(zip(*keys_and_values(data), strict=True))
    readable = sum(is_of_share_partition(*pair) for pair in pairs)
    has_value = any(value is not None for _, value in pairs)
    if readable and readable >= MIN_SHARE * len(pairs) and (has_value or topic == TOPIC):
        why = f"{grouped(readable)} of {grouped(len(pairs))} checked records are those of Kafka's share coordinators."
        return Match(NAMED if topic == TOPIC else READABLE, why)
    if topic == TOPIC:
        return Match(
            ONLY_NAMED, "The topic has the name in which Kafka's share coordinators keep their state."
        )
    return Match(0, "Keys and values are not those of Kafka's share coordinators.")


def is_of_share_partition(key: bytes | None, value: bytes | None) -> bool:
    """Whether the fields of a record use all bytes of key and value."""
    try:
        kind = kind_of(key)
        read_versioned(KEY, key or b"", "key")
    except Unreadable:
        return False
    return value is None or any(exact(form, value) is not None for form in kind.values)


dialect = Dialect(
    id="share-group-state",
    title="Share coordinator (__share_group_state)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    is_compacted=False,  # the coordinator deletes what it no longer needs with DeleteRecords
)
