"""`kafka-topics --describe`: a line for each topic with its own settings, then one for each partition.

    Topic     => "Topic:" name TAB ["TopicId: " id TAB] "PartitionCount:" n TAB "ReplicationFactor:" n TAB "Configs:" [Setting ("," Setting)*]
    Setting   => name "=" value                                 a value may hold commas (`compact,delete`)
    Partition => TAB "Topic: " name TAB "Partition: " n TAB "Leader: " n|"none" TAB "Replicas: " ids TAB "Isr: " ids ...

Source: Kafka `TopicCommand` 0.8.1 to 4.1 (up to 2.x no space behind the colons of the first line). Tabs may have become spaces. People
shorten it: without `PartitionCount`, or without the topic's name before each partition, which is then that of the line above. A
terminal or a ticket breaks the first line before `Configs:` and between settings.
A setting that is not printed has the broker's default, which the output does not show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import DeclaredTable, Facts, labelled, text_in
from spark.sources._grammar.template import row
from spark.terms.wording import plural, some

PARTITION = (
    "[Topic:{:blank}{topic} ]Partition:{:blank}{partition:digits} Leader:{}{:blank}{leader:leader} Replicas:{:blank}{replicas:ids} "
    "Isr:{:blank}{isr:ids}[{:blank}Elr:{:blank}{elr:ids}{:blank}LastKnownElr:{:blank}{last_elr:ids}]"
)
ROWS = (
    row(
        "Topic:{:blank}{topic} [TopicId:{:blank}{topic_id:uuid} ][PartitionCount:{:blank}{partitions:digits} ]"
        "ReplicationFactor:{:blank}{factor:digits}[ Configs:{:blank}{configs:settings}]",
        "topic",
        begins=r"Topic:[ \t]*[\w.-]{1,249}\s+(?:TopicId|PartitionCount|ReplicationFactor):",
    ),
    row(PARTITION, "partition"),
    row(
        PARTITION.replace("Topic", "topic")
        .replace("Part", "part")
        .replace("Lead", "lead")
        .replace("Rep", "rep")
        .replace("Isr:", "isr:"),
        "partition",
    ),
)
OF_THE_TOPIC = (
    "topic_id",
    "partitions",
    "replication factor",
)  # facts of the first line that are no settings
OF_A_PARTITION = ("leader", "replicas", "isr", "elr", "last_elr")
SETTINGS_NAMED = 10
SHOWN = ("cleanup.policy", "min.compaction.lag.ms", "retention.ms", "message.format.version", "replicas")
TOPICS_NAMED = 5
NO_LEADER = ("none", "-1")
SETTING = re.compile(r"(?:^|,)\s*([a-z][a-z0-9.]*)=", re.ASCII)


@dataclass(frozen=True)
class Setting:
    """A property of a topic; `partition` is None for the whole topic."""

    topic: str
    partition: int | None
    name: str
    value: str


def parse(readings: list[RowReading]) -> list[Setting]:
    rows: list[Setting] = []
    topic = ""
    for reading in readings:
        topic = text_in(reading, "topic") or topic
        if reading.row.form == "topic":
            rows += of_topic(reading)
        elif topic:
            partition = topic, int(text_in(reading, "partition"))
            rows += [
                Setting(*partition, name, value)
                for name in OF_A_PARTITION
                if (value := text_in(reading, name))
            ]
    return rows


def of_topic(reading: RowReading) -> list[Setting]:
    """The first line: the topic's id, its counts, its settings."""
    topic = text_in(reading, "topic")
    named = {"topic_id": "topic_id", "partitions": "partitions", "replication factor": "factor"}
    rows = [
        Setting(topic, None, name, value)
        for name, field in named.items()
        if (value := text_in(reading, field))
    ]
    return rows + [Setting(topic, None, *pair) for pair in settings(text_in(reading, "configs")).items()]


def settings(text: str) -> dict[str, str]:
    """Names and values; a comma ends a value only if the next setting follows it."""
    starts = list(SETTING.finditer(text))
    ends = [*(match.start() for match in starts[1:]), len(text)][: len(starts)]
    return {
        match[1]: text[match.end() : end].strip().rstrip(",").strip()
        for match, end in zip(starts, ends, strict=True)
    }


def settings_facts(rows: Iterable[Setting]) -> Facts:
    """One row for each setting; those of the whole topic have partition 0. Of several blocks on a topic the last one counts."""
    newest = {(row.topic, row.partition or 0, row.name): row.value for row in rows}
    return {
        "properties": [
            {"topic": topic, "partition": partition, "name": name, "value": value}
            for (topic, partition, name), value in newest.items()
        ]
    }


def is_leaderless(rows: Facts) -> bool:
    """Whether a partition has no leader."""
    return any(row["name"] == "leader" and row["value"] in NO_LEADER for row in rows["properties"])


def settings_sentence(rows: Facts) -> str:
    """The settings that matter to a journal, by topic."""
    by_topic: dict[str, dict[str, None]] = {}
    for fact in rows["properties"]:
        named = by_topic.setdefault(fact["topic"], {})
        if fact["name"] in SHOWN:
            named[f"{fact['name']}={fact['value']}"] = None
    if not by_topic:
        return "It names no topic: settings of brokers, users or clients are not used."
    named_topics = [f"{topic} ({', '.join(named)})" if named else topic for topic, named in by_topic.items()]
    return f"Settings of {some(named_topics, TOPICS_NAMED)}."


def described(rows: Facts) -> str:
    """`4 partitions of orders, and its settings cleanup.policy=compact, retention.ms=-1.`"""
    partitions: dict[str, set[int]] = {}
    named: dict[str, list[str]] = {}
    for fact in rows["properties"]:
        numbers, settings_of = (
            partitions.setdefault(fact["topic"], set()),
            named.setdefault(fact["topic"], []),
        )
        if fact["name"] in OF_A_PARTITION:
            numbers.add(fact["partition"])
        elif fact["name"] not in OF_THE_TOPIC:
            settings_of.append(f"{fact['name']}={fact['value']}")
    texts = []
    for topic, numbers in partitions.items():
        subject = f"{plural(len(numbers), 'partition')} of {topic}" if numbers else topic
        texts.append(
            f"{subject}, and its settings {some(named[topic], SETTINGS_NAMED)}" if named[topic] else subject
        )
    return f"{'; '.join(texts[:TOPICS_NAMED])}{f'; {len(texts) - TOPICS_NAMED} more topics' if len(texts) > TOPICS_NAMED else ''}."


declared = DeclaredTable(
    "kafka-topics-describe", "kafka-topics --describe", (labelled(*ROWS),), re.compile(rb"kafka-topics|TopicCommand"),
    lambda readings, _: settings_facts(parse(readings)), described, shows_fault=is_leaderless,
)  # fmt: skip
source = declared.source()
