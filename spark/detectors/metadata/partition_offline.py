"""Partition offline: a partition has no leader at the end of the log, because the brokers that may lead it are fenced.

Innocent: brokers that were fenced minutes ago (a restart); a cluster that is stopped as a whole, without an active broker; brokers that are
not registered at all (replica-without-broker says so); a snapshot, which has no times. The output of kafka-topics --describe is
judged, too, also without a record (`_printed_leaders`). Page: docs/detectors/partition-offline.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located, query
from spark.detectors._words import partition_name
from spark.detectors.metadata import _printed_leaders as printed
from spark.detectors.metadata.replica_without_broker import named
from spark.detectors.transactions._words import span_of_time
from spark.dialects.cluster_metadata.snapshots import MARK as SNAPSHOT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, listed, moment, plural, some

MIN_MS = 5 * 60 * 1000  # a restart of a broker is over by then
MAX_NAMED = 10

ANY_LEADERLESS = """
    SELECT 1 FROM state WHERE entity_type = 'partition' AND view = 'log' AND valid_to_offset IS NULL AND attributes->>'leader' = '-1' LIMIT 1
"""
# One row per set of brokers that may lead: the last in-sync replicas, and those that KIP-966 keeps as eligible.
OFFLINE = f"""
    WITH brokers AS (
        SELECT {REPLICA_COLUMNS}, TRY_CAST(entity_id AS INT) AS broker, coalesce(TRY_CAST(attributes->>'fenced' AS BOOLEAN), false) AS is_fenced
        FROM state WHERE entity_type = 'broker' AND view = 'log' AND is_own AND valid_to_offset IS NULL
    ),
    cluster AS (
        SELECT {REPLICA_COLUMNS}, list(broker) AS registered, coalesce(list(broker) FILTER (NOT is_fenced), []) AS active
        FROM brokers GROUP BY ALL
    ),
    leaderless AS (
        SELECT {REPLICA_COLUMNS}, entity_id, origin_offset, TRY_CAST(attributes->'replicas' AS INT[]) AS replicas,
            list_sort(list_distinct(coalesce(TRY_CAST(attributes->'isr' AS INT[]), []) || coalesce(TRY_CAST(attributes->'eligibleLeaderReplicas' AS INT[]), [])))
                AS eligible, coalesce(TRY_CAST(attributes->'lastKnownElr' AS INT[]), []) AS last_known
        FROM state WHERE entity_type = 'partition' AND view = 'log' AND is_own AND valid_to_offset IS NULL AND attributes->>'leader' = '-1'
            AND NOT contains(topic, '{SNAPSHOT}')
    ),
    ends AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS end_ms FROM records SEMI JOIN leaderless USING ({REPLICA_COLUMNS}) GROUP BY ALL),
    timed AS (
        SELECT l.*, if(len(eligible) > 0, eligible, last_known) AS waits_for, r.timestamp_ms AS since_ms, end_ms, registered, active
        FROM leaderless l JOIN ends USING ({REPLICA_COLUMNS}) JOIN cluster USING ({REPLICA_COLUMNS})
        JOIN records r ON (r.topic, r.partition, r.replica, r."offset") = (l.topic, l.partition, l.replica, l.origin_offset)
    )
    SELECT {REPLICA_COLUMNS}, waits_for, list(entity_id ORDER BY entity_id) AS names, count(*) AS count, min(since_ms) AS since_ms,
        any_value(end_ms) AS end_ms, list_filter(waits_for, lambda b: list_contains(any_value(active), b)) AS active,
        list(DISTINCT origin_offset ORDER BY origin_offset)[:{OFFSETS_NAMED}] AS offsets, min(origin_offset) AS first_offset,
        max(origin_offset) AS last_offset, max(len(replicas)) AS most_replicas,
        {printed.OUT_OF_SYNC},
        coalesce(list(entity_id ORDER BY entity_id) FILTER (len(replicas) != 1), []) AS electable
    FROM timed WHERE len(active) > 0 AND list_has_all(registered, replicas) AND end_ms - since_ms >= {MIN_MS}
    GROUP BY {REPLICA_COLUMNS}, waits_for ORDER BY first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """Of the controllers' journal, and of what tools printed."""
    yield from query(OFFLINE, if_any=ANY_LEADERLESS)(tables)
    yield from query(printed.LEADERLESS, if_any=printed.ANY_LEADERLESS)(tables)


