"""Transactions that are open at the end of the log, with their timeout and what their coordinator knows of them.

The timeout is the producer's own where `__transaction_state` is in the input, else the most that a broker allows by
default. Now is the newest timestamp of the input.
"""

from __future__ import annotations

from spark.detectors import WHERE

DEFAULT_TIMEOUT_MS = 15 * 60 * 1000  # transaction.max.timeout.ms of a broker
ABORT_DELAY_MS = (
    10_000  # transaction.abort.timed.out.transaction.cleanup.interval.ms: how often a coordinator looks
)

# The newest record of each transactional id; `overdue`: the coordinator should have ended it.
LAST_STATES = f"""
    clock AS MATERIALIZED (SELECT least(max(max_timestamp_ms), {1 << 62}) AS now_ms FROM batches WHERE crc_ok),
    last_states AS MATERIALIZED (
        SELECT {WHERE}, "offset", entity_id, entry_action AS state,
            (attributes->>'producerId')::BIGINT AS producer_id, (attributes->>'timeoutMs')::BIGINT AS timeout_ms,
            greatest((attributes->>'startTimestamp')::BIGINT, 0) AS start_ms,
            greatest((attributes->>'lastUpdateTimestamp')::BIGINT, 0) AS update_ms,
            (attributes->'partitions')::VARCHAR[] AS partitions
        FROM entries WHERE entry_type = 'transaction'
        QUALIFY row_number() OVER (PARTITION BY {WHERE}, entity_id ORDER BY "offset" DESC) = 1
    ),
    pending AS MATERIALIZED (
        SELECT *, now_ms - CASE state WHEN 'Ongoing' THEN start_ms ELSE update_ms END AS age_ms,
            age_ms > timeout_ms + {ABORT_DELAY_MS} AS overdue
        FROM last_states, clock WHERE state IN ('Ongoing', 'PrepareCommit', 'PrepareAbort')
    )
"""

OPEN = f"""
    producers AS (
        SELECT producer_id, arg_max(entity_id, update_ms) AS transactional_id, arg_max(state, update_ms) AS state,
            arg_max(timeout_ms, update_ms) AS timeout_ms, arg_max(partitions, update_ms) AS partitions,
            arg_max({{'topic': topic, 'partition': partition, 'replica': replica}}, update_ms) AS state_place
        FROM last_states WHERE producer_id IS NOT NULL GROUP BY producer_id
    ),
    first_open AS (
        SELECT {WHERE}, min(first_stable_offset) AS stable_offset FROM transactions WHERE outcome = 'open' GROUP BY ALL
    ),
    hidden AS (
        SELECT {WHERE}, sum(record_count)::BIGINT AS hidden_records, max(last_offset) AS log_end_offset
        FROM batches JOIN first_open USING ({WHERE})
        WHERE crc_ok AND NOT is_control AND last_offset >= stable_offset GROUP BY ALL
    ),
    opened AS (
        SELECT t.*, stable_offset, hidden_records, log_end_offset, now_ms - t.last_timestamp_ms AS age_ms,
            coalesce(p.timeout_ms, {DEFAULT_TIMEOUT_MS}) AS timeout_ms, transactional_id, p.state, state_place,
            coalesce(list_contains(p.partitions, t.topic || '-' || t.partition), false)
                AND p.state IN ('Ongoing', 'PrepareCommit', 'PrepareAbort') AS is_known,
            EXISTS (FROM pending q WHERE q.entity_id = transactional_id AND overdue) AS is_overdue,
            (SELECT max(m.marker_offset) FROM transactions m WHERE (m.topic, m.partition, m.replica, m.producer_id)
                = (t.topic, t.partition, t.replica, t.producer_id)) AS marker_before
        FROM transactions t JOIN first_open USING ({WHERE}) LEFT JOIN hidden USING ({WHERE})
        LEFT JOIN producers p USING (producer_id), clock
        WHERE t.outcome = 'open'
    )
"""

OPEN_TRANSACTIONS = f"WITH {LAST_STATES}, {OPEN} SELECT * FROM opened"
HANGING = f"{OPEN_TRANSACTIONS} WHERE age_ms > timeout_ms"
YOUNG = f"{OPEN_TRANSACTIONS} WHERE age_ms <= timeout_ms"
