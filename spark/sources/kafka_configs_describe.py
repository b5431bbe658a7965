"""Print of `kafka-configs --describe`: settings of topics.

The grammar stands in `spark.sources._tool_prints.configs`.
"""

from __future__ import annotations

from spark.sources._tool_prints import configs, settings
from spark.sources._tool_prints.source import tool_print

source = tool_print(
    "kafka-configs-describe",
    "kafka-configs --describe",
    configs.is_most,
    lambda text, _: settings.facts(configs.parse(text)),
    settings.sentence,
)
