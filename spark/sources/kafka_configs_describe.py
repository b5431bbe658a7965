"""`kafka-configs --describe` for topics: a header that names the topic, then its settings.

    up to 2.4   Configs for topic 'T' are name=value,name=value          (before: Configs for topics:T are ...)
    from 2.5    (Dynamic | All) configs for topic T are:
                  name=value sensitive=false synonyms={SOURCE:name=value, ...}

Settings of brokers, users and clients are skipped. Source: Kafka `ConfigCommand`.
"""

from __future__ import annotations

import re

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import DeclaredTable, labelled, text_in
from spark.sources._grammar.template import row
from spark.sources.kafka_topics_describe import Setting, settings, settings_facts, settings_sentence

ROWS = labelled(
    row("{:configs} for {kind:entity}{:of}{}{name:line}{:of} are[:]{more:rest}", "entity"),
    announced=(row("{:margin}{name:setting}={}{value:line} sensitive={:word}{:rest}", "setting"),),
)
LEGAL = re.compile(r"[A-Za-z0-9._-]{1,249}", re.ASCII)


def parse(readings: list[RowReading]) -> list[Setting]:
    rows: list[Setting] = []
    topic: str | None = None
    for reading in readings:
        name = text_in(reading, "name")
        if reading.row.form == "entity":
            topic = name if text_in(reading, "kind").startswith("topic") and LEGAL.fullmatch(name) else None
            if topic:
                rows += [Setting(topic, None, *pair) for pair in settings(text_in(reading, "more")).items()]
        elif topic:
            rows.append(Setting(topic, None, name, text_in(reading, "value")))
    return rows


declared = DeclaredTable(
    "kafka-configs-describe", "kafka-configs --describe", (ROWS,), re.compile(rb"kafka-configs|ConfigCommand"),
    lambda readings, _: settings_facts(parse(readings)), settings_sentence,
)  # fmt: skip
source = declared.source()
