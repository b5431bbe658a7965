"""Replica divergence: two copies of a partition hold different records at one offset.

Copies of the same layout that show batches are compared: first their batches by checksum, then the records of those
batches alone that overlap another one. Innocent: a shorter copy, a deleted head, a copy that was cleaned (its records
are equal where both have them), batches whose checksum is wrong, copies of topics with different topic ids, and copies
that are no replicas: see spark/compare/replicas.py.
Page: docs/detectors/replica-divergence.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.compare.replicas import brokers_of
from spark.detectors import Detector, located
from spark.stages.partition_folders import LEFTOVER_COPY, OF_A_CLUSTER, UNKNOWN_TOPIC
from spark.tables.replica import Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.topic_rules import kafkas_own, written_again
from spark.terms.typed_wording import listed, offset_range, plural, timed
from spark.terms.victims import partitions_of

EVIDENCE = 20  # offsets named
EpochEnds = dict[int, tuple[int, int]]  # first and last offset of each leader epoch
OF_ONE = "topic, partition, layout, topic_id, cluster"

# Copies that can be set beside each other; a topic made anew under its name is another log, and of one broker at several
# times the longest copy stands for it.
COPIES = f"""
    known AS (
        SELECT topic, partition, replica, max(value) AS own_id FROM properties WHERE name = 'topic_id' GROUP BY ALL
    ),
    any_id AS (SELECT topic, partition, min(own_id) AS some_id FROM known GROUP BY ALL),
    brokers AS ({brokers_of("properties")}),
    held AS (
        SELECT topic, partition, replica, file, max(last_offset) AS end_offset FROM batches
        WHERE topic <> '{UNKNOWN_TOPIC}' AND NOT regexp_matches(replica, '{LEFTOVER_COPY}') GROUP BY ALL
    ),
    of_copies AS (
        SELECT held.topic, held.partition, held.replica, held.file, files.layout, end_offset,
            coalesce(own_id, some_id, '') AS topic_id, regexp_extract(held.replica, '{OF_A_CLUSTER}', 1) AS cluster,
            coalesce(broker, held.replica) AS broker
        FROM held JOIN files ON files.file = held.file
            LEFT JOIN known ON known.topic = held.topic AND known.partition = held.partition AND known.replica = held.replica
            LEFT JOIN any_id ON any_id.topic = held.topic AND any_id.partition = held.partition
            LEFT JOIN brokers ON brokers.replica = held.replica
    ),
    whole AS (SELECT {OF_ONE}, broker, replica, max(end_offset) AS end_offset FROM of_copies GROUP BY ALL),
    replicas AS (SELECT {OF_ONE}, broker, arg_max(replica, (end_offset, replica)) AS replica FROM whole GROUP BY ALL),
    several AS (SELECT {OF_ONE} FROM replicas GROUP BY ALL HAVING count(*) > 1),
    copies AS (
        SELECT of_copies.* FROM of_copies SEMI JOIN replicas USING ({OF_ONE}, replica) SEMI JOIN several USING ({OF_ONE})
    )
