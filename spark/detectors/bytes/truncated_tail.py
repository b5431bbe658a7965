"""Truncated tail: the last batch runs past the end of its file.

Info for the newest segment of a running broker, copied while it was written: no later segment is there, and no
index entry or producer snapshot names an offset behind what is left. Page: docs/detectors/truncated-tail.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, Row, Tables
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import SEGMENTS, WHERE, with_stake
from spark.findings import Finding
from spark.wording import plural, steps

# Three witnesses may show that the log went on behind the cut: a later segment, a producer snapshot (its name says
# which offset came next when it was written), an entry of the segment's own indexes.
CUT_FILES = f"""
    WITH cut AS (
        SELECT damage.*, segments.name, segments.segment_offset
        FROM damage JOIN ({SEGMENTS}) AS segments USING (file) WHERE reason = 'truncated'
    ),
    later AS (
        SELECT cut.file, min(base_offset) AS next_segment_offset FROM cut JOIN files USING ({WHERE})
        WHERE files.kind = 'segment' AND base_offset > segment_offset GROUP BY ALL
    ),
    snapshots AS (
        SELECT cut.file, max(base_offset) AS snapshot_offset FROM cut JOIN files USING ({WHERE})
        WHERE regexp_matches(files.name, '[0-9]{{20}}[.]snapshot$') AND base_offset > first_offset GROUP BY ALL
    ),
    indexed AS (
        SELECT cut.file, max(entries.offset) AS index_offset FROM cut JOIN index_entries AS entries USING ({WHERE})
        WHERE entries.base_offset = segment_offset AND entries.offset >= first_offset GROUP BY ALL
    ),
    witnessed AS (
        SELECT * FROM cut LEFT JOIN later USING (file) LEFT JOIN snapshots USING (file)
            LEFT JOIN indexed USING (file)
    )
    SELECT * REPLACE (greatest(first_offset,
        coalesce(last_offset, next_segment_offset - 1, snapshot_offset - 1, index_offset)) AS last_offset)
    FROM witnessed
"""


def find(tables: Tables) -> Iterable[Row]:
    """One row per cut file."""
    return tables.rows(with_stake(CUT_FILES))


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
)
