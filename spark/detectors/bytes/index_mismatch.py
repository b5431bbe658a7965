"""Index mismatch: an entry of a segment's offset, time or transaction index does not fit the segment.

Innocent: zeros at the end, entries that are missing (an index behind the active segment), first or last offset of a
batch, one entry for a chunk of batches. Page: docs/detectors/index-mismatch.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors import _words as words
from spark.detectors.bytes import _fetches as fetches
from spark.detectors.bytes._index_entries import ODD_ENTRIES
from spark.detectors.bytes._recovery import DAMAGED_COPIES
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.marked import plain
from spark.terms.typed_wording import grouped, listed, plural, some
from spark.terms.victims import partitions_of

REPLICAS_NAMED = 3

# One row per index.
# The offsets around a wrong entry: those behind the entry before it, up to the entry after it. Which of them a lookup misses, say the faults.
MISMATCHES = f"""
    WITH all_odd AS (FROM ({ODD_ENTRIES}) WHERE segment_file NOT IN ({DAMAGED_COPIES})),
    odd AS (
        FROM all_odd WHERE NOT is_of_segment OR reason IN ('inside', 'past_end') AND file IN (SELECT file FROM all_odd WHERE is_shifted)
    ),
    all_entries AS (
        SELECT file, "offset" FROM index_entries UNION ALL SELECT file, last_offset FROM aborted_txns
    ),
    counted AS (SELECT file, count(*) AS entries FROM all_entries WHERE file IN (SELECT file FROM odd) GROUP BY file),
    sound AS (
        SELECT file, "offset" FROM all_entries WHERE file IN (SELECT file FROM odd)
        EXCEPT SELECT file, "offset" FROM odd
    ),
    held AS (
        SELECT file AS segment_file, max(last_offset) AS last_offset FROM batches
        WHERE file IN (SELECT segment_file FROM odd) GROUP BY file
    ),
    grouped AS (
        SELECT {REPLICA_COLUMNS}, file, segment_file, histogram(reason) AS wrong, list(DISTINCT reason ORDER BY reason) AS reasons,
            coalesce(list(DISTINCT points_to), []) AS pointed_to,
            list(DISTINCT "offset" ORDER BY "offset")[:20] AS offsets, min("offset") AS least, max("offset") AS most,
            bool_or(is_shifted) AS is_shifted
        FROM odd GROUP BY ALL
    ),
    bounded AS (
        SELECT grouped.*, max(sound."offset") FILTER (sound."offset" < least) AS before, min(sound."offset") FILTER (sound."offset" > most) AS after
        FROM grouped LEFT JOIN sound USING (file) GROUP BY ALL
    ),
    elsewhere AS (
        SELECT grouped.file, list(DISTINCT all_odd.replica ORDER BY all_odd.replica) AS damaged_replicas
        FROM grouped JOIN all_odd USING (topic, partition)
        WHERE is_of_segment AND NOT grouped.is_shifted AND all_odd.replica <> grouped.replica AND list_contains(reasons, reason) GROUP BY ALL
    )
    SELECT bounded.*, files.name, entries, damaged_replicas, segments.name AS segment_name, segments.size_bytes,
        coalesce(before + 1, segments.base_offset) AS first_offset, coalesce(after, last_offset, segments.base_offset) AS reaches,
        list_filter(fetch_faults, lambda fault: list_contains(pointed_to, fault.search_position)) AS faults
    FROM bounded JOIN files USING (file) JOIN counted USING (file) LEFT JOIN held USING (segment_file) LEFT JOIN elsewhere USING (file)
        JOIN files AS segments ON segments.file = segment_file LEFT JOIN ({fetches.FAULTS}) AS faulty ON faulty.file = segment_file
    ORDER BY ALL
