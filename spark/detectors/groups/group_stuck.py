"""Group stuck: a committed offset does not move although its partition has records from there on and the group is alive.

Needs the partition's log beside `__consumer_offsets`. Innocent: commit = end of the log; only markers, aborted records or missing offsets
behind it; the record was written after the group's last sign of life (Empty, stopped); no member subscribes to the topic; one poll's time.
A finding stands at the record that the group does not pass. Page: docs/detectors/group-stuck.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, DoesNotApply, located
from spark.detectors._committed_offsets import group_of, names_of
from spark.detectors._effects import on_entities
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.detectors.transactions._words import span_of_time
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.marked import partition_name
from spark.terms.typed_wording import moment, plural

REPEATS = (
    3  # commits of the same offset after the record was there: the owner polled so often and did not pass it
)
REPEATS_MS = 120_000  # that these span at least
LONG_MS = 60 * 60 * 1000  # a partition that stands so long: its consumer stands still
PROBED = 20  # offsets from the committed one on that can be markers and aborted records before the first that waits
MAX_ALONE = 3  # partitions: a group that stands in more has one cause, and it is no record

COMMITS = f"""
    commits AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, {names_of()}, valid_from_offset AS "offset", TRY_CAST(attributes->>'offset' AS BIGINT) AS committed
        FROM state WHERE {behaviour.IN_FORCE}
    )
