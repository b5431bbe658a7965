"""Unreadable bytes: a stretch of a segment that is no batch, or a sound batch that cannot be decompressed.

Never innocent; zeros to the end (preallocated-tail), a cut end (truncated-tail) and batches that crc-mismatch or
record-count-mismatch report are not meant. Page: docs/detectors/unreadable-bytes.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors.bytes import _fetches as fetches
from spark.detectors.bytes._readers import stopped_reader
from spark.detectors.bytes._recovery import SEGMENTS, with_stake
from spark.detectors.bytes._tails import TAILS
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, plural
from spark.terms.victims import partitions_of

# One row per stretch.
UNREADABLE_RANGES = f"""
    WITH inner_ranges AS (
        SELECT damage.* REPLACE (coalesce(last_offset, first_offset) AS last_offset), segments.name
        FROM damage JOIN ({SEGMENTS}) AS segments USING (file)
        WHERE (batches_after AND reason IN ('not_a_batch', 'zeros') OR reason = 'not_decompressed') AND NOT EXISTS (
            FROM batches AS bad
            WHERE NOT bad.crc_ok AND bad.file = damage.file
                AND damage.position >= bad.position AND damage.position < bad.position + bad.size_bytes
        )
    )
    SELECT *, NULL AS next_segment_offset FROM inner_ranges
    UNION ALL BY NAME
    SELECT * EXCLUDE (segment_offset, due_offset, snapshot_offset, index_offset, last_entry_offset, known_offset, end_offset, is_zeroed)
    FROM ({TAILS}) WHERE reason = 'not_a_batch' OR is_zeroed
