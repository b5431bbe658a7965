"""Group shared: two applications, each with its own client ids and topics, are members of one group.

Client ids that a library gives say nothing; there the topics of each host count.
Innocent: one application with several topics (one client id, whatever its members subscribe to; one host with all of them); a deployment,
in which members of the old kind leave and never join again; a new version that subscribes to more or fewer topics; a share group, whose
members do not stop for each other; a streams group, which refuses a member with another topology. Page: docs/detectors/group-shared.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, moment, plural

MIN_MIXED = 2  # steps of the group in which both are members: one is a deployment's
MIXED_MS = 60 * 60 * 1000  # no deployment leaves old and new instances together for an hour
MAX_NAMED = 3

# The client id that a library gives where the application sets none. It tells nothing of the application.
DEFAULT_CLIENT = r"""
    (regexp_full_match(client_id, 'rdkafka|sarama|kafkajs|kgo|ruby-kafka|consumer-[0-9]+|(kafka-python|aiokafka)-.*')
        OR (starts_with(client_id, 'consumer-' || group_id || '-') AND regexp_matches(client_id, '-[0-9]+$')))
"""
SEVERAL_CLIENTS = f"""
    SELECT 1 FROM state WHERE entity_type = 'group-member' AND {behaviour.OWN} GROUP BY {REPLICA_COLUMNS}, valid_from_offset
    HAVING count(DISTINCT attributes->>'clientId') > 1 OR count(DISTINCT CAST(attributes->'subscription'->'topics' AS VARCHAR)) > 1
    UNION ALL
    SELECT 1 FROM entries WHERE entry_type = 'consumer-group-member' LIMIT 1
