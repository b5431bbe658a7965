"""Events of transactions in SQL: data, markers, and places where a marker must have been.

A marker that is gone leaves traces: an entry in a .txnindex, the marker in another copy of the partition, the empty
batch the cleaner keeps for the producer's epoch, a producer snapshot that knows of no open transaction, a newer
producer epoch, a cleaning behind it (the cleaner never passes the last stable offset), the coordinator's own record
of the abort. Each is an event `lost`: at or before `offset` a marker ended what the producer had written till then.

    logs       a number for each copy of a partition: to sort and join by its three names takes twice as long
    placed     batches of format 2 in file order, with their neighbours
    kept       those whose place can be believed; torn: offsets that damage or a wrong place makes doubtful
    holes      offsets that no kept batch covers; signs: traces of the log cleaner
    data       batches of transactions     markers     COMMIT and ABORT

Source: Kafka `ProducerStateManager`, `CleanedTransactionMetadata`, KAFKA-13727.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

FAR = 1 << 62  # beyond any offset or time; what a hostile header says beyond it would overflow
MIN_SIGNS = 2  # one hole alone may have another cause than the cleaner

LOG = f"""
    logs AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, (row_number() OVER (ORDER BY {REPLICA_COLUMNS}))::INT AS log FROM (SELECT DISTINCT {REPLICA_COLUMNS} FROM batches)
    ),
    placed AS MATERIALIZED (
        SELECT log, file, position, base_offset, last_offset, producer_id, producer_epoch, base_sequence,
            is_transactional, is_control, coalesce(record_count, records_read) AS record_count, delete_horizon_ms, crc_ok,
            least(greatest(coalesce(base_timestamp_ms, max_timestamp_ms), -1), {FAR}) AS first_timestamp_ms,
            least(greatest(max_timestamp_ms, -1), {FAR}) AS max_timestamp_ms,
            lag(last_offset) OVER in_file AS before, lead(base_offset) OVER in_file AS after
        FROM batches JOIN logs USING ({REPLICA_COLUMNS})
        WHERE magic = 2 AND base_offset BETWEEN 0 AND {FAR} AND last_offset BETWEEN base_offset AND {FAR}
        WINDOW in_file AS (PARTITION BY file ORDER BY position)
    ),
    kept_rows AS MATERIALIZED (
        SELECT * FROM placed
        WHERE crc_ok AND NOT coalesce(after <= last_offset AND after > coalesce(before, -1), false)
        QUALIFY row_number() OVER (PARTITION BY log, base_offset ORDER BY file, position) = 1
    ),
    kept AS (FROM kept_rows JOIN logs USING (log)),
    torn AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, log, coalesce(first_offset, 0) AS first_offset, coalesce(last_offset, {FAR}) AS last_offset
        FROM damage JOIN logs USING ({REPLICA_COLUMNS}) WHERE batches_after
        UNION ALL SELECT {REPLICA_COLUMNS}, log, base_offset, last_offset FROM placed JOIN logs USING (log) WHERE NOT crc_ok
        UNION ALL SELECT {REPLICA_COLUMNS}, log, before + 1, greatest(last_offset, after - 1) FROM placed JOIN logs USING (log)
        WHERE after <= last_offset AND after > before
    ),
    segment_ends AS (
        SELECT log, max(base_offset) AS end_offset FROM files JOIN logs USING ({REPLICA_COLUMNS}) WHERE kind = 'segment' GROUP BY ALL
    ),
    log_ends AS (
        SELECT log, max(last_offset) + 1 AS end_offset FROM kept_rows GROUP BY ALL
    ),
    ends AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, log, l.end_offset AS read_offset, greatest(l.end_offset, s.end_offset) AS end_offset
        FROM log_ends l JOIN logs USING (log) LEFT JOIN segment_ends s USING (log)
    ),
    reached AS (
        SELECT log, file, base_offset, max(last_offset) OVER in_log AS reach, lag(file) OVER in_log AS file_before
        FROM kept_rows
        WINDOW in_log AS (PARTITION BY log ORDER BY base_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ),
    holes AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, log, reach + 1 AS first_offset, base_offset - 1 AS last_offset, file = file_before AS is_in_file
        FROM reached JOIN logs USING (log) WHERE base_offset > reach + 1
        UNION ALL SELECT {REPLICA_COLUMNS}, log, read_offset, end_offset - 1, false FROM ends WHERE end_offset > read_offset
    ),
    signs AS (
        SELECT log, last_offset AS cleaned_offset, 1 AS weight FROM holes h WHERE is_in_file
            AND NOT EXISTS (FROM torn t WHERE t.log = h.log
                AND t.first_offset <= h.last_offset AND t.last_offset >= h.first_offset)
        UNION ALL SELECT log, last_offset, {MIN_SIGNS} FROM kept_rows
        WHERE record_count < last_offset - base_offset + 1 OR delete_horizon_ms IS NOT NULL
        UNION ALL SELECT log, "offset" - 1, {MIN_SIGNS} FROM checkpoints JOIN logs USING ({REPLICA_COLUMNS}) WHERE kind = 'cleaner' AND "offset" > 0
    ),
    cleaned AS MATERIALIZED (
        SELECT log, max(cleaned_offset) AS cleaned_offset FROM signs
        GROUP BY ALL HAVING sum(weight) >= {MIN_SIGNS}
    ),
    data AS MATERIALIZED (
        FROM kept_rows WHERE is_transactional AND NOT is_control AND producer_id >= 0
    ),
    markers AS MATERIALIZED (
        SELECT log, b.producer_id, b.producer_epoch, b.base_offset AS "offset",
            b.max_timestamp_ms AS timestamp_ms, r.control_type,
            CASE WHEN r.value_size_bytes >= 6
                THEN (('0x' || substr(hex(r.value), 5, 8))::BIGINT + {1 << 31}) % {1 << 32} - {1 << 31} END AS coordinator_epoch
        FROM kept_rows b JOIN records r ON r.file = b.file AND r.batch_position = b.position
        WHERE b.is_control AND b.producer_id >= 0 AND r.control_type IN ('commit', 'abort')
    )
