"""Partition assigned twice: two members of one generation have the same partition, so both read its records.

Of classic groups, whose leader assigns. Innocent: a group in which every member always has all partitions, as an assignor for broadcasts
gives them; a partition that changes its member from one generation to the next. One generation of an assignor that remembers nothing is low.
Page: docs/detectors/partition-assigned-twice.md
"""

from __future__ import annotations

from operator import itemgetter

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, listed, moment, plural, some

MAX_NAMED = 5

SEVERAL_MEMBERS = f"""
    SELECT 1 FROM state WHERE entity_type = 'group-member' AND {behaviour.OWN}
    GROUP BY {REPLICA_COLUMNS}, valid_from_offset HAVING count(*) > 1 LIMIT 1
"""
# One row per group. A generation is all members that begin at one offset.
TWICE = f"""
    WITH {behaviour.MEMBER_STEPS},
    held AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, group_id, "offset", at_ms, member_id, client_id, host, a.topic AS data_topic, unnest(a.partitions) AS number
        FROM (SELECT *, unnest(assigned) AS a FROM member_steps WHERE len(assigned) > 0)
    ),
    generations AS (SELECT {REPLICA_COLUMNS}, group_id, "offset" FROM member_steps GROUP BY ALL HAVING count(DISTINCT member_id) > 1),
    holders AS (
        SELECT {REPLICA_COLUMNS}, group_id, "offset", any_value(at_ms) AS at_ms, data_topic, number, count(DISTINCT member_id) AS members,
            list(DISTINCT {{'client': client_id, 'host': host, 'member': member_id}}) AS who
        FROM held SEMI JOIN generations USING ({REPLICA_COLUMNS}, group_id, "offset") GROUP BY ALL
    ),
    newest AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS group_id, max(valid_from_offset) AS newest_offset, bool_or(contains(attributes->>'protocol', 'sticky')) AS is_sticky
        FROM state WHERE entity_type = 'group' AND {behaviour.OWN} GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, group_id, min("offset") FILTER (members > 1) AS first_offset, max("offset") FILTER (members > 1) AS last_offset,
        min(at_ms) FILTER (members > 1) AS first_ms, any_value(newest_offset) AS newest_offset, coalesce(any_value(is_sticky), false) AS is_sticky,
        list(DISTINCT "offset" ORDER BY "offset") FILTER (members > 1) AS offsets,
        list(DISTINCT data_topic || '-' || number ORDER BY data_topic || '-' || number) FILTER (members > 1) AS partitions,
        arg_max({{'topic': data_topic, 'number': number, 'who': who}}, ("offset", -number)) FILTER (members > 1) AS example
    FROM holders LEFT JOIN newest USING ({REPLICA_COLUMNS}, group_id)
    GROUP BY {REPLICA_COLUMNS}, group_id HAVING bool_or(members > 1) AND bool_or(members = 1) ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    group, example = marked.entity(row["group_id"], "group"), row["example"]
    is_now = row["last_offset"] == row["newest_offset"]
    partitions, offsets = row["partitions"], row["offsets"]
    who = sorted(example["who"], key=itemgetter("member"))
    members = listed([behaviour.client_named(member["client"], member["host"]) for member in who[:MAX_NAMED]])
    return Finding(
        detector=detector.id,
        severity="medium" if row["is_sticky"] or len(offsets) > 1 else "low",
        effects=on_entities("at_risk", "group", [row["group_id"]], whom="consumers"),
        title=(
            f"Group {group} {'reads' if is_now else 'read'} records of {marked.partition(example['topic'], example['number'])} twice: "
            f"{plural(len(who), 'member')} of one generation {'have' if is_now else 'had'} it"
        ),
        explanation=(
            f"A partition belongs to one member of a generation. {plural(len(offsets), 'generation')} of the group {'gives' if len(offsets) == 1 else 'give'} "
            f"{some([marked.name(name) for name in partitions], MAX_NAMED)} to several members, first at {moment(row['first_ms'])} (offset "
            f"{marked.offset(row['first_offset'])} of {words.partition_name(row)}). In the last of these, {members} have "
            f"{marked.partition(example['topic'], example['number'])}. Both process its records, and each overwrites the committed offset of the other. "
            + (
                "This is the newest generation of the group."
                if is_now
                else "The newest generation of the group no longer does it."
            )
            + " The assignor of the member that leads the group gives out partitions: members with different assignors or versions, or a fault "
            "of the assignor, cause this."
        ),
        **located(row),
        entity=f"group:{row['group_id']}",
        entities={f"group:{row['group_id']}"},
        evidence=offsets[:OFFSETS_NAMED],
        remedy=detector.remedy(group=row["group_id"]),
        references=detector.references,
    )


detector = Detector(
    id="partition-assigned-twice",
    title="Partition assigned to two members",
    find=query(TWICE, if_any=SEVERAL_MEMBERS),
    describe=describe,
    headline=clause("{count} partitions twice: two members have them", "group reads", "groups read"),
    rows_of="state",
    scope="partition",
    dialects=("consumer-offsets",),
    one_cause="each",
)
