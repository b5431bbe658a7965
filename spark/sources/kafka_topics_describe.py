"""Print of `kafka-topics --describe`: settings that the topic does not take from the broker, its replicas.

The grammar stands in `spark.sources._tool_prints.topics`. A setting that is not named is the broker's default, which the
print does not tell.
"""

from __future__ import annotations

from spark.sources._tool_prints import settings, topics
from spark.sources._tool_prints.source import tool_print

source = tool_print(
    "kafka-topics-describe",
    "kafka-topics --describe",
    topics.is_print,
    lambda text, _: settings.facts(topics.parse(text)),
    settings.sentence,
)
