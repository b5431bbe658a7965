"""Commands on a topic that remedies and repairs name, ready to be run.

A dump may call its topic anything, so a name that Kafka does not allow never gets into a command: a word to fill in
stands there. Source: Kafka `Topic.LEGAL_CHARS`.
"""

from __future__ import annotations

import re

LEGAL_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")
FILL_IN = "TOPIC"
LAG = "min.compaction.lag.ms"
KEEP_ALL = f"{LAG}=9223372036854775807"
ALTER = "kafka-configs.sh --bootstrap-server BROKER --alter --entity-type topics --entity-name"


def named(topic: str, instead: str = FILL_IN) -> str:
    """The topic's name for a command or a path."""
    return topic if LEGAL_NAME.fullmatch(topic) else instead


def take_dump(topic: str) -> str:
    """All records of the topic, into a file named like it."""
    name = named(topic)
    return f"`kcat -C -b BROKER -t {name} -e -J > {name}.json`"


def keep_cleaner_away(topic: str) -> str:
    """Takes effect without a restart."""
    return f"`{ALTER} {named(topic)} --add-config {KEEP_ALL}`"


def let_cleaner_work(topic: str) -> str:
    """Takes it back."""
    return f"`{ALTER} {named(topic)} --delete-config {LAG}`"
