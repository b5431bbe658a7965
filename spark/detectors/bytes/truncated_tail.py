"""Truncated tail: the last batch runs past the end of its file.

Or zeros took the place of its end. Info for the newest segment of a running broker, copied while it was written: no
later segment is there, and no index entry or producer snapshot names an offset behind what is left.
Page: docs/detectors/truncated-tail.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import with_stake
from spark.detectors.bytes._tails import TAILS
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural, steps

CUT_FILES = f"""
    FROM ({TAILS}) WHERE NOT is_zeroed
        AND (reason IN ('truncated', 'torn') OR (reason = 'zeros_at_end' AND end_offset IS NOT NULL))
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per cut file."""
    return tables.rows(with_stake(CUT_FILES))


def describe(row: Row) -> Finding:
    """In words."""
    reasons = evidence_of_more(row)
    first, last = row["first_offset"], row["last_offset"]
    return Finding(
        detector=detector.id,
        severity="medium" if reasons else "info",
        title=title(row, reasons),
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


def title(row: Row, reasons: list[str]) -> str:
    """One sentence a ticket can quote."""
    how = "ends in zeros" if row["reason"] == "zeros_at_end" else "ends in the middle of a batch"
    first, last = row["first_offset"], row["last_offset"]
    if first is None:
        return f"{words.file_name(row)} of {words.partition_name(row)} {how}; no offset is missing"
    verb = "is" if last in {None, first} else "are"
    what = f"{verb} missing" if reasons else f"{verb} not whole"
    return f"{words.file_name(row)} of {words.partition_name(row)} {how}: {words.offsets(first, last)} {what}"


def evidence_of_more(row: Row) -> list[str]:
    """What shows that the batch was whole once."""
    found: list[str] = []
    if row.get("end_offset") is None:
        return found
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
    if row["first_offset"] is None:
        return (
            f"{row['detail']} The next segment begins at offset {row['next_segment_offset']}, which is the one that "
            "was due: nothing is missing, and readers go on there."
        )
    return (
        f"{row['detail']} Nothing shows that the log ever went on behind it: this is how the newest segment of a "
        "running broker looks when it is copied while a batch is being written."
    )


def remedy(row: Row, reasons: list[str]) -> str:
    """Look for the whole file before anything else."""
    if not reasons:
        return "None needed. To be sure, copy the segment again and compare: the batch should be whole then."
    lost = words.offsets(row["first_offset"], row["last_offset"])
    return steps(
        [
            words.why_not_restart(row),
            "If this is a copy, compare its size with the original and copy again.",
            f"Fetch {lost} from another replica that is in sync, or have the records produced again.",
        ]
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return plural(
        len(findings), "segment ends in the middle of a batch", "segments end in the middle of a batch"
    )


detector = Detector(
    id="truncated-tail",
    title="Segment that ends in the middle of a batch",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="damage",
    one_cause="disk",
)
