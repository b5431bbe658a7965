"""Transactions that are open at the end of the log, with their timeout and what their coordinator knows of them.

The timeout is the producer's own where `__transaction_state` is in the input, else the most that a broker allows by
default. Now is the newest timestamp of the input, or when it was captured.

Of a captured log the cluster itself has told more, and `reported_as` says what, by the rules of `kafka-transactions
find-hanging`: `hanging` (open longer than the broker allows, and no coordinator has this partition in a transaction of
the producer), `innocent` (the broker has none open, or its coordinator knows it, or it is young), null (it could not be
asked: the log decides). One that hangs and whose records were not captured has a row, too. Where no capture tells it, a
table of `kafka-transactions find-hanging` that came with the log does; `printed_by` names the file.

Source: Kafka `TransactionsCommand.FindHangingTransactionsCommand`.
"""

from __future__ import annotations

from spark.log.cluster_settings import NEWEST_CAPTURES, SAID_BY
from spark.tables.replica import REPLICA_COLUMNS

DEFAULT_TIMEOUT_MS = 15 * 60 * 1000  # transaction.max.timeout.ms of a broker
# transaction.abort.timed.out.transaction.cleanup.interval.ms: how often a coordinator looks.
ABORT_DELAY_MS = 10_000

# The newest record of each transactional id; `overdue`: the coordinator should have ended it. Lines that could not be
# read behind the last record may hold a newer one: nothing is pending there.
LAST_STATES = f"""
    clock AS MATERIALIZED (
        SELECT coalesce((SELECT max(captured_at_ms) FROM captures), least(max(max_timestamp_ms), {1 << 62})) AS now_ms
        FROM batches WHERE crc_ok
    ),
    last_states AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, entry_action AS state,
            TRY_CAST(attributes->>'producerId' AS BIGINT) AS producer_id, TRY_CAST(attributes->>'timeoutMs' AS BIGINT) AS timeout_ms,
            greatest(TRY_CAST(attributes->>'startTimestamp' AS BIGINT), 0) AS start_ms,
            greatest(TRY_CAST(attributes->>'lastUpdateTimestamp' AS BIGINT), 0) AS update_ms,
            TRY_CAST(attributes->'partitions' AS VARCHAR[]) AS partitions
        FROM entries WHERE entry_type = 'transaction'
        QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset" DESC) = 1
    ),
    pending AS MATERIALIZED (
        SELECT *, now_ms - CASE state WHEN 'Ongoing' THEN start_ms ELSE update_ms END AS age_ms,
            age_ms > timeout_ms + {ABORT_DELAY_MS} AS overdue
        FROM last_states l, clock WHERE state IN ('Ongoing', 'PrepareCommit', 'PrepareAbort')
            AND NOT EXISTS (FROM damage d WHERE (d.topic, d.partition, d.replica) = (l.topic, l.partition, l.replica)
                AND d.reason = 'bad_line' AND NOT d.batches_after)
    )
"""

# The coordinator epoch of the producer's last marker in the partition: an abort needs it or a higher one.
COORDINATOR_EPOCH = """coalesce((
    SELECT arg_max(m.coordinator_epoch, m.marker_offset) FROM transactions m
    WHERE (m.topic, m.partition, m.replica, m.producer_id) = ({of}.topic, {of}.partition, {of}.replica, {of}.producer_id)
), 0)"""

