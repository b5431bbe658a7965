"""Journals by the service that keeps its state in them, and what it loses with their oldest records.

Told by their entries; a changelog of Kafka Streams has none and is told by its name (`streams_changelog`).
"""

from __future__ import annotations

from typing import NamedTuple

from spark.detectors.apicurio._journals import SCHEMAS, V2, V3, of_type
from spark.terms.findings import Severity

CONFIGS, OFFSETS, STATUS = "configs", "offsets", "status"
DEBEZIUM, KSQLDB, MIRROR, GROUPS, TRANSACTIONS = "debezium", "ksqldb", "mirror", "groups", "transactions"
CHANGELOG = "changelog"


class KeptJournal(NamedTuple):
    """Who loses what, and what follows, in sentences (`needs`)."""

    owner: str
    loses: str
    needs: str
    severity: Severity = "critical"


CONNECT_STARTS = "Workers from 2.3.2, 2.4.1 and 2.5.0 do not start on such a topic."
JOURNALS = {
    SCHEMAS: KeptJournal(
        "The schema registry",
        "the oldest schemas",
        "A running registry still has the deleted records in memory and loses them at its next start. A Confluent registry does not start "
        "on such a topic.",
    ),
    V2: KeptJournal(
        "Apicurio Registry",
        "its oldest artifacts",
        "The registry replays the journal from the first record at each start.",
    ),
    V3: KeptJournal(
        "Apicurio Registry",
        "its oldest artifacts",
        "The registry replays the journal from the first record, or from a snapshot, at each start. The input contains no snapshot marker. "
        "Versions from 3.1.3 on do not start on such a topic.",
    ),
    CONFIGS: KeptJournal(
        "Kafka Connect",
        "connectors",
        f"A worker reads the configs of all connectors from this topic at its start. A connector whose config was deleted no longer exists. {CONNECT_STARTS}",
    ),
    OFFSETS: KeptJournal(
        "Kafka Connect",
        "the offsets of source connectors",
        f"A source connector whose offset was deleted starts over or skips data. {CONNECT_STARTS}",
    ),
    STATUS: KeptJournal(
        "Kafka Connect",
        "the status of connectors and tasks",
        f"The REST API then shows no status of connectors and tasks that did not change. {CONNECT_STARTS}",
        "high",
    ),
    DEBEZIUM: KeptJournal(
        "The Debezium connector",
        "the structure of tables",
        "The connector reads the history from the first record at each start. Without the first records it does not know the tables and stops.",
    ),
    KSQLDB: KeptJournal(
        "ksqlDB",
        "streams, tables and queries",
        "A server executes all commands again at each start. Without the first ones, streams, tables and queries do not exist, and later "
        "commands fail.",
    ),
    MIRROR: KeptJournal(
        "MirrorMaker",
        "offset translations",
        "Groups without a recent commit cannot continue on the other cluster at their offset.",
        "medium",
    ),
    GROUPS: KeptJournal(
        "Kafka",
        "committed offsets",
        "A coordinator that loads the partition without a commit gives none: consumers start at auto.offset.reset.",
    ),
    TRANSACTIONS: KeptJournal(
        "Kafka",
        "the state of transactional IDs",
        "A coordinator that loads the partition without a transactional ID knows neither its epoch nor its open transaction.",
    ),
    CHANGELOG: KeptJournal(
        "Kafka Streams",
        "the oldest entries of a store",
        "An application that restores the store lacks every key that was not written again within the retention time.",
        "high",
    ),
}

CHANGELOG_NAME = r"^.+-.+-changelog$"
# No key of a window is text: it ends with the window's start in bytes.
TEXT_FORMS = "('text', 'object', 'array', 'string', 'scalar', 'null_text', 'encoded_object')"
# Stores of joins may hold a key several times, and Streams has their changelogs deleted by age.
OF_JOINS = "(?i)join|outer"
# The journal that a topic is, by most of its entries. A changelog only by its name.
KEPT = f"""
    WITH types AS (SELECT topic, entry_type, count(*) AS entries FROM entries GROUP BY ALL),
    named AS (
        SELECT topic, entries, CASE
            WHEN entry_type = 'connector-offset' THEN '{OFFSETS}'
            WHEN entry_type IN ('connector-status', 'task-status', 'topic-status') THEN '{STATUS}'
            WHEN entry_type = 'schema-change' THEN '{DEBEZIUM}'
            WHEN entry_type = 'command' THEN '{KSQLDB}'
            WHEN entry_type IN ('checkpoint', 'offset-sync') THEN '{MIRROR}'
            WHEN topic = '__consumer_offsets' THEN '{GROUPS}'
            WHEN topic = '__transaction_state' THEN '{TRANSACTIONS}'
            WHEN topic LIKE '\\_\\_%' ESCAPE '\\' THEN NULL
            WHEN {of_type()} = 'Kafka Connect worker' THEN '{CONFIGS}'
            ELSE {of_type()} END AS journal
        FROM types
    )
    SELECT topic, arg_max(journal, entries) AS journal FROM (
        SELECT topic, journal, sum(entries) AS entries FROM named WHERE journal IS NOT NULL GROUP BY ALL
    ) GROUP BY topic
    UNION ALL
    SELECT DISTINCT topic, '{CHANGELOG}' FROM runs
    WHERE regexp_matches(topic, '{CHANGELOG_NAME}') AND NOT regexp_matches(topic, '{OF_JOINS}') AND topic NOT IN (SELECT topic FROM types)
"""
