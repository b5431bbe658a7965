"""Empty value, not a tombstone: a value of no bytes in a compacted log, which the cleaner keeps for ever.

In a schema registry's journal it is a delete by Karapace; high where a Confluent registry has used the journal as well.
Innocent: a log that nothing shows to be compacted. Page: docs/detectors/empty-value-not-tombstone.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors.compaction import _empty_deletes as deletes
from spark.tables.replica import Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.table_phrases import as_text
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, plural

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
    reported = {replica_of(row) for row in of_registries}
    return [*of_registries, *(row for row in tables.rows(EMPTY_VALUES) if replica_of(row) not in reported)]


def describe(row: Row) -> Finding:
    if "has_confluent" in row:
        return deletes.describe(row)
    offsets = list(row["offsets"])
    name = marked.partition(row["topic"], row["partition"])
    first = ", the first" if row["records"] > len(offsets) else ""
    return Finding(
        detector=detector.id,
        severity="low",
        confidence="proven" if row["compacted"] == "proven" else "likely",
        title=f"{name} contains {plural(row['records'], 'empty value')} (0 bytes) instead of {'a tombstone' if row['records'] == 1 else 'tombstones'}{first} at {at_offsets(offsets)}",
        explanation=(
            "An empty value (0 bytes) is a value. Only a null value is a tombstone, which the log cleaner removes after "
            "delete.retention.ms. Compaction never removes an empty value that is the newest record of its key. The log is "
            f"compacted: {as_text(row['why'])}. {grouped(row['newest'])} of the empty values are the newest record of their key. {grouped(row['later'])} follow "
            "another record of their key."
        ),
        **located(row),
        entity="empty-values",
        entities={"empty-values"},
        evidence=offsets,
        remedy=detector.remedy("Empty values"),
        references=detector.references,
    )


def headline(findings: list[Finding]) -> str:
    if all(finding.severity == "high" for finding in findings):
        contain = "contains" if len(findings) == 1 else "contain"
        return f"{plural(len(findings), 'schema journal')} {contain} deletes with an empty value that Confluent registries do not apply"
    return f"{plural(len(findings), 'partition')} {'contains' if len(findings) == 1 else 'contain'} empty values instead of tombstones"


detector = Detector(
    id="empty-value-not-tombstone",
    title="Empty value instead of a tombstone",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="lifelines",
    scope="partition",
    needs=frozenset({"key", "null-or-empty"}),
    follows=("value-means-null",),
)
