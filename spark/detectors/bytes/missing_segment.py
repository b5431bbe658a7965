"""Missing segment: offsets between two segments that neither of them holds and that no cleaning took.

Also a partition's folder without any .log, and companions of a segment before the first that is there.

Innocent: the cleaned part of a compacted log; offsets below the log start (retention, DeleteRecords); a hole behind a
cut or damaged end, which is truncated-tail's or unreadable-bytes'; what a capture did not ask for.
Page: docs/detectors/missing-segment.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _words as words
from spark.detectors.bytes._segments import SPANS
from spark.log.cluster_settings import PRINTED_STARTS
from spark.log.log_ends import ENDS, LOGS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, plural, some, steps

LOG_FOLDER = "Kafka: UnifiedLog and LogSegments: a partition's folder has at least one segment, and a segment is deleted with its indexes"

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
        SELECT holes.file, bool_or(cause = 'compaction') AS is_cleanable, bool_or(cause IN ('damage', 'capture limit')) AS is_told
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

# One row per folder that lacks its only log: `end_offset` is null where nothing knows an end, `start_offset` where it begins.
# Folders of a topic that never had a record, or of which nothing is known, are one row.
LOGLESS = f"""
    WITH {ENDS},
    known AS (
        SELECT {REPLICA_COLUMNS}, max(end_offset) AS end_offset,
            list({{'witness': witness, 'end_offset': end_offset}} ORDER BY end_offset DESC, witness) AS witnesses
        FROM witnesses WHERE witness <> 'replica' GROUP BY ALL
    ),
    indexed AS (SELECT {REPLICA_COLUMNS}, count_if(kind = 'offset') AS entries FROM index_entries GROUP BY ALL),
    named AS (
        SELECT {REPLICA_COLUMNS}, min(base_offset) FILTER (NOT suffix(name, '.snapshot')) AS named_offset, any_value(name ORDER BY name) AS name
        FROM placed GROUP BY ALL
    ),
    folders AS (
        SELECT logless.*, end_offset, witnesses, name, coalesce(entries, 0) AS entries,
            coalesce(greatest(log_start, named_offset), 0) AS start_offset, end_offset > start_offset AS has_records
        FROM logless LEFT JOIN known USING ({REPLICA_COLUMNS}) LEFT JOIN indexed USING ({REPLICA_COLUMNS})
        LEFT JOIN named USING ({REPLICA_COLUMNS}) LEFT JOIN log_starts USING ({REPLICA_COLUMNS})
    )
    SELECT *, true AS is_logless, [partition] AS partitions FROM folders WHERE has_records
    UNION ALL BY NAME
    SELECT topic, replica, has_records, true AS is_logless, list(partition ORDER BY partition) AS partitions, bool_and(is_stopped) AS is_stopped
    FROM folders WHERE has_records IS DISTINCT FROM true GROUP BY ALL ORDER BY ALL
"""

# One row per copy with companions of segments before its first one. The broker deletes both together.
HEADLESS = f"""
    WITH {LOGS},
    heads AS (
        SELECT {REPLICA_COLUMNS}, min(base_offset) FILTER (kind = 'segment') AS first_segment,
            min(base_offset) FILTER (kind = 'companion' AND regexp_matches(name, '[.](index|timeindex|txnindex)$')) AS first_index,
            arg_min(name, base_offset) FILTER (kind = 'companion' AND regexp_matches(name, '[.](index|timeindex|txnindex)$')) AS name
        FROM placed GROUP BY ALL
    )
    SELECT heads.*, true AS is_headless, greatest(first_index, log_start) AS missing_first, first_segment - 1 AS hole_last
    FROM heads LEFT JOIN log_starts USING ({REPLICA_COLUMNS})
    WHERE topic <> '?' AND first_index < first_segment AND coalesce(log_start, 0) < first_segment ORDER BY ALL
