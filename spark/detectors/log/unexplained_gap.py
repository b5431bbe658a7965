"""Unexplained gap: a partition skips offsets and no cause is left.

Innocent: every cause that the gaps table proves or, of a text dump, leaves open (`unknown`). A hole between two segments is missing-segment's, one in which bytes
cannot be read is unreadable-bytes' or truncated-tail's. Page: docs/detectors/unexplained-gap.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes.missing_segment import MISSING
from spark.log.cleanings import NOTHING_SHOWN
from spark.log.text_gaps import UNBROKEN_AROUND
from spark.tables.replica import Row, quoted
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import DESCRIBE, copy_segments, named, take_dump
from spark.terms.victims import partitions_of
from spark.terms.wording import OFFSETS_NAMED, at_offsets, plural, some, steps

UNEXPLAINED = f"""
    WITH told AS (SELECT topic, partition, replica, missing_first, hole_last FROM ({MISSING})),
    left_over AS (
        SELECT * FROM gaps WHERE cause = 'unexplained' AND NOT EXISTS (
            SELECT 1 FROM told WHERE told.topic = gaps.topic AND told.partition = gaps.partition
                AND told.replica = gaps.replica AND missing_first <= last_offset AND hole_last >= first_offset)
    ),
    logs AS (SELECT DISTINCT topic, partition, replica, true AS has_batches FROM batches)
    SELECT topic, partition, replica, count(*) AS holes, sum(last_offset - first_offset + 1)::BIGINT AS offsets,
        min(first_offset) AS first_offset, max(last_offset) AS last_offset,
        list([first_offset, last_offset] ORDER BY first_offset)[:{OFFSETS_NAMED}] AS ranges,
        any_value(coalesce(compacted, 'no')) AS compacted, any_value(first_dirty_offset) AS first_dirty_offset,
        any_value(nullif(why, {quoted(NOTHING_SHOWN)})) AS why, bool_and(proof = {quoted(UNBROKEN_AROUND)}) AS may_be_cleaned,
        coalesce(any_value(has_batches), false) AS has_batches
    FROM left_over LEFT JOIN cleanings USING (topic, partition, replica) LEFT JOIN logs USING (topic, partition, replica)
    GROUP BY topic, partition, replica ORDER BY topic, partition, replica
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy that skips offsets."""
    if not tables.rows("SELECT 1 AS one FROM gaps WHERE cause = 'unexplained' LIMIT 1"):
        return []
    return tables.rows(UNEXPLAINED)


def describe(row: Row) -> Finding:
    """The row in words."""
    ranges = [range_of(*pair) for pair in row["ranges"]]
    where = f"{row['topic']}-{row['partition']}"
    more = "" if row["holes"] <= len(ranges) else f" and {row['holes'] - len(ranges)} more"
    verb = "is" if row["offsets"] == 1 else "are"
    return Finding(
        detector=detector.id,
        severity="medium" if row["may_be_cleaned"] else "high",
        confidence="likely" if row["may_be_cleaned"] else "proven",
        title=f"{plural(row['offsets'], 'offset')} of {where} {verb} missing without a cause: {some(ranges)}{more}",
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


def range_of(first: int, last: int) -> str:
    """`7` or `7 to 9`."""
    return str(first) if first == last else f"{first} to {last}"


def explanation(row: Row) -> str:
    """Which causes are out, and what that means."""
    return f"{EVERY_OFFSET} {of_log(row) if row['has_batches'] else of_dump(row)}"


def of_log(row: Row) -> str:
    """The same of batches: they show what the log cleaner and transactions did."""
    if row["compacted"] == "no":
        cleaning = (
            "Nothing shows that the topic is compacted, and keys repeat before the hole or records have none"
        )
    else:
        cleaning = f"The log cleaner has worked up to offset {row['first_dirty_offset']} only, and keeps all from there on"
    return (
        f"{cleaning}. It is not the head that retention takes, no bytes there are "
        "unreadable, and this layout shows control and aborted records. What stood there was lost: to a copy that "
        "left something out, to a change by hand, or to a broker that lost data it had confirmed."
    )


def of_dump(row: Row) -> str:
    """The same of a dump of records alone."""
    around = "On both sides the records follow each other without a gap, and no gap of one offset shows a transaction."
    if row["may_be_cleaned"]:
        return (
            f"{around} Nothing shows that the topic is compacted: no setting, no deleted key. The log cleaner and filters "
            "usually leave many small gaps. The dump cannot exclude that later records superseded all of these at once. "
            "Otherwise the records are lost or the dump is incomplete."
        )
    return (
        f"{around} {not_cleaned(row)} The records are lost, the dump is incomplete, or one transaction of this size was "
        "aborted."
    )


def not_cleaned(row: Row) -> str:
    """Why it was not the log cleaner."""
    if row["compacted"] == "no" and row["why"]:
        return f"The log cleaner did not remove them: {row['why']}."
    return (
        "The log cleaner did not remove them: before the gap a key has two records or a record has no key, so the cleaner "
        "was not there yet."
    )


def remedy(row: Row) -> str:
    """Find out whether the records exist elsewhere."""
    return steps(remedy_of_log(row) if row["has_batches"] else remedy_of_dump(row))


def remedy_of_log(row: Row) -> list[str]:
    """Where the segments are in the input."""
    first = row["ranges"][0][0]
    where = f"{row['topic']}-{row['partition']}"
    return [
        "Keep these files as they are, and copy the folder of the partition on every broker that has a replica. "
        f"{copy_segments(row['topic'], row['partition'])}",
        f"Read {where} from offset {first} on the broker and on the other replicas: "
        f"kafka-dump-log --deep-iteration --files <segment> shows {at_offsets([first])} where it is whole.",
        "Where a replica has the records, make it the leader, delete the hurt copy on the other broker while that "
        "is stopped, and let it be fetched anew.",
        FROM_THE_SOURCE,
    ]


def remedy_of_dump(row: Row) -> list[str]:
    """Where only a dump is."""
    topic, first = row["topic"], row["ranges"][0][0]
    return [
        f"Print the settings of the topic and inspect them together with the dump: `{DESCRIBE} {named(topic)}`",
        f"Take a new dump that includes the records of aborted transactions: {take_dump(topic)}",
        f"If {at_offsets([first])} is still missing, inspect the log segments. "
        f"{copy_segments(topic, row['partition'])}",
        FROM_THE_SOURCE,
    ]


EVERY_OFFSET = (
    "A broker gives every record and every control record the next offset, so that an offset may only be missing "
    "when something took it away."
)
FROM_THE_SOURCE = "If no replica has the records, produce them again from their source."


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    if all(finding.confidence == "likely" for finding in findings):
        return f"offsets of {partitions_of(findings)} are missing, and nothing shows whether they were lost or compacted"
    return (
        f"consumers of {partitions_of(findings)} never get some records: offsets are missing without a cause"
    )


detector = Detector(
    id="unexplained-gap",
    title="Offsets missing without a cause",
    find=find,
    describe=describe,
    headline=headline,
    needs=frozenset({"offset"}),
    rows_of="gaps",
)
