"""`kafka-consumer-groups --describe`: a row for each partition that a group reads.

    0.8        Group Topic Pid Offset logSize Lag Owner                          (ConsumerOffsetChecker)
    0.9        GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER
    0.10       GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG OWNER
    0.11, 1.x  TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
    from 2.0   GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
    4.x        the same with LEADER-EPOCH before CURRENT-OFFSET (--verbose)

`-`: the group has committed no offset. Source: Kafka `ConsumerGroupCommand`, `ConsumerOffsetChecker`. If several
blocks name a group, the last one counts.
"""

from __future__ import annotations

import re

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import DeclaredTable, Facts, columns, number_in, text_in
from spark.terms.wording import plural, some

GROUP, TOPIC, PARTITION = "GROUP {group:cell}", "TOPIC {topic}", "PARTITION {partition}{}"
OFFSETS = ("CURRENT-OFFSET {committed:optional}", "LOG-END-OFFSET {end:optional}", "LAG {lag:cell}")
MEMBER = ("CONSUMER-ID {member:cell}", "HOST {host:cell}", "CLIENT-ID {client:cell}")
TABLES = (
    columns("offset", GROUP, TOPIC, PARTITION, "LEADER-EPOCH {epoch:optional}", *OFFSETS, *MEMBER, may_lack=3),
    columns("offset", GROUP, TOPIC, PARTITION, *OFFSETS, *MEMBER, may_lack=3),
    columns("offset", GROUP, TOPIC, PARTITION, *OFFSETS, "OWNER {owner:cell}", may_lack=1),
    columns("offset", GROUP, TOPIC, PARTITION, *OFFSETS),
    columns("offset", TOPIC, PARTITION, *OFFSETS, *MEMBER, may_lack=3),
    columns(
        "offset", "Group {group:cell}", "Topic {topic}", "Pid {partition}{}", "Offset {committed:optional}", "logSize {end:optional}",
        "Lag {lag:cell}", "Owner {owner:cell}", may_lack=1,
    ),
    columns(
        "offset", GROUP, TOPIC, PARTITION, "CURRENT OFFSET {committed:optional}", "LOG END OFFSET {end:optional}", "LAG {lag:cell}",
        "OWNER {owner:cell}", may_lack=1,
    ),
    columns("member", GROUP, "CONSUMER-ID {member:cell}", "HOST {host:cell}", "CLIENT-ID {client:cell}", "#PARTITIONS {count:count}{}"),
    columns("member", "CONSUMER-ID {member:cell}", "HOST {host:cell}", "CLIENT-ID {client:cell}", "#PARTITIONS {count:count}{}"),
    columns("state", "COORDINATOR {coordinator:cell}", "(ID) {id:broker}{}", "ASSIGNMENT-STRATEGY {strategy:cell}", "STATE {state:cell}", may_add=True),
    columns("reset", GROUP, TOPIC, PARTITION, "NEW-OFFSET {offset}"),
    columns("reset", TOPIC, PARTITION, "NEW-OFFSET {offset}"),
    columns("share", GROUP, TOPIC, PARTITION, "START-OFFSET {offset:optional}"),
)  # fmt: skip
NAMED = 5


def facts(readings: list[RowReading], _: str) -> Facts:
    """The committed offset and the log end offset of each row."""
    rows = []
    for reading in readings:
        partition, end = number_in(reading, "partition"), number_in(reading, "end")
        if reading.row.form != "offset" or partition is None:
            continue
        partition_of_row = {"topic": text_in(reading, "topic"), "partition": partition}
        if (committed := number_in(reading, "committed")) is not None:
            rows.append(
                {**partition_of_row, "kind": "group", "name": text_in(reading, "group"), "offset": committed}
            )
        if end is not None:
            rows.append({**partition_of_row, "kind": "log_end", "name": None, "offset": end})
    return {"printed": rows}


def sentence(rows: Facts) -> str:
    committed = [row for row in rows["printed"] if row["kind"] == "group"]
    named = [
        f"{row['name'] or 'a group'} at {row['offset']} of {row['topic']}-{row['partition']}"
        for row in committed
    ]
    return (
        f"{plural(len(committed), 'committed offset')}: {some(named, NAMED)}."
        if committed
        else "It names no committed offset."
    )


declared = DeclaredTable(
    "kafka-consumer-groups", "kafka-consumer-groups", TABLES, re.compile(rb"kafka-(?:consumer|share)-groups|ConsumerGroupCommand|ConsumerOffsetChecker"),
    facts, sentence,
)  # fmt: skip
source = declared.source()
