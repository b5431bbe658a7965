"""Offset order: a batch whose offsets repeat or go back within one copy of a partition, or two records at one offset.

Files are put in the order of their middle offsets: the first or last may be what is damaged. Batches with a wrong checksum are left to crc-mismatch. Loose
files whose name gives no topic are not compared with each other. Page: docs/detectors/offset-order.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes import _fetches as fetches
from spark.detectors.bytes import _printed_offsets as printed_offsets
from spark.detectors.bytes._recovery import DAMAGED_COPIES, SEGMENTS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, plural, some
from spark.terms.victims import partitions_of

NEVER = "never get"
DISCARD = "Java consumers discard records below the offset that they expect next"
LIBRDKAFKA = (
    "librdkafka clients do so only between fetch responses: within one, they get the batches in file order."
)
RANGES_NAMED = 3

# Cheap, and in most logs all that is asked: does any batch begin at or before the last offset of the one before it in
# its file, does any file begin before another one ends, or does one jump at its end beyond what a producer snapshot knew?
ANYTHING_ODD = f"""
    WITH placed AS (
        SELECT {REPLICA_COLUMNS}, file, base_offset, last_offset, lag(last_offset) OVER (PARTITION BY file ORDER BY position) AS before
        FROM batches WHERE crc_ok
    ),
    whole_files AS (
        SELECT {REPLICA_COLUMNS}, file, min(base_offset) AS first_offset, max(last_offset) AS last_offset,
            bool_or(base_offset <= before) AS goes_back, arg_max(base_offset, last_offset) > max(before) + 1 AS ends_in_jump
        FROM placed GROUP BY ALL
    ),
    in_order AS (
        SELECT *, max(last_offset) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY first_offset, file
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM whole_files
    )
    SELECT 1 FROM in_order WHERE goes_back OR first_offset <= before
    UNION ALL
    SELECT 1 FROM in_order JOIN files USING ({REPLICA_COLUMNS})
    WHERE regexp_matches(name, '[0-9]{{20}}[.]snapshot$') AND ends_in_jump AND in_order.last_offset >= base_offset
    LIMIT 1
