"""Record count mismatch: a batch whose checksum agrees holds other records than its header says.

Innocent: compaction lowers the count below last - first + 1; the count itself stays right. Batches whose checksum
disagrees are crc-mismatch's, those that do not decompress unreadable-bytes'.
Page: docs/detectors/record-count-mismatch.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes._recovery import SEGMENTS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, plural

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
            list(base_offset ORDER BY base_offset) AS evidence,
            arg_min(CASE WHEN magic = 2 THEN greatest(least(records_read, record_count - 1), 0) ELSE 0 END, position) AS delivered,
            arg_min(magic = 2 AND record_count = 0, position) AS is_declared_empty
        FROM numbered GROUP BY ALL
    ),
    -- Kafka's iterator returns record by record. It fails where a record is missing, or at the last declared one if bytes follow
    -- it (DefaultRecordBatch.RecordIterator); the consumer keeps what it had until then (CompletedFetch.fetchRecords).
    last_delivered AS (
        SELECT runs.file, position, "offset" AS delivered_up_to
        FROM runs JOIN records ON records.file = runs.file AND batch_position = position
        QUALIFY row_number() OVER (PARTITION BY runs.file, position ORDER BY "offset") = delivered
    )
    SELECT runs.*, delivered_up_to, segments.* EXCLUDE (file)
    FROM runs JOIN ({SEGMENTS}) AS segments USING (file) LEFT JOIN last_delivered USING (file, position) ORDER BY file, position
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
    up_to = row["delivered_up_to"]
    fail = (
        f"fail at offset {marked.offset(row['first_offset'])}"
        if up_to is None
        else f"fail after offset {marked.offset(up_to)}"
    )
    if row["is_declared_empty"]:
        fail = f"skip {span}"
    skipped = row["first_offset"] if up_to is None else up_to + 1
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"Java consumers of {words.partition_name(row)} {fail}: {batches} ({span})",
        explanation=explanation(row),
        **located(row),
        evidence=words.some(row["evidence"]),
        remedy=detector.remedy(
            the_seek_skips_offsets=skipped <= row["last_offset"],
            skipped_offsets=words.offsets(skipped, max(skipped, row["last_offset"])),
            next_offset=row["last_offset"] + 1,
            this_log=(row["topic"], row["partition"]),
            topic=row["topic"],
            partition=row["partition"],
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
        f"it, not when it reads the batch from disk or copies it from another replica. {consumers_get(row)} If the "
        "topic is compacted, the log cleaner does not compact this partition any further."
    )


def consumers_get(row: Row) -> str:
    """How far a consumer comes: Java's counts the records, librdkafka's reads to the end of the batch."""
    up_to, first = row["delivered_up_to"], row["first_offset"]
    if row["is_declared_empty"]:
        return "Java consumers take the batch for empty: they get none of its records and no error."
    got = "get no record of the batch" if up_to is None else f"get {words.offsets(first, up_to)}"
    others = "" if row["detail"] else " librdkafka clients do not compare the count and read these records."
    # At the position that it has, a running consumer keeps the response in which it failed (FetchCollector.fetchRecords).
    until = (
        ", until they restart with a committed offset after the batch"
        if up_to == row["last_offset"]
        else f", until they seek to offset {marked.offset(row['last_offset'] + 1)}"
    )
    return f"Java consumers {got} and then fail with an invalid record error at every poll{until}.{others}"


def because(row: Row) -> str:
    """What does not parse, if that is it."""
    return (
        f" {marked.quote(row['detail'])}" if row["detail"] else " These records use all bytes of the batch."
    )


detector = Detector(
    id="record-count-mismatch",
    title="Record count mismatch in a batch",
    find=restoring.with_replicas(find),
    describe=describe,
    headline=clause(
        "Java consumers of {partitions} fail at {count}",
        "batch range with a wrong record count",
        "batch ranges with wrong record counts",
    ),
    needs=frozenset({"batches"}),
    rows_of="batches",
    scope="partition",
    one_cause="disk",
    family="damaged-bytes",
    befalls=("stuck", "java_consumers"),
)