"""
SEVERAL = f"WITH {COPIES} SELECT 1 FROM several LIMIT 1"

# One batch stands for all that are the same bytes on several copies. One that no other batch overlaps has been found
# equal wherever it is.
DIFFERENT = f"""
    WITH {COPIES},
    distinct_batches AS (
        SELECT {OF_ONE}, base_offset, last_offset, crc_stored, batches.size_bytes, list(DISTINCT batches.replica) AS replicas,
            min((batches.file, position)) AS first_copy
        FROM batches JOIN (SELECT DISTINCT file, {OF_ONE} FROM copies) AS placed USING (file, topic, partition)
        WHERE crc_ok IS DISTINCT FROM false GROUP BY ALL
    ),
    beside AS (
        SELECT *, max(last_offset) OVER before AS reached, min(base_offset) OVER after AS next_offset
        FROM distinct_batches
        WINDOW before AS (PARTITION BY {OF_ONE} ORDER BY base_offset, last_offset, crc_stored, size_bytes
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
            after AS (PARTITION BY {OF_ONE} ORDER BY base_offset, last_offset, crc_stored, size_bytes
                ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING)
    ),
    overlapping AS (
        SELECT {OF_ONE}, replicas, first_copy[1] AS file, first_copy[2] AS batch_position FROM beside
        WHERE reached >= base_offset OR next_offset <= last_offset
    ),
    contents AS (
        SELECT {", ".join("overlapping." + name for name in OF_ONE.split(", "))}, "offset", replicas,
            hash(key_hash_1, key_hash_2, key_is_null, value, value_is_null, headers, timestamp_ms, control_type,
                producer_id, producer_epoch, sequence) AS content
        FROM records JOIN overlapping USING (file, batch_position)
    ),
    held_by AS (SELECT {OF_ONE}, "offset", content, unnest(replicas) AS replica FROM contents),
    agreeing AS (
        SELECT {OF_ONE}, "offset", content, list(DISTINCT replica ORDER BY replica) AS camp FROM held_by GROUP BY ALL
    ),
    present AS (SELECT {OF_ONE}, "offset", count(DISTINCT replica) AS replicas FROM held_by GROUP BY ALL),
    different AS (
        SELECT {OF_ONE}, "offset", list(camp ORDER BY camp) AS camps
        FROM agreeing JOIN present USING ({OF_ONE}, "offset")
        GROUP BY {OF_ONE}, "offset", replicas HAVING max(len(camp)) < replicas
    )
    SELECT {OF_ONE}, min("offset") AS first_offset, max("offset") AS last_offset, count(*) AS offsets,
        list("offset" ORDER BY "offset")[1:{EVIDENCE}] AS evidence, arg_min(camps, "offset") AS camps
    FROM different GROUP BY ALL ORDER BY {OF_ONE}
"""
# Epochs that began before the first different offset, and the epoch of the batch that holds it.
EPOCHS = """
    SELECT leader_epoch AS epoch, min(base_offset) AS start_offset, max(last_offset) AS end_offset FROM batches
    WHERE topic = {topic} AND partition = {partition} AND replica = {replica} AND leader_epoch >= 0
    GROUP BY ALL HAVING min(base_offset) <= {offset} ORDER BY epoch
"""
AT = """
    SELECT leader_epoch AS epoch, magic, (
        SELECT max(timestamp_ms) FROM records WHERE topic = {topic} AND partition = {partition} AND replica = {replica} AND "offset" = {offset}
    ) AS timestamp_ms FROM batches
    WHERE topic = {topic} AND partition = {partition} AND replica = {replica}
        AND base_offset <= {offset} AND last_offset >= {offset} ORDER BY base_offset DESC LIMIT 1
"""
ONLY = """
    SELECT count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset FROM records
    WHERE topic = {topic} AND partition = {partition} AND replica = {replica} AND "offset" > {offset}
        AND "offset" NOT IN (SELECT "offset" FROM records WHERE topic = {topic} AND partition = {partition}
            AND replica = {other} AND "offset" > {offset})
"""
# From where on both have equal records again: none differ after the last different offset. Of a corrupt batch nothing is known.
AGAIN = """
    SELECT min("offset") AS equal_from FROM records
    WHERE topic = {topic} AND partition = {partition} AND replica = {replica} AND "offset" > {last}
        AND "offset" IN (SELECT "offset" FROM records WHERE topic = {topic} AND partition = {partition}
            AND replica = {other} AND "offset" > {last})
        AND NOT EXISTS (SELECT 1 FROM batches WHERE topic = {topic} AND partition = {partition}
            AND replica IN ({replica}, {other}) AND last_offset > {last} AND NOT crc_ok)
"""
# Whether the log went back from message format 2: then `format-downgrade` says what to do about the format.
LOWERED = """
    SELECT max(magic) = 2 AND arg_max(magic, base_offset) < 2 AS is_lowered FROM batches
    WHERE topic = {topic} AND partition = {partition} AND replica = {replica}
"""


def absent(tables: ResultTables) -> str | None:
    """Without several replicas of a partition there is nothing to compare."""
    if tables.rows(SEVERAL):
        return None
    return "the input contains no two replicas of a partition whose logs can be compared"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition whose copies disagree."""
    return [with_history(tables, row) for row in tables.rows(DIFFERENT)]


def with_history(tables: ResultTables, row: Row) -> Row:
    """The row with what the first copy of each of two camps tells of epochs and of what it alone has."""
    here, there = row["camps"][0][0], row["camps"][1][0]
    at_offset = {
        "topic": quoted(row["topic"]),
        "partition": int(row["partition"]),
        "offset": int(row["first_offset"]),
        "last": int(row["last_offset"]),
    }
    sides = []
    for own, other in ((here, there), (there, here)):
        values = {**at_offset, "replica": quoted(own), "other": quoted(other)}
        sides.append(
            {
                "replica": own,
                "epochs": {
                    epoch["epoch"]: (epoch["start_offset"], epoch["end_offset"])
                    for epoch in tables.rows(EPOCHS.format(**values))
                },
                **next(iter(tables.rows(AT.format(**values)))),
                "only": tables.rows(ONLY.format(**values))[0],
                **tables.rows(LOWERED.format(**values))[0],
            }
        )
    return {
        **row,
        "replica": "",  # of all of them
        "sides": sides,
        "equal_from": tables.rows(AGAIN.format(**values))[0]["equal_from"],
        "common": common_epoch(sides[0]["epochs"], sides[1]["epochs"], row["first_offset"]),
    }


def common_epoch(left: EpochEnds, right: EpochEnds, offset: int) -> tuple[int, int] | None:
    """The last epoch both went through before they differ, and its last offset in common; None for none."""
    for epoch in sorted(left.keys() & right.keys(), reverse=True):
        end = min(left[epoch][1], right[epoch][1], offset - 1)
        if end >= max(left[epoch][0], right[epoch][0]):
            return epoch, end
    return None


def describe(row: Row) -> Finding:
    span = offset_range(row["first_offset"], row["last_offset"])
    if row["offsets"] <= row["last_offset"] - row["first_offset"]:
        span = f"{plural(row['offsets'], 'offset')} in the range {marked.offset(row['first_offset'])}-{marked.offset(row['last_offset'])}"
    name = marked.partition(row["topic"], row["partition"])
    is_old = any(side["magic"] < 2 for side in row["sides"])
    # The later one of the two records at the first different offset: until then one log only had a record there.
    since_ms = max(
        (side["timestamp_ms"] for side in row["sides"] if side["timestamp_ms"] is not None), default=None
    )
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"Consumers of {name} get different records at {span}, depending on the leader{diverged(since_ms)}",
        explanation="\n".join([f"{who_stores(row['camps'])}{history(row)}", alone(row), RISK]),
        **located(row),
        remedy=detector.remedy(
            offsets=plural(row["offsets"], "offset"),
            kafka_writes_the_topic=kafkas_own(row["topic"]),
            do_not_write_to_this_topic=written_again(row["topic"]),
            batches_of_an_old_format=is_old and not any(side["is_lowered"] for side in row["sides"]),
            every_batch_has_a_leader_epoch=not is_old,
        ),
        evidence=list(row["evidence"]),
        references=detector.references,
        since_ms=since_ms,
    )