"""

# One row per place where offsets go back; neighbouring such places are one.
# Files of an unknown topic may be of different partitions: each is its own scope.
# The CRC does not cover the base offset: a batch that lies where its neighbours leave room for it, and whose own offset
# lies elsewhere, is `displaced` (if they are in order themselves) and named by the offsets that were due. What would look the same, two batches that
# changed places, leaves the offsets that either of them names vacant on the other side of its neighbour.
RANGES_OUT_OF_ORDER = f"""
    WITH middles AS (
        SELECT file, CASE WHEN count(*) > 2 THEN quantile_disc(base_offset, 0.5) ELSE min(base_offset) END AS middle_offset,
            count(*) AS batches
        FROM batches WHERE crc_ok GROUP BY file
    ),
    scoped AS (
        SELECT batches.*, segment_offset, CASE WHEN topic = '?' THEN file ELSE -1 END AS scope,
            CASE WHEN batches > 2 THEN middle_offset ELSE coalesce(segment_offset, middle_offset) END AS file_offset
        FROM batches JOIN middles USING (file) LEFT JOIN ({SEGMENTS}) USING (file)
        WHERE crc_ok AND file NOT IN ({DAMAGED_COPIES})
    ),
    ends AS (
        SELECT {REPLICA_COLUMNS}, max(base_offset) AS end_offset FROM files
        WHERE regexp_matches(files.name, '[0-9]{{20}}[.]snapshot$') GROUP BY ALL
    ),
    neighbours AS (
        SELECT scoped.*, end_offset, lag(last_offset, 1) OVER in_log AS before, lag(last_offset, 2) OVER in_log AS before_that,
            lead(base_offset, 1) OVER in_log AS after, lead(base_offset, 2) OVER in_log AS after_that,
            lead(last_offset) OVER in_log AS after_last,
            count(*) OVER (PARTITION BY {REPLICA_COLUMNS}, scope, base_offset, crc_stored, size_bytes) > 1 AS is_copy
        FROM scoped LEFT JOIN ends USING ({REPLICA_COLUMNS})
        WINDOW in_log AS (PARTITION BY {REPLICA_COLUMNS}, scope ORDER BY file_offset, file, position)
    ),
    judged AS (
        SELECT *, coalesce(CASE
            WHEN after IS NULL THEN base_offset > before + 1 AND end_offset = before + 2 + last_offset - base_offset
            WHEN before_that >= before OR after_that <= after THEN false
            WHEN after - coalesce(before, segment_offset - 1, after) <= greatest(record_count, 1) THEN false
            WHEN is_copy THEN false
            WHEN last_offset >= after AND base_offset > after_last
                THEN last_offset >= coalesce(after_that, CASE WHEN base_offset > after_last + 1 THEN last_offset END)
            WHEN last_offset >= after AND base_offset > before THEN true
            ELSE base_offset <= before AND base_offset <= before_that
        END, false) AS is_displaced
        FROM neighbours
    ),
    displaced AS (
        SELECT {REPLICA_COLUMNS}, coalesce(before + 1, segment_offset) AS first_offset, coalesce(after, end_offset) - 1 AS last_offset,
            base_offset AS named_offset, file, position
        FROM judged WHERE is_displaced
    ),
    sound AS (FROM judged WHERE NOT is_displaced),
    ordered AS (
        SELECT {REPLICA_COLUMNS}, scope, base_offset, last_offset, file, position,
            lag(last_offset) OVER in_log AS before, row_number() OVER in_log AS number,
            max(last_offset) OVER (in_log ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached,
            row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, scope, base_offset ORDER BY file_offset, file, position) = 1 AS is_first
        FROM sound WINDOW in_log AS (PARTITION BY {REPLICA_COLUMNS}, scope ORDER BY file_offset, file, position)
    ),
    back AS (
        SELECT *, number - row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, scope ORDER BY number) AS run
        FROM ordered WHERE base_offset <= before
    ),
    runs AS (
        SELECT {REPLICA_COLUMNS}, scope, run, min(base_offset) AS first_offset, max(before) AS last_offset,
            arg_min(before, number) + 1 AS expected_offset, arg_min(file, number) AS file,
            arg_min(position, number) AS position
        FROM back GROUP BY ALL
    ),
    ranges AS (
        SELECT {REPLICA_COLUMNS}, scope, first_offset, max(last_offset) AS last_offset, min(expected_offset) AS expected_offset,
            min(file) AS file, min(position) AS position
        FROM runs GROUP BY ALL
    ),
    copies AS (
        SELECT {REPLICA_COLUMNS}, scope, first_offset, base_offset, count(*) AS copies,
            count(DISTINCT (crc_stored, size_bytes)) AS versions, max(sound.last_offset) AS copy_last_offset
        FROM sound JOIN ranges USING ({REPLICA_COLUMNS}, scope)
        WHERE base_offset BETWEEN first_offset AND ranges.last_offset GROUP BY ALL
    ),
    repeats AS (
        SELECT {REPLICA_COLUMNS}, scope, first_offset, count_if(copies > 1) AS repeated, count_if(versions > 1) AS differing,
            max(copy_last_offset) FILTER (copies > 1) AS repeated_last_offset
        FROM copies GROUP BY ALL
    ),
    -- A consumer that has read further discards them (CompletedFetch.nextFetchedRecord), and has no earlier copy.
    never_read AS (
        SELECT {REPLICA_COLUMNS}, scope, ranges.first_offset,
            list([base_offset, least(ordered.last_offset, reached)] ORDER BY base_offset) AS never_read
        FROM ordered JOIN ranges USING ({REPLICA_COLUMNS}, scope)
        WHERE base_offset BETWEEN ranges.first_offset AND ranges.last_offset AND base_offset <= reached AND is_first GROUP BY ALL
    ),
    misplaced AS (
        SELECT * EXCLUDE (scope, repeated_last_offset) REPLACE (coalesce(repeated_last_offset, last_offset) AS last_offset)
        FROM ranges LEFT JOIN repeats USING ({REPLICA_COLUMNS}, scope, first_offset)
        LEFT JOIN never_read USING ({REPLICA_COLUMNS}, scope, first_offset)
        UNION ALL BY NAME FROM displaced
    )
    FROM misplaced LEFT JOIN ({SEGMENTS}) USING (file) LEFT JOIN ({fetches.FAULTS}) USING (file)
    ORDER BY never_read IS NULL, {REPLICA_COLUMNS}, first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per range of batches, and per partition of outputs without batches."""
    yield from query(RANGES_OUT_OF_ORDER, if_any=ANYTHING_ODD)(tables)
    yield from query(printed_offsets.DIFFERENT_RECORDS, if_any=printed_offsets.ANY_OVERLAP)(tables)


def describe(row: Row) -> Finding:
    if "names" in row:
        return printed_offsets.describe(row, detector.id)
    span = words.offsets(row["first_offset"], row["last_offset"])
    if row.get("named_offset") is not None:
        return displaced(row, span)
    repeated = row["repeated"] or 0
    disorder = f"contains {span} twice" if repeated else f"contains {span} out of order"
    name, lost = words.partition_name(row), never_read(row)
    victims = f"Java consumers of {name} {NEVER} {lost}" if lost else fetches.victims(name, later_faults(row))
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{victims}: the log {disorder}" if victims else f"{name} {disorder}",
        facts={"whom": "java_consumers" if lost else "consumers"},
        explanation=explanation(row, repeated),
        **located(row),
        evidence=words.some([row["expected_offset"] - 1, row["first_offset"]]),
        entities={words.of_segment(row["file"])},
        remedy=detector.remedy("Several batches", **restoring.repair(row)),
        references=detector.references,
    )


def never_read(row: Row) -> str:
    """`offsets 88-96`: of batches that come after higher offsets, and before no copy of theirs; empty if there are none."""
    return some([words.offsets(first, last) for first, last in row["never_read"] or []], RANGES_NAMED)


def displaced(row: Row, span: str) -> Finding:
    """One batch whose base offset does not match its position."""
    base_offset = row["named_offset"]
    named = marked.offset(base_offset)
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"A batch of {words.partition_name(row)} has the wrong base offset: {named} instead of {marked.offset(row['first_offset'])}",
        explanation=(
            f"The batch at byte {marked.number(row['position'])} of {words.file_name(row)} contains base offset {named}. Between the batches before "
            f"and after it only {span} {due(row)} free. Its checksum is correct, but the checksum does not cover the base offset. Most "
            f"likely a bit of that field changed. The report shows its records with the offsets that the batch contains. {passed_over(row)}"
        ),
        **located(row),
        evidence=words.some([row["first_offset"], base_offset]),
        remedy=detector.remedy("One batch", **restoring.repair(row)),
        references=detector.references,
    )


def passed_over(row: Row) -> str:
    """What a consumer makes of the wrong offset."""
    if row["named_offset"] < row["first_offset"]:
        return f"{DISCARD}, so they never get this batch. {LIBRDKAFKA}"
    return f"{DISCARD}: after this batch, they never get lower offsets. {LIBRDKAFKA}"


def due(row: Row) -> str:
    """`is` or `are`."""
    return "is" if row["first_offset"] == row["last_offset"] else "are"


def explanation(row: Row, repeated: int) -> str:
    """Where the offsets go back, and whether the bytes are the same."""
    step_back = (
        f"At byte {marked.number(row['position'])} of {words.file_name(row)}, a batch starts at an offset before the end of the previous batch "
        f"(expected: offset {marked.offset(row['expected_offset'])}).{later_fetches(row)}"
    )
    occur = "occurs" if repeated == 1 else "occur"
    lost = never_read(row)
    consumers = (
        f"{DISCARD}: they never get {lost}, and they get no error. {LIBRDKAFKA}"
        if lost
        else f"{DISCARD}, so they get each offset once. {LIBRDKAFKA}"
    )
    if not repeated:
        return (
            f"{step_back} No batch occurs twice: batches were reordered, or one has a wrong base offset. {consumers} A follower that gets these "
            f"batches in one fetch refuses them and stops. A follower that gets them one by one also lacks {lost}."
        )
    consumers += " A follower that gets these batches in one fetch refuses them and stops."
    if row["differing"]:
        return (
            f"{step_back} {plural(repeated, 'base offset')} of this range {occur} more than once, {grouped(row['differing'])} of them with "
            f"different bytes. So the folder contains batches of two diverged logs. {consumers} Of different batches it is the first in the file."
        )
    return (
        f"{step_back} {plural(repeated, 'batch', 'batches')} of this range {occur} more than once, with equal bytes. The same data was "
        f"written or copied twice. {consumers}"
    )


def later_fetches(row: Row) -> str:
    """What fetches behind these batches get, where the index of the segment no longer matches it: often the greater loss."""
    faults = later_faults(row)
    if not faults:
        return ""
    return f" {fetches.sentences(faults)} This holds for followers and for consumers: the index of this segment contains positions from before the change."


def later_faults(row: Row) -> list[Row]:
    """Of fetches behind these batches."""
    return [fault for fault in row["fetch_faults"] or [] if fault["last_offset"] > row["last_offset"]]


def headline(findings: list[Finding]) -> str:
    """Whom it affects: consumers where some offsets are passed over, else followers."""
    of, count = partitions_of(findings), plural(len(findings), "offset range is", "offset ranges are")
    if any(finding.facts.get("whom") == "java_consumers" for finding in findings):
        return f"Java consumers of {of} {NEVER} some records, and followers can stop: {count} repeated or out of order"
    return f"{of}: {count} repeated or out of order"


detector = Detector(
    id="offset-order",
    title="Offsets repeated or out of order",
    find=restoring.with_replicas(find),
    describe=describe,
    headline=headline,
    needs=frozenset({"offset"}),
    rows_of=("batches", "records"),
    scope="partition",
    befalls=("misread", "consumers"),
)