def describe(row: Row) -> Finding:
    if "tool" in row:
        return printed.finding(
            row,
            detector.id,
            remedy(row, printed.brokers(row), [(row["topic"], number) for number in row["electable"]]),
            detector.references,
        )
    brokers = listed([marked.number(number) for number in row["waits_for"]])
    which = (
        f"broker {brokers}"
        if len(row["waits_for"]) == 1
        else f"brokers {brokers}"
        if brokers
        else "an in-sync replica"
    )
    whole = span_of_time(row["end_ms"] - row["since_ms"])
    first = named(row["names"][0])
    topics = list(dict.fromkeys(name.rpartition("/")[0] for name in row["names"]))
    subject = f"Partition {first} is" if row["count"] == 1 else f"{plural(row['count'], 'partition')} are"
    return Finding(
        detector=detector.id,
        severity="high",
        effects=printed.effects(row["names"]),
        title=f"{subject} offline for {whole}: only {which} can lead {'it' if row['count'] == 1 else 'them'} without lost records",
        explanation=(
            f"At the end of {partition_name(row)}, {some([named(name) for name in row['names']], MAX_NAMED)} "
            f"{'has' if row['count'] == 1 else 'have'} no leader, since {moment(row['since_ms'])} (offset {marked.offset(row['first_offset'])}). "
            f"{printed.stops(topics)}{reason(row, which)} {printed.others(topics)} "
            f"{printed.copies(row, 'have')}"
        ),
        **located(row),
        entity=f"brokers:{','.join(map(str, row['waits_for']))}",
        entities={f"broker:{number}" for number in row["waits_for"]},
        evidence=row["offsets"],
        remedy=remedy(
            row,
            which,
            [
                (topic, int(number))
                for topic, _, number in (name.rpartition("/") for name in row["electable"])
            ],
        ),
        references=detector.references,
    )


def remedy(row: Row, brokers: str, electable: list[tuple[str, int]]) -> str:
    """Of the journal's partitions and of those that a tool printed; `electable`: those that have other replicas."""
    topic, number = electable[0] if electable else (None, None)
    return detector.remedy(
        brokers=brokers,
        it_is_down="they are down" if len(row["waits_for"]) > 1 else "it is down",
        the_broker_is_active=bool(row["active"]),
        the_broker_can_be_active="tool" in row and bool(row["waits_for"]) and not row["active"],
        it_runs=running(row["waits_for"]),
        other_replicas_are_out_of_sync=bool(row["waits_for"] and row["out_of_sync"]),
        these_brokers=running(row["out_of_sync"]),
        out_of_sync=listed([marked.number(number) for number in row["out_of_sync"]]),
        one_of_them="it" if len(row["out_of_sync"]) == 1 else "one of them",
        a_partition_has_fewer_than_three_replicas=row["most_replicas"] < 3,
        committed_offsets_can_be_lost=any(topic == printed.OFFSETS for topic, _ in electable),
        one_partition_has_other_replicas=len(electable) == 1,
        several_partitions_have_other_replicas=len(electable) > 1,
        a_partition_has_no_other_replica=len(electable) < len(row.get("names") or row["partitions"]),
        offline_topic=topic,
        offline_partition=number,
        partitions_to_elect=printed.to_elect(electable),
    )


def running(numbers: list[int]) -> str:
    """`broker 1 runs`, `brokers 1 and 2 run`."""
    named_brokers = listed([marked.number(number) for number in numbers])
    return f"broker {named_brokers} runs" if len(numbers) == 1 else f"brokers {named_brokers} run"


def reason(row: Row, which: str) -> str:
    """Why the brokers do not lead."""
    if not row["waits_for"]:
        return "No replica is in sync or eligible."
    subject = printed.has_last(row, which)
    if row["active"]:
        return f"{subject}, and {listed([marked.number(number) for number in row['active']])} is active: a log directory can be offline."
    return f"{subject} and {'is' if len(row['waits_for']) == 1 else 'are'} fenced: the controller gets no heartbeats."


def headline(findings: list[Finding]) -> str:
    """The journal names cases, the output of a tool partitions."""
    if all(finding.evidence for finding in findings):
        return f"partitions are offline: their brokers are fenced ({plural(len(findings), 'case')})"
    count = sum(len(finding.effects) for finding in findings)
    topics = {finding.topic for finding in findings}
    of = (
        plural(count, "partition")
        if len(topics) > 1
        else printed.share(min(topics), count, findings[0].facts)
    )
    return (
        f"{of} {'is' if count == 1 else 'are'} offline: {'it has' if count == 1 else 'they have'} no leader"
    )


detector = Detector(
    id="partition-offline",
    title="Partition without a leader",
    find=find,
    describe=describe,
    headline=headline,
    rows_of=("state", "properties"),
    dialects=("cluster-metadata",),
    prints=printed.IDS,
    needs=frozenset({"offset", "timestamps"}),
    one_cause="each",
)
