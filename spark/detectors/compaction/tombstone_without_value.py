"""Tombstone for a key that has no value before it in the dump: one remark per partition.

Always innocent: the value was compacted away, or the dump starts after it. Records that are null by design (a
registry's restarts) are none. Page: docs/detectors/tombstone-without-value.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pyspark.sql import functions as F

from spark.detectors import Detector, Row, Tables
from spark.findings import Finding
from spark.wording import OFFSETS_NAMED, at_offsets, plural

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WHERE = ("topic", "partition", "replica")


def find(tables: Tables) -> DataFrame | None:
    """One row per partition that has such tombstones."""
    lone = tables["lifelines"].filter((F.col("kind") == "tombstone") & F.col("previous_offset").isNull())
    first_ones = F.slice(F.sort_array(F.collect_list("offset")), 1, OFFSETS_NAMED)
    rows = lone.groupBy(*WHERE).agg(
        F.count(F.lit(1)).alias("tombstones"),
        F.min("offset").alias("first_offset"),
        F.max("offset").alias("last_offset"),
        first_ones.alias("offsets"),
    )
    return cast("DataFrame", rows)


def describe(row: Row) -> Finding:
    """The row in words."""
    count = row["tombstones"]
    offsets = list(row["offsets"])
    more = f", the first at {at_offsets(offsets)}" if count > len(offsets) else f", at {at_offsets(offsets)}"
    return Finding(
        detector="tombstone-without-value",
        severity="info",
        title=f"{plural(count, 'tombstone')} in {row['topic']}-{row['partition']} without an earlier value{more}",
        explanation=(
            "A tombstone deletes the value of its key. Here no record of the key stands before it in the dump: compaction "
            "took the value already, the dump starts after it, or the service deletes keys it never wrote. This is normal."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity="tombstones",
        evidence=offsets,
        remedy="Nothing to do.",
    )


def headline(findings: list[Finding]) -> str:
    """Never part of a verdict; worded all the same."""
    return f"{plural(len(findings), 'partition')} {'has' if len(findings) == 1 else 'have'} tombstones without an earlier value"


detector = Detector(
    id="tombstone-without-value",
    title="Tombstone without an earlier value",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="lifelines",
)
