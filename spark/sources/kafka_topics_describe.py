"""`kafka-topics --describe`: a line for each topic with its own settings, then one for each partition.

    Topic     => "Topic:" name TAB ["TopicId: " id TAB] "PartitionCount:" n TAB "ReplicationFactor:" n TAB "Configs:" [Setting ("," Setting)*]
    Setting   => name "=" value                                 a value may hold commas (`compact,delete`)
    Partition => TAB "Topic: " name TAB "Partition: " n TAB "Leader: " n|"none" TAB "Replicas: " ids TAB "Isr: " ids ...

Source: Kafka `TopicCommand` 0.8.1 to 4.1 (up to 2.x no space behind the colons of the first line). Tabs may have become spaces. People
shorten it: without `PartitionCount`, or without the topic's name before each partition, which is then that of the line above.
A setting that is not printed has the broker's default, which the output does not show.
"""

from __future__ import annotations

import re

from spark.sources._tool_prints import Setting, settings_facts, settings_sentence, tool_print

TOPIC = re.compile(
    r"Topic:[ \t]*(?P<topic>[A-Za-z0-9._-]{1,249})\s+(?:TopicId:[ \t]*(?P<id>[\w-]{22})\s+)?"
    r"(?:PartitionCount:[ \t]*(?P<partitions>\d{1,9})\s+)?ReplicationFactor:[ \t]*(?P<factor>\d{1,5})"
    r"(?:[ \t]+Configs:[ \t]*(?P<configs>[^\r\n]*))?",
    re.ASCII,
)
PARTITION = re.compile(
    r"(?:[Tt]opic:[ \t]*(?P<topic>[A-Za-z0-9._-]{1,249})[ \t]+)?[Pp]artition:[ \t]*(?P<partition>\d{1,9})[ \t]+"
    r"[Ll]eader:[ \t]*(?P<leader>-?\d{1,9}|none)[ \t]+[Rr]eplicas:[ \t]*(?P<replicas>[\d,]*)[ \t]+[Ii]sr:[ \t]*(?P<isr>[\d,]*)",
    re.ASCII,
)
SETTING = re.compile(r"(?:^|,)\s*([a-z][a-z0-9.]*)=", re.ASCII)


def is_print(text: str) -> bool:
    matching = [line for line in text.splitlines() if TOPIC.search(line) or PARTITION.search(line)]
    return bool(matching) and 2 * len(matching) + 2 > sum(bool(line.strip()) for line in text.splitlines())


def parse(text: str) -> list[Setting]:
    matches = sorted([*TOPIC.finditer(text), *PARTITION.finditer(text)], key=lambda match: match.start())
    rows: list[Setting] = []
    topic = None
    for match in matches:
        topic = match["topic"] or topic
        if match.re is TOPIC:
            rows += of_topic(match)
        elif topic:
            rows += of_partition(match, topic)
    return rows


def of_topic(match: re.Match[str]) -> list[Setting]:
    """The first line: the topic's id, its counts, its settings."""
    topic = match["topic"]
    rows = [Setting(topic, None, "topic_id", match["id"])] if match["id"] else []
    if match["partitions"]:
        rows.append(Setting(topic, None, "partitions", match["partitions"]))
    rows.append(Setting(topic, None, "replication factor", match["factor"]))
    return rows + [
        Setting(topic, None, name, value) for name, value in settings(match["configs"] or "").items()
    ]


def of_partition(match: re.Match[str], topic: str) -> list[Setting]:
    """A partition's line: leader, replicas, in-sync replicas."""
    partition = topic, int(match["partition"])
    return [Setting(*partition, name, match[name]) for name in ("leader", "replicas", "isr") if match[name]]


def settings(text: str) -> dict[str, str]:
    """Names and values; a comma ends a value only if the next setting follows it."""
    starts = list(SETTING.finditer(text))
    ends = [*(match.start() for match in starts[1:]), len(text)][: len(starts)]
    return {
        match[1]: text[match.end() : end].strip().rstrip(",").strip()
        for match, end in zip(starts, ends, strict=True)
    }


source = tool_print(
    "kafka-topics-describe",
    "kafka-topics --describe",
    is_print,
    lambda text, _: settings_facts(parse(text)),
    settings_sentence,
)
