"""Where the broker's log recovery would cut each partition, and how many readable records lie behind that place.

Recovery reads from the last recovery point and stops at the first batch whose checksum or frame is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark.detectors import Tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WHERE = ["topic", "partition", "replica"]
NO_BATCH = ["not_a_batch", "zeros"]


def with_stake(found: DataFrame, tables: Tables) -> DataFrame:
    """Add `recovery_cuts_at` (first bad offset of the partition) and `records_at_stake` (readable, from there on)."""
    cuts = (
        found.select(*WHERE, "first_offset").unionByName(bad_batches(tables)).unionByName(lost_bytes(tables))
    )
    first_cuts = (
        cuts.filter(F.col("first_offset").isNotNull())
        .groupBy(*WHERE)
        .agg(F.min("first_offset").alias("recovery_cuts_at"))
    )
    data = tables["batches"].filter(F.col("crc_ok") & ~F.col("is_control"))
    behind = data.join(F.broadcast(first_cuts), on=WHERE, how="inner").filter(
        F.col("base_offset") >= F.col("recovery_cuts_at")
    )
    stake = behind.groupBy(*WHERE).agg(F.sum("records_read").alias("records_at_stake"))
    return found.join(F.broadcast(first_cuts), on=WHERE, how="left").join(
        F.broadcast(stake), on=WHERE, how="left"
    )


def bad_batches(tables: Tables) -> DataFrame:
    """First offsets of batches whose checksum disagrees."""
    return (
        tables["batches"].filter(~F.col("crc_ok")).select(*WHERE, F.col("base_offset").alias("first_offset"))
    )


def lost_bytes(tables: Tables) -> DataFrame:
    """First offsets of stretches that are no batch."""
    return tables["damage"].filter(F.col("reason").isin(NO_BATCH)).select(*WHERE, "first_offset")


def segments(tables: Tables) -> DataFrame:
    """File number, name and base offset of the log segments among the files."""
    files = tables["files"].filter(F.col("kind") == "segment")
    return files.select("file", "name", F.col("base_offset").alias("segment_offset"))
