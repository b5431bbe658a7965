"""Deletes of zero length in a schema registry's journal: Karapace writes them, Confluent cannot read them."""

from __future__ import annotations

from collections.abc import Sequence

from spark.detectors import located
from spark.detectors._effects import on_records
from spark.detectors.schemas._writes import prepared
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, plural, some
from spark.units.pages import remedy

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
    subjects = some(
        [marked.entity(subject, "subject") if subject else "all subjects" for subject in row["subjects"]], 4
    )
    is_read = row["has_confluent"]
    then = (
        "A Confluent registry has also used this journal. In this registry the deleted entries still exist: versions that Karapace "
        "had soft-deleted before remain soft-deleted, with their IDs, and a cleared config is in force."
        if is_read
        else "If only Karapace or Redpanda reads the journal, this has no effect. In a Confluent registry, the deleted entries would "
        "still exist."
    )
    return Finding(
        detector="empty-value-not-tombstone",
        severity="high" if is_read else "low",
        effects=on_records("rejected", row, offsets) if is_read else [],
        title=(
            f"{'Confluent registries do' if is_read else 'A Confluent registry would'} not apply {plural(row['records'], 'delete')} in "
            f"{marked.partition(row['topic'], row['partition'])} ({subjects}): empty value instead of null{first} at {at_offsets(named)}"
        ),
        explanation=(
            "Karapace writes an empty value (0 bytes) for a delete. Karapace and Redpanda read it as a delete. For Kafka it is a "
            "value, not a tombstone, so compaction never removes the newest one of a key. A Confluent registry cannot parse it, logs "
            f"an error, and keeps the earlier record of the key. {then}"
        ),
        **located(row),
        entity="empty-values",
        evidence=offsets,
        remedy=remedy(
            "empty-value-not-tombstone",
            "Deletes of a schema registry",
            a_confluent_registry_used_the_journal=is_read,
            offsets_of_the_deletes=f"{at_offsets(named)}{' and the later ones' if first else ''}",
            topic=row["topic"],
        ),
        references=[
            "https://kafka.apache.org/documentation/#compaction",
            "https://github.com/Aiven-Open/karapace",
        ],
        entities=set(row["entities"]),
    )
