"""Commands on a topic for remedies and repairs, ready to run; the topic in them is marked (`spark.terms.marked`).

A dump may contain any topic name, so a name that Kafka does not allow is replaced by a placeholder in commands. Source: Kafka `Topic.LEGAL_CHARS`.
"""

from __future__ import annotations

import re

from spark.terms import marked

LEGAL_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")
FILL_IN = "TOPIC"
LAG = "min.compaction.lag.ms"
LAGS = (LAG, "max.compaction.lag.ms")
NEVER = 9223372036854775807
BROKER = "BROKER:9092"
DESCRIBE = f"kafka-configs.sh --bootstrap-server {BROKER} --describe --all --entity-type topics --entity-name"
ALTER = f"kafka-configs.sh --bootstrap-server {BROKER} --alter --entity-type topics --entity-name"


def named(topic: str, instead: str = FILL_IN) -> str:
    if topic == FILL_IN:
        return topic
    return marked.topic(topic) if LEGAL_NAME.fullmatch(topic) else instead


def take_dump(topic: str, suffix: str = "") -> str:
    """Dumps all records of the topic, including uncommitted ones, into a file with its name."""
    name = named(topic)
    file = f"{name}-{suffix}" if suffix else name
    return f"`kcat -C -b {BROKER} -t {name} -o beginning -e -q -J -X isolation.level=read_uncommitted > {file}.json`"


def copy_segments(topic: str, partition: int | None = None) -> str:
    """Packs a partition's folder and the checkpoint of its broker's cleaner into one archive."""
    number = "PARTITION" if partition is None else marked.number(partition)
    folder = f"{named(topic)}-{number}"
    return (
        "On the broker that leads the partition, copy its folder (LOG_DIR: a folder of log.dirs; while the broker runs, the "
        f"last batch of the copy can be truncated): `tar -czf {folder}.tar.gz -C LOG_DIR {folder} cleaner-offset-checkpoint`"
    )


def keep_cleaner_away(topic: str) -> str:
    """Takes effect without a restart. Sets both: Kafka rejects the first if it exceeds the second."""
    return f"`{ALTER} {named(topic)} --add-config {','.join(f'{lag}={NEVER}' for lag in LAGS)}`"


def let_cleaner_work(topic: str) -> str:
    """Deletes both settings, so that the broker's own apply again."""
    return f"`{ALTER} {named(topic)} --delete-config {','.join(LAGS)}`"
