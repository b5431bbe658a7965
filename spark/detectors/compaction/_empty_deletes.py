"""Deletes of zero length in a schema registry's journal: Karapace writes them, Confluent cannot read them."""

from __future__ import annotations

from collections.abc import Sequence

from spark.detectors.schemas import _words as words
from spark.detectors.schemas._writes import prepared
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import OFFSETS_NAMED, at_offsets, plural, some, steps

MAX_EVIDENCE = 50
MAX_ENTITIES = 1000
EMPTY_DELETES = f"""
    WITH confluent AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, true AS has_confluent FROM registry_writes WHERE writer = 'confluent'
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{MAX_EVIDENCE}] AS offsets,
        list(DISTINCT subject ORDER BY subject)[:{MAX_ENTITIES}] AS subjects,
        list(DISTINCT lower(entry_type) || ':' || entity_id)[:{MAX_ENTITIES}] AS entities,
        coalesce(any_value(has_confluent), false) AS has_confluent
    FROM registry_writes LEFT JOIN confluent USING ({REPLICA_COLUMNS})
    WHERE entry_action = 'empty' GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def empty_deletes(tables: ResultTables) -> Sequence[Row]:
    """One row per copy of a schema journal that holds such deletes."""
    return prepared(tables).rows(EMPTY_DELETES)


def describe(row: Row) -> Finding:
    """The row in words. High where a Confluent registry has used the journal: for it nothing was deleted."""
    offsets = list(row["offsets"])
    named = offsets[:OFFSETS_NAMED]
    first = ", the first" if row["records"] > len(named) else ""
    subjects = some([subject or "all subjects" for subject in row["subjects"]], 4)
    is_read = row["has_confluent"]
    then = (
        "A Confluent registry has used this journal as well, and it has them again: versions that Karapace had soft-deleted before come back as "
        "soft-deleted, with their ids, and a cleared config is in force."
        if is_read
        else "As long as Karapace or Redpanda alone reads the journal nothing is wrong. A Confluent registry would have the deleted again."
    )
    return Finding(
        detector="empty-value-not-tombstone",
        severity="high" if is_read else "low",
        title=f"{plural(row['records'], 'delete')} in {row['topic']}-{row['partition']} {'is' if row['records'] == 1 else 'are'} of zero length, not null ({subjects}){first} at {at_offsets(named)}",
        explanation=(
            "Karapace writes a value of no bytes for a delete. Karapace and Redpanda read it as one. To Kafka it is a value: the log cleaner "
            "keeps it for ever as the newest of its key. A Confluent registry cannot parse it, says so in its log, "
            f"and keeps the record before it. {then}"
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity="empty-values",
        evidence=offsets,
        remedy=steps(
            [
                *(["Let registries of one kind only use this topic."] if is_read else []),
                f"Before a Confluent registry reads it, produce a null value for the key of each: {at_offsets(named)}{' and so on' if first else ''}.",
                "Produce it with exactly the same key bytes, or the cleaner takes it for another key.",
                words.look_again(row["topic"]),
            ]
        ),
        references=[
            "https://kafka.apache.org/documentation/#compaction",
            "https://github.com/Aiven-Open/karapace",
        ],
        entities=set(row["entities"]),
    )
