"""Groups used once: a program makes a new group id at each start, so that hundreds of groups are left behind.

Innocent: a fixed pool of groups. Page: docs/detectors/groups-used-once.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._committed_offsets import group_of
from spark.detectors._effects import on_partition
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.detectors.groups._used_once import MANY, USED_ONCE
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, some

MANY_GROUPS = f"""
    SELECT 1 FROM state WHERE entity_type = 'group' AND {behaviour.OWN}
    GROUP BY {REPLICA_COLUMNS} HAVING count(DISTINCT entity_id) >= {MANY} LIMIT 1
"""
# One row per prefix. A group's life: states with members, and commits.
ONCE = f"""
    WITH committed AS (
        SELECT {REPLICA_COLUMNS}, entity_id, min(valid_from_offset) AS first_offset, max(valid_from_offset) AS last_offset FROM state
        WHERE entity_type = 'offset-commit' AND {behaviour.OWN} GROUP BY ALL
    ),
    signs AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS id, valid_from_offset AS first_offset, valid_from_offset AS last_offset FROM state
        WHERE entity_type = 'group' AND {behaviour.OWN} AND attributes->>'state' <> 'Empty'
        UNION ALL
        SELECT {REPLICA_COLUMNS}, {group_of()}, first_offset, last_offset FROM committed
    ),
    ids AS (SELECT {REPLICA_COLUMNS}, id, min(s.first_offset) AS first_offset, max(s.last_offset) AS last_offset FROM signs s GROUP BY ALL),
    {USED_ONCE}
"""


def describe(row: Row) -> Finding:
    under = f"under {marked.name(row['prefix'])}" if row["prefix"] else "without a prefix"
    return Finding(
        detector=detector.id,
        severity="medium",
        confidence="likely",
        effects=on_partition("at_risk", row["topic"], row["partition"], "brokers"),
        title=f"{plural(row['once'], 'group')} {under} are used once: {words.partition_name(row)} keeps a group for each start of a program",
        explanation=(
            f"{words.partition_name(row)} contains {plural(row['ids'], 'group')} {under}, such as "
            f"{some([marked.entity(name, 'group') for name in row['examples']])}. {plural(row['once'], 'of them is', 'of them are')} in use for a short "
            "time and never again, and new ones begin in the whole range of offsets. So a program makes its `group.id` at each start (a random "
            "UUID, a time, a counter, the console consumer). Each group stays in the memory of its coordinator with all its offsets until "
            "`offsets.retention.minutes` (7 days) is over. Tools that list groups get slow, and coordinators load the partition more slowly after "
            "a restart. Consumers with such a group also lose their position at each start."
        ),
        **located(row),
        entity=f"prefix:{row['prefix']}",
        evidence=row["offsets"],
        remedy=detector.remedy(group=row["examples"][-1]),
        references=detector.references,
    )


detector = Detector(
    id="groups-used-once",
    title="Groups that are used once",
    find=query(ONCE, if_any=MANY_GROUPS),
    describe=describe,
    headline=clause("programs make a new group at each start in {partitions}"),
    rows_of="state",
    scope="partition",
    dialects=("consumer-offsets",),
    one_cause="topic",
)
