"""`kafka-configs --describe` for topics: a header that names the topic, then its settings.

    up to 2.4   Configs for topic 'T' are name=value,name=value          (before: Configs for topics:T are ...)
    from 2.5    (Dynamic | All) configs for topic T are:
                  name=value sensitive=false synonyms={SOURCE:name=value, ...}

Settings of brokers, users and clients are skipped. Source: Kafka `ConfigCommand`.
"""

from __future__ import annotations

import re

from spark.sources._tool_prints import Setting, settings_facts, settings_sentence, tool_print
from spark.sources.kafka_topics_describe import settings

HEADER = re.compile(
    r"(?:(?:Dynamic|All) c|C)onfigs for (?P<kind>topics?|brokers?|users?|client-metrics|clients?|ips?|groups?)"
    r"[ :-]{0,3}'?(?P<name>[^\s':]{0,249})'?[^\n]{0,60}?\bare\b:?(?P<more>[^\r\n]*)",
    re.ASCII,
)
SETTING_LINE = re.compile(r"^\s+(?P<name>[a-z][a-z0-9.]*)=(?P<value>[^\r\n]*?) sensitive=(?:true|false)\b")
LEGAL = re.compile(r"[A-Za-z0-9._-]{1,249}", re.ASCII)


def is_print(text: str) -> bool:
    """Whether it is an output of this tool, for any kind of entity."""
    return HEADER.search(text) is not None


def is_most(text: str) -> bool:
    matching = [line for line in text.splitlines() if HEADER.search(line) or SETTING_LINE.match(line)]
    filled = sum(bool(line.strip()) for line in text.splitlines())
    return is_print(text) and 2 * len(matching) + 2 > filled


def parse(text: str) -> list[Setting]:
    rows: list[Setting] = []
    topic: str | None = None
    for line in text.splitlines():
        if header := HEADER.search(line):
            is_topic = header["kind"].startswith("topic") and LEGAL.fullmatch(header["name"])
            topic = header["name"] if is_topic else None
            if topic:
                rows += [Setting(topic, None, *pair) for pair in settings(header["more"]).items()]
        elif topic and (match := SETTING_LINE.match(line)):
            rows.append(Setting(topic, None, match["name"], match["value"]))
    return rows


source = tool_print(
    "kafka-configs-describe",
    "kafka-configs --describe",
    is_most,
    lambda text, _: settings_facts(parse(text)),
    settings_sentence,
)
