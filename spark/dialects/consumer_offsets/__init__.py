"""`__consumer_offsets`: committed offsets and group membership, as the group coordinators keep them.

interpret      records -> entries                 groups    a coordinator's state in memory
replay         entries -> state, rejections

Recognised by keys that begin with a record type and contain exactly its fields.
"""

from __future__ import annotations

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._interpret import are_read
from spark.dialects.consumer_offsets.interpret import interpret, read_record
from spark.dialects.consumer_offsets.replay import replay
from spark.terms.wording import grouped

TOPIC = "__consumer_offsets"
SAMPLE_RECORDS = 500
NAMED, READABLE, ONLY_NAMED = 100, 80, 90
NO_COORDINATOR = "Keys and values are not those of Kafka's group coordinators."
MAX_SHARE = 0.9  # a broker of another make mixes records of its own in


def sniff(topic: str, records: pa.Table) -> Match:
    """By the bytes of keys and values; the topic's name decides the rest."""
    is_named, sample = topic == TOPIC, records.slice(0, SAMPLE_RECORDS)
    if not is_named and not are_read(sample, read_record, MAX_SHARE):
        return Match(0, NO_COORDINATOR)
    errors = interpret(sample).column("decode_error")
    readable = errors.null_count
    if readable and readable >= MAX_SHARE * len(errors):
        why = f"{grouped(readable)} of {grouped(len(errors))} checked records are those of Kafka's group coordinators."
        return Match(NAMED if is_named else READABLE, why)
    if is_named:
        return Match(
            ONLY_NAMED, "The topic has the name in which Kafka's group coordinators keep their state."
        )
    return Match(0, NO_COORDINATOR)


dialect = Dialect(
    id="consumer-offsets",
    title="Group coordinator (__consumer_offsets)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    reads_committed=True,
)
