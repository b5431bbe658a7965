"""Unexplained gap: a partition skips offsets and no cause is left.

Innocent: every cause that the gaps table proves. A hole between two segments is missing-segment's, one in which bytes
cannot be read is unreadable-bytes' or truncated-tail's. Page: docs/detectors/unexplained-gap.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes.missing_segment import MISSING
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import copy_segments
from spark.terms.victims import partitions_of
from spark.terms.wording import OFFSETS_NAMED, plural, some, steps

UNEXPLAINED = f"""
    WITH told AS (SELECT topic, partition, replica, missing_first, hole_last FROM ({MISSING})),
    left_over AS (
        SELECT * FROM gaps WHERE cause = 'unexplained' AND NOT EXISTS (
            SELECT 1 FROM told WHERE told.topic = gaps.topic AND told.partition = gaps.partition
                AND told.replica = gaps.replica AND missing_first <= last_offset AND hole_last >= first_offset)
    )
    SELECT topic, partition, replica, count(*) AS holes, sum(last_offset - first_offset + 1)::BIGINT AS offsets,
        min(first_offset) AS first_offset, max(last_offset) AS last_offset,
        list([first_offset, last_offset] ORDER BY first_offset)[:{OFFSETS_NAMED}] AS ranges,
        any_value(coalesce(compacted, 'no')) AS compacted, any_value(first_dirty_offset) AS first_dirty_offset
    FROM left_over LEFT JOIN cleanings USING (topic, partition, replica) GROUP BY topic, partition, replica
    ORDER BY topic, partition, replica
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy that skips offsets."""
    if not tables.rows("SELECT 1 AS one FROM gaps WHERE cause = 'unexplained' LIMIT 1"):
        return []
    return tables.rows(UNEXPLAINED)


def describe(row: Row) -> Finding:
    """The row in words."""
    ranges = [named(*pair) for pair in row["ranges"]]
    where = f"{row['topic']}-{row['partition']}"
    more = "" if row["holes"] <= len(ranges) else f" and {row['holes'] - len(ranges)} more"
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"Consumers of {where} do not get {plural(row['offsets'], 'missing offset')}, cause unknown: {some(ranges)}{more}",
        explanation=explanation(row),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity="gaps",
        evidence=[edge for first, last in row["ranges"] for edge in (first - 1, last + 1)][:OFFSETS_NAMED],
        remedy=remedy(row),
        references=["Kafka: LogCleaner: what lies from the first dirty offset on is whole"],
    )


def named(first: int, last: int) -> str:
    """`7` or `7-9`."""
    return str(first) if first == last else f"{first}-{last}"


def explanation(row: Row) -> str:
    """Which causes are out, and what that means."""
    if row["compacted"] == "no":
        cleaning = "The input does not show that the topic is compacted, and before the gap keys repeat or records have no key"
    else:
        cleaning = f"The log cleaner has compacted the log up to offset {row['first_dirty_offset']} only. It keeps all later records"
    return (
        "A broker gives every record and every control record the next offset. So an offset is missing only if its record was "
        f"removed. {cleaning}. Retention deletes the oldest records only, no bytes in the gap are unreadable, and this file format "
        "shows control records and aborted records. So the records are lost. Possible causes: an incomplete copy, a manual change, or a "
        "broker that lost acknowledged data."
    )


def remedy(row: Row) -> str:
    """Find out whether the records exist elsewhere."""
    first = row["ranges"][0][0]
    where = f"{row['topic']}-{row['partition']}"
    return steps(
        [
            "Do not change these files. Copy the folder of the partition on every broker that has a replica. "
            f"{copy_segments(row['topic'], row['partition'])}",
            f"Check on every replica of {where} whether it contains offset {first}: `kafka-dump-log.sh --deep-iteration --files SEGMENT`",
            "If a replica contains the records, make it the leader. On each broker without them: stop the broker cleanly, move this "
            "partition's folder away and keep it, and start the broker. It fetches the partition from the leader.",
            "If no replica contains them, ask the owner of the producer to send the records again.",
        ]
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return (
        f"consumers of {partitions_of(findings)} never get some records: offsets are missing, cause unknown"
    )


detector = Detector(
    id="unexplained-gap",
    title="Missing offsets, cause unknown",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"offset"}),
    rows_of="gaps",
)
