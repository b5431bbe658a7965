"""Offset order: a batch whose offsets repeat or go back within one copy of a partition.

Files are put in the order of their first offsets. Batches with a wrong checksum are left to crc-mismatch. Loose
files whose name gives no topic are not compared with each other. Page: docs/detectors/offset-order.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from spark.detectors import Detector, Row, Tables
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import WHERE, segments
from spark.findings import Finding

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

UNKNOWN_TOPIC = "?"
SCOPE = [*WHERE, "scope"]


def find(tables: Tables) -> DataFrame:
    """One row per place where offsets go back; neighbouring such places are one."""
    sound = tables["batches"].filter(F.col("crc_ok")).withColumn("scope", scope())
    steps = steps_back(in_order(sound))
    places = steps.groupBy(*SCOPE, "first_offset").agg(
        F.max("last_offset").alias("last_offset"),
        F.min("expected_offset").alias("expected_offset"),
        F.min("place.file").alias("file"),
        F.min("place.position").alias("position"),
    )
    judged = places.join(F.broadcast(repeats(sound, places)), on=[*SCOPE, "first_offset"], how="left")
    return judged.join(F.broadcast(segments(tables)), on="file", how="left").drop("scope")


def scope() -> Column:
    """Files of an unknown topic may be of different partitions."""
    return F.when(F.col("topic") == UNKNOWN_TOPIC, F.col("file")).otherwise(F.lit(-1))


def in_order(batches: DataFrame) -> DataFrame:
    """Batches with the last offset before each and its number, in the order of the log."""
    firsts = batches.groupBy("file").agg(F.min("base_offset").alias("file_offset"))
    placed = batches.join(F.broadcast(firsts), on="file", how="inner")
    order = Window.partitionBy(*SCOPE).orderBy("file_offset", "file", "position")
    return placed.select(
        *SCOPE,
        "base_offset",
        F.lag("last_offset").over(order).alias("before"),
        F.row_number().over(order).alias("number"),
        F.struct("file", "position").alias("place"),
    )


def steps_back(ordered: DataFrame) -> DataFrame:
    """Batches that begin at or before the end of the batch before them, runs of them joined."""
    back = ordered.filter(F.col("base_offset") <= F.col("before"))
    order = Window.partitionBy(*SCOPE).orderBy("number")
    runs = back.withColumn("run", F.col("number") - F.row_number().over(order))
    return runs.groupBy(*SCOPE, "run").agg(
        F.min("base_offset").alias("first_offset"),
        F.max("before").alias("last_offset"),
        (F.min_by("before", "number") + 1).alias("expected_offset"),
        F.min_by("place", "number").alias("place"),
    )


def repeats(batches: DataFrame, places: DataFrame) -> DataFrame:
    """How many base offsets of each place are there more than once, and how many of these with different bytes."""
    ranges = places.select(*SCOPE, "first_offset", F.col("last_offset").alias("end_offset"))
    inside = batches.join(F.broadcast(ranges), on=SCOPE, how="inner").filter(
        F.col("base_offset").between(F.col("first_offset"), F.col("end_offset"))
    )
    copies = inside.groupBy(*SCOPE, "first_offset", "base_offset").agg(
        F.count("*").alias("copies"), F.countDistinct("crc_stored", "size_bytes").alias("versions")
    )
    return copies.groupBy(*SCOPE, "first_offset").agg(
        F.sum((F.col("copies") > 1).cast("int")).alias("repeated"),
        F.sum((F.col("versions") > 1).cast("int")).alias("differing"),
    )


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
        remedy=(
            f"{words.COPY_FIRST} A broker does not notice this by itself: it serves the batches as they lie, and "
            "consumers read records twice or skip some. Compare with another replica. If one is in order, "
            "make it the leader, stop this broker cleanly, move this partition's folder away and start the broker: it "
            "fetches the partition anew. If the files were copied together from several places, inspect each "
            "place on its own."
        ),
        references=[words.BATCH_FORMAT],
    )


def explanation(row: Row, repeated: int) -> str:
    """Where the offsets go back, and whether the bytes are the same."""
    where = (
        f"At byte {row['position']} of {words.file_name(row)} a batch begins at an offset that had been passed: "
        f"{row['expected_offset']} was due."
    )
    if not repeated:
        return f"{where} No batch is there twice: batches changed places, or one has a wrong base offset."
    if row["differing"]:
        return (
            f"{where} {words.counted(repeated, 'batch', 'batches')} of this range are there more than once, "
            f"{row['differing']:,} of them with different bytes: two histories of the log are mixed."
        )
    return (
        f"{where} {words.counted(repeated, 'batch', 'batches')} of this range are there more than once, with equal "
        "bytes: the same data was written or copied twice."
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return words.roots(
        len(findings), "range of offsets repeats or goes back", "ranges of offsets repeat or go back"
    )


detector = Detector(
    id="offset-order",
    title="Offsets that repeat or go back",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
)
