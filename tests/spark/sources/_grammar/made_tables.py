"""Tables and lines of Kafka's tools, made from known rows: with optional columns, prefixes, fences, breaks and cut ends."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.spark.sources._grammar.made_prints import LINE_PREFIXES

Fact = tuple[object, ...]
Row = tuple[list[str], list[Fact]]  # the lines or cells of a row, and what the table must have of it
TOPICS = ("orders", "my-topic", "a.b_c", "__consumer_offsets", "t1")
COMMANDS = {
    "kafka-get-offsets": "kafka-get-offsets.sh --bootstrap-server b:9092 --time -1",
    "kafka-transactions": "kafka-transactions.sh --bootstrap-server b:9092 find-hanging --broker 0",
    "kafka-consumer-groups": "bin/kafka-consumer-groups.sh --bootstrap-server b:9092 --describe --all-groups",
    "kafka-topics-describe": "kafka-topics.sh --bootstrap-server b:9092 --describe",
    "kafka-configs-describe": "kafka-configs.sh --bootstrap-server b:9092 --describe --entity-type topics",
}


@dataclass
class MadeTable:
    text: str
    facts: list[Fact] = field(default_factory=list)
    is_cut: bool = False


def offsets(chance: random.Random) -> list[Row]:
    topic = chance.choice(TOPICS)
    numbers = [chance.randrange(10**9) for _ in range(chance.randint(2, 5))]
    return [([f"{topic}:{n}:{offset}"], [(topic, n, "log_end", offset)]) for n, offset in enumerate(numbers)]


def hanging(chance: random.Random) -> list[Row]:
    has_epoch, topic = chance.random() < 0.5, chance.choice(TOPICS)
    header = [
        "Topic",
        "Partition",
        "ProducerId",
        "ProducerEpoch",
        *(["CoordinatorEpoch"] if has_epoch else []),
        "StartOffset",
        "LastTimestamp",
    ]
    rows: list[Row] = [([*header, chance.choice(("Duration(min)", "Duration(s)"))], [])]
    for n in range(chance.randint(1, 4)):
        offset, producer = chance.randrange(10**9), chance.randrange(10**6)
        last = chance.choice(("2024-03-11T11:14:03.772Z", "1710155643772"))
        cells = [topic, n, producer, 2, *([5] if has_epoch else []), offset, last, 1200]
        rows.append(([str(cell) for cell in cells], [(topic, n, "hanging", offset)]))
    return rows


def groups(chance: random.Random) -> list[Row]:
    group, topic, has_group = "billing-1", chance.choice(TOPICS), chance.random() < 0.8
    member = (
        chance.choice((["CONSUMER-ID", "HOST", "CLIENT-ID"], ["OWNER"]))
        if has_group
        else ["CONSUMER-ID", "HOST", "CLIENT-ID"]
    )
    header = [
        *(["GROUP"] if has_group else []),
        "TOPIC",
        "PARTITION",
        "CURRENT-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
        *member,
    ]
    rows: list[Row] = [(header, [])]
    for n in range(chance.randint(1, 4)):
        committed, end = chance.choice((None, chance.randrange(10**6))), chance.randrange(10**9)
        cells = [
            *([group] if has_group else []),
            topic,
            n,
            "-" if committed is None else committed,
            end,
            "-" if committed is None else end - committed,
        ]
        found: list[Fact] = [] if committed is None else [(topic, n, "group", committed)]
        rows.append(
            (
                [str(cell) for cell in (*cells, *(chance.choice(("-", f"/10.0.0.{n}")) for _ in member))],
                [*found, (topic, n, "log_end", end)],
            )
        )
    return rows


def topics(chance: random.Random) -> list[Row]:
    topic, gap = chance.choice(TOPICS), chance.choice(("\t", "    "))
    colon = chance.choice((": ", ":"))
    policy = chance.choice(("compact", "compact,delete", "delete"))
    pieces = [
        f"Topic{colon}{topic}",
        *([f"TopicId{colon}MqaC0ZlYQPKFgPeBTMs6HA"] if chance.random() < 0.5 else []),
        f"PartitionCount{colon}2",
    ]
    pieces += [f"ReplicationFactor{colon}1", f"Configs{colon}cleanup.policy={policy},segment.bytes=1048576"]
    rows: list[Row] = [
        ([gap.join(pieces)], [(topic, 0, "cleanup.policy", policy), (topic, 0, "segment.bytes", "1048576")])
    ]
    more = chance.choice(("", f"{gap}Elr: {gap}LastKnownElr: "))
    for n in range(2):
        cells = [f"Topic: {topic}", f"Partition: {n}", "Leader: 1", "Replicas: 1,2", f"Isr: 1{more}"]
        found: list[Fact] = [(topic, n, "replicas", "1,2"), (topic, n, "isr", "1")]
        rows += [([gap + gap.join(cells)], found)]
    return rows


def configs(chance: random.Random) -> list[Row]:
    topic = chance.choice(TOPICS)
    rows: list[Row] = [([f"{chance.choice(('Dynamic', 'All'))} configs for topic {topic} are:"], [])]
    for name, value in (("cleanup.policy", "compact,delete"), ("retention.ms", "-1")):
        rows.append(
            (
                [f"  {name}={value} sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:{name}={value}}}"],
                [(topic, 0, name, value)],
            )
        )
    return rows


MAKERS: dict[str, Callable[[random.Random], list[Row]]] = {
    "kafka-get-offsets": offsets,
    "kafka-transactions": hanging,
    "kafka-consumer-groups": groups,
    "kafka-topics-describe": topics,
    "kafka-configs-describe": configs,
}


def make(layout: str, chance: random.Random) -> MadeTable:
    rows = MAKERS[layout](chance)
    facts = [fact for _, found in rows for fact in found]
    is_padded = len(rows[0][0]) > 1
    width = max(len(cell) for cells, _ in rows for cell in cells) + 1
    lines = ["".join(cell.ljust(width) for cell in cells).rstrip() for cells, _ in rows]
    is_cut = is_padded and chance.random() < 0.15 and len(rows) > 2
    if is_cut:  # within the row, behind the cells that show that it is one
        cells, found = rows[-1]
        lines[-1] = "".join(cell.ljust(width) for cell in cells[:4])
        facts = facts[: len(facts) - len(found)]
    elif is_padded and chance.random() < 0.2:  # a terminal broke between two cells
        lines = [
            "".join(cell.ljust(width) for cell in cells[:4])
            + "\n"
            + "".join(cell.ljust(width) for cell in cells[4:])
            for cells, _ in rows
        ]
    has_command = layout == "kafka-get-offsets" or chance.random() < 0.5
    command = COMMANDS[layout]
    is_glued = has_command and is_padded and chance.random() < 0.2
    lines = (
        [f"$ {command} {lines[0]}", *lines[1:]]
        if is_glued
        else [f"$ {command}", *lines]
        if has_command
        else lines
    )
    prefix = "" if is_glued else chance.choice(LINE_PREFIXES)
    text = (
        "\n".join(
            prefix.format(n=100 + number, d=number % 10) + line
            for number, line in enumerate("\n".join(lines).split("\n"))
        )
        + "\n"
    )
    if chance.random() < 0.3:
        text = f"Some words of a ticket:\n\n```\n{text}```\n\nand others\n"
    return MadeTable(text, facts, is_cut)
