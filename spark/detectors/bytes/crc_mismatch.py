"""Checksum mismatch: the bytes of a batch are not those its producer sent.

Never innocent. The batch is decoded all the same when its structure holds, and its records are marked. A stretch of
unreadable bytes that begins where the batch ends reached into it: one damage, named there.
Page: docs/detectors/crc-mismatch.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes._readers import stopped_reader
from spark.detectors.bytes._recovery import DAMAGED_COPIES, SEGMENTS, with_stake
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, plural
from spark.terms.victims import partitions_of

MAX_ONE_BIT_BYTES = 2**28  # the period of CRC-32C is 2^31 - 1 bits, that of CRC-32 is twice as long

# One row per unbroken run of batches whose checksum disagrees.
# The last offset of a bad batch may be what is damaged: it ends before the next batch or segment in any case, and where
# neither follows, the number of records is asked as well.
RUNS_OF_BAD_BATCHES = f"""
    WITH starts AS (
        SELECT {REPLICA_COLUMNS}, base_offset AS start_offset FROM files WHERE kind = 'segment' AND base_offset IS NOT NULL
    ),
    later AS (
        SELECT file, position, min(start_offset) AS next_segment_offset
        FROM batches JOIN starts USING ({REPLICA_COLUMNS})
        WHERE NOT crc_ok AND start_offset > base_offset GROUP BY ALL
    ),
    followed AS (
        SELECT *, position + size_bytes AS end_position, lead(base_offset) OVER in_file AS next_offset
        FROM batches WINDOW in_file AS (PARTITION BY file ORDER BY position)
    ),
    bounded AS (
        SELECT *, coalesce(CASE WHEN next_offset > base_offset THEN next_offset END, next_segment_offset,
            base_offset + greatest(record_count, 1)) - 1 AS most_last_offset
        FROM followed LEFT JOIN later USING (file, position)
    ),
    bad AS (
        SELECT *, greatest(base_offset, least(most_last_offset,
                CASE WHEN last_offset < base_offset THEN base_offset + record_count - 1 ELSE last_offset END)) AS true_last_offset,
            lag(end_position) OVER (PARTITION BY file ORDER BY position) IS DISTINCT FROM position AS starts
        FROM bounded WHERE NOT crc_ok AND file NOT IN ({DAMAGED_COPIES})
    ),
    numbered AS (SELECT *, sum(starts::INT) OVER (PARTITION BY file ORDER BY position) AS run FROM bad),
    runs AS (
        SELECT {REPLICA_COLUMNS}, file, run, min(base_offset) AS first_offset, max(true_last_offset) AS last_offset,
            min(position) AS position, max(end_position) AS end_position, count(*) AS batches, sum(record_count)::BIGINT AS records_declared,
            sum(records_read)::BIGINT AS records_read, arg_min(crc_stored, position) AS crc_stored,
            arg_min(crc_computed, position) AS crc_computed, arg_min(magic, position) AS magic, list(base_offset ORDER BY base_offset) AS evidence
        FROM numbered GROUP BY ALL
    )
    SELECT * FROM runs LEFT JOIN ({SEGMENTS}) USING (file)
