"""Truncated tail: the last batch runs past the end of its file.

Or zeros took the place of its end. Info for the newest segment of a running broker, copied while it was written: no
later segment is there, and no index entry or producer snapshot names an offset behind what is left.
Page: docs/detectors/truncated-tail.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes._recovery import with_stake
from spark.detectors.bytes._tails import TAILS
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding

# One row per cut file.
CUT_FILES = f"""
    FROM ({TAILS}) WHERE NOT is_zeroed
        AND (reason IN ('truncated', 'torn') OR (reason = 'zeros_at_end' AND end_offset IS NOT NULL))
"""


def describe(row: Row) -> Finding:
    reasons = evidence_of_more(row)
    first, last = row["first_offset"], row["last_offset"]
    return Finding(
        detector=detector.id,
        severity="medium" if reasons else "info",
        title=title(row, reasons),
        explanation=explanation(row, reasons),
        **located(row),
        entity=None if first is not None else row["name"],
        evidence=[] if first is None else words.some([first, last]),
        remedy=remedy(row, reasons),
        references=detector.references,
    )


def title(row: Row, reasons: list[str]) -> str:
    """One sentence a ticket can quote."""
    how = "ends in zeros" if row["reason"] == "zeros_at_end" else "is truncated within a batch"
    first, last = row["first_offset"], row["last_offset"]
    if first is None:
        return f"Segment {words.file_name(row)} of {words.partition_name(row)} {how}; no offset is missing"
    verb = "is" if last in {None, first} else "are"
    lost = f"{words.offsets(first, last)} {verb} {'missing' if reasons else 'incomplete'}"
    return f"Segment {words.file_name(row)} of {words.partition_name(row)} {how}: {lost}"


def evidence_of_more(row: Row) -> list[str]:
    """What shows that the batch was whole once."""
    signs: list[str] = []
    if row.get("end_offset") is None:
        return signs
    if row.get("next_segment_offset") is not None:
        signs.append(f"a later segment starts at offset {marked.offset(row['next_segment_offset'])}")
    if row.get("snapshot_offset") is not None:
        signs.append(f"a producer snapshot was written at end offset {marked.offset(row['snapshot_offset'])}")
    if row.get("index_offset") is not None:
        signs.append(f"an index of the segment contains offset {marked.offset(row['index_offset'])}")
    return signs


def explanation(row: Row, reasons: list[str]) -> str:
    """What is missing and whether that is normal."""
    if reasons:
        return (
            f"{marked.quote(row['detail'])} The log contained more records after it: {' and '.join(reasons)}. So the file lost its end. Possible "
            f"causes: an incomplete copy, a full disk, or an unclean stop of the machine.{clean_stop(row)}"
        )
    if row["first_offset"] is None:
        return (
            f"{marked.quote(row['detail'])} The next segment starts at the expected offset {marked.offset(row['next_segment_offset'])}. No offset is missing, and "
            "consumers continue there."
        )
    return (
        f"{marked.quote(row['detail'])} The input shows no record after it. If a segment is copied while the broker writes a batch to it, the copy "
        "ends like this."
    )


def clean_stop(row: Row) -> str:
    """Without recovery, a broker searches the last entry of the offset index to find the end of the log; if no batch reaches it, the log ends
    where its last segment starts (LogSegment.readNextOffset)."""
    start, first = row.get("segment_offset"), row["first_offset"]
    if (
        row.get("last_entry_offset") is None
        or row.get("next_segment_offset") is not None
        or start is None
        or first <= start
    ):
        return ""
    return (
        f" After a clean stop, the broker takes offset {marked.offset(start)} as the end of the log: it hides {words.offsets(start, first - 1)} and "
        f"writes new records from offset {marked.offset(start)} on."
    )


def remedy(row: Row, reasons: list[str]) -> str:
    """The variant that fits."""
    if not reasons:
        return detector.remedy("Copied while it was written")
    return detector.remedy(
        "Records are missing",
        log_recovery_truncates_this_log=words.log_recovery(row),
        **restoring.values(row, words.offsets(row["first_offset"], row["last_offset"])),
    )


detector = Detector(
    id="truncated-tail",
    title="Truncated segment",
    find=restoring.with_replicas(query(with_stake(CUT_FILES))),
    describe=describe,
    headline=clause("{count} truncated within a batch", "segment is", "segments are"),
    needs=frozenset({"batches"}),
    rows_of="damage",
    scope="partition",
    one_cause="disk",
    befalls=("unreadable", "consumers"),
)
