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

from spark.sources._tool_prints import Facts, Row, are_most, number, rows, tool_print
from spark.terms.wording import plural, some

ENDS = ("CURRENT-OFFSET", "LOG-END-OFFSET", "LAG")
MEMBER = ("CONSUMER-ID", "HOST", "CLIENT-ID")
HEADERS = (
    ("GROUP", "TOPIC", "PARTITION", "LEADER-EPOCH", *ENDS, *MEMBER),
    ("GROUP", "TOPIC", "PARTITION", *ENDS, *MEMBER),
    ("GROUP", "TOPIC", "PARTITION", *ENDS, "OWNER"),
    ("GROUP", "TOPIC", "PARTITION", *ENDS),
    ("TOPIC", "PARTITION", *ENDS, *MEMBER),
    ("Group", "Topic", "Pid", "Offset", "logSize", "Lag", "Owner"),
)
OLD = ("GROUP", "TOPIC", "PARTITION", "CURRENT", "OFFSET", "LOG", "END", "OFFSET", "LAG", "OWNER")  # 0.9
OTHERS = (
    ("GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"),
    ("CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"),
    ("COORDINATOR", "(ID)", "ASSIGNMENT-STRATEGY", "STATE"),
    ("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"),
    ("TOPIC", "PARTITION", "NEW-OFFSET"),
    ("GROUP", "TOPIC", "PARTITION", "START-OFFSET"),
)
WORDS = ("PARTITION", "CONSUMER-ID", "COORDINATOR", "logSize")  # one of them is in every header
NAMES = {
    "Group": "GROUP",
    "Topic": "TOPIC",
    "Pid": "PARTITION",
    "Offset": ENDS[0],
    "logSize": ENDS[1],
    "Lag": "LAG",
}
NAMED = 5


def has_header(text: str) -> bool:
    """Whether a table of members, states or offsets begins in the text; it may have no rows."""
    if not any(word in text for word in WORDS):
        return False
    words = text.replace(",", " ").split("\n")
    return any(contains(line.split(), header) for line in words for header in (*HEADERS, *OTHERS, OLD))


def contains(words: list[str], header: tuple[str, ...]) -> bool:
    return any(tuple(words[i : i + len(header)]) == header for i in range(len(words) - len(header) + 1))


def parse(text: str) -> list[Row]:
    """Rows of offsets, under current column names."""
    table_rows = rows(text, HEADERS, least=4)
    return [{NAMES.get(name, name): cell for name, cell in row.items()} for row in table_rows]


def matches(text: str) -> bool:
    """Whether its tables are most of the text; a table may have no rows."""
    return has_header(text) and are_most(len(parse(text)) + 3, text)


def facts(text: str, _: str) -> Facts:
    """The committed offset and the log end offset of each row."""
    rows = []
    for row in parse(text):
        partition, end = number(row["PARTITION"]), number(row["LOG-END-OFFSET"])
        partition_of_row = {"topic": row["TOPIC"], "partition": partition}
        if partition is None:
            continue
        if (committed := number(row["CURRENT-OFFSET"])) is not None:
            rows.append(
                {**partition_of_row, "kind": "group", "name": row.get("GROUP", ""), "offset": committed}
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


source = tool_print("kafka-consumer-groups", "kafka-consumer-groups", matches, facts, sentence)
