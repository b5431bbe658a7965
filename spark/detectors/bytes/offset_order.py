"""Offset order: a batch whose offsets repeat or go back within one copy of a partition.

Files are put in the order of their first offsets. Batches with a wrong checksum are left to crc-mismatch. Loose
files whose name gives no topic are not compared with each other. Page: docs/detectors/offset-order.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, Row, Tables
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import SEGMENTS, WHERE
from spark.findings import Finding
from spark.wording import plural, steps

# Files of an unknown topic may be of different partitions: each is its own scope.
PLACES_OUT_OF_ORDER = f"""
    WITH sound AS (
        SELECT *, CASE WHEN topic = '?' THEN file ELSE -1 END AS scope, min(base_offset) OVER (PARTITION BY file) AS file_offset
        FROM batches WHERE crc_ok
    ),
    ordered AS (
        SELECT {WHERE}, scope, base_offset, file, position,
            lag(last_offset) OVER in_log AS before, row_number() OVER in_log AS number
        FROM sound WINDOW in_log AS (PARTITION BY {WHERE}, scope ORDER BY file_offset, file, position)
    ),
    back AS (
        SELECT *, number - row_number() OVER (PARTITION BY {WHERE}, scope ORDER BY number) AS run
        FROM ordered WHERE base_offset <= before
    ),
    runs AS (
        SELECT {WHERE}, scope, run, min(base_offset) AS first_offset, max(before) AS last_offset,
            arg_min(before, number) + 1 AS expected_offset, arg_min(file, number) AS file,
            arg_min(position, number) AS position
        FROM back GROUP BY ALL
    ),
    places AS (
        SELECT {WHERE}, scope, first_offset, max(last_offset) AS last_offset, min(expected_offset) AS expected_offset,
            min(file) AS file, min(position) AS position
        FROM runs GROUP BY ALL
    ),
    copies AS (
        SELECT {WHERE}, scope, first_offset, base_offset, count(*) AS copies,
            count(DISTINCT (crc_stored, size_bytes)) AS versions
        FROM sound JOIN places USING ({WHERE}, scope)
        WHERE base_offset BETWEEN first_offset AND places.last_offset GROUP BY ALL
    ),
    repeats AS (
        SELECT {WHERE}, scope, first_offset, count_if(copies > 1) AS repeated, count_if(versions > 1) AS differing
        FROM copies GROUP BY ALL
    )
    SELECT * EXCLUDE (scope)
    FROM places LEFT JOIN repeats USING ({WHERE}, scope, first_offset) LEFT JOIN ({SEGMENTS}) USING (file)
"""

NOT_NOTICED = (
    f"{words.COPY_FIRST} A broker does not notice this by itself: it serves the batches as they lie, and consumers "
    "read records twice or skip some."
)
FROM_SEVERAL_PLACES = "If the files were copied together from several places, inspect each place on its own."


def find(tables: Tables) -> Iterable[Row]:
    """One row per place where offsets go back; neighbouring such places are one."""
    return tables.rows(PLACES_OUT_OF_ORDER)


def describe(row: Row) -> Finding:
    """In words."""
    span = words.offsets(row["first_offset"], row["last_offset"])
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
    return plural(
        len(findings), "range of offsets repeats or goes back", "ranges of offsets repeat or go back"
    )


detector = Detector(
    id="offset-order",
    title="Offsets that repeat or go back",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="batches",
)
