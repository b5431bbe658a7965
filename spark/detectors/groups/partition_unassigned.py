"""Partition unassigned: a member subscribes to a topic, the group has committed offsets for a partition of it, and no member has the partition.

Of classic groups, whose leader assigns. Innocent: a generation that lasts a few minutes, as cooperative rebalances have between two steps; a
partition without records after the commit; a commit that was deleted, which happens to all when the topic is deleted; a topic that no member
subscribes to. Low where the input does not have the partition's log. Page: docs/detectors/partition-unassigned.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._committed_offsets import names_of
from spark.detectors._effects import on_entities
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.detectors.transactions._words import span_of_time
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural, some

MIN_MS = 10 * 60 * 1000  # a generation; the second step of a cooperative rebalance follows within seconds
MAX_NAMED = 5

ANY_MEMBER = f"SELECT 1 FROM state WHERE entity_type = 'group-member' AND {behaviour.OWN} LIMIT 1"
# One row per group: of the last generation that left partitions out. `known`: the commit is older than the generation and outlives it. Of the
# many commits most are replaced sooner than any generation ends: their names are not read.
UNASSIGNED = f"""
    WITH {behaviour.GROUP_STEPS}, {behaviour.MEMBER_STEPS},
    ends AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS end_ms FROM records SEMI JOIN group_rows USING ({REPLICA_COLUMNS}) GROUP BY ALL),
    generations AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, group_id, g."offset", g.until_offset, at_ms, coalesce(until_ms, end_ms) AS until_ms, generation
        FROM group_steps g JOIN ends USING ({REPLICA_COLUMNS})
        WHERE group_type = 'classic' AND members > 0 AND coalesce(until_ms, end_ms) - at_ms >= {MIN_MS}
    ),
    present AS MATERIALIZED (
        SELECT m.* FROM member_steps m SEMI JOIN generations USING ({REPLICA_COLUMNS}, group_id, "offset")
    ),
    readable AS (
        SELECT {REPLICA_COLUMNS}, group_id, "offset" FROM present GROUP BY ALL HAVING bool_and(topics IS NOT NULL AND assigned IS NOT NULL)
    ),
    wanted AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, group_id, "offset", unnest(topics) AS data_topic FROM present
        SEMI JOIN readable USING ({REPLICA_COLUMNS}, group_id, "offset")
    ),
    held AS (
        SELECT {REPLICA_COLUMNS}, group_id, "offset", a.topic AS data_topic, unnest(a.partitions) AS data_partition
        FROM (SELECT *, unnest(assigned) AS a FROM present)
    ),
    commits AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, valid_from_offset, valid_to_offset, TRY_CAST(attributes->>'offset' AS BIGINT) AS committed, {names_of()}
        FROM state WHERE entity_type = 'offset-commit' AND {behaviour.OWN} AND (valid_to_offset IS NULL
            OR valid_to_offset - valid_from_offset > (SELECT min(coalesce(until_offset, {1 << 62}) - "offset") FROM generations))
    ),
    logs AS (
        SELECT topic AS data_topic, partition AS data_partition, max("offset") + 1 AS log_end FROM lifelines
        WHERE (topic, partition) IN (SELECT (data_topic, data_partition) FROM commits) GROUP BY ALL
    ),
    known AS (
        SELECT g.topic, g.partition, g.replica, g.group_id, g."offset", g.until_offset, g.at_ms, g.until_ms, g.generation, w.data_topic,
            c.data_partition, c.committed
        FROM generations g JOIN wanted w USING ({REPLICA_COLUMNS}, group_id, "offset")
        JOIN commits c ON (c.topic, c.partition, c.replica, c.group_id, c.data_topic) = (g.topic, g.partition, g.replica, g.group_id, w.data_topic)
            AND c.valid_from_offset < g."offset" AND (c.valid_to_offset IS NULL OR c.valid_to_offset > g.until_offset)
    ),
    missing AS (
        SELECT k.*, log_end FROM known k ANTI JOIN held h USING ({REPLICA_COLUMNS}, group_id, "offset", data_topic, data_partition)
        LEFT JOIN logs l USING (data_topic, data_partition) WHERE l.log_end IS NULL OR l.log_end > k.committed
    )
    SELECT {REPLICA_COLUMNS}, group_id, "offset" AS first_offset, "offset" AS last_offset, any_value(at_ms) AS at_ms, any_value(until_ms) AS until_ms,
        any_value(until_offset) AS until_offset, any_value(generation) AS generation, count(*) AS count, bool_or(log_end IS NOT NULL) AS has_records,
        list(data_topic || '-' || data_partition ORDER BY data_topic, data_partition) AS names,
        arg_min({{'topic': data_topic, 'number': data_partition, 'committed': committed}}, (data_topic, data_partition)) AS example,
        (SELECT count(*) FROM present p WHERE (p.topic, p.partition, p.replica, p.group_id, p."offset")
            = (m.topic, m.partition, m.replica, m.group_id, m."offset")) AS members
    FROM missing m GROUP BY {REPLICA_COLUMNS}, group_id, "offset"
    QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, group_id ORDER BY "offset" DESC) = 1 ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    group, example, is_now = (
        marked.entity(row["group_id"], "group"),
        row["example"],
        row["until_offset"] is None,
    )
    whole = span_of_time(row["until_ms"] - row["at_ms"])
    first = marked.partition(example["topic"], example["number"])
    others = f" and {plural(row['count'] - 1, 'other partition')}" if row["count"] > 1 else ""
    return Finding(
        detector=detector.id,
        severity=("high" if is_now else "medium") if row["has_records"] else "low",
        effects=on_entities("stuck", "group", [row["group_id"]], whom="consumers"),
        title=(
            f"Group {group} {'does' if is_now else 'did'} not read {first}{others} for {whole}: no member {'has' if is_now else 'had'} "
            f"{'the partition' if row['count'] == 1 else 'them'}"
        ),
        explanation=(
            f"Generation {marked.number(row['generation'])} of the group began at {moment(row['at_ms'])} (offset {marked.offset(row['first_offset'])} of "
            f"{words.partition_name(row)}) with {plural(row['members'], 'member')}. They subscribe to {marked.topic(example['topic'])}, and the group has "
            f"a committed offset for {first} ({marked.number(example['committed'])}). The assignment gives it to no member. "
            f"{left_out(row)}{'' if row['has_records'] else 'Whether it has records to read is not in the input. '}"
            + (
                "This is the newest generation of the group: the partition is not read until the next rebalance. "
                if is_now
                else f"The next generation began {whole} later. "
            )
            + "Possible causes: the assignor of the member that leads the group does not know the topic or the partition (kafkajs assigns only topics of "
            "the leader, metadata can be old), members with different versions, or a fault of the assignor."
        ),
        **located(row),
        entity=f"group:{row['group_id']}",
        entities={f"group:{row['group_id']}"},
        evidence=[row["first_offset"]],
        remedy=detector.remedy(
            group=row["group_id"], topic=example["topic"], the_group_still_leaves_it_out=is_now
        ),
        references=detector.references,
    )


def left_out(row: Row) -> str:
    """The partitions, if there are several."""
    if row["count"] == 1:
        return ""
    return f"Left out are {some([marked.name(name) for name in row['names']], MAX_NAMED)}. "


detector = Detector(
    id="partition-unassigned",
    title="Partition that no member has",
    find=query(UNASSIGNED, if_any=ANY_MEMBER),
    describe=describe,
    headline=clause(
        "{count} some partitions: no member has them", "group does not read", "groups do not read"
    ),
    rows_of="state",
    dialects=("consumer-offsets",),
    follows=("group-shared",),
    one_cause="each",
)
