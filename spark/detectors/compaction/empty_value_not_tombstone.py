"""Empty value, not a tombstone: a value of no bytes in a compacted log, which the cleaner keeps for ever.

In a schema registry's journal it is a delete by Karapace; high where a Confluent registry has used the journal as well.
Innocent: a log that nothing shows to be compacted. Page: docs/detectors/empty-value-not-tombstone.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.compaction import _empty_deletes as deletes
from spark.tables.replica import Row, replica_of
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import OFFSETS_NAMED, at_offsets, plural, steps

EMPTY_VALUES = f"""
    SELECT topic, partition, replica, compacted, any_value(why) AS why, count(*) AS records,
        count(*) FILTER (superseded_by IS NULL) AS newest, count(*) FILTER (previous_offset IS NOT NULL) AS later,
        min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
    FROM lifelines JOIN cleanings USING (topic, partition, replica)
    WHERE value_size_bytes = 0 AND kind IN ('create', 'update', 'revive') AND compacted <> 'no'
    GROUP BY topic, partition, replica, compacted ORDER BY topic, partition, replica
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy that holds such values."""
    of_registries = deletes.empty_deletes(tables)
    told = {replica_of(row) for row in of_registries}
    return [*of_registries, *(row for row in tables.rows(EMPTY_VALUES) if replica_of(row) not in told)]


def describe(row: Row) -> Finding:
    """The row in words."""
    if "has_confluent" in row:
        return deletes.describe(row)
    offsets = list(row["offsets"])
    where = f"{row['topic']}-{row['partition']}"
    first = ", the first" if row["records"] > len(offsets) else ""
    return Finding(
        detector=detector.id,
        severity="low",
        confidence="proven" if row["compacted"] == "proven" else "likely",
        title=f"{plural(row['records'], 'empty value')} in the compacted {where} that delete nothing{first} at {at_offsets(offsets)}",
        explanation=(
            "A value of no bytes is a value. Only a null value is a tombstone that the log cleaner drops after "
            f"delete.retention.ms; an empty one stays for ever as the newest of its key. The log is compacted: {row['why']}. "
            f"{row['newest']:,} of them are the newest record of their key, {row['later']:,} follow another record of it."
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
                "Ask the owner of the producer whether the empty value means a delete.",
                "If it does, have the producer send null, and produce one null for each key that should be gone.",
                "If empty is a proper value, there is nothing to do.",
            ]
        ),
        references=["https://kafka.apache.org/documentation/#compaction"],
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    if all(finding.severity == "high" for finding in findings):
        hold = "holds" if len(findings) == 1 else "hold"
        return f"{plural(len(findings), 'schema journal')} {hold} deletes of zero length that a Confluent registry does not see"
    return f"{plural(len(findings), 'partition')} {'holds' if len(findings) == 1 else 'hold'} empty values that delete nothing"


detector = Detector(
    id="empty-value-not-tombstone",
    title="Empty value that is no tombstone",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="lifelines",
    needs=frozenset({"key", "null-or-empty"}),
)
