"""Committed offsets that stand although their partition has records from there on, in SQL: which, since when, and what shows that the group is alive.

Of many groups that stand in many partitions, each question is one pass: partitions and groups have numbers, and steps of members are counted
for a group, not for each of its partitions.
"""

from __future__ import annotations

from spark.detectors._committed_offsets import names_of
from spark.detectors.groups import _behaviour as behaviour
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables

REPEATS = (
    3  # commits of the same offset after the record was there: the owner polled so often and did not pass it
)
REPEATS_MS = 120_000  # that these span at least
PROBED = 20  # offsets from the committed one on that can be markers and aborted records before the first that waits

# The table `standing_commits`. `place`: a number for each group and partition, `journal_group` for each group: what follows joins and sorts by them.
COMMITS = f"""
        SELECT *, row_number() OVER () AS place, dense_rank() OVER (ORDER BY {REPLICA_COLUMNS}, group_id) AS journal_group FROM (
            SELECT {REPLICA_COLUMNS}, entity_id, {names_of()}, valid_from_offset AS "offset", TRY_CAST(attributes->>'offset' AS BIGINT) AS committed,
                TRY_CAST(attributes->>'commitTimestamp' AS BIGINT) AS commit_ms
            FROM state WHERE {behaviour.IN_FORCE}
        )
"""
HAS_LOG = "SELECT 1 FROM standing_commits SEMI JOIN (SELECT topic AS data_topic, partition AS data_partition FROM runs) USING (data_topic, data_partition) LIMIT 1"
# Copies that MirrorMaker writes have the times of their originals, which do not say since when they are in this log.
MIRRORED = """
    mirrored AS (
        SELECT DISTINCT attributes->>'topic' AS topic FROM entries WHERE entry_type = 'checkpoint'
        UNION SELECT runs.topic FROM runs JOIN (SELECT DISTINCT regexp_extract(topic, '^(.+)[.]checkpoints[.]internal$', 1) || '.' AS alias FROM runs) aliases
            ON starts_with(runs.topic, alias) WHERE alias <> '.'
        EXCEPT SELECT topic FROM batches WHERE timestamp_type = 'log_append'
    )
"""

