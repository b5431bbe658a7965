"""Repartition topics of Kafka Streams: records on their way between two parts of an application, recognised by name.

They contain no state: Streams deletes processed records (`DeleteRecords`), so the topic usually starts late.
Source: Kafka Streams `InternalTopologyBuilder`, `RepartitionTopicConfig`, `TaskManager.maybePurgeCommittedRecords` (4.1).
"""

from __future__ import annotations

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._streams import NAMED_SCORE, REPARTITION


def sniff(topic: str, records: pa.Table) -> Match:
    """By the name alone: keys and values belong to the application."""
    if not REPARTITION.fullmatch(topic):
        return Match(0, "The name is not that of a repartition topic of Kafka Streams.")
    return Match(NAMED_SCORE, "The topic has a name that Kafka Streams gives to its repartition topics.")


dialect = Dialect(
    id="streams-repartition", title="Kafka Streams repartition topic", sniff=sniff, is_compacted=False
)
