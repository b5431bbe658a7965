"""Missing tail: a copy's last record lies below an end of the log that something else in the input knows.

Info for the copy of a running broker that lacks no more than its partition took in five seconds, and where only another
broker's copy is longer. Innocent: an empty newest segment named for the end, and a log start that was moved there (retention,
DeleteRecords); a few control records that a dump does not show; the end of a capture; a cut or damaged end whose offsets
truncated-tail or unreadable-bytes names. Page: docs/detectors/missing-tail.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.detectors._committed_offsets import names_of
from spark.detectors.bytes._tails import TAILS
from spark.log.log_ends import ENDS
from spark.log.text_gaps import MAX_MARKERS_IN_A_ROW
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding, Severity
from spark.terms.typed_wording import listed, moment, plural

RUNNING_MS = 5_000  # how long files of a running broker may be apart; it writes its high watermarks as often
BROKERS_OWN = ("high_watermark", "recovery_point", "snapshot", "index")

# A commit that is older than the newest record is commit-out-of-range's: the log became shorter or is another one.
COMMITS = f"""
    SELECT {names_of()},
        TRY_CAST(s.attributes->>'offset' AS BIGINT) AS committed, r.timestamp_ms AS commit_ms
    FROM state s JOIN records r ON (s.topic, s.partition, s.replica, s.origin_offset) = (r.topic, r.partition, r.replica, r."offset")
    WHERE s.entity_type = 'offset-commit' AND s.view = 'log' AND s.is_own AND s.valid_to_offset IS NULL
"""
# Most inputs have nothing that knows an end of a log.
ANY_WITNESS = """
    SELECT 1 FROM files WHERE kind = 'companion' OR EXISTS (FROM checkpoints) OR EXISTS (FROM index_entries) OR EXISTS (FROM printed)
        OR EXISTS (FROM state WHERE entity_type = 'offset-commit')
        OR (SELECT count(DISTINCT replica) FROM files WHERE kind = 'segment') > 1 LIMIT 1
"""
# One row per copy that ends early.
SHORT = f"""
    WITH {ENDS},
    told_tails AS (
        SELECT {REPLICA_COLUMNS}, max(last_offset) + 1 AS told_end FROM ({TAILS}) GROUP BY ALL
    ),
    ends AS (
        SELECT * REPLACE (greatest(data_end, told_end) AS data_end) FROM data_ends LEFT JOIN told_tails USING ({REPLICA_COLUMNS})
    ),
    times AS (
        SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS newest_ms FROM lifelines GROUP BY ALL
    ),
    commits AS ({COMMITS}),
    -- Offsets of another cluster, which MirrorMaker copied: checkpoint-untranslated.
    copied AS (
        SELECT attributes->>'topic' AS topic, TRY_CAST(attributes->>'partition' AS INT) AS partition,
            TRY_CAST(attributes->>'downstreamOffset' AS BIGINT) AS end_offset
        FROM entries WHERE entry_type = 'checkpoint' AND attributes->>'upstreamOffset' = attributes->>'downstreamOffset'
    ),
    every_witness AS (
        SELECT {REPLICA_COLUMNS}, witness, end_offset, said_by FROM witnesses WHERE witness NOT IN ('capture', 'kcat')
        UNION ALL
        SELECT {REPLICA_COLUMNS}, 'commit', max(committed), arg_max(group_id, committed) FROM ends LEFT JOIN times USING ({REPLICA_COLUMNS})
        JOIN commits ON (topic, partition) = (data_topic, data_partition) WHERE newest_ms IS NULL OR commit_ms > newest_ms GROUP BY ALL
        UNION ALL
        SELECT ends.topic, ends.partition, ends.replica, 'replica', max(other.data_end), arg_max(other.replica, other.data_end)
        FROM ends JOIN ends AS other USING (topic, partition)
        WHERE ends.replica <> other.replica AND ends.has_segments AND other.has_segments GROUP BY ALL
    ),
    short AS (
        SELECT {REPLICA_COLUMNS}, data_end, first_offset, is_empty, is_stopped, has_segments, max(end_offset) AS end_offset,
            list({{'witness': witness, 'end_offset': end_offset, 'said_by': said_by}} ORDER BY end_offset DESC, witness) AS witnesses,
            count_if(witness IN {BROKERS_OWN}) > 0 AS is_brokers_own, bool_and(witness = 'replica') AS is_only_longer
        FROM ends JOIN every_witness w USING ({REPLICA_COLUMNS})
        WHERE NOT (witness IN ('commit', 'group') AND (topic, partition, w.end_offset) IN (FROM copied)) AND topic <> '?' AND end_offset > data_end + CASE WHEN has_segments THEN 0 ELSE {MAX_MARKERS_IN_A_ROW} END GROUP BY ALL
    ),
    newest AS (
        SELECT {REPLICA_COLUMNS}, count_if(timestamp_ms > newest_ms - {RUNNING_MS}) AS taken_last,
            count(*) * {RUNNING_MS} / nullif(any_value(newest_ms) - min(timestamp_ms), 0) AS taken_on_average, any_value(newest_ms) AS newest_ms
        FROM lifelines JOIN times USING ({REPLICA_COLUMNS}) SEMI JOIN short USING ({REPLICA_COLUMNS})
        WHERE timestamp_ms >= 0 GROUP BY ALL
    )
    SELECT *, coalesce(greatest(taken_last, ceil(taken_on_average)), 0)::BIGINT AS taken, end_offset - 1 AS last_missing
    FROM short LEFT JOIN newest USING ({REPLICA_COLUMNS}) ORDER BY {REPLICA_COLUMNS}
