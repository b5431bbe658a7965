"""Rebalance loop: a client leaves its group and comes back under a new member id, again and again, and its partitions do not advance.

Innocent: a few (rolling restart, scaling, a deployment); each client comes back once or twice; the committed offsets of its partitions
advance; a human's irregular restarts; a group that never
commits, where no timeout ends the stays. Page: docs/detectors/rebalance-loop.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._committed_offsets import names_of
from spark.detectors._effects import on_entities
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.detectors.transactions._words import span_of_time
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural, some

RETURNS = (
    5  # of one client under new member ids, times its members at one moment: two rolling restarts give two
)
STEADY = 0.25  # of the median: intervals within it are alike; half of all must be
CLOSE = 0.2  # of a timeout: a stay this near to it was ended by it
MAX_PAUSE_MS = (
    60 * 60 * 1000
)  # between two returns: a job that runs once an hour or less comes and goes by plan
MAX_NAMED = 5

MANY_MEMBERS = f"""
    SELECT 1 FROM state WHERE entity_type = 'group-member' AND {behaviour.OWN}
    GROUP BY {REPLICA_COLUMNS}, attributes->>'clientId', attributes->>'clientHost' HAVING count(DISTINCT entity_id) > {RETURNS} LIMIT 1
"""
IS_TIMEOUT = f"""
    (abs(stay_ms - poll_ms) <= {CLOSE} * poll_ms OR abs(stay_ms - session_ms) <= {CLOSE} * session_ms)