"""
OTHERS = "SELECT DISTINCT topic FROM runs WHERE topic <> '__consumer_offsets'"
HAS_LOG = f"WITH {COMMITS} SELECT 1 FROM commits SEMI JOIN (SELECT topic AS data_topic, partition AS data_partition FROM runs) USING (data_topic, data_partition) LIMIT 1"

# One row per group and partition. `record_offset`: the first record that the group has not processed.
STUCK = f"""
    WITH {COMMITS},
    ends AS (SELECT topic, partition, max(last_offset) AS last_offset FROM runs GROUP BY ALL),
    behind AS MATERIALIZED (
        SELECT c.*, e.last_offset AS last_record FROM commits c JOIN ends e ON (e.topic, e.partition) = (c.data_topic, c.data_partition) WHERE c.committed <= e.last_offset
    ),
    nexts AS (
        SELECT b.*, min(greatest(b.committed, r.first_offset)) AS next_offset FROM behind b
        JOIN runs r ON (r.topic, r.partition) = (b.data_topic, b.data_partition) AND r.last_offset >= b.committed GROUP BY ALL
    ),
    probes AS (SELECT *, unnest(range(next_offset, next_offset + {PROBED})) AS record_offset FROM nexts),
    hits AS (
        SELECT p.* EXCLUDE (next_offset), l.replica AS data_replica, l.timestamp_ms AS record_ms
        FROM probes p JOIN lifelines l ON (l.topic, l.partition, l."offset") = (p.data_topic, p.data_partition, p.record_offset)
        WHERE l.kind <> 'control' AND NOT EXISTS (
            FROM transactions a WHERE (a.topic, a.partition, a.replica) = (l.topic, l.partition, l.replica) AND a.outcome = 'aborted'
                AND l."offset" BETWEEN a.first_offset AND a.last_offset
        )
    ),
    newest AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS newest_ms FROM records SEMI JOIN behind USING ({REPLICA_COLUMNS}) GROUP BY ALL),
    found AS (
        SELECT * FROM hits QUALIFY row_number() OVER (
            PARTITION BY {REPLICA_COLUMNS}, group_id, data_topic, data_partition ORDER BY record_offset, data_replica
        ) = 1
    ),
    -- Who has had no time to stand is left out before anything is asked of the history.
    waiting AS MATERIALIZED (
        SELECT * EXCLUDE (newest_ms) FROM found JOIN newest USING ({REPLICA_COLUMNS}) WHERE record_ms <= newest_ms - {REPEATS_MS}
    ),
    concerned AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id FROM (
            SELECT DISTINCT {REPLICA_COLUMNS}, entity_id FROM state WHERE entity_type = 'offset-commit' AND {behaviour.OWN}
        ) WHERE {group_of()} IN (SELECT group_id FROM waiting)
    ),
    history AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, {names_of()}, valid_from_offset AS "offset", TRY_CAST(attributes->>'offset' AS BIGINT) AS committed,
            TRY_CAST(attributes->>'commitTimestamp' AS BIGINT) AS commit_ms
        FROM state SEMI JOIN concerned USING ({REPLICA_COLUMNS}, entity_id) WHERE entity_type = 'offset-commit' AND {behaviour.OWN}
    ),
    stepped AS (
        SELECT *, committed > lag(committed) OVER (PARTITION BY {REPLICA_COLUMNS}, group_id, data_topic, data_partition ORDER BY "offset") AS is_advance
        FROM history
    ),
    advanced AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, group_id, data_topic, data_partition, max(commit_ms) AS advance_ms FROM stepped WHERE is_advance GROUP BY ALL
    ),
    since AS MATERIALIZED (
        SELECT w.topic, w.partition, w.replica, w.group_id, w.data_topic, w.data_partition,
            w.record_ms, max(w.record_ms) AS written_ms, greatest(written_ms, min(h.commit_ms) FILTER (WHERE h.committed = w.committed)) AS since_ms,
            count(*) FILTER (WHERE h.committed = w.committed AND h.commit_ms >= w.record_ms) AS repeats,
            min(h.commit_ms) FILTER (WHERE h.committed = w.committed AND h.commit_ms >= w.record_ms) AS first_repeat_ms,
            max(h.commit_ms) FILTER (WHERE h.committed = w.committed AND h.commit_ms >= w.record_ms) AS last_repeat_ms,
            max(h.commit_ms) FILTER (WHERE h.committed <> w.committed) AS last_other_ms
        FROM waiting w JOIN history h ON (h.topic, h.partition, h.replica, h.group_id, h.data_topic, h.data_partition)
            = (w.topic, w.partition, w.replica, w.group_id, w.data_topic, w.data_partition)
        GROUP BY ALL
    ),
    others AS (
        SELECT s.topic, s.partition, s.replica, s.group_id, s.data_topic, s.data_partition, count(*) AS advances, max(advance_ms) AS last_advance_ms,
            bool_or(a.data_topic = s.data_topic) AS is_same_topic
        FROM since s JOIN advanced a ON (a.topic, a.partition, a.replica, a.group_id) = (s.topic, s.partition, s.replica, s.group_id)
        WHERE advance_ms > s.since_ms AND (a.data_topic, a.data_partition) <> (s.data_topic, s.data_partition) GROUP BY ALL
    ),
    {behaviour.MEMBER_STEPS},
    members AS (
        SELECT s.topic, s.partition, s.replica, s.group_id, s.data_topic, s.data_partition, count(DISTINCT m.member_id) AS members,
            bool_or(m.topics IS NULL OR m.topic_pattern IS NOT NULL OR list_contains(m.topics, s.data_topic)) AS is_read,
            count(DISTINCT m."offset") FILTER (WHERE m.at_ms > s.since_ms) AS generations, max(m.poll_ms) AS poll_ms,
            max(m.at_ms) FILTER (WHERE m.at_ms > s.since_ms) AS last_join_ms,
            arg_max({{'client_id': client_id, 'host': host}}, m."offset") FILTER (
                WHERE len(list_filter(m.assigned, lambda a: a.topic = s.data_topic AND list_contains(a.partitions, s.data_partition))) > 0
            ) AS owner
        FROM since s JOIN member_steps m ON (m.topic, m.partition, m.replica, m.group_id) = (s.topic, s.partition, s.replica, s.group_id)
        WHERE coalesce(m.until_ms, {1 << 62}) > s.since_ms GROUP BY ALL
    ),
    judged AS (
        SELECT w.topic AS journal, w.partition AS journal_partition, w.replica AS journal_replica, w."offset" AS commit_at,
            w.group_id, w.data_topic, w.data_partition, w.data_replica, w.committed, w.record_offset, w.record_ms, w.last_record,
            since_ms, repeats, first_repeat_ms, last_repeat_ms, last_other_ms, coalesce(advances, 0) AS advances, last_advance_ms, coalesce(is_same_topic, false) AS is_same_topic,
            members, coalesce(is_read, true) AS is_read, coalesce(generations, 0) AS generations, owner,
            greatest(coalesce(poll_ms, 0), {behaviour.DEFAULT_POLL_MS}) AS patience_ms,
            greatest(coalesce(last_advance_ms, 0), coalesce(last_repeat_ms, 0), coalesce(last_join_ms, 0)) AS alive_ms
        FROM waiting w JOIN since USING ({REPLICA_COLUMNS}, group_id, data_topic, data_partition, record_ms)
        LEFT JOIN others USING ({REPLICA_COLUMNS}, group_id, data_topic, data_partition)
        LEFT JOIN members USING ({REPLICA_COLUMNS}, group_id, data_topic, data_partition)
    )
    SELECT *, data_topic AS topic, data_partition AS partition, data_replica AS replica, alive_ms - since_ms AS stood_ms,
        (SELECT arg_min({{'producer': producer_id, 'at': t.first_offset}}, t.first_offset) FROM transactions t
            WHERE (t.topic, t.partition) = (data_topic, data_partition) AND t.outcome = 'open' AND t.first_offset <= record_offset) AS open_transaction
    FROM judged
    WHERE is_read AND (
        (repeats >= {REPEATS} AND last_repeat_ms - first_repeat_ms >= {REPEATS_MS})
        OR (stood_ms >= patience_ms AND (is_same_topic OR generations >= {REPEATS} OR repeats >= {REPEATS} OR (members > 0 AND advances > 0)))
    )
    ORDER BY data_topic, data_partition, group_id
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per group and partition; of a group that stands in many, one row with the partition that stands longest."""
    by_group: dict[tuple[str, int, str, str], list[Row]] = {}
    for row in tables.rows(STUCK) if tables.rows(HAS_LOG) else ():
        by_group.setdefault(
            (row["journal"], row["journal_partition"], row["journal_replica"], row["group_id"]), []
        ).append(row)
    for rows in by_group.values():
        if len(rows) > MAX_ALONE:
            yield {**max(rows, key=lambda row: row["stood_ms"]), "elsewhere": len(rows) - 1}
        else:
            yield from ({**row, "elsewhere": 0} for row in rows)


def describe(row: Row) -> Finding:
    group, partition = marked.entity(row["group_id"], "group"), words.partition_name(row)
    offset = row["record_offset"]
    data_partition = partition_name(row["topic"], row["partition"])
    return Finding(
        detector=detector.id,
        severity="high" if row["stood_ms"] >= LONG_MS and is_certainly_read(row) else "medium",
        confidence="likely",
        effects=on_entities(
            "stuck",
            "offset-commit",
            [f"{row['group_id']}/{row['topic']}/{row['partition']}"],
            whom="consumers",
        ),
        title=(
            f"Group {group} does not pass offset {marked.offset(offset)} of {partition}: its committed offset "
            f"{marked.number(row['committed'])} does not advance, up to {plural(row['last_record'] - offset + 1, 'record')} wait{elsewhere(row)}"
        ),
        explanation=explanation(row),
        **located(row, offset, row["last_record"]),
        entity=f"group:{row['group_id']}",
        entities={f"group:{row['group_id']}", f"record:{offset}", *open_transaction(row)},
        evidence=[offset],
        remedy=detector.remedy(
            group=row["group_id"],
            topic=row["topic"],
            partition=row["partition"],
            offset=offset,
            next_offset=offset + 1,
        ),
        since_ms=row["since_ms"],
        event=f"group:{row['group_id']}" if row["elsewhere"] else f"poison:{data_partition}:{offset}",
        references=detector.references,
    )


def elsewhere(row: Row) -> str:
    """That it is the group and not one record."""
    count = row["elsewhere"]
    return f", and in {plural(count, 'other partition')} likewise" if count else ""


def open_transaction(row: Row) -> set[str]:
    """The transaction that hides the record from read_committed consumers, as the detectors of transactions name it."""
    transaction = row["open_transaction"]
    return {f"transaction:{transaction['producer']}@{transaction['at']}"} if transaction else set()


def explanation(row: Row) -> str:
    """Since when, what shows that the group is alive, what may be the cause."""
    alive = []
    if row["repeats"] >= REPEATS:
        alive.append(
            f"it committed the same offset {plural(row['repeats'], 'time')} while the record was there, last at {moment(row['last_repeat_ms'])}"
        )
    if row["advances"]:
        alive.append(
            f"it committed higher offsets for {plural(row['advances'], 'other partition')}, last at {moment(row['last_advance_ms'])}"
        )
    if row["generations"]:
        alive.append(f"its members joined in {plural(row['generations'], 'generation')}")
    owner = row["owner"]
    who = (
        f" The partition belongs to {behaviour.client_named(owner['client_id'], owner['host'])}."
        if owner
        else ""
    )
    return (
        f"The record at offset {marked.offset(row['record_offset'])} has timestamp {moment(row['record_ms'])}. The committed offset "
        f"{marked.number(row['committed'])} is at offset {marked.offset(row['commit_at'])} of "
        f"{marked.partition(row['journal'], row['journal_partition'])}. For {span_of_time(row['stood_ms'])} after {moment(row['since_ms'])} the "
        f"group is alive: {', and '.join(alive)}.{who} {cause(row)}"
    )


def is_certainly_read(row: Row) -> bool:
    """Whether a consumer has the partition: by its members, or by commits of it. Consumers that use `assign` may have left it."""
    return bool(row["members"]) or row["repeats"] >= REPEATS


def cause(row: Row) -> str:
    """The causes that fit, and what would decide."""
    if row["open_transaction"]:
        return (
            f"An open transaction begins at offset {marked.offset(row['open_transaction']['at'])}. read_committed consumers do not get records from "
            "there on."
        )
    absent_members = (
        ""
        if is_certainly_read(row)
        else " The input has no member of the group. If its consumers choose their partitions themselves (`assign`), no consumer may read this one any longer."
    )
    return (
        "Possible causes: the application fails at this record (a poison pill), its processing takes longer than `max.poll.interval.ms`, the "
        "consumer paused the partition (a retry topic with a delay does so on purpose), or the client stopped to fetch it. The log of the "
        f"application at this offset shows which.{absent_members}"
    )


def absent(tables: ResultTables) -> str | None:
    """It compares two topics."""
    if not tables.rows(OTHERS):
        return DoesNotApply(
            "the input contains no topic whose records a group reads, beside the committed offsets"
        )
    return None


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    groups = {finding.entity for finding in findings}
    if len(groups) == 1:
        group = marked.entity((findings[0].entity or "").removeprefix("group:"), "group")
        return f"group {group} does not advance in {plural(len(findings), 'partition')}"
    return f"{plural(len(groups), 'group')} do not advance"


detector = Detector(
    id="group-stuck",
    title="Committed offset that does not advance",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="state",
    dialects=("consumer-offsets",),
    needs=frozenset({"offset"}),
    follows=("hanging-transaction", "unframed-value", "type-header-renamed"),
    absent=absent,
    one_cause="partition",
    family="poison-pill",
)
