"""Unreadable bytes: a stretch of a segment that is no batch, or a sound batch that cannot be decompressed.

Never innocent; zeros to the end (preallocated-tail), a cut end (truncated-tail) and batches that crc-mismatch or
record-count-mismatch report are not meant. Page: docs/detectors/unreadable-bytes.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes import _words as words
from spark.detectors.bytes._recovery import SEGMENTS, with_stake
from spark.detectors.bytes._tails import TAILS
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural

STRETCHES = f"""
    WITH inner_stretches AS (
        SELECT damage.* REPLACE (coalesce(last_offset, first_offset) AS last_offset), segments.name
        FROM damage JOIN ({SEGMENTS}) AS segments USING (file)
        WHERE (batches_after AND reason IN ('not_a_batch', 'zeros') OR reason = 'not_decompressed') AND NOT EXISTS (
            FROM batches AS bad
            WHERE NOT bad.crc_ok AND bad.file = damage.file
                AND damage.position >= bad.position AND damage.position < bad.position + bad.size_bytes
        )
    )
    SELECT *, NULL AS next_segment_offset FROM inner_stretches
    UNION ALL BY NAME
    SELECT * EXCLUDE (segment_offset, due_offset, snapshot_offset, index_offset, known_offset, end_offset, is_zeroed)
    FROM ({TAILS}) WHERE reason = 'not_a_batch' OR is_zeroed
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per stretch."""
    return tables.rows(with_stake(STRETCHES))


def describe(row: Row) -> Finding:
    """In words."""
    first, last = row["first_offset"], row["last_offset"]
    fell = f"; {words.offsets(first, last)} fell in" if first is not None else ""
    zeros = {"zeros": ", zeros among them,", "torn": ", zeros at their end,", "zeros_at_end": ", all zero,"}
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{row['size_bytes']:,} bytes of {words.partition_name(row)}{zeros.get(row['reason'], '')} cannot be read{fell}",
        explanation=explanation(row),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=first,
        last_offset=last,
        entity=None if first is not None else f"{row['name']}@{row['position']}",
        evidence=[] if first is None else words.some([first, last]),
        entities={
            words.border(row["file"], row["position"]),
            *([] if first is None else [words.damaged(first)]),
        },
        remedy=words.remedy(row),
        references=[words.BATCH_FORMAT, words.LOG_RECOVERY],
    )


def explanation(row: Row) -> str:
    """Which bytes, what they look like, what follows them."""
    if row["reason"] == "not_decompressed":
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
        else f"No batch follows it in this file{goes_on(row)}."
    )
    fell = "" if row["first_offset"] is not None else " Which offsets it held, if any, is not known."
    return f"In {words.file_name(row)}: {row['detail']}{zeros}{fell} {after}"


def goes_on(row: Row) -> str:
    """The next segment, behind a stretch that reaches to the end of its file."""
    offset = row.get("next_segment_offset")
    return "" if offset is None else f"; the log goes on at offset {offset}, in the next one"


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return plural(len(findings), "stretch of bytes cannot be read", "stretches of bytes cannot be read")


detector = Detector(
    id="unreadable-bytes",
    title="Bytes that are no readable batch",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="damage",
    one_cause="disk",
    family="damaged-bytes",
)
