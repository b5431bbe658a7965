"""What a group did over time, as SQL for detectors: its generations, its members, and its commits as steps.

Of classic groups and of KIP-848's alike, from the state that a coordinator replays. Pieces for a WITH clause, each for those after it:

    GROUP_STEPS   group_steps: a group's state from one offset to the next, with the time of the record that set it
    MEMBER_STEPS  member_steps: a member from one offset to the next: client, topics it subscribes to, partitions it has

Members and groups are few compared with commits, so that the first two are cheap in every journal.
"""

from __future__ import annotations

from spark.detectors.groups import _words as words
from spark.tables.replica import REPLICA_COLUMNS
from spark.terms import marked

__all__ = [
    "APPLICATION", "DEFAULT_POLL_MS", "GROUP_STEPS", "IN_FORCE", "MEMBER_STEPS", "OWN", "client_named", "words",
]  # fmt: skip

OWN = "view = 'log' AND is_own"
IN_FORCE = f"entity_type = 'offset-commit' AND {OWN} AND valid_to_offset IS NULL"
DEFAULT_POLL_MS = 300_000  # max.poll.interval.ms of a Java consumer: one poll's records may take so long

GROUP_STEPS = f"""
    group_rows AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id AS group_id, valid_from_offset AS "offset", valid_to_offset AS until_offset,
            attributes->>'state' AS state, attributes->>'type' AS group_type, TRY_CAST(attributes->>'members' AS INT) AS members,
            TRY_CAST(coalesce(attributes->>'generation', attributes->>'epoch') AS BIGINT) AS generation,
            coalesce(TRY_CAST(attributes->>'isSimple' AS BOOLEAN), false) AS is_simple
        FROM state WHERE entity_type = 'group' AND {OWN}
    ),
    group_times AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms AS at_ms FROM records
        SEMI JOIN group_rows USING ({REPLICA_COLUMNS}, "offset")
    ),
    group_steps AS MATERIALIZED (
        SELECT g.*, at_ms, lead(at_ms) OVER (PARTITION BY {REPLICA_COLUMNS}, group_id ORDER BY g."offset") AS until_ms
        FROM group_rows g LEFT JOIN group_times USING ({REPLICA_COLUMNS}, "offset")
    )
"""

# A classic member has a step for each generation. `topics` is null where the member's own bytes could not be read.
MEMBER_STEPS = f"""
    member_rows AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, valid_from_offset AS "offset", valid_to_offset AS until_offset,
            coalesce(attributes->>'memberId', regexp_extract(entity_id, '[^/]*$')) AS member_id, attributes->>'clientId' AS client_id,
            ltrim(attributes->>'clientHost', '/') AS host, left(entity_id, length(entity_id) - length(member_id) - 1) AS group_id,
            TRY_CAST(coalesce(attributes->>'rebalanceTimeout', attributes->>'rebalanceTimeoutMs') AS BIGINT) AS poll_ms,
            TRY_CAST(attributes->>'sessionTimeout' AS BIGINT) AS session_ms,
            list_sort(coalesce(TRY_CAST(attributes->'subscription'->'topics' AS VARCHAR[]),
                TRY_CAST(attributes->'subscribedTopicNames' AS VARCHAR[]))) AS topics,
            attributes->>'subscribedTopicRegex' AS topic_pattern,
            TRY_CAST(attributes->'assignment'->'assignedPartitions' AS STRUCT(topic VARCHAR, partitions INT[])[]) AS assigned
        FROM state WHERE entity_type = 'group-member' AND {OWN}
    ),
    member_times AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM records SEMI JOIN (
            SELECT {REPLICA_COLUMNS}, "offset" FROM member_rows UNION SELECT {REPLICA_COLUMNS}, until_offset FROM member_rows
        ) USING ({REPLICA_COLUMNS}, "offset")
    ),
    member_steps AS MATERIALIZED (
        SELECT m.*, f.timestamp_ms AS at_ms, u.timestamp_ms AS until_ms
        FROM member_rows m
        LEFT JOIN member_times f USING ({REPLICA_COLUMNS}, "offset")
        LEFT JOIN member_times u ON (u.topic, u.partition, u.replica, u."offset") = (m.topic, m.partition, m.replica, m.until_offset)
    )
"""

# A client id without what tells instances of one application apart: numbers, UUIDs, suffixes of pods, threads of Kafka Streams.
UUID = "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}"
POD = "-[0-9a-f]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}"
APPLICATION = rf"""
    regexp_replace(regexp_replace(regexp_replace(lower(client_id), '({UUID}|{POD}$)', '', 'g'),
        '-streamthread-[0-9]+-.*$', ''), '([-_.:#@ ]*(v?[0-9]+|[0-9a-f]{{8,}}))*[-_.:#@ ]*$', '')
"""


def client_named(client_id: str | None, host: str | None) -> str:
    """`client worker at 10.0.0.11`."""
    return f"client {marked.name(client_id or 'without a client ID')}" + (
        f" at {marked.name(host)}" if host else ""
    )
