"""Prints of Kafka's tools, as their source code of each age writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark.sources import HEAD_BYTES, InputFile, Recognition, sources
from spark.sources._grammar.declared_tables import TOOL_PRINTS

TOPICS = {
    "0.8": "Topic:orders\tPartitionCount:2\tReplicationFactor:3\tConfigs:cleanup.policy=compact,min.compaction.lag.ms=60000\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2\n"
    "\tTopic: orders\tPartition: 1\tLeader: -1\tReplicas: 2,3,1\tIsr: \n",
    "4.1": "Topic: orders\tTopicId: MqaC0ZlYQPKFgPeBTMs6HA\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: "
    "cleanup.policy=compact,delete,segment.bytes=1048576,message.format.version=2.8-IV1\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n",
    "tabs as spaces": "Topic: orders   TopicId: MqaC0ZlYQPKFgPeBTMs6HA  PartitionCount: 1   ReplicationFactor: 1    Configs: cleanup.policy=compact\n"
    "    Topic: orders   Partition: 0    Leader: 1   Replicas: 1 Isr: 1\n",
    "no configs": "Topic: orders\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n",
}
CONFIGS = {
    "1.0": "Configs for topic 'orders' are cleanup.policy=compact,min.compaction.lag.ms=60000\n",
    "0.9": "Configs for topics:orders are cleanup.policy=compact\n",
    "3.9": "Dynamic configs for topic orders are:\n"
    "  cleanup.policy=compact,delete sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:cleanup.policy=compact,delete, DEFAULT_CONFIG:log.cleanup.policy=delete}\n"
    "  retention.ms=-1 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=-1}\n",
    "all": "All configs for topic orders are:\n  cleanup.policy=compact sensitive=false synonyms={}\n  preallocate=false sensitive=false synonyms={}\n",
    "none": "Dynamic configs for topic orders are:\n",
    "broker": "Dynamic configs for broker 1 are:\n  log.cleaner.threads=2 sensitive=false synonyms={}\n",
}
LATEST = "bin/kafka-run-class.sh kafka.tools.GetOffsetShell --broker-list b:9092 --topic orders --time -1\norders:0:130\norders:1:7\n"
EARLIEST = "$ kafka-get-offsets.sh --bootstrap-server b:9092 --topic orders --time earliest\norders:0:42\norders:1:\n"
HANGING = """Topic   Partition  ProducerId  ProducerEpoch  CoordinatorEpoch  StartOffset  LastTimestamp             Duration(min)
orders  0          1000        2              5                 77           2024-03-11T11:14:03.772Z  1200
"""
LIST = "TransactionalId\tCoordinator\tProducerId\tTransactionState\nmover-1        \t1          \t1000      \tOngoing         \nmover-2 \t1 \t1001 \tEmpty\n"
DESCRIBE = (
    "CoordinatorId\tTransactionalId\tProducerId\tProducerEpoch\tTransactionState\tTransactionTimeoutMs\t"
    "CurrentTransactionStartTimeMs\tTransactionDurationMs\tTopicPartitions\n"
    "1            \tmover-1        \t1000      \t2            \tOngoing         \t60000               \t1710155643772                \t1200                 \torders-0       \n"
)
GROUPS = """
Consumer group 'billing' has no active members.

GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID
billing         orders          0          120             130             10              -               -               -
billing         orders          1          -               7               -               -               -               -
"""
GROUPS_1 = """TOPIC                          PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG        CONSUMER-ID                                       HOST                           CLIENT-ID
orders                         0          120             130             10         c-1-5b0a6f2e                                      /10.0.0.1                      c-1
"""
CHECKED = """Group           Topic                          Pid Offset          logSize         Lag             Owner
billing         orders                         0   120             130             10              none
"""
RPK_GROUPS = """GROUP        mover
COORDINATOR  0
STATE        Empty
BALANCER
MEMBERS      0
TOTAL-LAG    0

TOPIC   PARTITION  CURRENT-OFFSET  LOG-START-OFFSET  LOG-END-OFFSET  LAG    MEMBER-ID  CLIENT-ID  HOST
orders  0          144424          7                 136204          -8220
orders  1          -               0                 2               -

GROUP                  late
COORDINATOR-NODE       0
COORDINATOR-PARTITION  __consumer_offsets/3
STATE                  Stable
BALANCER               range
MEMBERS                1
TOTAL-LAG              136192

TOPIC   PARTITION  CURRENT-OFFSET  LOG-START-OFFSET  LOG-END-OFFSET  LAG     MEMBER-ID  CLIENT-ID  HOST
orders  0          12              7                 136204          136192  c-1-5b0a   c-1        /10.0.0.1
"""
CLEANER = """[2024-03-11 11:14:03,772] INFO Cleaner 0: Beginning cleaning of log orders-0 (org.apache.kafka.storage.internals.log.LogCleaner)
[2024-03-11 11:14:03,974] INFO [kafka-log-cleaner-thread-0]:
\tLog cleaner thread 0 cleaned log orders-0 (dirty section = [0, 42])
\t0.1 MB of log processed in 0.2 seconds (0.4 MB/sec).
\tIndexed 0.1 MB in 0.1 seconds (0.8 Mb/sec, 50.0% of total time)
\tBuffer utilization: 0.0%
\tCleaned 0.1 MB in 0.1 seconds (0.9 Mb/sec, 50.0% of total time)
\tStart size: 0.1 MB (1,000 messages)
\tEnd size: 0.0 MB (10 messages)
\t99.0% size reduction (99.0% fewer messages)
 (org.apache.kafka.storage.internals.log.LogCleaner)
"""
PRINTS = {
    "kafka-topics-describe": [*TOPICS.values()],
    "kafka-configs-describe": [*CONFIGS.values()],
    "kafka-get-offsets": [LATEST, EARLIEST, "orders:0:130,0\n"],
    "kafka-transactions": [HANGING, LIST, DESCRIBE],
    "kafka-consumer-groups": [GROUPS, GROUPS_1],
    "kafka-consumer-offset-checker": [CHECKED],
    "rpk-group-describe": [RPK_GROUPS],
    "log-cleaner-lines": [CLEANER],
}


def recognised(text: str | bytes, folder: Path) -> list[str]:
    """Ids of the prints that a text is taken for."""
    file, head = written(text, folder)
    return [name for name in TOOL_PRINTS if sources()[name].recognise(file, head).matches]


def rows(layout: str, text: str, folder: Path) -> tuple[dict[str, list[dict[str, Any]]], str]:
    """Rows by table, and what is said of the file."""
    file, head = written(text, folder)
    source = sources()[layout]
    found: Recognition = source.recognise(file, head)
    assert found.matches, found.why
    chunks = [chunk for split in source.split(file, 3, "?", 0, "") for chunk in source.read(split)]
    tables = {name: table.to_pylist() for chunk in chunks for name, table in chunk.others.items()}
    return tables, " ".join(chunk.note or "" for chunk in chunks)


def written(text: str | bytes, folder: Path) -> tuple[InputFile, bytes]:
    """The text as a file, and its head."""
    content = text.encode() if isinstance(text, str) else text
    path = folder / "print.txt"
    path.write_bytes(content)
    return InputFile(path.name, str(path), len(content)), content[:HEAD_BYTES]