"""


def describe(row: Row) -> Finding:
    batches = plural(row["batches"], "corrupt record batch", "corrupt record batches")
    span = words.offsets(row["first_offset"], row["last_offset"])
    name, fails = words.partition_name(row), stopped_reader(row).fails
    title = (
        f"{fails}: {batches} in {name} (checksum mismatch, {span})"
        if fails
        else f"Java consumers of {name} stop at offset {marked.offset(row['first_offset'])}: {batches} (checksum mismatch, {span})"
    )
    return Finding(
        detector=detector.id,
        severity="critical",
        title=title,
        explanation=explanation(row),
        **located(row),
        evidence=words.some(row["evidence"]),
        entities={
            words.border(row["file"], row["end_position"]),
            *map(words.damaged, words.some(row["evidence"])),
        },
        facts={"whom": stopped_reader(row).whom, "fails": fails} if fails else {},
        remedy=detector.remedy(
            a_service_stops_there=bool(stopped_reader(row).because),
            log_recovery_truncates_this_log=words.log_recovery(row),
            the_topic_can_be_replaced=restoring.is_replaceable(row["topic"]),
            **restoring.values(row),
        ),
        references=detector.references,
    )


def explanation(row: Row) -> str:
    """What the bytes show, and what could be read all the same."""
    read, declared = row["records_read"], row["records_declared"]
    if read is None or declared is None:
        decoded = "The output of the tool does not contain its records."
    elif read >= declared:
        is_or_are = "is" if read == 1 else "are"
        decoded = f"Its {plural(read, 'record')} could be decoded and {is_or_are} marked as corrupt in the list of records."
    elif read:
        decoded = f"Only {grouped(read)} of its {plural(declared, 'record')} could be decoded."
    else:
        decoded = f"Its {plural(declared, 'record')} could not be decoded."
    reader = stopped_reader(row).because
    return (
        f"{checksums(row)} {decoded} {changed_bits(row)} Consumers that check checksums fail here with a corrupt record "
        f"error at every poll until they seek past this batch. {reader}{' ' if reader else ''}librdkafka clients do not check checksums by default: "
        "they can get the changed records without an error."
    )


def checksums(row: Row) -> str:
    """That a bit changed, and which checksum shows it: the batch's own, or in a message inside a wrapper of an old format."""
    batch = f"batch at byte {marked.number(row['position'])} of {words.file_name(row)}"
    changed = f"At least one bit of the {batch} changed after the broker accepted it: on disk, in memory, or while the file was copied."
    if row["crc_stored"] is None or row["crc_computed"] is None:
        return f"{changed} The tool that printed the log reports the batch as invalid. Its output does not contain all bytes of the batch."
    if row["crc_stored"] == row["crc_computed"]:
        return (
            f"{changed} The batch contains compressed messages of message format 0 or 1. Its own checksum {checksum(row['crc_stored'])} is "
            "correct, but the checksum of a message inside it is not."
        )
    kind = "CRC-32C" if row["magic"] in {None, 2} else "CRC-32"
    both = marked.hash_of(
        f"{row['crc_stored']:08x}, {row['crc_computed']:08x}"
    )  # one value: a share that hides it says so once
    return f"{changed} The batch does not match its stored checksum ({kind}, stored and computed: {both})."


def changed_bits(row: Row) -> str:
    """Whether one changed bit of the checksum field explains it. One bit of the contents changes more than one bit of either CRC in any
    batch of less than 2^31 bits."""
    stored, computed = row["crc_stored"], row["crc_computed"]
    size_bytes = row["end_position"] - row["position"]
    is_one_bit = None not in {stored, computed} and (stored ^ computed).bit_count() == 1
    if row["batches"] > 1 or not is_one_bit or size_bytes >= MAX_ONE_BIT_BYTES:
        return "Any of its bytes may be wrong."
    return (
        "The two checksums differ in one bit. One changed bit of the checksum field explains this. One changed bit of the contents cannot, "
        "two or more can."
    )


def checksum(value: int) -> str:
    """As tools write it."""
    return marked.hash_of(f"{value:08x}")


def headline(findings: list[Finding]) -> str:
    """For the verdict: whom it stops, and where."""
    count = sum(len(finding.evidence) for finding in findings)
    fail = f"{plural(count, 'corrupt record batch', 'corrupt record batches')} (checksum mismatch)"
    services = {str(finding.facts.get("fails", "")) for finding in findings}
    if len(services) == 1 and (fails := services.pop()):
        return f"{fails}: {fail} in {partitions_of(findings)}"
    if len({(finding.topic, finding.partition) for finding in findings}) > 1:
        return f"Java consumers of {partitions_of(findings)} stop: {fail}"
    first = min(finding.first_offset or 0 for finding in findings)
    return f"Java consumers of {partitions_of(findings)} stop at offset {marked.offset(first)}: {fail}"


detector = Detector(
    id="crc-mismatch",
    title="Corrupt record batch (checksum mismatch)",
    find=restoring.with_replicas(
        query(with_stake(RUNS_OF_BAD_BATCHES), if_any="SELECT 1 FROM batches WHERE NOT crc_ok LIMIT 1")
    ),
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="batches",
    scope="partition",
    follows=("unreadable-bytes",),
    one_cause="disk",
    family="damaged-bytes",
    befalls=("unreadable", "java_consumers"),
    in_common="have corrupt batches at the same {offsets}",
)