"""
CLIENT = f"{REPLICA_COLUMNS}, group_id, client_id, host"
# One row per group: its clients that come back, and how its offsets moved meanwhile.
LOOPS = f"""
    WITH {behaviour.MEMBER_STEPS},
    stays AS (
        SELECT {CLIENT}, member_id, min("offset") AS joined, min(at_ms) AS joined_ms, max(until_ms) AS left_ms,
            max(until_offset) AS left_at, bool_or(until_offset IS NULL) AS is_member, max(poll_ms) AS poll_ms, max(session_ms) AS session_ms
        FROM member_steps GROUP BY ALL
    ),
    at_once AS (
        SELECT {CLIENT}, max(members) AS at_once FROM (
            SELECT {CLIENT}, sum(change) OVER (PARTITION BY {CLIENT} ORDER BY "offset", change ROWS UNBOUNDED PRECEDING) AS members FROM (
                SELECT {CLIENT}, joined AS "offset", 1 AS change FROM stays
                UNION ALL SELECT {CLIENT}, left_at, -1 FROM stays WHERE NOT is_member
            )
        ) GROUP BY ALL
    ),
    returns AS (
        SELECT *, joined_ms - lag(joined_ms) OVER (PARTITION BY {CLIENT} ORDER BY joined) AS interval_ms FROM stays
    ),
    clients AS (
        SELECT {CLIENT}, count(interval_ms) AS returns, median(interval_ms)::BIGINT AS interval_ms,
            median(CASE WHEN NOT is_member THEN left_ms - joined_ms END)::BIGINT AS stay_ms,
            max(poll_ms) AS poll_ms, max(session_ms) AS session_ms, min(joined) AS first_joined, max(joined) AS last_joined,
            min(joined_ms) AS first_ms, max(joined_ms) AS last_ms, list(interval_ms) AS intervals,
            list(joined ORDER BY joined)[:{MAX_NAMED}] AS offsets
        FROM returns WHERE interval_ms IS NULL OR interval_ms <= {MAX_PAUSE_MS} GROUP BY ALL
    ),
    loops AS MATERIALIZED (
        SELECT * FROM clients JOIN at_once USING ({CLIENT})
        WHERE returns >= {RETURNS} * at_once AND 2 * len(list_filter(intervals, lambda i: abs(i - interval_ms) <= {STEADY} * interval_ms)) >= returns
    ),
    owned AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, group_id, a.topic AS data_topic, unnest(a.partitions) AS data_partition
        FROM (SELECT *, unnest(assigned) AS a FROM member_steps SEMI JOIN loops USING ({CLIENT}))
    ),
    spans AS (
        SELECT {REPLICA_COLUMNS}, group_id, min(first_joined) AS first_offset, max(last_joined) AS last_offset FROM loops GROUP BY ALL
    ),
    -- Names out of each id once, not out of each commit.
    named AS MATERIALIZED (
        SELECT * FROM (
            SELECT entity_id, {names_of()} FROM (SELECT DISTINCT entity_id FROM state WHERE entity_type = 'offset-commit' AND {behaviour.OWN})
        ) WHERE group_id IN (SELECT group_id FROM loops)
    ),
    commits AS (
        SELECT {REPLICA_COLUMNS}, group_id, data_topic, data_partition, valid_from_offset AS "offset", TRY_CAST(attributes->>'offset' AS BIGINT) AS committed
        FROM state JOIN named USING (entity_id) WHERE entity_type = 'offset-commit' AND {behaviour.OWN}
    ),
    moves AS (
        SELECT {REPLICA_COLUMNS}, group_id, data_topic, data_partition, count(*) AS commits, min(committed) AS committed,
            max(committed) > min(committed) AS has_moved
        FROM commits JOIN spans USING ({REPLICA_COLUMNS}, group_id) WHERE "offset" BETWEEN first_offset AND last_offset GROUP BY ALL
    ),
    concerned AS (
        SELECT {REPLICA_COLUMNS}, group_id, bool_or(has_moved) AS has_moved, count(*) FILTER (WHERE commits > 0) AS committed_partitions,
            list({{'topic': data_topic, 'partition': data_partition, 'committed': committed, 'commits': commits}}
                ORDER BY data_topic, data_partition) FILTER (WHERE NOT has_moved) AS standing
        FROM moves
        WHERE (group_id, data_topic, data_partition) IN (SELECT (group_id, data_topic, data_partition) FROM owned)
            OR group_id NOT IN (SELECT group_id FROM owned)
        GROUP BY ALL
    ),
    steps AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS group_id, count(DISTINCT coalesce(attributes->>'generation', attributes->>'epoch')) AS generations
        FROM state JOIN (SELECT {REPLICA_COLUMNS}, group_id AS entity_id, first_offset, last_offset FROM spans)
            USING ({REPLICA_COLUMNS}, entity_id)
        WHERE entity_type = 'group' AND {behaviour.OWN} AND valid_from_offset BETWEEN first_offset AND last_offset GROUP BY ALL
    ),
    ends AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS end_ms FROM records SEMI JOIN spans USING ({REPLICA_COLUMNS}) GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, group_id, generations, min(first_offset) AS first_offset, max(last_offset) AS last_offset,
        sum(returns)::BIGINT AS returns, count(*) AS clients, arg_max(client_id, returns) AS client_id, arg_max(host, returns) AS host,
        arg_max(interval_ms, returns) AS interval_ms, arg_max(stay_ms, returns) AS stay_ms, max(poll_ms) AS poll_ms,
        max(session_ms) AS session_ms, min(first_ms) AS first_ms, max(last_ms) AS last_ms, any_value(end_ms) AS end_ms,
        any_value(standing) AS standing, any_value(committed_partitions) AS committed_partitions,
        arg_max(offsets, returns) AS offsets
    FROM loops JOIN spans USING ({REPLICA_COLUMNS}, group_id) JOIN steps USING ({REPLICA_COLUMNS}, group_id)
    JOIN ends USING ({REPLICA_COLUMNS}) LEFT JOIN concerned USING ({REPLICA_COLUMNS}, group_id)
    WHERE (NOT coalesce(has_moved, false) AND ({IS_TIMEOUT} OR group_id IN (SELECT group_id FROM named)))
        OR (len(standing) > 0 AND {IS_TIMEOUT})
    GROUP BY {REPLICA_COLUMNS}, group_id, generations ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    group, cause = marked.entity(row["group_id"], "group"), cause_of(row)
    is_over = (row["end_ms"] or 0) - (row["last_ms"] or 0) > 4 * max(row["interval_ms"], 60_000)
    client = behaviour.client_named(row["client_id"], row["host"])
    return Finding(
        detector=detector.id,
        severity="high" if cause and not is_over else "medium",
        confidence="proven" if cause else "likely",
        effects=on_entities("stuck", "group", [row["group_id"]], whom="consumers"),
        title=(
            f"Group {group} rebalances again and again: {client} comes back {plural(row['returns'], 'time')} under new member IDs, about "
            f"every {span_of_time(row['interval_ms'])}, and {standing_in_title(row)}"
        ),
        explanation=(
            f"From {moment(row['first_ms'])} to {moment(row['last_ms'])} the group has {plural(row['generations'], 'generation')} "
            f"({words.partition_name(row)}). {plural(row['clients'], 'client')} of it {'leaves and joins' if row['clients'] == 1 else 'leave and join'} "
            f"again under new member IDs. {cause or unknown_cause(row)} {standing(row)} Each rebalance stops the members, and what was processed "
            "since the last commit is processed again."
        ),
        **located(row),
        entity=f"group:{row['group_id']}",
        entities={f"group:{row['group_id']}"},
        evidence=row["offsets"],
        remedy=detector.remedy(group=row["group_id"], another_cause_is_possible=not is_by_poll(row)),
        since_ms=row["first_ms"],
        references=detector.references,
    )