"""
KNOWN_BY = {
    "high_watermark": "the high watermark is {}",
    "recovery_point": "the recovery point is {}",
    "snapshot": "a producer snapshot was written at end offset {}",
    "print": "a tool printed {} as the end of the log",
    "group": "a consumer group has committed offset {}",
    "capture": "a capture read up to offset {}",
}


def describe(row: Row) -> Finding:
    """In words."""
    if row.get("is_logless"):
        return without_log(row) if row["has_records"] else without_known_records(row)
    if row.get("is_headless"):
        return without_head(row)
    return between(row)


def without_log(row: Row) -> Finding:
    """A folder without its .log, of which something tells that it had records."""
    first, last = row["start_offset"], row["end_offset"] - 1
    name = words.partition_name(row)
    clauses = [
        KNOWN_BY[witness["witness"]].format(marked.offset(witness["end_offset"]))
        for witness in row["witnesses"]
        if witness["witness"] in KNOWN_BY
    ]
    clauses += (
        [f"the offset index contains {plural(row['entries'], 'entry', 'entries')}"] if row["entries"] else []
    )
    clauses = clauses or [f"an index was written when the log reached offset {marked.offset(last)}"]
    lost = words.offsets(first, last)
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{name} has no segment (.log) in the input: {lost} {'is' if first == last else 'are'} missing",
        explanation=(
            f"The folder contains only companion files. What is known of its log: {listed(clauses)}. A broker keeps at least one "
            ".log in the folder of every partition. So the file was left out of this copy (.gitignore, an upload limit, a filter), or it was deleted."
        ),
        **located(row, first, last),
        entity="log",
        evidence=[],
        remedy=steps(
            [
                f"{words.COPY_FIRST} Add the *.log files of the folder to the input and inspect it again.",
                f"If the broker does not have them either, restore {lost} from another replica. {words.FROM_A_REPLICA}",
                "If no replica is intact, ask the owner of the producer to send the records again.",
            ]
        ),
        references=[LOG_FOLDER],
    )


def without_known_records(row: Row) -> Finding:
    """Folders of a topic without their .log, of which nothing tells that they had records."""
    is_empty = row["has_records"] is False and row["is_stopped"]
    topic, count = marked.topic(row["topic"]), len(row["partitions"])
    folders = f"{plural(count, 'partition folder')} of {topic}"
    numbers = some([marked.number(partition) for partition in row["partitions"]])
    known = (
        "Each known end of these logs is where the log starts, and the broker was stopped cleanly. So no record is missing."
        if is_empty
        else "Nothing in the input shows that a record is missing, and nothing shows that these logs were empty."
    )
    verb = "has" if count == 1 else "have"
    return Finding(
        detector=detector.id,
        severity="info" if row["has_records"] is False else "medium",
        confidence="likely",
        title=f"{folders} {verb} no segment (.log) in the input{'' if is_empty else '; whether they had records is unknown'}",
        explanation=(
            f"Partitions: {numbers}. The folders contain only companion files, but a broker keeps at least one .log in the folder "
            f"of every partition. The files were left out of this copy (.gitignore, an upload limit, a filter). {known}"
        ),
        topic=row["topic"],
        partition=row["partitions"][0] if count == 1 else None,
        replica=row["replica"],
        first_offset=None,
        last_offset=None,
        entity="log",
        remedy="Add the *.log files of these folders to the input and inspect it again.",
        references=[LOG_FOLDER],
    )


def without_head(row: Row) -> Finding:
    """Companions of a segment before the first one that is there."""
    lost = words.offsets(row["missing_first"], row["hole_last"])
    return Finding(
        detector=detector.id,
        severity="high",
        confidence="likely",
        title=f"Consumers of {words.partition_name(row)} never receive {lost}: the first segment is missing",
        explanation=(
            f"The folder contains {words.file_name(row)}, but no segment of that offset. The first segment starts at offset "
            f"{marked.offset(row['first_segment'])}. Retention and DeleteRecords delete a segment together with its index. So the segment "
            "was deleted by something else, or it was not copied."
        ),
        **located(row, row["missing_first"], row["hole_last"]),
        entity="head",
        entities={"head"},
        evidence=[row["hole_last"] + 1],
        remedy=remedy(row),
        references=[LOG_FOLDER],
    )


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
        remedy=remedy(row),
        references=[
            "Kafka: LogCleaner and LogCleanerManager: what lies from the first dirty offset on is whole"
        ],
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
        f"them are lost: a file was deleted or not copied.{traces(row)} The broker does not detect this. Consumers continue at the "
        "next segment and never receive these records."
    )


def traces(row: Row) -> str:
    """What the missing segment left in the folder."""
    if not row["left_over"]:
        return ""
    names = listed(marked.file(name.rsplit("/", 1)[-1]) for name in row["left_over"])
    return f" The folder still contains {names}."


def remedy(row: Row) -> str:
    """Look for the file first."""
    lost = words.offsets(row["missing_first"], row["hole_last"])
    return steps(
        [
            f"{words.COPY_FIRST} Check whether the segment is only missing in this copy, or was renamed (.deleted, .swap).",
            f"Restore {lost} from another replica. {words.FROM_A_REPLICA}",
            "If no replica is intact, ask the owner of the producer to send the records again.",
        ]
    )


detector = Detector(
    id="missing-segment",
    title="Missing segment",
    find=query(MISSING, LOGLESS, HEADLESS),
    describe=describe,
    headline=clause("{count} missing", "segment is", "segments are"),
    needs=frozenset({"batches"}),
    rows_of="files",
    one_cause="disk",
    befalls=("missing", "consumers"),
)
