"""Unreadable entry: a key or value that its service cannot parse, and what the service does then.

Innocent: bytes that the layout bent, and batches whose checksum is wrong (crc-mismatch says so); records of another
service and message classes that are not known have detectors of their own. Page: docs/detectors/unreadable-entry.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors._effects import on_records
from spark.detectors.trust._consumers import consumer_of
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, plural
from spark.terms.victims import partitions_of

REPLACED = r"'\xEF\xBF\xBD'"  # U+FFFD as DuckDB spells bytes: what a tool writes for bytes that are no text
# One row per partition's copy, effect and part (key or value).
# One row per partition, effect and part: thousands of records of a kind are one finding.
UNREADABLE = f"""
    WITH failed AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, decode_error,
            coalesce(attributes ->> '$.effect', 'skipped') AS effect
        FROM entries
        WHERE decode_error IS NOT NULL AND coalesce(attributes NOT LIKE '%"foreign":true%', true)
            AND coalesce(attributes NOT LIKE '%"unknownClass"%', true)
    ),
    broken AS (SELECT {REPLICA_COLUMNS}, base_offset, last_offset FROM batches WHERE NOT crc_ok),
    whole AS (
        SELECT * FROM failed WHERE NOT EXISTS (
            FROM broken WHERE (broken.topic, broken.partition, broken.replica)
                = (failed.topic, failed.partition, failed.replica)
                AND failed."offset" BETWEEN broken.base_offset AND broken.last_offset
        )
    ),
    spans AS (SELECT {REPLICA_COLUMNS}, min("offset") AS low, max("offset") AS high FROM whole GROUP BY ALL),
    held AS (
        SELECT {REPLICA_COLUMNS}, "offset" FROM records JOIN spans USING ({REPLICA_COLUMNS})
        WHERE "offset" BETWEEN low AND high
            AND (contains(key::VARCHAR, {REPLACED}) OR contains(value::VARCHAR, {REPLACED}))
    )
    SELECT {REPLICA_COLUMNS}, effect, entry_type IS NULL AS is_key, count(*) AS records, min("offset") AS first_offset,
        max("offset") AS last_offset, arg_min(decode_error, "offset") AS why,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets,
        list(DISTINCT entry_type) FILTER (entry_type IS NOT NULL) AS kinds
    FROM whole ANTI JOIN held USING ({REPLICA_COLUMNS}, "offset")
    WHERE effect <> 'applied'
    GROUP BY {REPLICA_COLUMNS}, effect, is_key ORDER BY {REPLICA_COLUMNS}, first_offset
"""
EFFECTS = ("skipped", "tombstone", "fatal")


def describe(row: Row) -> Finding:
    offsets, effect = list(row["offsets"]), row["effect"] if row["effect"] in EFFECTS else "skipped"
    consumer = consumer_of(row["topic"], effect)
    first = ", the first" if row["records"] > len(offsets) else ""
    part = "key" if row["is_key"] else "value"
    kinds = f" ({', '.join(map(marked.name, sorted(row['kinds'])[:3]))})" if row["kinds"] else ""
    records = (
        f"{plural(row['records'], 'record')} of {marked.partition(row['topic'], row['partition'])}{kinds}"
    )
    does = consumer.does[effect].format(records=records)
    return Finding(
        detector=detector.id,
        severity="critical" if effect == "fatal" else "high",
        effects=on_records("unreadable", row, offsets),
        title=f"{does[0].upper()}{does[1:]}: unreadable {part}{first} at {at_offsets(offsets)}",
        explanation=f"{marked.quote(row['why'])} {consumer.means[effect]}",
        **located(row),
        entity=f"{part}:{effect}",
        evidence=offsets,
        remedy=detector.remedy(
            consumer.name,
            it_is_skipped=effect == "skipped",
            one_record_is_unreadable=row["records"] == 1,
            topic=row["topic"],
        ),
        references=detector.references,
        entities={
            *(f"offset:{offset}" for offset in offsets),
            *(["reader-stopped"] if effect == "fatal" else []),
        },
    )


def headline(findings: list[Finding]) -> str:
    fatal = [finding for finding in findings if finding.severity == "critical"]
    if len(fatal) == 1 and fatal[0].partition is not None:
        partition = marked.partition(fatal[0].topic, fatal[0].partition)
        consumer = consumer_of(fatal[0].topic, "fatal")
        return consumer.headline.format(partition=partition, offset=fatal[0].first_offset)
    if fatal:
        return f"services cannot start: unreadable records in {plural(len(fatal), 'journal')}"
    return f"services do not apply unreadable records of {partitions_of(findings)}"


detector = Detector(
    id="unreadable-entry",
    title="Record unreadable for its service",
    find=query(UNREADABLE),
    describe=describe,
    headline=headline,
    rows_of="entries",
    scope="partition",
    needs=frozenset({"key", "contents", "exact-bytes"}),
    one_cause="topic",
)
