"""Unreadable bytes: a stretch of a segment that is no batch, or a sound batch whose records cannot be decoded.

Never innocent; zeros to the end (preallocated-tail), a cut end (truncated-tail) and batches that crc-mismatch
reports are not meant. Page: docs/detectors/unreadable-bytes.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark.detectors import Detector, Row, Tables
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import NO_BATCH, segments, with_stake
from spark.findings import Finding

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def find(tables: Tables) -> DataFrame:
    """One row per stretch."""
    damage = tables["damage"].filter(F.col("reason").isin([*NO_BATCH, "undecodable_records"]))
    of_segments = damage.join(F.broadcast(segments(tables)), on="file", how="inner")
    bad = (
        tables["batches"]
        .filter(~F.col("crc_ok"))
        .select(
            F.col("file").alias("bad_file"),
            F.col("position").alias("bad_start"),
            (F.col("position") + F.col("size_bytes")).alias("bad_end"),
        )
    )
    is_reported = (
        (F.col("file") == F.col("bad_file"))
        & (F.col("position") >= F.col("bad_start"))
        & (F.col("position") < F.col("bad_end"))
    )
    own = of_segments.join(F.broadcast(bad), on=is_reported, how="left_anti")
    last_offset = F.coalesce("last_offset", "first_offset")
    return with_stake(own.withColumn("last_offset", last_offset), tables)


def describe(row: Row) -> Finding:
    """In words."""
    first, last = row["first_offset"], row["last_offset"]
    fell = (
        f"{words.offsets(first, last)} fell in" if first is not None else "which offsets it held is not known"
    )
    what = "zero-filled bytes" if row["reason"] == "zeros" else "bytes"
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{row['size_bytes']:,} {what} of {words.partition_name(row)} cannot be read: {fell}",
        explanation=explanation(row),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=first,
        last_offset=last,
        entity=None if first is not None else f"{row['name']}@{row['position']}",
        evidence=[] if first is None else words.some([first, last]),
        remedy=words.remedy(row),
        references=[words.BATCH_FORMAT, words.LOG_RECOVERY],
    )


def explanation(row: Row) -> str:
    """Which bytes, what they look like, what follows them."""
    if row["reason"] == "undecodable_records":
        return (
            f"{row['detail']} It lies in {words.file_name(row)}; its checksum agrees, so it was written this way: by "
            "a producer with a broken compressor or encoder, or it is larger than this inspection allows. "
            "Consumers stop at it."
        )
    zeros = (
        " Zeros in the middle of a file are what a power failure leaves when the file's length reached the disk "
        "and its content did not."
        if row["reason"] == "zeros"
        else ""
    )
    after = (
        "The batches after it were found by their checksums and are sound; a broker and its consumers stop before "
        "it and do not reach them."
        if row["batches_after"]
        else "No batch follows it in this file."
    )
    return f"In {words.file_name(row)}: {row['detail']}{zeros} {after}"


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return words.roots(len(findings), "stretch of bytes cannot be read", "stretches of bytes cannot be read")


detector = Detector(
    id="unreadable-bytes",
    title="Bytes that are no readable batch",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
)
