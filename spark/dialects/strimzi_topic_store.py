"""Topics of Strimzi's Topic Operator up to 0.40: commands that create, update and delete topics, and the store made of them.

    __strimzi_store_topic           key: the topic's name   value: {uuid, version?, type, topic | key}   type 0, 1, 2
    __strimzi-topic-operator-kstreams-topic-store-changelog     the store's changelog (Kafka Streams)

Newer releases have no such topics. Source: Strimzi `TopicCommand`, `TopicCommandSerde`, `TopicSerialization` (0.40).
"""

from __future__ import annotations

import re

from spark.dialects._recognised import Members, recognised

NAMES = re.compile(r"__strimzi_store_topic|(__)?strimzi-topic-operator-kstreams-topic-store-changelog")
CREATE, UPDATE, DELETE = range(3)
SUBJECTS = {CREATE: "topic", UPDATE: "topic", DELETE: "key"}


def is_command(members: Members) -> bool:
    kind = members.get("type")
    subject = SUBJECTS.get(kind) if isinstance(kind, int) else None
    return subject is not None and {"uuid", subject} <= members.keys()


dialect = recognised("strimzi-topic-store", "Strimzi's topic store", NAMES, is_command)