"""
EITHER, JAVA = "stop at or skip", "Java consumers"
WITH_FAULTS = f"SELECT * FROM ({UNREADABLE_RANGES}) LEFT JOIN ({fetches.FAULTS}) USING (file)"


def describe(row: Row) -> Finding:
    first, last = row["first_offset"], row["last_offset"]
    has_offsets = first is not None
    missing = f", {words.offsets(first, last)} missing" if has_offsets else ""
    name, count = words.partition_name(row), f"{grouped(row['size_bytes'])} bytes"
    bytes_of = f"{consumers(row, name)}: {count}" if has_offsets else f"{count} of {name}"
    zeros = {"zeros": " (partly zeros)", "torn": " (zeros at the end)", "zeros_at_end": " (all zeros)"}
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{bytes_of}{zeros.get(row['reason'], '')} are unreadable{missing}",
        explanation=explanation(row),
        **located(row),
        entity=None if first is not None else f"{row['name']}@{row['position']}",
        evidence=[] if first is None else words.some([first, last]),
        entities={
            words.border(row["file"], row["position"]),
            words.of_segment(row["file"]),
            *([] if first is None else [words.damaged(first)]),
        },
        facts=harm(row),
        distinct=f"{row['position']}+{row['size_bytes']} {row['fetch_faults']}",
        remedy=detector.remedy(
            a_service_stops_there=bool(stopped_reader(row).because) and harm(row)["does"] == "stop at",
            log_recovery_truncates_this_log=words.log_recovery(row),
            the_topic_can_be_replaced=restoring.is_replaceable(row["topic"]),
            **restoring.values(row),
        ),
        references=detector.references,
    )


def faults_from(row: Row) -> list[Row]:
    """What fetches get at the offsets of these bytes and after them."""
    return [
        fault for fault in row["fetch_faults"] or [] if fault["last_offset"] >= (row["first_offset"] or 0)
    ]


def harm(row: Row) -> dict[str, str]:
    """Who is concerned, and whether they stop at these bytes or skip them. Where the index is not in the input, both are possible: behind a
    wrong length FileLogInputStream finds no batch, and LocalLog.read continues in the next segment."""
    reader = stopped_reader(row)
    service = {"whom": reader.whom, "fails": reader.fails} if reader.fails else {}
    if row["first_offset"] is not None and row["reason"] == "not_decompressed":
        return {"whom": "consumers", "does": "stop at"} | service
    if row["first_offset"] is None or not row["fetch_faults"]:
        return {"whom": "consumers", "does": EITHER}
    fault = fetches.fault_at(row["fetch_faults"], row["first_offset"])
    if fault is None or fault["answer"] == "skips":
        return {"whom": "consumers", "does": "skip"}
    return {
        "whom": "java_consumers" if fault["answer"] == "corrupt" else "consumers",
        "does": "stop at",
    } | service


def consumers(row: Row, name: str) -> str:
    """The same with the offsets; of a service that stops, what its next start comes to."""
    first, does = row["first_offset"], harm(row)
    if does.get("fails"):
        return does["fails"]
    who = f"{'Consumers' if does['whom'] == 'consumers' else JAVA} of {name} {does['does']}"
    if does["does"] != "skip":
        return f"{who} offset {marked.offset(first)}"
    fault = fetches.fault_at(row["fetch_faults"], first)
    last = row["last_offset"] if fault is None or fault["continues_at"] is None else fault["continues_at"] - 1
    return f"{who} {words.offsets(first, last)} without an error"


def explanation(row: Row) -> str:
    """Which bytes, what they look like, what follows them."""
    if row["reason"] == "not_decompressed":
        return (
            f"{marked.quote(row['detail'])} The file is {words.file_name(row)}. The checksum of the batch is correct, so it was written this way. "
            "Possible causes: a producer with a defective compressor or encoder, or a size above the limit of this inspection. "
            f"Consumers stop at this batch.{and_its_reader(row)}"
        )
    zeros = (
        " A power failure leaves zeros in the middle of a file if the new length of the file reached the disk but its content "
        "did not."
        if row["reason"] == "zeros"
        else ""
    )
    after = (
        "The batches after these bytes are intact in the file: their checksums are correct."
        if row["batches_after"]
        else f"No batch follows in this file{continues(row)}."
    )
    if faults := faults_from(row):
        after += f" A broker finds batches by the index of the segment. {fetches.sentences(faults)}"
        after += and_its_reader(row) if harm(row)["does"] == "stop at" else ""
    elif row["batches_after"]:
        after += (
            " Consumers get them only through an index entry that points past these bytes. Without one, consumers stop here, or they continue "
            "in the next segment and skip these batches."
        )
    unknown = "" if row["first_offset"] is not None else " The offsets of these bytes are unknown."
    return f"In {words.file_name(row)}: {marked.quote(row['detail'])}{zeros}{unknown} {after}"


def and_its_reader(row: Row) -> str:
    """What follows for the service whose journal it is."""
    because = stopped_reader(row).because
    return f" {because}" if because else ""


def continues(row: Row) -> str:
    """The next segment, after damage that reaches to the end of its file."""
    offset = row.get("next_segment_offset")
    return (
        "" if offset is None else f". The log continues at offset {marked.offset(offset)} in the next segment"
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict: who is concerned, and how far that is known."""
    concerned = {finding.facts.get("whom", "consumers") for finding in findings}
    happens = {finding.facts.get("does", EITHER) for finding in findings}
    services = {finding.facts.get("fails", "") for finding in findings}
    if len(services) == 1 and (fails := services.pop()):
        return f"{fails}: {plural(len(findings), 'range')} of unreadable bytes in {partitions_of(findings)}"
    who = JAVA if concerned == {"java_consumers"} else "consumers"
    does = happens.pop() if len(happens) == 1 else EITHER
    return f"{who} of {partitions_of(findings)} {does} {plural(len(findings), 'range')} of unreadable bytes"


detector = Detector(
    id="unreadable-bytes",
    title="Unreadable bytes in a segment",
    find=restoring.with_replicas(query(with_stake(WITH_FAULTS))),
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of="damage",
    scope="partition",
    one_cause="disk",
    family="damaged-bytes",
    befalls=("unreadable", "consumers"),
    in_common="lack the same {offsets}",
)