def near(span_ms: int | None, timeout_ms: int | None) -> bool:
    """Whether a stay is as long as a timeout."""
    return bool(span_ms and timeout_ms and abs(span_ms - timeout_ms) <= CLOSE * timeout_ms)


def is_by_poll(row: Row) -> bool:
    """Whether members stay about max.poll.interval.ms, which classic consumers send as their rebalance timeout."""
    return near(row["stay_ms"], row["poll_ms"])


def cause_of(row: Row) -> str:
    """What ends a stay, where its length shows it."""
    if is_by_poll(row):
        return (
            f"A member stays about {span_of_time(row['stay_ms'])}, and its rebalance timeout (`max.poll.interval.ms`) is "
            f"{span_of_time(row['poll_ms'])}. So the application needs longer than this for the records of one poll. The consumer leaves the "
            "group, and its commit fails. After that it joins again and gets the same records."
        )
    if near(row["stay_ms"], row["session_ms"]):
        return (
            f"A member stays about {span_of_time(row['stay_ms'])}, and its session timeout is {span_of_time(row['session_ms'])}. So the "
            "coordinator gets no heartbeats after the join: the process stops, hangs, or loses its connection."
        )
    return ""


def unknown_cause(row: Row) -> str:
    """What would decide where it does not."""
    stay = f"A member stays about {span_of_time(row['stay_ms'])}. " if row["stay_ms"] is not None else ""
    return (
        f"{stay}No timeout of the group is as long. The cause is unknown: a process that fails and restarts (a record that it cannot "
        "process, too little memory), records that take longer than `max.poll.interval.ms`, or a job that is started again and again and finds no new records. The log of the application shows which."
    )


def standing_in_title(row: Row) -> str:
    """The partitions in short."""
    if not row["standing"]:
        return "no offset is committed"
    first = row["standing"][0]
    name = marked.partition(first["topic"], first["partition"])
    more = len(row["standing"]) - 1
    if more:
        return f"the committed offsets of {name} and {plural(more, 'other partition')} do not advance"
    return f"the committed offset of {name} does not advance"


def standing(row: Row) -> str:
    """The partitions that these members had, with their offsets."""
    if not row["standing"]:
        return "In this time the group committed no offset."
    named = some(
        [
            f"{marked.partition(offset['topic'], offset['partition'])} at {marked.number(offset['committed'])}"
            for offset in row["standing"]
        ],
        MAX_NAMED,
    )
    return f"Meanwhile the committed offsets of these partitions do not change: {named}."


detector = Detector(
    id="rebalance-loop",
    title="Rebalance loop",
    find=query(LOOPS, if_any=MANY_MEMBERS),
    describe=describe,
    headline=clause(
        "{count} again and again, and offsets do not advance", "group rebalances", "groups rebalance"
    ),
    rows_of="state",
    scope="partition",
    dialects=("consumer-offsets",),
    one_cause="each",
)
