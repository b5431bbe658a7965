"""The tables and lines of Kafka's tools that are declared. TOOL_PRINTS: ids of the layouts that tell something of a journal."""

from __future__ import annotations

from spark.sources import (
    kafka_configs_describe,
    kafka_consumer_groups,
    kafka_get_offsets,
    kafka_topics_describe,
    kafka_transactions,
    log_cleaner_lines,
)
from spark.sources._grammar.tables import DeclaredTable

TABLES: tuple[DeclaredTable, ...] = (
    kafka_topics_describe.declared,
    kafka_configs_describe.declared,
    kafka_get_offsets.declared,
    kafka_transactions.declared,
    kafka_consumer_groups.declared,
)
TOOL_PRINTS = (*(table.id for table in TABLES), log_cleaner_lines.source.id)
