"""Aborted transaction that the index does not name: data and ABORT marker are there, the .txnindex has no entry.

The first stage of KAFKA-13727: consumers that read committed data get the aborted records.
Page: docs/detectors/aborted-txn-not-indexed.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors.transactions import _aborted as aborted
from spark.detectors.transactions import _words as words
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_rules import kafkas_own, written_again

NOT_INDEXED = """
    SELECT *, marker_offset AS end_offset, NULL::BIGINT AS next_marker, NULL AS next_outcome
    FROM transactions WHERE outcome = 'aborted' AND records > 0 AND NOT is_indexed
"""
UNKNOWN = """
    SELECT count_if(is_indexed IS NULL) AS unknown, count_if(is_indexed IS NOT NULL) AS known
    FROM transactions WHERE outcome = 'aborted' AND records > 0
"""


def absent(tables: ResultTables) -> str | None:
    """Why it cannot run: there are aborted transactions, and no index came with their segments."""
    (counted,) = tables.rows(UNKNOWN)
    if counted["unknown"] and not counted["known"]:
        return "the input does not contain the indexes of aborted transactions (.txnindex)"
    return None


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy."""
    return [
        {**aborted.with_keys(tables, row, NOT_INDEXED), "missing": aborted.missing_before(tables, row)}
        for row in tables.rows(aborted.grouped(NOT_INDEXED))
    ]


def describe(row: Row) -> Finding:
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"read_committed consumers of {words.partition_name(row)} get aborted records: the .txnindex lacks the {words.transactions_named(row)}",
        explanation="\n".join(
            part
            for part in (
                f"The log contains {aborted.records_named(row)} and the ABORT markers after them. The index of aborted "
                "transactions of that segment has no entry for them.\n"
                "Brokers use this index to list the aborted transactions for consumers. So read_committed consumers get these "
                "records.",
                "The log cleaner of brokers with KAFKA-13727 causes this. A later compaction also removes the ABORT markers "
                "(lost-abort-marker).",
                aborted.superseded(row),
            )
            if part
        ),
        **located(row),
        evidence=list(
            dict.fromkeys(
                [
                    *(
                        o
                        for f in row["examples"]
                        for o in (f["first_offset"], f["last_offset"], f["end_offset"])
                    ),
                    *aborted.lost_offsets(row),
                ]
            )
        ),
        effects=aborted.effects(row),
        remedy=detector.remedy(
            topic=row["topic"],
            kafka_writes_the_topic=kafkas_own(row["topic"]),
            do_not_write_to_this_topic=written_again(row["topic"]),
            the_keys=aborted.keys_named(row),
            where_it_is=aborted.where_it_is(row),
        ),
        references=detector.references,
    )


detector = Detector(
    id="aborted-txn-not-indexed",
    title="Aborted transaction without an index entry",
    find=find,
    describe=describe,
    headline=clause(
        "read_committed consumers get aborted records of {partitions}: the broker's index lacks them"
    ),
    rows_of="transactions",
    scope="partition",
    needs=frozenset({"batches", "producers", "control"}),
    absent=absent,
    wants="indexes",
    family="lost-abort",
    befalls=("revived", "read_committed"),
)
