"""Changelogs of Kafka Streams: the topic from which an application restores a key-value store, recognised by name.

    key => the store's key       value => the store's value, without its timestamp       null deletes the key

The timestamp of a value is that of its record. Nothing in the bytes says that they belong to Streams, so keys and values stay
as they are: the latest value of each key is what a restore gives. Windows and suppress buffers have dialects of their own.
Source: Kafka Streams `ChangeLoggingTimestampedKeyValueBytesStore`, `ProcessorStateManager` (4.1).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from spark.dialects import Dialect, Match
from spark.dialects._interpret import data_records
from spark.dialects._streams import CHANGELOG, MAX_SAMPLED, NAMED_SCORE


def sniff(topic: str, records: pa.Table) -> Match:
    """By the name, and a key in every record."""
    if not CHANGELOG.fullmatch(topic):
        return Match(0, "The name is not that of a changelog of Kafka Streams.")
    data = data_records(records).slice(0, MAX_SAMPLED)
    if pc.any(data.column("key_is_null")).as_py():
        return Match(0, "Records have no key. Kafka Streams writes a key in every record of a changelog.")
    return Match(NAMED_SCORE, "The topic has a name that Kafka Streams gives to the changelog of a store.")


dialect = Dialect(id="streams-changelog", title="Kafka Streams changelog", sniff=sniff)
