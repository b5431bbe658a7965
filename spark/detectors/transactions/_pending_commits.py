"""Offsets that a group committed in a transaction without end: what is pending, and what consumers of the group see.

While a partition has a pending commit, the coordinator answers UNSTABLE_OFFSET_COMMIT to consumers that ask for stable offsets
(KIP-447), which Java consumers do since 2.5. They retry, and do not start to read the partition.
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors._committed_offsets import names_of
from spark.detectors.transactions import _words as words
from spark.detectors.transactions._open import HANGING
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect
from spark.terms.typed_wording import listed, plural, some

TOPIC = "__consumer_offsets"
MAX_NAMED = 5
KIP_447 = "https://cwiki.apache.org/confluence/display/KAFKA/KIP-447%3A+Producer+scalability+for+exactly+once+semantics"
THREADS = [
    "https://github.com/redpanda-data/redpanda/issues/6423",
    "https://github.com/twmb/franz-go/issues/581",
    KIP_447,
]
# One row per partition of a group with a pending commit; `stable`: the committed offset in force.
PENDING = f"""
    SELECT {names_of("e.entity_id")},
        max(TRY_CAST(e.attributes->>'offset' AS BIGINT)) AS pending,
        any_value(TRY_CAST(s.attributes->>'offset' AS BIGINT)) AS stable
    FROM records r JOIN entries e USING (topic, partition, replica, "offset")
    LEFT JOIN state s ON (s.topic, s.partition, s.replica, s.entity_id) = (r.topic, r.partition, r.replica, e.entity_id)
        AND s.entity_type = 'offset-commit' AND s.view = 'log' AND s.is_own AND s.valid_to_offset IS NULL
    WHERE r.topic = $topic AND r.partition = $partition AND r.replica = $replica AND r.producer_id = $producer
        AND r."offset" BETWEEN $first AND $last AND e.entry_type = 'offset-commit' AND e.entry_action = 'commit'
    GROUP BY ALL ORDER BY ALL
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per hanging transaction, with the commits that it holds up (`pending`) where it is one of offsets."""
    for row in tables.rows(HANGING):
        pending = tables.rows(PENDING, records_of(row)) if row["topic"] == TOPIC else []
        yield {**row, "pending": pending}


def records_of(row: Row) -> dict[str, object]:
    """The transaction's records, as parameters."""
    return {
        "topic": row["topic"], "partition": row["partition"], "replica": row["replica"],
        "producer": row["producer_id"], "first": row["first_offset"], "last": row["last_offset"],
    }  # fmt: skip


def groups_of(row: Row) -> list[str]:
    """The groups, each once."""
    return list(dict.fromkeys(commit["group_id"] for commit in row["pending"]))


def title(row: Row) -> str:
    """Whom it stops."""
    groups = groups_of(row)
    who = f"Group {marked.entity(groups[0], 'group')}" if len(groups) == 1 else plural(len(groups), "group")
    return (
        f"{who} cannot start: OffsetFetch returns UNSTABLE_OFFSET_COMMIT, because the transaction of producer {marked.number(row['producer_id'])} "
        f"hangs at offset {marked.offset(row['first_offset'])} of {words.partition_name(row)}"
    )


def explanation(row: Row) -> str:
    """What its consumers see."""
    groups = listed([marked.entity(group, "group") for group in groups_of(row)][:MAX_NAMED])
    each = some(
        [
            f"{marked.partition(commit['data_topic'], commit['data_partition'])} at {marked.number(commit['pending'])}"
            + (
                f" (committed before: {marked.number(commit['stable'])})"
                if commit["stable"] is not None
                else ""
            )
            for commit in row["pending"]
        ],
        MAX_NAMED,
    )
    after = (
        f" A marker at offset {marked.offset(row['marker_before'])} ended an earlier transaction of this producer. Either the commit arrived after its "
        "transaction had ended, or the next transaction was never ended. `__transaction_state` shows which."
        if row["marker_before"] is not None
        and row["marker_before"] < row["first_offset"]
        and not row["state"]
        else ""
    )
    return (
        f"The records are commits of offsets of group {groups}: {each}. They are pending until the transaction ends. For these partitions the "
        "coordinator answers OffsetFetch with UNSTABLE_OFFSET_COMMIT. Consumers that ask for stable offsets (Java clients from 2.5 on, others with "
        f"read_committed) retry and do not start. Members that run already are not affected.{after} The log cleaner stops at offset "
        f"{marked.offset(row['stable_offset'])} of this partition, so the partition grows."
    )


def effects(row: Row) -> list[Effect]:
    """The groups that stand still."""
    return [Effect("stuck", "group", group, whom="consumers") for group in groups_of(row)]
