"""Record count mismatch: a batch whose checksum agrees holds other records than its header says.

Innocent: compaction lowers the count below last - first + 1; the count itself stays right. Batches whose checksum
disagrees are crc-mismatch's, those that do not decompress unreadable-bytes'.
Page: docs/detectors/record-count-mismatch.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes._recovery import SEGMENTS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, plural
from spark.terms.victims import partitions_of

# A broken record lies within its batch or is the whole of it; the few of them are joined, not all batches.
ARE_BAD = """
    batches.crc_ok AND batches.file IN (SELECT file FROM files WHERE kind = 'segment')
    AND (file, position) NOT IN (SELECT file, position FROM damage WHERE reason = 'not_decompressed')
"""
RUNS = f"""
    WITH miscounted AS (FROM batches SELECT file, position WHERE record_count <> records_read AND {ARE_BAD}),
    broken AS (
        SELECT batches.file, batches.position, min(damage.detail) AS detail
        FROM damage JOIN batches ON damage.file = batches.file
            AND damage.position >= batches.position AND damage.position < batches.position + batches.size_bytes
        WHERE damage.reason = 'undecodable_records' AND batches.crc_ok GROUP BY ALL
    ),
    positions AS (SELECT file, position FROM miscounted UNION SELECT file, position FROM broken),
    bad AS (
        SELECT batches.*, detail, lag(position + size_bytes) OVER in_file IS DISTINCT FROM position AS starts
        FROM batches JOIN positions USING (file, position) LEFT JOIN broken USING (file, position)
        WINDOW in_file AS (PARTITION BY file ORDER BY position)
    ),
    numbered AS (SELECT *, sum(starts::INT) OVER (PARTITION BY file ORDER BY position) AS run FROM bad),
    runs AS (
        SELECT {REPLICA_COLUMNS}, file, run, min(base_offset) AS first_offset, max(greatest(base_offset, last_offset)) AS last_offset,
            min(position) AS position, count(*) AS batches, arg_min(record_count, position) AS declared,
            arg_min(records_read, position) AS read, first(detail ORDER BY position) AS detail,
            list(base_offset ORDER BY base_offset) AS evidence
        FROM numbered GROUP BY ALL
    )
    SELECT * FROM runs JOIN ({SEGMENTS}) USING (file) ORDER BY file, position
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per unbroken run of such batches."""
    is_miscounted = "SELECT 1 FROM batches WHERE crc_ok AND record_count <> records_read LIMIT 1"
    is_broken = "SELECT 1 FROM damage WHERE reason = 'undecodable_records' LIMIT 1"
    if not tables.rows(is_miscounted) and not tables.rows(is_broken):
        return []
    return tables.rows(RUNS)


def describe(row: Row) -> Finding:
    span = words.offsets(row["first_offset"], row["last_offset"])
    batches = plural(
        row["batches"], "record batch with a wrong record count", "record batches with wrong record counts"
    )
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"Consumers of {words.partition_name(row)} fail at offset {marked.offset(row['first_offset'])}: {batches} ({span})",
        explanation=explanation(row),
        **located(row),
        evidence=words.some(row["evidence"]),
        remedy=detector.remedy(
            skipped_offsets=words.offsets(row["first_offset"], row["last_offset"]),
            next_offset=row["last_offset"] + 1,
            this_log=(row["topic"], row["partition"]),
            ask_who_wrote_them=restoring.again(row),
        ),
        references=detector.references,
    )


def explanation(row: Row) -> str:
    """What the header says, what was found, and what it means that the checksum agrees."""
    return (
        f"The header of the batch at byte {marked.number(row['position'])} of {words.file_name(row)} declares "
        f"{plural(row['declared'], 'record')}, but {grouped(row['read'])} could be read.{because(row)} Its checksum is correct, so no bit "
        "changed after it was written. A program with a defect wrote it this way. A broker counts the records of a batch when a producer sends "
        "it, not when it reads the batch from disk or copies it from another replica. Consumers stop at this batch with an invalid record error. "
        "The log cleaner stops here too."
    )


def because(row: Row) -> str:
    """What does not parse, if that is it."""
    return (
        f" {marked.quote(row['detail'])}" if row["detail"] else " These records use all bytes of the batch."
    )


def headline(findings: list[Finding]) -> str:
    first = findings[0]
    wrong = plural(
        len(findings),
        "batch range has a wrong record count",
        "batch ranges have wrong record counts",
    )
    return (
        f"consumers of {partitions_of(findings)} fail at offset {marked.offset(first.first_offset)}: {wrong}"
    )


detector = Detector(
    id="record-count-mismatch",
    title="Record count mismatch in a batch",
    find=restoring.with_replicas(find),
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="batches",
    scope="partition",
    one_cause="disk",
    family="damaged-bytes",
    befalls=("unreadable", "consumers"),
)
