"""Transactions: batches, markers and what is left of lost markers -> one row per transaction of a partition's copy.

A producer's events in order of offsets: a marker ends what it wrote since the one before. Where a marker is gone, the
places in `transaction_events` end it: a later COMMIT of the same producer must not take the data of an ABORT that the
cleaner removed. A segment without a .txnindex beside its other indexes lost it where the cleaner has worked or other
segments have theirs; elsewhere nobody may have copied it. Of a captured log the broker itself has named what it hides
from readers of committed data. Batches with a wrong checksum or in a wrong place are left out; what they leave open is
not called open.
"""

from __future__ import annotations

from spark.log.transaction_events import ABORTS, FAR, LOG, LOST
from spark.tables import Manifest, Part
from spark.tables.parquet import write_parts
from spark.tables.replica import REPLICA_COLUMNS
from spark.tables.store import ResultTables

ANY_TRANSACTION = "SELECT 1 FROM batches WHERE is_transactional LIMIT 1"

EVENTS = f"""
    events AS (
        SELECT log, producer_id, base_offset AS "offset", 1 AS rank, 'data' AS kind, last_offset, producer_epoch,
            record_count, first_timestamp_ms, max_timestamp_ms, NULL::INT AS coordinator_epoch, NULL AS ended_as
        FROM data
        UNION ALL
        SELECT log, producer_id, "offset", 1, control_type, "offset", producer_epoch, 0, timestamp_ms, timestamp_ms,
            coordinator_epoch, NULL
        FROM markers
        UNION ALL
        SELECT log, producer_id, "offset", 0, 'lost', "offset", NULL, 0, NULL, NULL, NULL, min(ended_as)
        FROM lost GROUP BY ALL
    ),
    stepped AS (
        SELECT *, kind <> 'lost' AND coalesce(lag(kind) OVER by_producer <> 'data', true) AS begins
        FROM events WINDOW by_producer AS (PARTITION BY log, producer_id ORDER BY "offset", rank)
    ),
    numbered AS (
        SELECT *, max(CASE WHEN begins THEN "offset" END) OVER (
            PARTITION BY log, producer_id ORDER BY "offset", rank ROWS UNBOUNDED PRECEDING
        ) AS begun_offset
        FROM stepped
    ),
    grouped AS (
        SELECT log, producer_id, begun_offset,
            any_value(producer_epoch) FILTER (kind = 'data') AS data_epoch,
            min("offset") FILTER (kind = 'data' AND record_count > 0) AS first_offset,
            max(last_offset) FILTER (kind = 'data' AND record_count > 0) AS last_offset,
            sum(record_count)::BIGINT AS records,
            min(first_timestamp_ms) FILTER (kind = 'data' AND record_count > 0) AS first_timestamp_ms,
            max(max_timestamp_ms) FILTER (kind = 'data' AND record_count > 0) AS last_timestamp_ms,
            bool_or(kind = 'data') AS has_data,
            min("offset") FILTER (kind IN ('commit', 'abort')) AS marker_offset,
            any_value(kind) FILTER (kind IN ('commit', 'abort')) AS marker_kind,
            any_value(max_timestamp_ms) FILTER (kind IN ('commit', 'abort')) AS marker_timestamp_ms,
            any_value(producer_epoch) FILTER (kind IN ('commit', 'abort')) AS marker_epoch,
            any_value(coordinator_epoch) AS coordinator_epoch,
            min(ended_as) FILTER (kind = 'lost') AS ended_as
        FROM numbered GROUP BY ALL
    ),
    indexes AS (
        SELECT log, base_offset, bool_or(name LIKE '%.txnindex') AS has_txnindex,
            bool_or(name LIKE '%.index' OR name LIKE '%.timeindex') AS has_others
        FROM (
            SELECT {REPLICA_COLUMNS}, name, TRY_CAST(regexp_extract(name, '([0-9]{{20}})[.][a-z]*$', 1) AS BIGINT) AS base_offset
            FROM files WHERE kind = 'companion' AND regexp_matches(name, '[0-9]{{20}}[.](txnindex|index|timeindex)$')
        ) JOIN logs USING ({REPLICA_COLUMNS}) GROUP BY ALL
    ),
    copied AS (
        SELECT DISTINCT replica, true AS with_txnindexes FROM files WHERE name LIKE '%.txnindex'
    ),
    entries_left AS (
        SELECT DISTINCT log, producer_id, last_offset AS marker_offset, true AS is_named
        FROM aborted_txns JOIN logs USING ({REPLICA_COLUMNS})
    ),
    open_since AS (
        SELECT {REPLICA_COLUMNS}, producer_id, arg_max(current_txn_first_offset, snapshot_offset) AS current_txn_first_offset
        FROM (
            SELECT {REPLICA_COLUMNS}, producer_id, current_txn_first_offset, snapshot_offset FROM producer_states
            UNION ALL SELECT {REPLICA_COLUMNS}, producer_id, current_txn_first_offset, {FAR} FROM captured_producers
        ) WHERE current_txn_first_offset IS NOT NULL GROUP BY ALL
    ),
    named_by_broker AS (
        SELECT log, producer_id, first_offset AS named_offset FROM captured_aborts JOIN logs USING ({REPLICA_COLUMNS})
    ),
    within AS (
        SELECT log, producer_id, begun_offset, g.first_offset,
            max(marker_offset) OVER (PARTITION BY log, producer_id ORDER BY begun_offset
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ended_before
        FROM grouped g JOIN logs USING (log) JOIN captures c USING ({REPLICA_COLUMNS})
        QUALIFY g.first_offset >= aborts_first_offset AND g.last_offset < aborts_end_offset
    ),
    told AS (
        SELECT within.log, within.producer_id, begun_offset, bool_or(coalesce(named_offset > coalesce(ended_before, -1), false)) AS is_told
        FROM within ASOF LEFT JOIN named_by_broker n ON within.log = n.log AND within.producer_id = n.producer_id
            AND within.first_offset >= n.named_offset
        GROUP BY ALL
    ),
    aborted AS (
        SELECT log, producer_id, begun_offset,
            CASE WHEN n.is_named THEN true WHEN h.is_told IS NOT NULL THEN h.is_told WHEN i.has_txnindex THEN false
                WHEN i.has_others AND coalesce(c.cleaned_offset >= i.base_offset OR t.with_txnindexes, false) THEN false
                END AS named
        FROM (FROM grouped JOIN logs USING (log) WHERE marker_kind = 'abort') g
        LEFT JOIN entries_left n USING (log, producer_id, marker_offset)
        LEFT JOIN told h USING (log, producer_id, begun_offset)
        LEFT JOIN cleaned c USING (log) LEFT JOIN copied t USING (replica)
        ASOF LEFT JOIN indexes i ON g.log = i.log AND g.marker_offset >= i.base_offset
    ),
    judged AS (
        SELECT g.*, a.named, coalesce(data_epoch, marker_epoch)::SMALLINT AS producer_epoch,
            CASE WHEN marker_kind = 'commit' THEN 'committed' WHEN marker_kind = 'abort' THEN 'aborted'
                WHEN ended_as IS NOT NULL OR coalesce(x.torn_offset > g.last_offset, false) THEN 'marker_missing'
                ELSE 'open' END AS outcome
        FROM grouped g LEFT JOIN aborted a USING (log, producer_id, begun_offset) LEFT JOIN doubted x USING (log)
        WHERE marker_offset IS NOT NULL OR records > 0
    )
"""

