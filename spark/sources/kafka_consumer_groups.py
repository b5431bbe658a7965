"""`kafka-consumer-groups --describe`: a row for each partition that a group reads.

    0.9        GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER
    0.10       GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG OWNER
    0.11, 1.x  TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
    from 2.0   GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
    4.x        the same with LEADER-EPOCH before CURRENT-OFFSET (--verbose)

`-`: the group has committed no offset. Source: Kafka `ConsumerGroupCommand`. If several
blocks name a group, the last one counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import DeclaredTable, Fact, Facts, columns, number_in, text_in
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
NO_MEMBER = ("-", "none")


def facts(readings: list[RowReading], _: str) -> Facts:
    """The committed offset and the log end offset of each row."""
    return offset_facts((text_in(reading, "group"), reading) for reading in readings)


def offset_facts(
    readings: Iterable[tuple[str, RowReading]], is_active_without_cell: bool | None = None
) -> Facts:
    """Of rows with the names of their groups; of several rows on one partition of a group the last one counts.
    `is_active_without_cell`: what it means that a row has no cell for a member; None: nothing."""
    rows: dict[tuple[object, ...], Fact] = {}
    for group, reading in readings:
        topic, partition, end = (
            text_in(reading, "topic"),
            number_in(reading, "partition"),
            number_in(reading, "end"),
        )
        if reading.row.form != "offset" or partition is None:
            continue
        if (committed := number_in(reading, "committed")) is not None:
            rows["group", group, topic, partition] = fact(
                topic, partition, "group", committed, group, end, has_member(reading, is_active_without_cell)
            )
        if end is not None:
            rows["log_end", end, topic, partition] = fact(topic, partition, "log_end", end)
    return {"printed": [*rows.values()]}


def fact(
    topic: str,
    partition: int,
    kind: str,
    offset: int,
    group: str | None = None,
    end: int | None = None,
    is_active: bool | None = None,
) -> Fact:
    """A row of `printed`."""
    row = {"topic": topic, "partition": partition, "kind": kind, "name": group, "offset": offset}
    return {**row, "end_offset": end, "is_active": is_active}


def has_member(reading: RowReading, without_cell: bool | None) -> bool | None:
    """None: unknown."""
    cells = [cell for name in ("member", "owner") if (cell := text_in(reading, name))]
    if cells:
        return any(cell not in NO_MEMBER for cell in cells)
    return None if text_in(reading, "error") else without_cell


def is_beyond(rows: Facts) -> bool:
    """Whether a group has committed an offset beyond the end of its log."""
    return any(
        row["end_offset"] is not None and row["end_offset"] < row["offset"]
        for row in rows["printed"]
        if row["kind"] == "group"
    )


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
    "kafka-consumer-groups", "kafka-consumer-groups", TABLES, re.compile(rb"kafka-(?:consumer|share)-groups|ConsumerGroupCommand"),
    facts, sentence, shows_fault=is_beyond,
)  # fmt: skip
source = declared.source()
