"""Misnamed segment: a file's name is not the offset it begins with, in a way that no cleaning leaves.

Innocent: a first offset above the name (the cleaner removes records and keeps the name), unless the segment before
reaches beyond the name. Page: docs/detectors/misnamed-segment.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes._segments import MISNAMED
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural
from spark.terms.victims import partitions_of

STILL_GET = "Consumers still get these offsets"

# One row per file.
# The offsets that are looked for in the wrong file.
WITH_OFFSETS = f"""
    SELECT * EXCLUDE (last_offset), first_offset AS begins_at, last_offset AS ends_at,
        CASE how WHEN 'low' THEN segment_offset ELSE first_offset END AS from_offset,
        CASE how WHEN 'high' THEN least(segment_offset - 1, last_offset) WHEN 'low' THEN first_offset - 1 ELSE last_offset END
            AS to_offset
    FROM ({MISNAMED})
"""


def describe(row: Row) -> Finding:
    return Finding(
        detector=detector.id,
        severity="medium",
        title=title(row),
        explanation=explanation(row),
        **located(row, row["from_offset"], row["to_offset"]),
        evidence=words.some([row["begins_at"], row["segment_offset"]]),
        remedy=detector.remedy(
            correct_name=f"{row['begins_at']:020d}.log",
            this_log=(row["topic"], row["partition"]),
            **restoring.repair(row),
        ),
        references=detector.references,
    )


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    file = f"Segment {words.file_name(row)} of {words.partition_name(row)} has the wrong name"
    if row["how"] == "beyond":
        return (
            f"{file}: it contains {words.offsets(row['begins_at'], row['ends_at'])}, but the next segment is named "
            f"{marked.offset(row['next_segment_offset'])}"
        )
    return f"{file}: its first offset is {marked.offset(row['begins_at'])}"


def explanation(row: Row) -> str:
    """What shows it and what it does."""
    begins = {
        "high": "The name of a segment is its first offset. Compaction and retention never lower that offset.",
        "beyond": f"The next segment is named {marked.offset(row['next_segment_offset'])}, but this one starts after that offset.",
        "low": (
            f"The previous segment ends at offset {marked.offset(row['before'])} and this one starts at offset {marked.offset(row['begins_at'])}, so no offset is "
            "missing between them. Compaction did not remove the first records of this segment."
        ),
    }
    return (
        f"{begins[row['how']]} A broker looks up offsets by these names, and the indexes of a segment are relative to its name. "
        f"{fetches(row)} Someone renamed the file or copied it from another folder."
    )


def fetches(row: Row) -> str:
    """What a fetch gets: a broker searches the segment with the greatest name up to the offset, then those after it (`LocalLog.read`)."""
    if row["how"] != "high":
        return "Consumers that fetch these offsets can skip records or get an error."
    if row["before"] is None:
        return "For the broker, the log starts at this name: consumers that fetch lower offsets get OFFSET_OUT_OF_RANGE."
    lost = words.offsets(row["from_offset"], row["to_offset"])
    return (
        f"{STILL_GET}: a broker that does not find an offset in the previous segment searches this one. When retention deletes the previous "
        f"segment, the log starts at offset {marked.offset(row['segment_offset'])} and consumers cannot get {lost}."
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict: who does not get all records, if anyone."""
    of, count = partitions_of(findings), plural(len(findings), "segment has", "segments have")
    skips = any(STILL_GET not in finding.explanation for finding in findings)
    return (
        f"consumers of {of} can skip records: {count} the wrong name"
        if skips
        else f"{of}: {count} the wrong name"
    )


detector = Detector(
    id="misnamed-segment",
    title="Wrong segment name",
    find=restoring.with_replicas(query(WITH_OFFSETS)),
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="batches",
    scope="partition",
    one_cause="disk",
    befalls=("misread", "consumers"),
)
