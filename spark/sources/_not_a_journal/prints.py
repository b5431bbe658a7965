"""Prints of Kafka's tools that are no records: what is known of topics, groups, offsets and transactions.

Source: Kafka `tools` and `core/admin`, 0.8 to 4.1; each parser in `spark.sources._tool_prints` says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spark.sources._not_a_journal.words import Identified, dump, with_dump
from spark.sources._tool_prints import configs, groups, offsets, topics, transactions

Answer = Identified | None
DELETE_RECORDS = re.compile(
    r"^Executing records delete operation|^partition: \S+\s+low_watermark: ", re.MULTILINE
)
REASSIGNMENT = re.compile(
    r"^Current partition replica assignment|^Proposed partition reassignment configuration|^Status of partition reassignment"
    r"|^Reassignment of partition \S+ is |^Successfully started (?:partition|replica) reassignment",
    re.MULTILINE,
)
LOG_DIRS = re.compile(r"^Querying brokers for log directories information", re.MULTILINE)
QUORUM = re.compile(
    r"^ClusterId:\s+\S+\nLeaderId:|^NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s+Lag", re.MULTILINE
)
API_VERSIONS = re.compile(r"^\S+:\d+ \(id: -?\d+ rack: [^)]*\)[^\n]*-> \(", re.MULTILINE)
ACLS = re.compile(r"^Current ACLs for resource ", re.MULTILINE)
FEATURES = re.compile(r"^Feature: \S+\s+SupportedMinVersion: ", re.MULTILINE)
PERFORMANCE = re.compile(r"\d+ records sent, [\d.,]+ records/sec", re.MULTILINE)
KCAT_METADATA = re.compile(r"^Metadata for \S+ \(from broker ", re.MULTILINE)
KCAT_TOPIC = re.compile(r'^\s*topic "([^"]+)" with \d+ partitions?:', re.MULTILINE)
BY_LINES = (
    (LOG_DIRS, "the output of kafka-log-dirs"),
    (DELETE_RECORDS, "the output of kafka-delete-records"),
    (REASSIGNMENT, "the output of kafka-reassign-partitions"),
    (QUORUM, "the output of kafka-metadata-quorum"),
    (API_VERSIONS, "the output of kafka-broker-api-versions"),
    (ACLS, "the output of kafka-acls --list"),
    (FEATURES, "the output of kafka-features describe"),
    (PERFORMANCE, "the output of kafka-producer-perf-test"),
)


def identify(text: str, _is_whole: bool) -> Answer:
    """The first tool whose print it is."""
    return next((known for ask in ASKED if (known := ask(text))), None)


def of_groups(text: str) -> Answer:
    """kafka-consumer-groups."""
    if not groups.has_header(text):
        return None
    names = [row["TOPIC"] for row in groups.parse(text)]
    return with_dump("the output of kafka-consumer-groups (where groups stand)", names)


def of_transactions(text: str) -> Answer:
    """kafka-transactions."""
    if not transactions.has_header(text):
        return None
    names = [row["Topic"] for row in transactions.parse(text) if "Topic" in row]
    return with_dump("a table of kafka-transactions", names)


def of_topics(text: str) -> Answer:
    """kafka-topics --describe."""
    rows = topics.parse(text)
    return with_dump("the output of kafka-topics --describe", [row.topic for row in rows]) if rows else None


def of_configs(text: str) -> Answer:
    """kafka-configs --describe."""
    if not configs.is_print(text):
        return None
    return with_dump("the output of kafka-configs --describe", [row.topic for row in configs.parse(text)])


def of_offsets(text: str) -> Answer:
    """GetOffsetShell, kafka-get-offsets."""
    rows = offsets.parse(text)
    what = "the output of GetOffsetShell (kafka-get-offsets)"
    return with_dump(what, [row.topic for row in rows]) if rows else None


def of_kcat(text: str) -> Answer:
    """kcat -L."""
    if not KCAT_METADATA.search(text):
        return None
    return Identified("the output of kcat -L (topics and brokers)", dump(KCAT_TOPIC.findall(text)))


def of_lines(text: str) -> Answer:
    """Tools that are known by one line."""
    return next((Identified(what, dump()) for pattern, what in BY_LINES if pattern.search(text)), None)


ASKED: tuple[Callable[[str], Answer], ...] = (
    of_groups,
    of_transactions,
    of_topics,
    of_configs,
    of_offsets,
    of_kcat,
    of_lines,
)
