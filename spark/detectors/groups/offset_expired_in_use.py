"""Offset expired in use: a committed offset was deleted while the group had members that read the partition, and the group did not
continue where it was.

Innocent: the group was Empty or deleted; nobody in it subscribes to the topic (expiry and `--delete-offsets` are then allowed); the topic
was deleted (all its offsets go, young ones too); the offset was younger than a day, when no default lets it expire; the next commit continues. Page: docs/detectors/offset-expired-in-use.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._committed_offsets import group_of, names_of
from spark.detectors._effects import on_entities
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.transactions._words import span_of_time
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural, some

DAY_MS = (
    24 * 60 * 60 * 1000
)  # offsets.retention.minutes of brokers before 2.0, the shortest default: 7 days since
AHEAD = 10  # times the largest step before: so far ahead, a group has skipped records and not read them
MIN_AHEAD = 1_000  # records: two polls of the default size
MAX_NAMED = 5

DELETED = "SELECT 1 FROM entries WHERE entry_type = 'offset-commit' AND entry_action = 'delete' LIMIT 1"
# One row per group: its offsets that were deleted in use, and what was committed after.
EXPIRED = f"""
    WITH deleted AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, entity_id FROM entries WHERE entry_type = 'offset-commit' AND entry_action = 'delete'
    ),
    commits AS (
        SELECT {REPLICA_COLUMNS}, entity_id, valid_from_offset AS "offset", valid_to_offset AS until_offset,
            TRY_CAST(attributes->>'offset' AS BIGINT) AS committed, TRY_CAST(attributes->>'commitTimestamp' AS BIGINT) AS commit_ms,
            attributes->>'topicId' AS topic_id, attributes->>'expireTimestamp' AS expires
        FROM state SEMI JOIN deleted USING ({REPLICA_COLUMNS}, entity_id) WHERE entity_type = 'offset-commit' AND {behaviour.OWN}
    ),
    stepped AS (
        SELECT *, committed - lag(committed) OVER by_entity AS step, lead("offset") OVER by_entity AS next_offset,
            lead(committed) OVER by_entity AS next_committed, lead(commit_ms) OVER by_entity AS next_ms, lead(topic_id) OVER by_entity AS next_topic_id
        FROM commits WINDOW by_entity AS (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset")
    ),
    broken AS (
        SELECT *, max(step) OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset") AS largest_step FROM stepped
        QUALIFY until_offset < next_offset AND (topic_id IS NULL OR next_topic_id IS NULL OR topic_id = next_topic_id)
            AND (next_committed < committed OR next_committed - committed > greatest({AHEAD} * coalesce(largest_step, 0), {MIN_AHEAD}))
    ),
    named AS (SELECT *, {names_of()} FROM broken),
    {behaviour.GROUP_STEPS},
    {behaviour.MEMBER_STEPS},
    members AS (
        SELECT n.topic, n.partition, n.replica, n.group_id, n.data_topic, n.until_offset,
            bool_or(m.topics IS NULL OR m.topic_pattern IS NOT NULL OR list_contains(m.topics, n.data_topic)) AS is_read
        FROM named n JOIN member_steps m ON (m.topic, m.partition, m.replica, m.group_id) = (n.topic, n.partition, n.replica, n.group_id)
            AND m."offset" < n.until_offset AND n.until_offset < coalesce(m.until_offset, {1 << 62})
        GROUP BY ALL
    ),
    in_use AS (
        SELECT n.* FROM named n JOIN group_steps g ON (g.topic, g.partition, g.replica, g.group_id) = (n.topic, n.partition, n.replica, n.group_id)
            AND n.until_offset > g."offset" AND n.until_offset < coalesce(g.until_offset, {1 << 62})
        LEFT JOIN members m ON (m.topic, m.partition, m.replica, m.group_id, m.data_topic, m.until_offset)
            = (n.topic, n.partition, n.replica, n.group_id, n.data_topic, n.until_offset)
        WHERE g.members > 0 AND coalesce(is_read, true)
    ),
    deletions AS (
        SELECT {REPLICA_COLUMNS}, "offset" AS until_offset, timestamp_ms AS deleted_ms FROM records
        SEMI JOIN (SELECT {REPLICA_COLUMNS}, until_offset AS "offset" FROM in_use) USING ({REPLICA_COLUMNS}, "offset")
    ),
    siblings AS (
        SELECT {REPLICA_COLUMNS}, {names_of()}, valid_from_offset, valid_to_offset, TRY_CAST(attributes->>'commitTimestamp' AS BIGINT) AS commit_ms,
            lead(valid_from_offset) OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY valid_from_offset) AS next_offset
        FROM state WHERE entity_type = 'offset-commit' AND {behaviour.OWN}
            AND {group_of()} IN (SELECT group_id FROM in_use)
    ),
    judged AS (
        SELECT u.*, deleted_ms, deleted_ms - commit_ms AS age_ms, EXISTS (
            FROM siblings s WHERE (s.topic, s.partition, s.replica, s.group_id, s.data_topic) = (u.topic, u.partition, u.replica, u.group_id, u.data_topic)
                AND s.data_partition <> u.data_partition AND s.commit_ms >= u.commit_ms AND s.valid_from_offset < u.until_offset
                AND coalesce(s.valid_to_offset, {1 << 62}) > u.until_offset AND (s.valid_to_offset IS NULL OR s.valid_to_offset = s.next_offset)
        ) AS others_stay
        FROM in_use u LEFT JOIN deletions USING ({REPLICA_COLUMNS}, until_offset)
    )
    SELECT {REPLICA_COLUMNS}, group_id, min("offset") AS first_offset, max(next_offset) AS last_offset, count(*) AS partitions,
        coalesce(sum(greatest(committed - next_committed, 0)), 0)::BIGINT AS read_again,
        coalesce(sum(greatest(next_committed - committed, 0)), 0)::BIGINT AS skipped, bool_or(others_stay) AS others_stay, bool_or(expires IS NOT NULL) AS is_old,
        min(age_ms)::BIGINT AS age_ms, min(deleted_ms) AS deleted_ms, min(next_ms) AS next_ms,
        list({{'topic': data_topic, 'partition': data_partition, 'committed': committed, 'next': next_committed, 'offset': "offset",
            'deleted_at': until_offset, 'next_at': next_offset}} ORDER BY abs(committed - next_committed) DESC)[:{MAX_NAMED}] AS examples
    FROM judged WHERE age_ms >= {DAY_MS} OR expires IS NOT NULL GROUP BY {REPLICA_COLUMNS}, group_id ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    group, first = marked.entity(row["group_id"], "group"), row["examples"][0]
    partition = marked.partition(first["topic"], first["partition"])
    is_skip = row["skipped"] > row["read_again"]
    did = (
        f"skips up to {plural(row['skipped'], 'record')} of"
        if is_skip
        else f"reads up to {plural(row['read_again'], 'record')} again of"
    )
    more = f" and {plural(row['partitions'] - 1, 'other partition')}" if row["partitions"] > 1 else ""
    return Finding(
        detector=detector.id,
        severity="high" if is_skip else "medium",
        confidence="proven" if row["others_stay"] else "likely",
        effects=on_entities(
            "lost" if is_skip else "changed",
            "offset-commit",
            [f"{row['group_id']}/{example['topic']}/{example['partition']}" for example in row["examples"]],
            whom="consumers",
        ),
        title=(
            f"Group {group} {did} {partition}{more}: its committed offset {marked.number(first['committed'])} was deleted while the group had "
            f"members, and it continues at {marked.number(first['next'])}"
        ),
        explanation=explanation(row),
        **located(row),
        entity=f"group:{row['group_id']}",
        entities={f"group:{row['group_id']}"},
        evidence=[first["offset"], first["deleted_at"], first["next_at"]],
        remedy=detector.remedy(
            records_were_skipped=is_skip,
            group=row["group_id"],
            topic=first["topic"],
            partition=first["partition"],
            deleted_offset=first["committed"],
        ),
        references=detector.references,
    )