"""
# One row per pair of applications. Neither subscribes to all topics of the other: that would be two versions of one.
# `joins_again`: joins of the first one after the second one had appeared, and the other way round.
SHARED = f"""
    WITH {behaviour.MEMBER_STEPS},
    subscribed AS (SELECT *, {DEFAULT_CLIENT} AS is_default FROM member_steps WHERE client_id <> '' AND len(topics) > 0),
    -- Members with default ids are told apart by their hosts: an application has its listeners on each of its hosts.
    hosts AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, group_id, host, true AS is_default, list_sort(list_distinct(flatten(list(topics)))) AS host_topics
        FROM subscribed WHERE is_default GROUP BY ALL
    ),
    named AS (
        SELECT s.* REPLACE (coalesce(host_topics, topics) AS topics),
            coalesce(array_to_string(host_topics, ','), nullif(trim({behaviour.APPLICATION}), '')) AS application
        FROM subscribed s LEFT JOIN hosts USING ({REPLICA_COLUMNS}, group_id, host, is_default)
        WHERE group_id NOT IN (
            SELECT entity_id FROM state WHERE entity_type = 'group' AND {behaviour.OWN} AND attributes->>'type' = 'share'
        )
    ),
    several AS (
        SELECT {REPLICA_COLUMNS}, group_id FROM named GROUP BY ALL
        HAVING count(DISTINCT application) > 1 AND count(DISTINCT topics) > 1
    ),
    presences AS (
        SELECT {REPLICA_COLUMNS}, group_id, application, topics, "offset", coalesce(until_offset, {1 << 62}) AS until_offset,
            min(at_ms) AS at_ms, max(until_ms) AS until_ms, min(client_id) AS client_id, min(host) AS host,
            bool_or(is_default) AS is_default
        FROM named SEMI JOIN several USING ({REPLICA_COLUMNS}, group_id) GROUP BY ALL
    ),
    joins AS (
        SELECT {REPLICA_COLUMNS}, group_id, application, topics, member_id, min("offset") AS joined
        FROM named SEMI JOIN several USING ({REPLICA_COLUMNS}, group_id) GROUP BY ALL
    ),
    ends AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS end_ms FROM records SEMI JOIN several USING ({REPLICA_COLUMNS}) GROUP BY ALL),
    -- Members of an application overlap: the time of both is counted once.
    times AS (
        SELECT {REPLICA_COLUMNS}, group_id, application, topics, at_ms, coalesce(until_ms, end_ms) AS until_ms,
            max(coalesce(until_ms, end_ms)) OVER (
                PARTITION BY {REPLICA_COLUMNS}, group_id, application, topics ORDER BY at_ms, until_ms ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS before_ms
        FROM presences JOIN ends USING ({REPLICA_COLUMNS})
    ),
    added AS (SELECT *, greatest(at_ms, coalesce(before_ms, at_ms)) AS from_ms FROM times WHERE until_ms > coalesce(before_ms, at_ms)),
    mixed_times AS (
        SELECT {REPLICA_COLUMNS}, group_id, a.application AS first_application, b.application AS second_application, a.topics AS first_topics,
            b.topics AS second_topics, sum(greatest(0, least(a.until_ms, b.until_ms) - greatest(a.from_ms, b.from_ms)))::BIGINT AS mixed_ms
        FROM added a JOIN added b USING ({REPLICA_COLUMNS}, group_id) WHERE a.application < b.application GROUP BY ALL
    ),
    mixed AS (
        SELECT {", ".join(f"a.{name}" for name in REPLICA_COLUMNS.split(", "))}, a.group_id,
            a.application AS first_application, b.application AS second_application, a.topics AS first_topics, b.topics AS second_topics,
            count(DISTINCT greatest(a."offset", b."offset")) AS times,
            min(greatest(a."offset", b."offset")) AS first_offset, max(greatest(a."offset", b."offset")) AS last_offset,
            min(greatest(a.at_ms, b.at_ms)) AS first_ms, max(greatest(a.at_ms, b.at_ms)) AS last_ms,
            any_value(a.client_id) AS first_client, any_value(b.client_id) AS second_client,
            any_value(a.host) AS first_host, any_value(b.host) AS second_host,
            bool_or(a.is_default) AS first_is_default, bool_or(b.is_default) AS second_is_default,
            list_sort(list(DISTINCT greatest(a."offset", b."offset")))[:{MAX_NAMED}] AS offsets
        FROM presences a JOIN presences b ON (a.topic, a.partition, a.replica, a.group_id) = (b.topic, b.partition, b.replica, b.group_id)
            AND a.application < b.application AND a."offset" < b.until_offset AND b."offset" < a.until_offset
        WHERE NOT list_has_all(a.topics, b.topics) AND NOT list_has_all(b.topics, a.topics) AND NOT EXISTS (
            SELECT 1 FROM hosts h WHERE (h.topic, h.partition, h.replica, h.group_id) = (a.topic, a.partition, a.replica, a.group_id)
                AND list_has_all(h.host_topics, a.topics) AND list_has_all(h.host_topics, b.topics)
        )
        GROUP BY ALL
    ),
    appeared AS (SELECT {REPLICA_COLUMNS}, group_id, application, topics, min(joined) AS joined FROM joins GROUP BY ALL)
    SELECT m.*, generations.generations,
        (SELECT count(*) FROM joins j JOIN appeared o USING ({REPLICA_COLUMNS}, group_id) WHERE
            (j.topic, j.partition, j.replica, j.group_id, j.application, j.topics) = (m.topic, m.partition, m.replica, m.group_id, first_application, first_topics)
            AND (o.application, o.topics) = (second_application, second_topics) AND j.joined > o.joined) AS first_joins_again,
        (SELECT count(*) FROM joins j JOIN appeared o USING ({REPLICA_COLUMNS}, group_id) WHERE
            (j.topic, j.partition, j.replica, j.group_id, j.application, j.topics) = (m.topic, m.partition, m.replica, m.group_id, second_application, second_topics)
            AND (o.application, o.topics) = (first_application, first_topics) AND j.joined > o.joined) AS second_joins_again
    FROM mixed m JOIN mixed_times USING ({REPLICA_COLUMNS}, group_id, first_application, second_application, first_topics, second_topics) JOIN (
        SELECT {REPLICA_COLUMNS}, entity_id AS group_id, count(*) AS generations FROM state
        WHERE entity_type = 'group' AND {behaviour.OWN} GROUP BY ALL
    ) generations USING ({REPLICA_COLUMNS}, group_id)
    WHERE (times >= {MIN_MIXED} AND first_joins_again > 0 AND second_joins_again > 0) OR mixed_ms >= {MIXED_MS}
    ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    group = marked.entity(row["group_id"], "group")
    first = behaviour.client_named(row["first_client"], row["first_host"])
    second = behaviour.client_named(row["second_client"], row["second_host"])
    told_apart = (
        " The client library gave these client IDs, so the hosts tell the applications apart: no host subscribes to the topics of both."
        if row["first_is_default"] and row["second_is_default"]
        else ""
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        confidence="likely",
        effects=on_entities("at_risk", "group", [row["group_id"]], whom="consumers"),
        title=(
            f"Two applications share group {group}: {application(row, 'first')} reads {topics_of(row['first_topics'])}, "
            f"{application(row, 'second')} reads {topics_of(row['second_topics'])}"
        ),
        explanation=(
            f"Both are members of the group at the same time in {plural(row['times'], 'state')} of the group, first at "
            f"{moment(row['first_ms'])} (offset {marked.offset(row['first_offset'])} of {words.partition_name(row)}), last at "
            f"{moment(row['last_ms'])}. Members of the one: {first}. Members of the other: {second}.{told_apart} Neither subscribes to all topics of the "
            "other. A join, restart or timeout of one application rebalances the whole group, so the other application stops until the "
            f"rebalance is complete. The input contains {plural(row['generations'], 'state')} of this group. Some clients (kafkajs) assign only "
            "the topics of the member that leads the group, so the other application can stay without partitions. Lag and resets of "
            "the group also concern both. If both belong to one program, such as two listeners with one group, the effect is the same."
        ),
        **located(row),
        entity=f"group:{row['group_id']}:{row['first_application']}:{row['second_application']}",
        entities={f"group:{row['group_id']}"},
        evidence=row["offsets"],
        remedy=detector.remedy(group=row["group_id"]),
        references=detector.references,
    )


def application(row: Row, side: str) -> str:
    """Its name, as the client ids have it; of default ids, one of its hosts."""
    if row[f"{side}_is_default"]:
        return f"the client at {marked.name(row[f'{side}_host'])}"
    return marked.name(row[f"{side}_application"])


def topics_of(topics: list[str]) -> str:
    """Some topics by name."""
    named = [marked.topic(topic) for topic in topics[:MAX_NAMED]]
    more = len(topics) - len(named)
    return listed([*named, plural(more, "other topic")] if more else named)


detector = Detector(
    id="group-shared",
    title="Two applications in one group",
    find=query(SHARED, if_any=SEVERAL_CLIENTS),
    describe=describe,
    headline=clause(
        "{count} shared by two applications: each rebalance stops both", "group is", "groups are"
    ),
    rows_of="state",
    scope="partition",
    dialects=("consumer-offsets",),
    one_cause="each",
)