"""
WHAT = {
    "past_end": ("points past the end of the segment", "point past the end of the segment"),
    "inside": ("does not point to the start of a batch", "do not point to the start of a batch"),
    "other_offset": (
        "contains another offset than the batch that it points to",
        "contain another offset than the batch that they point to",
    ),
    "no_such_offset": (
        "contains an offset that no batch of the segment contains",
        "contain an offset that no batch of the segment contains",
    ),
    "other_time": (
        "contains a timestamp that no batch up to its offset contains",
        "contain a timestamp that no batch up to their offset contains",
    ),
    "no_marker": (
        "points to a transaction marker, but another record is at that offset",
        "point to a transaction marker, but another record is at that offset",
    ),
    "disorder": ("is out of order", "are out of order"),
}
PAST_THE_END = {"past_end", "no_such_offset"}  # reasons that an end which is missing explains


def describe(row: Row) -> Finding:
    faults, reaches = row["faults"] or [], (row["first_offset"], row["reaches"])
    if faults and row["is_shifted"]:
        reaches = faults[0]["first_offset"], faults[-1]["last_offset"]
    segment = plain(words.file_name({"name": row["segment_name"], "file": row["segment_file"]}))
    return Finding(
        detector=detector.id,
        facts={"skips": fetches.grouped_faults(faults)[0]["answer"] == "skips" if faults else False},
        severity="high" if any(fault["records_skipped"] for fault in faults) else "medium",
        title=title(row),
        explanation=explanation(row),
        **located(row, reaches[0], max(reaches)),
        entity=row["name"],
        evidence=words.some(row["offsets"]),
        entities={words.of_segment(row["segment_file"])}
        if row["is_shifted"]
        else {"tail"}
        if set(row["reasons"]) <= PAST_THE_END
        else set(),
        is_elsewhere=bool(row["damaged_replicas"]),
        remedy=detector.remedy(
            segment=segment.removesuffix(".log"), this_log=(row["topic"], row["partition"])
        ),
        references=detector.references,
    )


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    count = f" of {grouped(row['entries'])} entries"
    wrong = []
    for reason in row["reasons"]:
        number = row["wrong"][reason]
        wrong.append(f"{grouped(number)}{count} {WHAT[reason][number > 1]}")
        count = ""
    return f"{victims(row)}: in {words.file_name(row)}, {', '.join(wrong)}"


def victims(row: Row) -> str:
    """Whom the wrong entries concern, at which offsets."""
    name = words.partition_name(row)
    return fetches.victims(name, row["faults"] or []) or f"Fetches from {name} can fail or skip records"


def reasons(row: Row, is_one: bool = False) -> str:
    """What is wrong with them."""
    return listed(WHAT[reason][not is_one] for reason in row["reasons"])


def explanation(row: Row) -> str:
    """Which entries and what a broker makes of them."""
    segment = words.file_name({"name": row["segment_name"], "file": row["segment_file"]})
    named = listed([marked.offset(offset) for offset in row["offsets"]])
    is_one = len(row["offsets"]) == 1
    get = fetches.sentences(row["faults"] or []) or "Fetches that use these entries can fail or skip records."
    return (
        f"{'Entry' if is_one else 'Entries'} that {reasons(row, is_one)}: {'offset' if is_one else 'offsets'} {named} ({segment}, "
        f"{grouped(row['size_bytes'])} bytes). A broker looks up positions in this file and does not check it. {get} {cause(row)}{elsewhere(row)}"
    )


def cause(row: Row) -> str:
    """Which of the two files changed."""
    if row["is_shifted"]:
        return "The segment changed and its index did not: these positions are those from before the change."
    return (
        "The records themselves are intact. The operating system writes the index and the segment to the disk separately, so a power failure "
        "can cause this. The two files may also come from different folders."
    )


def elsewhere(row: Row) -> str:
    """Other replicas whose entries are wrong in the same way because their segment is damaged."""
    names = [marked.replica(name) for name in row["damaged_replicas"] or []]
    if not names:
        return ""
    those = (
        "that replica, the segment itself is"
        if len(names) == 1
        else "those replicas, the segments themselves are"
    )
    return f" Index entries of {some(names, REPLICAS_NAMED)} {reasons(row)}, too: in {those} damaged."


def headline(findings: list[Finding]) -> str:
    """For the verdict: whether records are skipped without an error."""
    count = plural(len(findings), "index does not match its segment", "indexes do not match their segments")
    skips = any(finding.facts.get("skips") for finding in findings)
    of = partitions_of(findings)
    return (
        f"consumers of {of} can skip records without an error: {count}"
        if skips
        else f"fetches from {of} can fail or skip records: {count}"
    )


detector = Detector(
    id="index-mismatch",
    title="Index does not match its segment",
    find=query(MISMATCHES),
    describe=describe,
    headline=headline,
    needs=frozenset({"batches"}),
    rows_of=("index_entries", "aborted_txns"),
    follows=("missing-tail", "offset-order", "unreadable-bytes"),
    scope="partition",
    one_cause="disk",
    befalls=("misread", "consumers"),
)