def explanation(row: Row) -> str:
    """What happened in order, and why it is an expiry."""
    each = some(
        [
            f"{marked.partition(example['topic'], example['partition'])} from {marked.number(example['committed'])} to {marked.number(example['next'])}"
            for example in row["examples"]
        ]
    )
    age = span_of_time(row["age_ms"]) if row["age_ms"] is not None else "an unknown time"
    return (
        f"At {moment(row['deleted_ms'])} the coordinator deleted the committed offset. Its commit was then {age} old. The group had members that "
        f"read the topic, and Kafka keeps the offsets of such partitions. {why_expired(row)} At its next start the member found no committed "
        f"offset and used `auto.offset.reset`. The next commits do not continue: {each}."
    )


def why_expired(row: Row) -> str:
    """What shows that it expired, and which fault of the broker lets it."""
    if row["is_old"]:
        return (
            "The commit has record version 1, that contains an expiry time. Brokers 2.1 with an older "
            "`inter.broker.protocol.version` take a missing expiry time for one that is over when they load the partition (KAFKA-8069). "
            "Brokers before 2.1 delete offsets by age alone."
        )
    shows = (
        "Other offsets of the same topic stayed, so the topic was not deleted: the offset expired (`offsets.retention.minutes`)."
        if row["others_stay"]
        else "The age is that of an expired offset (`offsets.retention.minutes`: 7 days, before Kafka 2.0 1 day). Unless the topic was deleted at "
        "this time: its offsets are then deleted with it."
    )
    return (
        f"{shows} Brokers without the fix of KAFKA-13636 delete such offsets while the group rebalances. Brokers before 2.1 delete offsets by age "
        "alone. A partition without new records gets no new commit from some clients, so its commit grows old."
    )


detector = Detector(
    id="offset-expired-in-use",
    title="Committed offset expired in use",
    find=query(EXPIRED, if_any=DELETED),
    describe=describe,
    headline=clause(
        "{count} of groups with members expired: records were read again or skipped", "committed offset"
    ),
    rows_of="state",
    scope="partition",
    dialects=("consumer-offsets",),
    one_cause="each",
)