# One row per group and partition. `record_offset`: the first record that the group has not processed.
STUCK = f"""
    WITH {MIRRORED},
    ends AS (SELECT topic, partition, max(last_offset) AS last_offset FROM runs GROUP BY ALL),
    behind AS MATERIALIZED (
        SELECT c.* EXCLUDE (commit_ms), e.last_offset AS last_record FROM standing_commits c JOIN ends e ON (e.topic, e.partition) = (c.data_topic, c.data_partition) WHERE c.committed <= e.last_offset
    ),
    -- Groups often stand at one offset: records are looked for once for each.
    nexts AS (
        SELECT data_topic, data_partition, committed, min(greatest(committed, r.first_offset)) AS next_offset
        FROM (SELECT DISTINCT data_topic, data_partition, committed FROM behind)
        JOIN runs r ON (r.topic, r.partition) = (data_topic, data_partition) AND r.last_offset >= committed GROUP BY ALL
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
    -- A formatter's print has no times of records, only those of commits.
    newest AS (
        SELECT {REPLICA_COLUMNS}, max(at_ms) AS newest_ms FROM (
            SELECT {REPLICA_COLUMNS}, timestamp_ms AS at_ms FROM records UNION ALL SELECT {REPLICA_COLUMNS}, commit_ms FROM standing_commits
        ) SEMI JOIN behind USING ({REPLICA_COLUMNS}) GROUP BY ALL
    ),
    found AS (FROM hits QUALIFY row_number() OVER (PARTITION BY data_topic, data_partition, committed ORDER BY record_offset, data_replica) = 1),
    -- Who has had no time to stand is left out before anything is asked of the history.
    waiting AS MATERIALIZED (
        SELECT behind.*, record_offset, data_replica, record_ms FROM found JOIN behind USING (data_topic, data_partition, committed) JOIN newest USING ({REPLICA_COLUMNS})
        WHERE record_ms <= newest_ms - {REPEATS_MS} AND behind.data_topic NOT IN (SELECT topic FROM mirrored)
    ),
    concerned AS MATERIALIZED (
        SELECT c.topic, c.partition, c.replica, entity_id, place, record_ms
        FROM standing_commits c SEMI JOIN waiting USING (journal_group) LEFT JOIN (SELECT place, record_ms FROM waiting) USING (place)
    ),
    -- One row per place and committed offset. `repeats`: commits of it since the record was written.
    history AS MATERIALIZED (
        SELECT place, committed, min(commit_ms) AS first_ms, max(commit_ms) AS last_ms, count(*) FILTER (commit_ms >= record_ms) AS repeats,
            min(commit_ms) FILTER (commit_ms >= record_ms) AS first_repeat_ms
        FROM (
            SELECT place, record_ms, TRY_CAST(members[1] AS BIGINT) AS committed, TRY_CAST(members[2] AS BIGINT) AS commit_ms FROM (
                SELECT {REPLICA_COLUMNS}, entity_id, json_extract_string(attributes, ['$.offset', '$.commitTimestamp']) AS members
                FROM state WHERE entity_type = 'offset-commit' AND {behaviour.OWN}
            ) JOIN concerned USING ({REPLICA_COLUMNS}, entity_id)
        ) GROUP BY ALL
    ),
    -- The last advance: when the highest offset was committed first. To look at each step would sort all commits.
    advanced AS MATERIALIZED (
        SELECT journal_group, place AS other_place, data_topic AS other_topic, advance_ms FROM (
            SELECT place, arg_max(first_ms, committed) AS advance_ms FROM history GROUP BY place HAVING min(committed) < max(committed)
        ) JOIN standing_commits USING (place)
    ),
    since AS MATERIALIZED (
        SELECT place, journal_group, data_topic, data_partition, record_ms, topic, partition, replica, group_id,
            greatest(record_ms, first_ms) AS since_ms, coalesce(repeats, 0) AS repeats, first_repeat_ms,
            CASE WHEN repeats > 0 THEN last_ms END AS last_repeat_ms, last_other_ms
        FROM waiting LEFT JOIN history USING (place, committed) LEFT JOIN (
            SELECT place, max(last_ms) AS last_other_ms FROM history h JOIN (SELECT place, committed AS standing_at FROM waiting) USING (place)
            WHERE h.committed <> standing_at GROUP BY place
        ) USING (place)
    ),
    others AS (
        SELECT place, count(*) AS advances, max(advance_ms) AS last_advance_ms, bool_or(other_topic = data_topic) AS is_same_topic
        FROM since JOIN advanced USING (journal_group) WHERE advance_ms > since_ms AND other_place <> place GROUP BY place
    ),
    {behaviour.MEMBER_STEPS},
    -- Of a group all steps at once, and of a partition its owners: not each step with each partition.
    groups AS (SELECT journal_group, any_value(topic) AS topic, any_value(partition) AS partition, any_value(replica) AS replica, any_value(group_id) AS group_id FROM since GROUP BY ALL),
    steps AS MATERIALIZED (
        SELECT journal_group, member_id, client_id, host, topics, topic_pattern, poll_ms, assigned, m."offset", at_ms, coalesce(until_ms, {1 << 62}) AS end_ms
        FROM member_steps m JOIN groups USING ({REPLICA_COLUMNS}, group_id)
    ),
    readers AS (
        SELECT journal_group, member_id, topics, topic_pattern IS NOT NULL OR topics IS NULL AS is_any, max(end_ms) AS end_ms, max(poll_ms) AS poll_ms
        FROM steps GROUP BY ALL
    ),
    read AS (
        SELECT place, count(DISTINCT member_id) AS members, bool_or(is_any OR list_contains(topics, data_topic)) AS is_read, max(poll_ms) AS poll_ms
        FROM since JOIN readers USING (journal_group) WHERE end_ms > since_ms GROUP BY place
    ),
    joins AS (
        SELECT journal_group, list(at_ms) AS times FROM (SELECT DISTINCT journal_group, "offset", at_ms FROM steps WHERE at_ms IS NOT NULL) GROUP BY ALL
    ),
    joined AS (
        SELECT place, list_filter(times, lambda joined_ms: joined_ms > since_ms) AS later FROM since JOIN joins USING (journal_group)
    ),
    assigned_partitions AS (
        SELECT journal_group, a.topic AS data_topic, unnest(a.partitions) AS data_partition, client_id, host, "offset", end_ms
        FROM (SELECT *, unnest(assigned) AS a FROM steps)
    ),
    owners AS (
        SELECT place, arg_max({{'client_id': client_id, 'host': host}}, "offset") AS owner
        FROM since JOIN assigned_partitions USING (journal_group, data_topic, data_partition) WHERE end_ms > since_ms GROUP BY place
    ),
    judged AS (
        SELECT w.topic AS journal, w.partition AS journal_partition, w.replica AS journal_replica, w."offset" AS commit_at,
            w.group_id, w.data_topic, w.data_partition, w.data_replica, w.committed, w.record_offset, w.record_ms, w.last_record,
            since_ms, repeats, first_repeat_ms, last_repeat_ms, last_other_ms, coalesce(advances, 0) AS advances, last_advance_ms, coalesce(is_same_topic, false) AS is_same_topic,
            members, coalesce(is_read, true) AS is_read, coalesce(len(later), 0) AS generations, owner,
            greatest(coalesce(poll_ms, 0), {behaviour.DEFAULT_POLL_MS}) AS patience_ms,
            greatest(coalesce(last_advance_ms, 0), coalesce(last_repeat_ms, 0), coalesce(list_max(later), 0)) AS alive_ms
        FROM waiting w JOIN (SELECT * EXCLUDE (journal_group, data_topic, data_partition, record_ms, topic, partition, replica, group_id) FROM since) USING (place)
        LEFT JOIN others USING (place) LEFT JOIN read USING (place) LEFT JOIN joined USING (place) LEFT JOIN owners USING (place)
    ),
    opened AS MATERIALIZED (
        SELECT topic, partition, first_offset, producer_id FROM transactions WHERE outcome = 'open'
    )
    SELECT *, data_topic AS topic, data_partition AS partition, data_replica AS replica, alive_ms - since_ms AS stood_ms,
        (SELECT arg_min({{'producer': producer_id, 'at': t.first_offset}}, t.first_offset) FROM opened t
            WHERE (t.topic, t.partition) = (data_topic, data_partition) AND t.first_offset <= record_offset) AS open_transaction
    FROM judged
    WHERE is_read AND (
        (repeats >= {REPEATS} AND last_repeat_ms - first_repeat_ms >= {REPEATS_MS})
        OR (stood_ms >= patience_ms AND (is_same_topic OR generations >= {REPEATS} OR repeats >= {REPEATS} OR (members > 0 AND advances > 0)))
    )
    ORDER BY data_topic, data_partition, group_id
"""


def standing(tables: ResultTables) -> list[Row]:
    """The rows of STUCK, where a log that a group reads is in the input."""
    tables.materialize("standing_commits", COMMITS)
    return list(tables.rows(STUCK)) if tables.rows(HAS_LOG) else []
