"""Checksum mismatch: the bytes of a batch are not those its producer sent.

Never innocent. The batch is decoded all the same when its structure holds, and its records are marked.
Page: docs/detectors/crc-mismatch.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from spark.detectors import Detector, Row, Tables
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import WHERE, segments, with_stake
from spark.findings import Finding

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def find(tables: Tables) -> DataFrame:
    """One row per unbroken run of batches whose checksum disagrees."""
    bad = with_true_end(tables["batches"].filter(~F.col("crc_ok")), tables["batches"])
    in_file = Window.partitionBy(*WHERE, "file").orderBy("position")
    starts = F.coalesce(F.lag("end").over(in_file) != F.col("position"), F.lit(True))
    numbered = bad.withColumn("starts", starts.cast("int")).withColumn("run", F.sum("starts").over(in_file))
    runs = numbered.groupBy(*WHERE, "file", "run").agg(
        F.min("base_offset").alias("first_offset"),
        F.max("true_last_offset").alias("last_offset"),
        F.min("position").alias("position"),
        F.count("*").alias("batches"),
        F.sum("record_count").alias("records_declared"),
        F.sum("records_read").alias("records_read"),
        F.first("crc_stored").alias("crc_stored"),
        F.first("crc_computed").alias("crc_computed"),
        F.sort_array(F.collect_list("base_offset")).alias("evidence"),
    )
    named = runs.join(F.broadcast(segments(tables)), on="file", how="left")
    return with_stake(named.drop("run"), tables)


def with_true_end(bad: DataFrame, batches: DataFrame) -> DataFrame:
    """The last offset may be what is damaged: it ends before the next batch in any case."""
    ends = bad.withColumn("end", F.col("position") + F.col("size_bytes"))
    following = batches.select(
        "file", F.col("position").alias("end"), F.col("base_offset").alias("next_offset")
    )
    next_offsets = following.join(F.broadcast(ends.select("file", "end")), on=["file", "end"], how="inner")
    both = ends.join(F.broadcast(next_offsets.distinct()), on=["file", "end"], how="left")
    is_known = F.col("next_offset") > F.col("base_offset")
    least = F.least(F.col("last_offset"), F.when(is_known, F.col("next_offset") - 1))
    return both.withColumn("true_last_offset", F.greatest(least, F.col("base_offset")))


def describe(row: Row) -> Finding:
    """In words."""
    span = words.offsets(row["first_offset"], row["last_offset"])
    what = words.counted(row["batches"], "record batch", "record batches")
    verb = "does" if row["batches"] == 1 else "do"
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{what} of {words.partition_name(row)} ({span}) {verb} not agree with the stored checksum",
        explanation=explanation(row),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        evidence=words.some(row["evidence"]),
        remedy=words.remedy(row),
        references=[words.BATCH_FORMAT, words.LOG_RECOVERY],
    )


def explanation(row: Row) -> str:
    """What the bytes show, and what could be read all the same."""
    read, declared = row["records_read"], row["records_declared"]
    if read >= declared:
        decoded = f"Its structure holds, so {words.counted(read, 'record')} could be decoded and are shown, marked; "
    else:
        decoded = f"Only {read:,} of {words.counted(declared, 'record')} could be decoded; "
    return (
        f"The batch at byte {row['position']} of {words.file_name(row)} carries the CRC-32C "
        f"{row['crc_stored']:08x}, its bytes give {row['crc_computed']:08x}: at least one bit changed after the "
        f"broker accepted it, on the disk, in memory or in a copy. {decoded}any of their bytes may be the "
        "changed one. Consumers that check the checksum stop here with a corrupt record error and cannot pass."
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return words.roots(
        len(findings),
        "stretch of batches does not agree with its checksum",
        "stretches of batches do not agree with their checksums",
    )


detector = Detector(
    id="crc-mismatch",
    title="Batch that does not agree with its checksum",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
)