"""
KNOWN_BY = {
    "high_watermark": "{said_by} contains high watermark {end_offset}",
    "recovery_point": "{said_by} contains recovery point {end_offset}",
    "snapshot": "the producer snapshot {said_by} was written at end offset {end_offset}",
    "index": "the index {said_by} was written when the log reached offset {last_offset}",
    "print": "according to {said_by} the log ends at offset {end_offset}",
    "group": "a consumer group has committed offset {end_offset}, according to {said_by}",
    "commit": "group {said_by} has committed offset {end_offset}",
    "replica": "the copy {said_by} ends at offset {last_offset}",
}

MARKS = {
    "print": marked.quote,
    "group": marked.quote,
    "commit": lambda group: marked.entity(group, "group"),
    "replica": marked.replica,
}


def describe(row: Row) -> Finding:
    first, last = row["data_end"], row["last_missing"]
    return Finding(
        detector=detector.id,
        severity=severity(row),
        confidence="proven" if row["is_brokers_own"] else "likely",
        title=title(row),
        explanation=explanation(row),
        **located(row, first, last),
        entity="tail",
        evidence=[] if row["is_empty"] else [first - 1],
        entities={"tail"},
        remedy=remedy(row),
        references=detector.references,
    )


def severity(row: Row) -> Severity:
    """High where the broker's own files know the end; of a dump, or where a tool tells it, the records may be elsewhere."""
    if row["is_only_longer"] or is_running_copy(row):
        return "info"
    return "high" if row["has_segments"] and row["is_brokers_own"] else "medium"


def is_running_copy(row: Row) -> bool:
    """Whether a running broker explains it: it went on writing while its files were copied."""
    return (
        row["has_segments"] and not row["is_stopped"] and row["end_offset"] - row["data_end"] <= row["taken"]
    )


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    name = words.partition_name(row)
    lost = words.offsets(row["data_end"], row["last_missing"])
    verb = "is" if row["last_missing"] == row["data_end"] else "are"
    here = "contains no record" if row["is_empty"] else f"ends at offset {marked.offset(row['data_end'] - 1)}"
    if row["is_only_longer"]:
        return f"This copy of {name} {here}, and another copy has {lost} as well"
    return f"{name} {here}, but the log was longer: {lost} {verb} missing"


def known_by(witness: Row) -> str:
    """Who knows the end, and which."""
    said_by = witness["said_by"]
    return KNOWN_BY[witness["witness"]].format(
        said_by=MARKS.get(witness["witness"], marked.file)(said_by),
        end_offset=marked.offset(witness["end_offset"]),
        last_offset=marked.offset(witness["end_offset"] - 1),
    )


def explanation(row: Row) -> str:
    """Who knows it, and what can have happened."""
    witnesses = listed(known_by(witness) for witness in row["witnesses"])
    return f"{witnesses[:1].upper()}{witnesses[1:]}. {causes(row)}"


def causes(row: Row) -> str:
    """What can have happened."""
    if row["is_only_longer"]:
        return (
            "The records are in that copy. A follower that has not fetched them yet looks like this, and so do two folders that were "
            "copied at different times."
        )
    if is_running_copy(row):
        return (
            "The folder was copied while the broker was running (it contains no .kafka_cleanshutdown), and no more is missing than the "
            f"partition takes in 5 seconds ({plural(row['taken'], 'record')}). So the files were copied one after another, and this is normal."
        )
    if not row["has_segments"]:
        return (
            "So the dump ends before the log did: it was limited or stopped, or it was taken earlier. Transactions at the end of the log "
            f"explain at most {MAX_MARKERS_IN_A_ROW} control records."
        )
    newest = row["newest_ms"]
    until = f" The newest record is from {moment(newest)}." if newest is not None else ""
    return (
        f"A broker writes these numbers behind the records, so the records were in the log.{until} Retention and DeleteRecords leave "
        "another trace: a newer segment or a later log start. Possible causes: the copy is incomplete, a filter or an upload limit emptied "
        "the file, or the broker lost the end of its log in an unclean stop."
    )


def remedy(row: Row) -> str:
    """The variant that fits."""
    if row["is_only_longer"] or is_running_copy(row):
        return detector.remedy("Copied from a running broker")
    lost = words.offsets(row["data_end"], row["last_missing"])
    if not row["has_segments"]:
        return detector.remedy("Dump", end=row["data_end"], lost_offsets=lost)
    return detector.remedy("Log folder", **restoring.values(row, lost))


detector = Detector(
    id="missing-tail",
    title="Missing end of a log",
    find=restoring.with_replicas(query(SHORT, if_any=ANY_WITNESS)),
    describe=describe,
    headline=clause("the end of {partitions} is missing"),
    needs=frozenset({"offset"}),
    rows_of=("checkpoints", "index_entries", "printed", "state", "files"),
    one_cause="disk",
    befalls=("missing", "consumers"),
)
