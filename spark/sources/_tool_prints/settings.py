"""Settings of topics -> rows of `properties`, as a backup's metadata and a capture's manifest have them."""

from __future__ import annotations

from collections.abc import Iterable

from spark.sources._tool_prints.source import Facts
from spark.sources._tool_prints.topics import Setting
from spark.terms.wording import some

SHOWN = ("cleanup.policy", "min.compaction.lag.ms", "retention.ms", "message.format.version", "replicas")
TOPICS_NAMED = 5


def facts(rows: Iterable[Setting]) -> Facts:
    """One row for each setting; those of the whole topic have partition 0."""
    return {
        "properties": [
            {"topic": row.topic, "partition": row.partition or 0, "name": row.name, "value": row.value}
            for row in rows
        ]
    }


def sentence(rows: Facts) -> str:
    """The settings that matter to a journal, by topic."""
    topics = dict.fromkeys(row["topic"] for row in rows["properties"])
    if not topics:
        return "It names no topic: settings of brokers, users or clients are not used."
    return f"Settings of {some([of_topic(topic, rows) for topic in topics], TOPICS_NAMED)}."


def of_topic(topic: str, rows: Facts) -> str:
    """`orders (cleanup.policy=compact)`."""
    named = [row for row in rows["properties"] if row["topic"] == topic and row["name"] in SHOWN]
    settings = dict.fromkeys(f"{row['name']}={row['value']}" for row in named)
    return f"{topic} ({', '.join(settings)})" if settings else topic
