"""Where a leader-epoch-checkpoint and the batches beside it disagree: one row per entry or epoch concerned.

    cleared  an entry at or before a batch of format 0 or 1: writing that batch should have cleared it
    lacking  an epoch that batches of format 2 carry and the checkpoint does not have
    moved    an entry that starts behind the first batch of its epoch, or on batches of another one

Only what lies behind the last older-format stretch can lack or move: the broker begins its entries anew there. Entries
below the log's start, entries without batches, and starts that compaction has emptied are in order; unreadable bytes
between an epoch's batches and its entry may have been of an older format. Epochs whose offsets overlap are epoch-order's.
"""

from __future__ import annotations

from spark.detectors.log._formats import ONE_LOG
from spark.tables.replica import REPLICA_COLUMNS

FAR = 1 << 62
# "0\n0\n", also with Windows line ends; more holds entries, nothing at all is a young broker.
EMPTY_FILE_BYTES = 6
CHECKPOINT_NAME = "(^|/)leader-epoch-checkpoint$"
LOG_STARTS_NAME = "(^|/)log-start-offset-checkpoint$"

DISAGREEMENTS = f"""
    WITH noted AS (
        SELECT {REPLICA_COLUMNS}, epoch, min(start_offset) AS start_offset FROM epoch_entries WHERE {ONE_LOG} GROUP BY ALL
    ),
    logs AS (
        SELECT {REPLICA_COLUMNS} FROM noted
        UNION SELECT {REPLICA_COLUMNS} FROM files
        WHERE regexp_matches(name, '{CHECKPOINT_NAME}') AND size_bytes BETWEEN 1 AND {EMPTY_FILE_BYTES} AND ({ONE_LOG})
    ),
    first_segments AS (SELECT {REPLICA_COLUMNS}, min(base_offset) AS offset FROM files WHERE kind = 'segment' GROUP BY ALL),
    moved_starts AS (SELECT {REPLICA_COLUMNS}, max("offset") AS offset FROM checkpoints WHERE kind = 'log_start' GROUP BY ALL),
    old AS (SELECT {REPLICA_COLUMNS}, max(last_offset) AS old_last_offset FROM formats WHERE magic < 2 GROUP BY ALL),
    bounds AS (
        SELECT {REPLICA_COLUMNS}, greatest(coalesce(first_segments.offset, 0), coalesce(moved_starts.offset, 0)) AS log_start_offset,
            coalesce(old_last_offset, -1) AS old_last_offset
        FROM logs LEFT JOIN first_segments USING ({REPLICA_COLUMNS}) LEFT JOIN moved_starts USING ({REPLICA_COLUMNS}) LEFT JOIN old USING ({REPLICA_COLUMNS})
    ),
    written AS (
        SELECT {REPLICA_COLUMNS}, leader_epoch AS epoch, greatest(min(base_offset), any_value(log_start_offset)) AS first_offset,
            max(last_offset) AS last_offset
        FROM batches JOIN bounds USING ({REPLICA_COLUMNS})
        WHERE magic >= 2 AND leader_epoch >= 0 AND crc_ok IS NOT false
            AND base_offset > old_last_offset AND last_offset >= log_start_offset
        GROUP BY {REPLICA_COLUMNS}, leader_epoch
    ),
    ordered AS (
        SELECT *, max(last_offset) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY epoch
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach,
            min(first_offset) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY epoch
                ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_offset
        FROM written
    ),
    compared AS (
        SELECT ordered.*, start_offset, old_last_offset FROM ordered
        JOIN bounds USING ({REPLICA_COLUMNS}) LEFT JOIN noted USING ({REPLICA_COLUMNS}, epoch)
        WHERE coalesce(reach < first_offset, true) AND coalesce(next_offset > last_offset, true)
            AND (start_offset IS NULL OR start_offset > old_last_offset)
    ),
    unread AS (
        SELECT {REPLICA_COLUMNS}, coalesce(first_offset, 0) AS first_offset, coalesce(last_offset, {FAR}) AS last_offset
        FROM damage WHERE reason IN ('zeros', 'not_a_batch')
    ),
    switches AS (
        SELECT {REPLICA_COLUMNS}, noted.epoch, min(first_offset) AS switch_offset FROM formats JOIN noted USING ({REPLICA_COLUMNS})
        WHERE magic < 2 AND last_offset >= start_offset GROUP BY ALL
    ),
    newest AS (
        SELECT {REPLICA_COLUMNS}, min(first_offset) AS resumed_offset FROM formats JOIN old USING ({REPLICA_COLUMNS})
        WHERE magic >= 2 AND first_offset > old_last_offset GROUP BY ALL
    ),
    disagreements AS (
        SELECT {REPLICA_COLUMNS}, 'cleared' AS kind, epoch, start_offset, switch_offset AS first_offset,
            coalesce(resumed_offset, switch_offset) AS last_offset, written.first_offset AS right_offset
        FROM noted JOIN bounds USING ({REPLICA_COLUMNS}) JOIN switches USING ({REPLICA_COLUMNS}, epoch) LEFT JOIN newest USING ({REPLICA_COLUMNS})
            LEFT JOIN written USING ({REPLICA_COLUMNS}, epoch)
        WHERE start_offset BETWEEN log_start_offset AND old_last_offset
        UNION ALL
        SELECT {REPLICA_COLUMNS}, CASE WHEN start_offset IS NULL THEN 'lacking' ELSE 'moved' END AS kind, epoch, start_offset,
            first_offset, last_offset, first_offset AS right_offset
        FROM compared WHERE (start_offset IS NULL OR start_offset > first_offset OR start_offset <= reach)
            AND NOT EXISTS (FROM unread WHERE (unread.topic, unread.partition, unread.replica)
                = (compared.topic, compared.partition, compared.replica)
                AND unread.first_offset <= compared.start_offset AND unread.last_offset >= compared.first_offset)
    )
    SELECT disagreements.*, epoch <= (SELECT min(epoch) FROM noted WHERE
            (noted.topic, noted.partition, noted.replica) = (disagreements.topic, disagreements.partition, disagreements.replica)
        ) AS is_at_head
    FROM disagreements ORDER BY {REPLICA_COLUMNS}, epoch
"""

RIGHT_ENTRIES = f"""
    SELECT {REPLICA_COLUMNS}, epoch, start_offset FROM epoch_entries ORDER BY {REPLICA_COLUMNS}, start_offset, epoch
"""

ANY = f"""
    SELECT 1 FROM epoch_entries UNION ALL SELECT 1 FROM files WHERE regexp_matches(name, '{CHECKPOINT_NAME}') LIMIT 1
"""
LOG_STARTS_KNOWN = f"SELECT 1 FROM files WHERE regexp_matches(name, '{LOG_STARTS_NAME}') LIMIT 1"