def diverged(since_ms: int | None, who: str = "the replicas") -> str:
    """When they did, by the timestamps of the records."""
    at = timed("at", since_ms)
    return at and f": {who} diverged{at}"


def who_stores(camps: list[list[str]]) -> str:
    """The replicas that agree with each other against the others; nothing of two, which the next sentence names."""
    if sum(map(len, camps)) == len(camps) == 2:
        return ""
    if all(len(camp) == 1 for camp in camps):
        return f"Replicas {listed(marked.replica(camp[0]) for camp in camps)} have diverged. "
    first, *others = sorted(camps, key=len, reverse=True)
    named = "Replica" if len(first) == 1 else "Replicas"
    rest = listed(listed(map(marked.replica, camp)) for camp in others)
    return f"{named} {listed(map(marked.replica, first))} diverged from {rest}. "


def history(row: Row) -> str:
    """Where they diverged, and the epochs around that offset."""
    now = " and ".join(f"{marked.replica(side['replica'])} contains {epoch(side)}" for side in row["sides"])
    at = f"At offset {marked.offset(row['first_offset'])}, {now}."
    if row["common"] is None:
        return f"{at} Before it, the replicas have no leader epoch in common."
    last, end = row["common"]
    return f"{at} The records that both logs contain are equal up to offset {marked.offset(end)} (leader epoch {marked.number(last)})."


def epoch(side: Row) -> str:
    """The epoch of the batch at the first different offset."""
    if side["epoch"] is not None and side["epoch"] >= 0:
        return f"a batch of leader epoch {marked.number(side['epoch'])}"
    return f"a batch without leader epoch (message format {marked.number(side['magic'])})"


def alone(row: Row) -> str:
    """What only one of them has after the first different offset, and where they are equal again."""
    lines = [
        f"Only {marked.replica(side['replica'])} contains {plural(only['records'], 'record')} at "
        f"{offset_range(only['first_offset'], only['last_offset'], side['replica'])}."
        for side in row["sides"]
        if (only := side["only"])["records"]
    ]
    text = " ".join(lines) or "After it, both contain records at the same offsets."
    if row["equal_from"] is None:
        return text
    return f"{text} From offset {marked.offset(row['equal_from'])} on, the records that both logs contain are equal again."


def headline(findings: list[Finding]) -> str:
    """For the verdict: of which partitions, and since when."""
    since_ms = min((finding.since_ms for finding in findings if finding.since_ms is not None), default=None)
    when = diverged(since_ms, "the replicas" if len(findings) == 1 else "the first")
    return f"consumers get different records of {partitions_of(findings)} at the same offsets, depending on the leader{when}"


RISK = (
    "Consumers get the records of the replica that is the leader. A replica that truncates its log to follow the leader loses "
    "its own records at these offsets."
)

detector = Detector(
    id="replica-divergence",
    title="Replicas diverged",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="batches",
    scope="partition",
    needs=frozenset({"batches"}),
    absent=absent,
    wants="replicas",
    one_cause="replicas",
    family="message-format",
    befalls=("changed", "consumers"),
)
