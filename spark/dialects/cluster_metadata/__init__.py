"""`__cluster_metadata`: the journal of the KRaft controllers, from which every broker learns the cluster.

interpret   records -> entries without secrets      cluster     a controller's state, one function per record type
replay      entries -> state, rejections            snapshots   the snapshot that a log without its head starts from

Journal and snapshots are recognised by records without keys whose values are framed records of a known type.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from spark.dialects import Dialect, Match
from spark.dialects._interpret import are_read, data_records
from spark.dialects.cluster_metadata.interpret import interpret, read_record
from spark.dialects.cluster_metadata.replay import replay
from spark.dialects.cluster_metadata.snapshots import base, snapshot_of
from spark.terms.wording import grouped

TOPIC = "__cluster_metadata"
SAMPLE_RECORDS = 500
NAMED, READABLE, ONLY_NAMED = 100, 80, 90
NO_CONTROLLER = "The values are not those of Kafka's controllers."
FEWEST_KINDS = 2  # a short value may look like one record by chance


def sniff(topic: str, records: pa.Table) -> Match:
    """By the bytes of all values; the topic's name decides the rest."""
    is_named = topic == TOPIC or topic.startswith(f"{TOPIC} ")
    sample = records.slice(0, SAMPLE_RECORDS)
    if not is_named and not are_read(sample, read_record):
        return Match(0, NO_CONTROLLER)
    entries = interpret(sample)
    has_keys = pc.any(pc.invert(data_records(sample).column("key_is_null"))).as_py()
    is_readable = entries.num_rows and entries.column("decode_error").null_count == entries.num_rows
    kinds = len(entries.column("entry_type").unique())
    if is_readable and not has_keys and (is_named or kinds >= FEWEST_KINDS):
        why = f"All {grouped(entries.num_rows)} checked records have no key and are framed as the controllers' records."
        return Match(NAMED if is_named else READABLE, why)
    if is_named:
        return Match(ONLY_NAMED, "The topic has the name in which Kafka's controllers keep their journal.")
    return Match(0, NO_CONTROLLER)


dialect = Dialect(
    id="cluster-metadata",
    title="KRaft controllers (__cluster_metadata)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    is_compacted=False,
    base=base,
    snapshot_of=snapshot_of,
)