OPEN = f"""
    producers AS (
        SELECT producer_id, arg_max(entity_id, update_ms) AS transactional_id, arg_max(state, update_ms) AS state,
            arg_max(timeout_ms, update_ms) AS timeout_ms, arg_max(partitions, update_ms) AS partitions,
            arg_max({{'topic': topic, 'partition': partition, 'replica': replica}}, update_ms) AS state_place
        FROM last_states WHERE producer_id IS NOT NULL GROUP BY producer_id
    ),
    {NEWEST_CAPTURES},
    live AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, p.producer_id, p.producer_epoch, p.current_txn_first_offset, p.last_timestamp_ms, log_start_offset,
            captured_at_ms - p.last_timestamp_ms > coalesce(max_transaction_ms, {DEFAULT_TIMEOUT_MS}) AS is_old,
            coalesce(max_transaction_ms, {DEFAULT_TIMEOUT_MS}) AS max_ms, knows_transactions, x.transactional_id,
            x.state, x.timeout_ms, coalesce(list_contains(x.partitions, topic || '-' || partition), false) AS is_known
        FROM captured_producers p JOIN newest_captures c USING ({REPLICA_COLUMNS}, file)
        LEFT JOIN captured_transactions x ON x.file = p.file AND x.producer_id = p.producer_id
        WHERE p.current_txn_first_offset IS NOT NULL
        QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, p.producer_id ORDER BY is_known DESC) = 1
    ),
    judged AS MATERIALIZED (
        SELECT *, CASE WHEN is_known OR NOT is_old THEN 'innocent' WHEN knows_transactions THEN 'hanging' END AS reported_as FROM live
    ),
    stable AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, last_stable_offset, high_watermark, knows_producers FROM newest_captures
    ),
    first_open AS (
        SELECT {REPLICA_COLUMNS}, coalesce(any_value(last_stable_offset), min(first_stable_offset)) AS stable_offset FROM (
            SELECT {REPLICA_COLUMNS}, first_stable_offset FROM transactions WHERE outcome = 'open'
            UNION ALL SELECT {REPLICA_COLUMNS}, current_txn_first_offset FROM judged WHERE reported_as = 'hanging'
        ) LEFT JOIN stable USING ({REPLICA_COLUMNS}) GROUP BY ALL
    ),
    hidden AS (
        SELECT {REPLICA_COLUMNS}, sum(coalesce(record_count, records_read))::BIGINT AS hidden_records, max(last_offset) AS log_end_offset
        FROM batches JOIN first_open USING ({REPLICA_COLUMNS})
        WHERE crc_ok AND NOT is_control AND last_offset >= stable_offset GROUP BY ALL
    ),
    seen AS (
        SELECT {REPLICA_COLUMNS}, producer_id, producer_epoch, first_offset, last_offset, records, last_timestamp_ms, first_stable_offset
        FROM transactions WHERE outcome = 'open'
        UNION ALL
        SELECT {REPLICA_COLUMNS}, producer_id, producer_epoch, current_txn_first_offset, current_txn_first_offset, 0,
            last_timestamp_ms, current_txn_first_offset
        FROM judged ANTI JOIN (SELECT {REPLICA_COLUMNS}, producer_id FROM transactions WHERE outcome = 'open') USING ({REPLICA_COLUMNS}, producer_id)
        WHERE reported_as = 'hanging'
    ),
    printed_hanging AS (
        SELECT printed.topic, printed.partition, producer_id, "offset" AS first_offset, min({SAID_BY}) AS said_by
        FROM printed JOIN files USING (file) WHERE printed.kind = 'hanging' GROUP BY ALL
    ),
    opened AS (
        SELECT t.*, stable_offset, hidden_records, log_end_offset, now_ms - t.last_timestamp_ms AS age_ms,
            coalesce(p.timeout_ms, j.timeout_ms, j.max_ms, {DEFAULT_TIMEOUT_MS}) AS timeout_ms,
            coalesce(p.transactional_id, j.transactional_id) AS transactional_id, coalesce(p.state, j.state) AS state,
            p.state_place,
            coalesce(list_contains(p.partitions, t.topic || '-' || t.partition), false)
                AND p.state IN ('Ongoing', 'PrepareCommit', 'PrepareAbort') AS is_known,
            EXISTS (FROM pending q WHERE q.entity_id = p.transactional_id AND overdue) AS is_overdue,
            CASE WHEN j.producer_id IS NOT NULL THEN reported_as WHEN h.said_by IS NOT NULL THEN 'hanging'
                WHEN knows_producers THEN 'innocent' END AS reported_as,
            CASE WHEN j.producer_id IS NULL THEN h.said_by END AS printed_by,
            j.is_known AS is_known_live, coalesce(knows_producers, false) AS knows_producers,
            j.producer_id IS NOT NULL AS is_open_live,
            (SELECT max(m.marker_offset) FROM transactions m WHERE (m.topic, m.partition, m.replica, m.producer_id)
                = (t.topic, t.partition, t.replica, t.producer_id)) AS marker_before,
            {COORDINATOR_EPOCH.format(of="t")} AS coordinator_epoch
        FROM seen t JOIN first_open USING ({REPLICA_COLUMNS}) LEFT JOIN hidden USING ({REPLICA_COLUMNS})
        LEFT JOIN producers p USING (producer_id) LEFT JOIN judged j USING ({REPLICA_COLUMNS}, producer_id)
        LEFT JOIN stable USING ({REPLICA_COLUMNS})
        LEFT JOIN printed_hanging h ON (h.topic, h.partition, h.producer_id) = (t.topic, t.partition, t.producer_id)
            AND h.first_offset BETWEEN t.first_offset AND t.last_offset, clock
    )
"""

OPEN_TRANSACTIONS = f"WITH {LAST_STATES}, {OPEN} SELECT * FROM opened"
HANGS = "coalesce(reported_as = 'hanging', age_ms > timeout_ms)"
HANGING = f"{OPEN_TRANSACTIONS} WHERE {HANGS}"
YOUNG = f"{OPEN_TRANSACTIONS} WHERE NOT {HANGS}"
