"""The tables and lines of Kafka's tools that are declared. TOOL_PRINTS: ids of the layouts that tell something of a journal."""

from __future__ import annotations

from spark.sources import (
    kafka_configs_describe,
    kafka_consumer_groups,
    kafka_consumer_offset_checker,
    kafka_get_offsets,
    kafka_topics_describe,
    kafka_transactions,
    log_cleaner_lines,
    rpk_group_describe,
)
from spark.sources._grammar.tables import MAX_BYTES, DeclaredTable
from spark.sources._lines.lines import text_of
from spark.storage.files import read_bytes

TABLES: tuple[DeclaredTable, ...] = (
    kafka_topics_describe.declared,
    kafka_configs_describe.declared,
    kafka_get_offsets.declared,
    kafka_transactions.declared,
    kafka_consumer_groups.declared,
    kafka_consumer_offset_checker.declared,
    rpk_group_describe.declared,
)
BY_ID = {table.id: table for table in TABLES}
TOOL_PRINTS = (*(table.id for table in TABLES), log_cleaner_lines.source.id)


def shows_fault(layout: str, path: str, size_bytes: int) -> bool:
    """Whether a file of this layout shows a fault of the cluster, so that it says something without a journal."""
    return layout in BY_ID and BY_ID[layout].is_faulty(text_of(read_bytes(path, min(size_bytes, MAX_BYTES))))
