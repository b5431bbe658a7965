"""Offset order: a batch whose offsets repeat or go back within one copy of a partition.

Files are put in the order of their middle offsets: the first or last may be what is damaged. Batches with a wrong checksum are left to crc-mismatch. Loose
files whose name gives no topic are not compared with each other. Page: docs/detectors/offset-order.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import SEGMENTS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.victims import partitions_of
from spark.terms.wording import plural, steps

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

# Files of an unknown topic may be of different partitions: each is its own scope.
# The CRC does not cover the base offset: a batch that lies where its neighbours leave room for it, and whose own offset
# lies elsewhere, is `displaced` (if they are in order themselves) and named by the offsets that were due. What would look the same, two batches that
# changed places, leaves the offsets that either of them names vacant on the other side of its neighbour.
PLACES_OUT_OF_ORDER = f"""
    WITH middles AS (
        SELECT file, CASE WHEN count(*) > 2 THEN quantile_disc(base_offset, 0.5) ELSE min(base_offset) END AS middle_offset,
            count(*) AS batches
        FROM batches WHERE crc_ok GROUP BY file
    ),
    scoped AS (
        SELECT batches.*, segment_offset, CASE WHEN topic = '?' THEN file ELSE -1 END AS scope,
            CASE WHEN batches > 2 THEN middle_offset ELSE coalesce(segment_offset, middle_offset) END AS file_offset
        FROM batches JOIN middles USING (file) LEFT JOIN ({SEGMENTS}) USING (file)
        WHERE crc_ok
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
        SELECT {REPLICA_COLUMNS}, scope, base_offset, file, position,
            lag(last_offset) OVER in_log AS before, row_number() OVER in_log AS number
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
    places AS (
        SELECT {REPLICA_COLUMNS}, scope, first_offset, max(last_offset) AS last_offset, min(expected_offset) AS expected_offset,
            min(file) AS file, min(position) AS position
        FROM runs GROUP BY ALL
    ),
    copies AS (
        SELECT {REPLICA_COLUMNS}, scope, first_offset, base_offset, count(*) AS copies,
            count(DISTINCT (crc_stored, size_bytes)) AS versions, max(sound.last_offset) AS copy_last_offset
        FROM sound JOIN places USING ({REPLICA_COLUMNS}, scope)
        WHERE base_offset BETWEEN first_offset AND places.last_offset GROUP BY ALL
    ),
    repeats AS (
        SELECT {REPLICA_COLUMNS}, scope, first_offset, count_if(copies > 1) AS repeated, count_if(versions > 1) AS differing,
            max(copy_last_offset) FILTER (copies > 1) AS repeated_last_offset
        FROM copies GROUP BY ALL
    ),
    found AS (
        SELECT * EXCLUDE (scope, repeated_last_offset) REPLACE (coalesce(repeated_last_offset, last_offset) AS last_offset)
        FROM places LEFT JOIN repeats USING ({REPLICA_COLUMNS}, scope, first_offset)
        UNION ALL BY NAME FROM displaced
    )
    FROM found LEFT JOIN ({SEGMENTS}) USING (file)
"""

NOT_NOTICED = (
    f"{words.COPY_FIRST} The broker does not detect this: it serves the batches in file order, and consumers "
    "read records twice or skip some."
)
FROM_SEVERAL_PLACES = "If the files were copied together from several places, inspect each place on its own."


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per place where offsets go back; neighbouring such places are one."""
    return tables.rows(PLACES_OUT_OF_ORDER) if tables.rows(ANYTHING_ODD) else []


def describe(row: Row) -> Finding:
    """In words."""
    span = words.offsets(row["first_offset"], row["last_offset"])
    if row.get("named_offset") is not None:
        return displaced(row, span)
    repeated = row["repeated"] or 0
    what = "are there twice" if repeated else "are out of order"
    if row["first_offset"] == row["last_offset"]:
        what = what.replace("are", "is")
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{span[0].upper()}{span[1:]} of {words.partition_name(row)} {what}",
        explanation=explanation(row, repeated),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        evidence=words.some([row["expected_offset"] - 1, row["first_offset"]]),
        remedy=steps([NOT_NOTICED, FROM_SEVERAL_PLACES, words.FROM_A_REPLICA]),
        references=[words.BATCH_FORMAT],
    )


def displaced(row: Row, span: str) -> Finding:
    """One batch whose base offset is not the one its place calls for."""
    named = row["named_offset"]
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"A batch of {words.partition_name(row)} names offset {named} where {span} {due(row)} due",
        explanation=(
            f"The batch at byte {row['position']} of {words.file_name(row)} says that it begins at offset {named}; the "
            f"batches before and after it leave room for {span}. Its checksum agrees, but it does not cover the base "
            "offset: most likely a bit of that field changed. Its records are shown under the offsets that it names."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        evidence=words.some([row["first_offset"], named]),
        remedy=steps([NOT_NOTICED, words.FROM_A_REPLICA, words.CHECK_THE_MACHINE]),
        references=[words.BATCH_FORMAT],
    )


def due(row: Row) -> str:
    """`was` or `were`."""
    return "was" if row["first_offset"] == row["last_offset"] else "were"


def explanation(row: Row, repeated: int) -> str:
    """Where the offsets go back, and whether the bytes are the same."""
    where = (
        f"At byte {row['position']} of {words.file_name(row)} a batch begins at an offset that had been passed: "
        f"{row['expected_offset']} was due."
    )
    is_or_are = "is" if repeated == 1 else "are"
    if not repeated:
        return f"{where} No batch is there twice: batches changed places, or one has a wrong base offset."
    if row["differing"]:
        return (
            f"{where} {plural(repeated, 'base offset')} of this range {is_or_are} there more than once, "
            f"{row['differing']:,} of them with different bytes: two histories of the log are mixed."
        )
    return (
        f"{where} {plural(repeated, 'batch', 'batches')} of this range {is_or_are} there more than once, with equal "
        "bytes: the same data was written or copied twice."
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    repeated = plural(
        len(findings),
        "range of offsets repeats or is out of order",
        "ranges of offsets repeat or are out of order",
    )
    return f"consumers of {partitions_of(findings)} read records twice or skip some: {repeated}"


detector = Detector(
    id="offset-order",
    title="Offsets that repeat or go back",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="batches",
)