TRANSACTIONS = f"""
    WITH {LOG}, {ABORTS}, {LOST}, {EVENTS}
    SELECT {REPLICA_COLUMNS}, j.producer_id, j.producer_epoch, j.first_offset, j.last_offset, j.records,
        j.first_timestamp_ms, j.last_timestamp_ms, j.marker_offset, j.marker_timestamp_ms, j.marker_epoch,
        j.coordinator_epoch::INT AS coordinator_epoch, outcome,
        CASE WHEN outcome = 'marker_missing' THEN coalesce(ended_as, 'unknown') END AS ended_as,
        CASE WHEN outcome = 'aborted' THEN named END AS is_indexed,
        CASE WHEN outcome = 'open' THEN least(j.first_offset, o.current_txn_first_offset) END AS first_stable_offset
    FROM judged j JOIN logs USING (log) LEFT JOIN open_since o USING ({REPLICA_COLUMNS}, producer_id)
    ORDER BY log, coalesce(j.first_offset, j.marker_offset)
"""


def write_transactions(manifest: Manifest) -> list[Part]:
    """Find and write all transactions. Runs in a Spark task."""
    if not manifest.rows.get("batches"):
        return []
    tables = ResultTables.open(manifest)
    if not tables.rows(ANY_TRANSACTION):
        return []
    return write_parts(manifest, {"transactions": tables.arrow(TRANSACTIONS)})
