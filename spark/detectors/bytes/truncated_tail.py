"""Truncated tail: the last batch runs past the end of its file.

Info for the newest segment of a running broker, copied while it was written: no later segment is there, and no
index entry or producer snapshot names an offset behind what is left. Page: docs/detectors/truncated-tail.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark.detectors import Detector, Row, Tables
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import WHERE, segments, with_stake
from spark.findings import Finding

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def find(tables: Tables) -> DataFrame:
    """One row per cut file."""
    damage = tables["damage"].filter(F.col("reason") == "truncated")
    cut = damage.join(F.broadcast(segments(tables)), on="file", how="inner")
    known = cut
    for witness in (
        later_segments(tables["files"]),
        snapshots(tables["files"]),
        index_offsets(tables["index_entries"]),
    ):
        known = with_witness(known, *witness)
    expected = F.coalesce(
        F.col("last_offset"),
        F.col("next_segment_offset") - 1,
        F.col("snapshot_offset") - 1,
        F.col("index_offset"),
    )
    last = F.greatest(F.coalesce(expected, F.col("first_offset")), F.col("first_offset"))
    return with_stake(known.withColumn("last_offset", last), tables)


def with_witness(cut: DataFrame, witness: DataFrame, name: str, proves: Column, value: Column) -> DataFrame:
    """Add the offset by which a witness shows that the log went on behind the cut; null when it does not."""
    same_place = F.lit(True)
    for column in WHERE:
        same_place = same_place & (F.col(column) == F.col(f"witness_{column}"))
    renamed = witness.select(*(F.col(c).alias(f"witness_{c}") for c in witness.columns))
    seen = cut.join(F.broadcast(renamed), on=same_place & proves, how="inner")
    shown = seen.groupBy("file").agg(value.alias(name))
    return cut.join(F.broadcast(shown), on="file", how="left")


def later_segments(files: DataFrame) -> tuple[DataFrame, str, Column, Column]:
    """Segments of the partition that begin behind the cut one."""
    later = files.filter(F.col("kind") == "segment").select(*WHERE, "base_offset")
    proves = F.col("witness_base_offset") > F.col("segment_offset")
    return later, "next_segment_offset", proves, F.min("witness_base_offset")


def snapshots(files: DataFrame) -> tuple[DataFrame, str, Column, Column]:
    """Producer snapshots, whose names say which offset came next when they were written."""
    named = files.filter(F.col("name").rlike(r"\d{20}\.snapshot$")).select(*WHERE, "base_offset")
    proves = F.col("witness_base_offset") > F.col("first_offset")
    return named, "snapshot_offset", proves, F.max("witness_base_offset")


def index_offsets(entries: DataFrame) -> tuple[DataFrame, str, Column, Column]:
    """Entries of the segment's own indexes that name an offset behind what is left."""
    newest = entries.groupBy(*WHERE, "base_offset").agg(F.max("offset").alias("offset"))
    proves = (F.col("witness_base_offset") == F.col("segment_offset")) & (
        F.col("witness_offset") >= F.col("first_offset")
    )
    return newest, "index_offset", proves, F.max("witness_offset")


def describe(row: Row) -> Finding:
    """In words."""
    reasons = evidence_of_more(row)
    first, last = row["first_offset"], row["last_offset"]
    return Finding(
        detector=detector.id,
        severity="medium" if reasons else "info",
        title=f"The last batch of {words.file_name(row)} ({words.partition_name(row)}, {words.offsets(first, last)}) is cut",
        explanation=explanation(row, reasons),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=first,
        last_offset=last,
        entity=None if first is not None else row["name"],
        evidence=[] if first is None else words.some([first, last]),
        remedy=remedy(row, reasons),
        references=[words.LOG_RECOVERY],
    )


def evidence_of_more(row: Row) -> list[str]:
    """What shows that the batch was whole once."""
    found = []
    if row.get("next_segment_offset") is not None:
        found.append(f"a later segment begins at offset {row['next_segment_offset']}")
    if row.get("snapshot_offset") is not None:
        found.append(f"a producer snapshot was written when offset {row['snapshot_offset']} came next")
    if row.get("index_offset") is not None:
        found.append(f"an index of the segment names offset {row['index_offset']}")
    return found


def explanation(row: Row, reasons: list[str]) -> str:
    """What is missing and whether that is normal."""
    if reasons:
        return (
            f"{row['detail']} The log once went on behind it: {' and '.join(reasons)}. "
            "So the file lost its end: a copy that stopped early, a full disk, or an unclean stop of the machine."
        )
    return (
        f"{row['detail']} Nothing shows that the log ever went on behind it: this is how the newest segment of a "
        "running broker looks when it is copied while a batch is being written."
    )


def remedy(row: Row, reasons: list[str]) -> str:
    """Look for the whole file before anything else."""
    if not reasons:
        return "None needed. To be sure, copy the segment again and compare: the batch should be whole then."
    return (
        f"{words.why_not_restart(row)} Compare the size of the file with its original if this is a copy. "
        f"The records at {words.offsets(row['first_offset'], row['last_offset'])} can be fetched "
        "from another replica that is in sync, or must be produced again."
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return words.roots(
        len(findings), "segment ends in the middle of a batch", "segments end in the middle of a batch"
    )


detector = Detector(
    id="truncated-tail",
    title="Segment that ends in the middle of a batch",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
)
