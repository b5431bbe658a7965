"""Questions that a report's tables answer, each with its query: what the pages ask, for all partitions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SqlExample:
    """A question. `name`: in addresses."""

    name: str
    title: str
    text: str


EXAMPLES = (
    SqlExample(
        "tombstones",
        "Tombstones per key",
        """-- Keys with null values, the most first. live_bytes is 0 if the newest record is a tombstone.
SELECT topic, partition, replica, key, tombstones, versions, live_bytes, last_offset
FROM keys
WHERE tombstones > 0
ORDER BY tombstones DESC, versions DESC""",
    ),
    SqlExample(
        "keys",
        "Largest keys",
        """-- Keys with the most bytes. Compaction may remove dead_bytes: the records before the newest of the key.
SELECT topic, partition, replica, key, versions, live_bytes + dead_bytes AS bytes, live_bytes, dead_bytes
FROM keys
ORDER BY bytes DESC""",
    ),
    SqlExample(
        "records",
        "Largest records",
        """-- Records with the most bytes. A column named offset needs quotation marks.
SELECT topic, partition, replica, "offset", epoch_ms(timestamp_ms) AS time, entry_type, key,
       key_size_bytes + value_size_bytes AS bytes
FROM records
ORDER BY bytes DESC""",
    ),
    SqlExample(
        "transactions",
        "Open transactions",
        """-- Transactions without a marker, the oldest first: read_committed consumers wait at first_stable_offset.
SELECT topic, partition, replica, producer_id, producer_epoch, first_offset, last_offset, records,
       epoch_ms(last_timestamp_ms) AS last_write, first_stable_offset
FROM transactions
WHERE outcome = 'open'
ORDER BY topic, partition, replica, first_offset""",
    ),
    SqlExample(
        "gaps",
        "Missing offsets",
        """-- Ranges of offsets without a record, and why.
SELECT topic, partition, replica, first_offset, last_offset, last_offset - first_offset + 1 AS offsets, cause, proof
FROM gaps
ORDER BY topic, partition, replica, first_offset""",
    ),
    SqlExample(
        "rejected",
        "Rejected entries",
        """-- Entries that the service rejects, by reason and type.
SELECT topic, partition, reason, entity_type, count(*) AS entries, min("offset") AS first_offset, max("offset") AS last_offset
FROM live_refusals
GROUP BY ALL
ORDER BY entries DESC""",
    ),
    SqlExample(
        "hours",
        "Records per hour",
        """-- Records and bytes by hour, as their timestamps say.
SELECT date_trunc('hour', epoch_ms(timestamp_ms)) AS hour, topic, partition, count(*) AS records,
       count(*) FILTER (WHERE value_is_null) AS null_values, sum(value_size_bytes) AS value_bytes
FROM records
WHERE replica = (SELECT min(replica) FROM records) AND control_type IS NULL
GROUP BY ALL
ORDER BY hour, topic, partition""",
    ),
    SqlExample(
        "members",
        "Members of JSON",
        """-- The service's state with a member of its attributes. Bytes of records become text by decode(value).
SELECT topic, partition, entity_type, entity_id, valid_from_offset, attributes ->> '$.state' AS state, attributes
FROM live_state
ORDER BY topic, partition, valid_from_offset""",
    ),
)