"""

# What the coordinator wrote of each transaction that it aborted, one row per partition that took part.
ABORTS = """
    states AS (
        SELECT e."offset", e.entity_id, TRY_CAST(e.attributes->>'producerId' AS BIGINT) AS producer_id,
            greatest(TRY_CAST(e.attributes->>'startTimestamp' AS BIGINT), 0) AS start_ms,
            TRY_CAST(e.attributes->>'lastUpdateTimestamp' AS BIGINT) AS update_ms,
            unnest(TRY_CAST(e.attributes->'partitions' AS VARCHAR[])) AS name
        FROM entries e WHERE e.entry_type = 'transaction' AND e.entry_action = 'PrepareAbort'
    ),
    aborts AS MATERIALIZED (
        SELECT DISTINCT producer_id, start_ms, update_ms, regexp_extract(name, '^(.*)-[0-9]+$', 1) AS topic,
            TRY_CAST(regexp_extract(name, '([0-9]+)$', 1) AS INT) AS partition
        FROM states
    )
"""

LOST = f"""
    snapshot_ends AS (
        SELECT e.log, s.producer_id, coalesce(s.current_txn_first_offset, s.snapshot_offset) AS "offset", s.snapshot_offset
        FROM producer_states s JOIN ends e USING ({REPLICA_COLUMNS}) WHERE s.snapshot_offset <= e.end_offset
    ),
    producers AS (
        SELECT log, producer_id FROM data GROUP BY ALL
    ),
    several_epochs AS (
        SELECT log, producer_id FROM data GROUP BY ALL HAVING min(producer_epoch) < max(producer_epoch)
    ),
    epoch_steps AS (
        SELECT *, lag(producer_epoch) OVER by_producer AS epoch_before, lag(last_offset) OVER by_producer AS offset_before
        FROM data SEMI JOIN several_epochs USING (log, producer_id)
        WINDOW by_producer AS (PARTITION BY log, producer_id ORDER BY base_offset)
    ),
    followed AS (
        SELECT d.*, m."offset" AS marker_offset, m.control_type, m.timestamp_ms AS marker_ms
        FROM (FROM data SEMI JOIN aborts USING (producer_id)) d
        ASOF LEFT JOIN (FROM markers SEMI JOIN aborts USING (producer_id)) m
            ON d.log = m.log AND d.producer_id = m.producer_id AND d.last_offset < m."offset"
    ),
    coordinator_ends AS (
        SELECT f.log, f.producer_id, max(f.last_offset) + 1 AS "offset", a.update_ms,
            coalesce(f.marker_offset, {FAR}) AS bound_offset
        FROM followed f JOIN logs USING (log)
        JOIN aborts a ON a.producer_id = f.producer_id AND a.topic = logs.topic AND a.partition = logs.partition
            AND f.max_timestamp_ms BETWEEN a.start_ms - 1000 AND a.update_ms
        WHERE f.record_count > 0 AND coalesce(f.control_type = 'commit' AND f.marker_ms >= a.update_ms, f.control_type IS NULL)
        GROUP BY ALL
    ),
    traces AS MATERIALIZED (
        SELECT e.log, a.producer_id, a.last_offset AS "offset", 'aborted' AS ended_as,
            'txnindex' AS trace, a.last_offset AS named_offset, a.last_offset AS bound_offset
        FROM aborted_txns a JOIN ends e USING ({REPLICA_COLUMNS})
        ANTI JOIN markers m ON m.log = e.log AND m."offset" = a.last_offset
        WHERE a.last_offset < e.end_offset
        UNION ALL
        SELECT h.log, m.producer_id, m."offset",
            CASE m.control_type WHEN 'abort' THEN 'aborted' ELSE 'committed' END, 'copy', m."offset", m."offset"
        FROM (
            SELECT m.*, o.log AS other_log FROM markers m JOIN logs l USING (log)
            JOIN logs o ON o.topic = l.topic AND o.partition = l.partition AND o.replica <> l.replica
        ) m ASOF JOIN holes h ON h.log = m.other_log AND m."offset" >= h.first_offset
        WHERE m."offset" <= h.last_offset
        UNION ALL
        SELECT log, producer_id, base_offset, NULL, 'emptied', base_offset, base_offset
        FROM kept_rows WHERE is_control AND producer_id >= 0 AND record_count = 0
        UNION ALL
        SELECT log, producer_id, "offset", NULL, 'snapshot', snapshot_offset, "offset" FROM snapshot_ends
        UNION ALL
        SELECT log, producer_id, base_offset, NULL, 'epoch', base_offset, base_offset
        FROM epoch_steps WHERE producer_epoch > epoch_before
        UNION ALL
        SELECT log, c.producer_id, c."offset", 'aborted', 'coordinator', c.update_ms, c.bound_offset
        FROM coordinator_ends c JOIN cleaned k USING (log) WHERE k.cleaned_offset >= c."offset"
        UNION ALL
        SELECT p.log, p.producer_id, c.cleaned_offset + 1, NULL, 'cleaned', c.cleaned_offset, c.cleaned_offset + 1
        FROM producers p JOIN cleaned c USING (log)
        ANTI JOIN markers m ON m.log = p.log AND m.producer_id = p.producer_id AND m."offset" > c.cleaned_offset
    ),
    placed_traces AS (
        SELECT t.*, d.last_offset AS after_offset, d.first_timestamp_ms AS data_ms
        FROM traces t
        ASOF JOIN (FROM data SEMI JOIN traces USING (log, producer_id)) d
            ON t.log = d.log AND t.producer_id = d.producer_id AND t."offset" > d.base_offset
    ),
    doubted AS (
        SELECT log, max(last_offset) AS torn_offset FROM torn GROUP BY ALL
    ),
    lost AS MATERIALIZED (
        SELECT l.topic, l.partition, l.replica, t.log, t.producer_id, t."offset", t.trace, t.named_offset, t.after_offset,
            h.first_offset AS hole_offset,
            CASE WHEN coalesce(torn_offset > t.after_offset, false) THEN 'unknown'
                WHEN t.ended_as IS NOT NULL THEN t.ended_as
                WHEN t.trace = 'emptied' OR c.cleaned_offset > t.after_offset THEN 'aborted'
                ELSE 'unknown' END AS ended_as
        FROM placed_traces t
        ASOF LEFT JOIN (SELECT log, first_offset FROM holes) h ON t.log = h.log AND t.after_offset < h.first_offset
        JOIN logs l ON l.log = t.log LEFT JOIN cleaned c ON c.log = t.log LEFT JOIN doubted x ON x.log = t.log
        WHERE t.trace = 'emptied' OR h.first_offset <= t.bound_offset OR coalesce(torn_offset > t.after_offset, false)
    )
"""
