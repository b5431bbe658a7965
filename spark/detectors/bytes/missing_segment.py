"""Missing segment: offsets between two segments that neither of them holds and that no cleaning took.

Also a partition's folder without any .log, and companions of a segment before the first that is there.

Innocent: the cleaned part of a compacted log; offsets below the log start (retention, DeleteRecords); a hole behind a
cut or damaged end, which is truncated-tail's or unreadable-bytes'; what a capture did not ask for.
Page: docs/detectors/missing-segment.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes import _missing_logs as missing_logs
from spark.detectors.bytes._segments import SPANS
from spark.log.cluster_settings import PRINTED_STARTS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed

# An empty segment with others behind it is what the cleaner leaves; where a batch at the end is out of order or does
# not agree with its checksum, nobody knows where the segment ended.
HOLES = f"""
    WITH spans AS ({SPANS}),
    starting AS (
        SELECT *, least(segment_offset, coalesce(first_offset, segment_offset)) AS start_offset,
            size_bytes = 0 OR coalesce(offsets = last_offset - segment_offset + 1, false) AS is_whole
        FROM spans
    ),
    ordered AS (
        SELECT *, lag(file) OVER in_log AS file_before, lag(name) OVER in_log AS name_before,
            lag(size_bytes) OVER in_log AS bytes_before, lag(is_whole) OVER in_log AS is_whole_before,
            lag(end_offset) OVER in_log AS end_before, lag(last_offset) OVER in_log AS last_before,
            lead(file) OVER in_log IS NULL AS is_newest,
            max(last_offset) OVER (in_log ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
        FROM starting WINDOW in_log AS (PARTITION BY {REPLICA_COLUMNS}, scope ORDER BY start_offset, file)
    ),
    damaged AS (
        SELECT DISTINCT file AS file_before FROM damage
        WHERE NOT batches_after AND reason NOT IN ('bad_companion', 'undecodable_records')
        UNION SELECT file FROM (SELECT file, arg_max(crc_ok, position) AS ends_sound FROM batches GROUP BY file) WHERE NOT ends_sound
    ),
    holes AS (
        SELECT *, reached + 1 AS hole_first, start_offset - 1 AS hole_last FROM ordered ANTI JOIN damaged USING (file_before)
        WHERE start_offset > reached + 1 AND bytes_before > 0 AND end_before = last_before AND (size_bytes > 0 OR is_newest)
    )
"""

# One row per hole between two segments.
# Below the first dirty offset a compacted log may lack anything. Where only batches or keys told that offset, the
# cleaned part may reach to the end of the hole that follows it. Where nothing shows that the log is compacted at all,
# a hole that cleaning could explain is one only if the segments around it show holes of their own.
MISSING = f"""
    {HOLES},
    {PRINTED_STARTS},
    explained AS (
        SELECT holes.file, bool_or(cause IN ('compaction', 'likely compaction')) AS is_cleanable, bool_or(cause IN ('damage', 'capture limit')) AS is_told
        FROM holes JOIN gaps USING ({REPLICA_COLUMNS})
        WHERE gaps.first_offset <= hole_last AND gaps.last_offset >= hole_first GROUP BY ALL
    ),
    log_starts AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS log_start FROM (
            SELECT {REPLICA_COLUMNS}, "offset" FROM checkpoints WHERE kind = 'log_start'
            UNION ALL SELECT {REPLICA_COLUMNS}, log_start_offset FROM captures
            UNION ALL SELECT {REPLICA_COLUMNS}, printed_start FROM (SELECT DISTINCT {REPLICA_COLUMNS} FROM files)
                JOIN printed_starts USING (topic, partition)
        ) GROUP BY ALL
    ),
    known AS (
        SELECT holes.*, coalesce(compacted, 'no') AS compacted, dirty_from, coalesce(log_start, 0) AS log_start,
            coalesce(is_cleanable, true) AS is_cleanable, coalesce(first_dirty_offset, 0) AS dirty, first_dirty_offset IS NULL AS is_unknown
        FROM holes LEFT JOIN cleanings USING ({REPLICA_COLUMNS}) LEFT JOIN explained USING (file) LEFT JOIN log_starts USING ({REPLICA_COLUMNS})
        WHERE NOT coalesce(is_told, false)
    ),
    judged AS (
        SELECT *, CASE
            WHEN compacted = 'no' THEN NOT is_cleanable OR is_whole AND is_whole_before
            WHEN is_unknown THEN NOT is_cleanable
            WHEN dirty_from = 'checkpoint' THEN hole_last >= dirty
            ELSE hole_first > dirty
        END AS is_missing,
        greatest(hole_first, log_start, CASE WHEN compacted <> 'no' THEN dirty ELSE 0 END) AS missing_first
        FROM known
    ),
    missing AS (FROM judged WHERE is_missing AND missing_first <= hole_last),
    beside AS (
        SELECT missing.file, list(DISTINCT files.name ORDER BY files.name) AS left_over
        FROM missing JOIN files USING ({REPLICA_COLUMNS})
        WHERE files.kind <> 'segment' AND files.base_offset BETWEEN hole_first AND hole_last
            AND regexp_matches(files.name, '[0-9]{{20}}[^/]*[.](deleted|swap|cleaned|index|timeindex|txnindex)$')
        GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, file, name, name_before, reached, missing_first, hole_last, compacted, is_cleanable, left_over
    FROM missing LEFT JOIN beside USING (file) ORDER BY ALL
"""


def describe(row: Row) -> Finding:
    if row.get("is_logless"):
        return missing_logs.without_log(row)
    return missing_logs.without_head(row) if row.get("is_headless") else between(row)


def between(row: Row) -> Finding:
    """A hole between two segments."""
    first, last = row["missing_first"], row["hole_last"]
    return Finding(
        detector=detector.id,
        severity="high",
        confidence="likely" if row["is_cleanable"] or row["topic"] == "?" else "proven",
        title=f"Consumers of {words.partition_name(row)} never receive {words.offsets(first, last)}: a segment is missing",
        explanation=explanation(row),
        **located(row, first, last),
        evidence=words.some([row["reached"], last + 1]),
        remedy=missing_logs.hole_remedy(row),
        references=detector.references,
    )


def explanation(row: Row) -> str:
    """The neighbours, and why cleaning is no cause."""
    before, after = (words.file_name({**row, "name": row[name]}) for name in ("name_before", "name"))
    why = (
        "The input does not show that the topic is compacted, and the segments before and after the gap contain no other gap."
        if row["compacted"] == "no"
        else "The topic is compacted, but this section of the log was still dirty."
    )
    return (
        f"{before} ends at offset {marked.offset(row['reached'])}, and {after} starts at offset {marked.offset(row['hole_last'] + 1)}. {why} So the records between "
        f"them are not in this log: a file was deleted or not copied.{traces(row)} The broker does not detect this. Consumers continue at the "
        "next segment and never receive these records."
    )


def traces(row: Row) -> str:
    """What the missing segment left in the folder."""
    if not row["left_over"]:
        return ""
    names = listed(marked.file(name.rsplit("/", 1)[-1]) for name in row["left_over"])
    return f" The folder still contains {names}."


detector = Detector(
    id="missing-segment",
    title="Missing segment",
    find=restoring.with_replicas(query(MISSING, missing_logs.LOGLESS, missing_logs.HEADLESS)),
    describe=describe,
    headline=clause("{count} missing", "segment is", "segments are"),
    needs=frozenset({"batches"}),
    rows_of="files",
    one_cause="disk",
    befalls=("missing", "consumers"),
)
