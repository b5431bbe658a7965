"""Kafka Connect's three topics, in which its workers keep what they share: configs, offsets and status.

One dialect, for the kind of a record stands in its key:

    keys       key -> what it is about            sniff      recognise the topics
    interpret  records -> entries                 replay     entries -> state, refusals, as a worker starts

Workers with exactly-once support write configs and offsets in transactions, and read committed ones only.
"""

from __future__ import annotations

from spark.dialects import Dialect
from spark.dialects.connect.interpret import interpret
from spark.dialects.connect.replay import replay
from spark.dialects.connect.sniff import family, sniff

dialect = Dialect(
    id="connect",
    title="Kafka Connect (configs, offsets, status)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    family=family,
    reads_committed=True,
)
