"""Partitions' folders that lack their only segment, or their first one, as companions of it show: rows of missing-segment."""

from __future__ import annotations

from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors import located
from spark.log.log_ends import ENDS, LOGS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, plural, some
from spark.units.pages import remedy

DETECTOR = "missing-segment"
LOG_FOLDER = "Kafka: UnifiedLog and LogSegments: a partition's folder has at least one segment, and a segment is deleted with its indexes"

# One row per folder that lacks its only log: `end_offset` is null where nothing knows an end, `start_offset` where it begins.
# Folders of a topic that never had a record, or of which nothing is known, are one row.
LOGLESS = f"""
    WITH {ENDS},
    known AS (
        SELECT {REPLICA_COLUMNS}, max(end_offset) AS end_offset,
            list({{'witness': witness, 'end_offset': end_offset}} ORDER BY end_offset DESC, witness) AS witnesses
        FROM witnesses GROUP BY ALL
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


def without_log(row: Row) -> Finding:
    """A folder without its .log."""
    return without_known_log(row) if row["has_records"] else without_known_records(row)


def without_known_log(row: Row) -> Finding:
    """Of which something tells that it had records."""
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
        detector=DETECTOR,
        severity="high",
        title=f"{name} has no segment (.log) in the input: {lost} {'is' if first == last else 'are'} missing",
        explanation=(
            f"The folder contains only companion files. What is known of its log: {listed(clauses)}. A broker keeps at least one "
            ".log in the folder of every partition. So the file was left out of this copy (.gitignore, an upload limit, a filter), or it was deleted."
        ),
        **located(row, first, last),
        entity="log",
        evidence=[],
        remedy=remedy(DETECTOR, "No log in the folder", **restoring.values(row, lost)),
        references=[LOG_FOLDER],
    )


def without_known_records(row: Row) -> Finding:
    """Folders of a topic without their .log, of which nothing tells that they had records."""
    is_empty = row["has_records"] is False and row["is_stopped"]
    topic, count = marked.topic(row["topic"]), len(row["partitions"])
    folders = f"{plural(count, 'partition folder')} of {topic}"
    numbers = some([marked.number(partition) for partition in row["partitions"]])
    ends = (
        "Each known end of these logs is where the log starts, and the broker was stopped cleanly. So no record is missing."
        if is_empty
        else "Nothing in the input shows that a record is missing, and nothing shows that these logs were empty."
    )
    verb = "has" if count == 1 else "have"
    return Finding(
        detector=DETECTOR,
        severity="info" if row["has_records"] is False else "medium",
        confidence="likely",
        title=f"{folders} {verb} no segment (.log) in the input{'' if is_empty else '; whether they had records is unknown'}",
        explanation=(
            f"Partitions: {numbers}. The folders contain only companion files, but a broker keeps at least one .log in the folder "
            f"of every partition. The files were left out of this copy (.gitignore, an upload limit, a filter). {ends}"
        ),
        topic=row["topic"],
        partition=row["partitions"][0] if count == 1 else None,
        replica=row["replica"],
        first_offset=None,
        last_offset=None,
        entity="log",
        remedy=remedy(DETECTOR, "No log in several folders"),
        references=[LOG_FOLDER],
    )


def without_head(row: Row) -> Finding:
    """Companions of a segment before the first one that is there."""
    lost = words.offsets(row["missing_first"], row["hole_last"])
    return Finding(
        detector=DETECTOR,
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
        remedy=hole_remedy(row),
        references=[LOG_FOLDER],
    )


def hole_remedy(row: Row) -> str:
    """Of a segment that is missing among others."""
    lost = words.offsets(row["missing_first"], row["hole_last"])
    return remedy(DETECTOR, "Segment missing", **restoring.values(row, lost))
