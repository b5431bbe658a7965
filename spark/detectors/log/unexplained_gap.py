"""Unexplained gap: a partition skips offsets and no cause is left.

Innocent: every cause that the gaps table proves or, of a text dump, leaves open (`unknown`). A hole between two segments is missing-segment's, one in which bytes
cannot be read is unreadable-bytes' or truncated-tail's. Page: docs/detectors/unexplained-gap.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors import _restoring as restoring
from spark.detectors.bytes.missing_segment import MISSING
from spark.log.cleanings import NOTHING_SHOWN
from spark.log.text_gaps import UNBROKEN_AROUND
from spark.tables.replica import Row, quoted
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, plural, some
from spark.terms.victims import partitions_of

# One row per partition's copy that skips offsets.
UNEXPLAINED = f"""
    WITH missing_segments AS (SELECT topic, partition, replica, missing_first, hole_last FROM ({MISSING})),
    left_over AS (
        SELECT * FROM gaps WHERE cause = 'unexplained' AND NOT EXISTS (
            SELECT 1 FROM missing_segments WHERE missing_segments.topic = gaps.topic AND missing_segments.partition = gaps.partition
                AND missing_segments.replica = gaps.replica AND missing_first <= last_offset AND hole_last >= first_offset)
    ),
    logs AS (SELECT DISTINCT topic, partition, replica, true AS has_batches FROM batches)
    SELECT topic, partition, replica, count(*) AS holes, sum(last_offset::HUGEINT - first_offset + 1) AS offsets,
        min(first_offset) AS first_offset, max(last_offset) AS last_offset,
        list([first_offset, last_offset] ORDER BY first_offset)[:{OFFSETS_NAMED}] AS ranges,
        any_value(coalesce(compacted, 'no')) AS compacted, any_value(first_dirty_offset) AS first_dirty_offset,
        any_value(nullif(why, {quoted(NOTHING_SHOWN)})) AS why, bool_and(proof = {quoted(UNBROKEN_AROUND)}) AS may_be_cleaned,
        coalesce(any_value(has_batches), false) AS has_batches
    FROM left_over LEFT JOIN cleanings USING (topic, partition, replica) LEFT JOIN logs USING (topic, partition, replica)
    GROUP BY topic, partition, replica ORDER BY topic, partition, replica
"""


def describe(row: Row) -> Finding:
    ranges = [range_of(*pair) for pair in row["ranges"]]
    name = marked.partition(row["topic"], row["partition"])
    more = "" if row["holes"] <= len(ranges) else f" and {marked.number(row['holes'] - len(ranges))} more"
    return Finding(
        detector=detector.id,
        severity="medium" if row["may_be_cleaned"] else "high",
        confidence="likely" if row["may_be_cleaned"] else "proven",
        title=f"Consumers of {name} do not get {plural(row['offsets'], 'missing offset')}, cause unknown: {some(ranges)}{more}",
        explanation=explanation(row),
        **located(row),
        entity="gaps",
        evidence=[edge for first, last in row["ranges"] for edge in (first - 1, last + 1)][:OFFSETS_NAMED],
        remedy=remedy(row),
        references=detector.references,
    )


def range_of(first: int, last: int) -> str:
    """`7` or `7-9`."""
    return str(first) if first == last else f"{marked.offset(first)}-{marked.offset(last)}"


def explanation(row: Row) -> str:
    """Which causes are out, and what that means."""
    return f"{EVERY_OFFSET} {of_log(row) if row['has_batches'] else of_dump(row)}"


def of_log(row: Row) -> str:
    """The same of batches: they show what the log cleaner and transactions did."""
    if row["compacted"] == "no":
        compacted = "The input does not show that the topic is compacted, and before the gap keys repeat or records have no key"
    else:
        compacted = f"The log cleaner has compacted the log up to offset {marked.offset(row['first_dirty_offset'])} only. It keeps all later records"
    return (
        f"{compacted}. Retention deletes the oldest records only, no bytes in the gap are unreadable, and this file format shows "
        "control records and aborted records. So the records are lost. Possible causes: an incomplete copy, a manual change, or a "
        "broker that lost acknowledged data."
    )


def of_dump(row: Row) -> str:
    """The same of a dump of records alone."""
    around = "The records before and after the gap contain no other gap, and no gap of one offset shows a transaction."
    if row["may_be_cleaned"]:
        return (
            f"{around} The dump does not show that the topic is compacted: no setting, no deleted key. Compaction and filters "
            "usually leave many small gaps. It is possible that later records superseded all of these records. Otherwise the "
            "records are lost or the dump is incomplete."
        )
    return (
        f"{around} {not_cleaned(row)} The records are lost, the dump is incomplete, or one transaction of this size was "
        "aborted."
    )


def not_cleaned(row: Row) -> str:
    """Why it was not the log cleaner."""
    if row["compacted"] == "no" and row["why"]:
        return f"The log cleaner did not remove them: {marked.quote(row['why'])}."
    return (
        "The log cleaner did not remove them: before the gap a key has two records or a record has no key, so no "
        "compaction has run on these offsets yet."
    )


def remedy(row: Row) -> str:
    """The variant that fits."""
    topic, partition, first = row["topic"], row["partition"], row["ranges"][0][0]
    records = f"the missing records of {marked.partition(topic, partition)}"
    if not row["has_batches"]:
        return detector.remedy(
            "Dump",
            topic=topic,
            partition=partition,
            first_missing=first,
            lost_records=records,
            ask_who_wrote_them=restoring.again(row),
        )
    restored = restoring.repair(row)
    return detector.remedy(
        "Log segments",
        topic=topic,
        partition=partition,
        first_missing=first,
        this_log=(topic, partition),
        lost_records=records,
        no_other_replica=restored["no_other_replica"],
        the_source=restored["the_source"],
        ask_who_wrote_them=restoring.again(row),
    )


EVERY_OFFSET = "A broker gives every record and every control record the next offset. So an offset is missing only if its record was removed."


def headline(findings: list[Finding]) -> str:
    if all(finding.confidence == "likely" for finding in findings):
        return f"offsets of {partitions_of(findings)} are missing, and nothing shows whether they were lost or compacted"
    return (
        f"consumers of {partitions_of(findings)} never get some records: offsets are missing, cause unknown"
    )


detector = Detector(
    id="unexplained-gap",
    title="Missing offsets, cause unknown",
    find=restoring.with_replicas(
        query(UNEXPLAINED, if_any="SELECT 1 FROM gaps WHERE cause = 'unexplained' LIMIT 1")
    ),
    describe=describe,
    headline=headline,
    needs=frozenset({"offset"}),
    rows_of="gaps",
    scope="partition",
    befalls=("missing", "consumers"),
)
