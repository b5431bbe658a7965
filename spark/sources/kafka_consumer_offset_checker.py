"""`kafka-consumer-offset-checker` (ConsumerOffsetChecker, Kafka 0.8 to 0.11): a row for each partition that a group reads.

    Group Topic Pid Offset logSize Lag Owner

`unknown`: the group has committed no offset. The tool asks Kafka for the offset (from 0.8.2 on), then ZooKeeper, and for the end of
the log afterwards; a row does not say where the offset was. Source: Kafka `ConsumerOffsetChecker` 0.8.0 to 0.11.0.
"""

from __future__ import annotations

import re

from spark.sources._grammar.tables import DeclaredTable, columns
from spark.sources.kafka_consumer_groups import facts, is_beyond, sentence

TABLES = (
    columns(
        "offset", "Group {group:cell}", "Topic {topic}", "Pid {partition}{}", "Offset {committed:optional}", "logSize {end:optional}",
        "Lag {lag:cell}", "Owner {owner:cell}", may_lack=1,
    ),
)  # fmt: skip

declared = DeclaredTable(
    "kafka-consumer-offset-checker", "kafka-consumer-offset-checker", TABLES, re.compile(rb"kafka-consumer-offset-checker|ConsumerOffsetChecker"),
    facts, sentence, shows_fault=is_beyond,
)  # fmt: skip
source = declared.source()
