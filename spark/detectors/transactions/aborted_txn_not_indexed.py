"""Aborted transaction that the index does not name: data and ABORT marker are there, the .txnindex has no entry.

The first stage of KAFKA-13727: consumers that read committed data get the aborted records.
Page: docs/detectors/aborted-txn-not-indexed.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.transactions import _aborted as aborted
from spark.detectors.transactions import _words as words
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import keep_cleaner_away
from spark.terms.victims import partitions_of
from spark.terms.wording import steps

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
        return "the indexes of aborted transactions (.txnindex) are not among the files"
    return None


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy."""
    return [
        {**aborted.with_keys(tables, row), "missing": aborted.missing_before(tables, row)}
        for row in tables.rows(aborted.grouped(NOT_INDEXED))
    ]


def describe(row: Row) -> Finding:
    """In words."""
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"The .txnindex of {words.partition_name(row)} does not name the aborted {words.transactions_named(row)}",
        explanation="\n".join(
            part
            for part in (
                f"The log holds {aborted.records_named(row)} and the ABORT markers after them; the index of aborted "
                "transactions of that segment has no entry for them.\n"
                "A broker tells consumers from this index which records to skip: "
                "consumers that read committed data get these records now.",
                "The log cleaner of brokers with KAFKA-13727 leaves it like this; a later cleaning removes the ABORT "
                "markers as well (lost-abort-marker).",
                aborted.superseded(row),
            )
            if part
        ),
        **words.place(row),
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        evidence=list(
            dict.fromkeys(
                o for f in row["found"] for o in (f["first_offset"], f["last_offset"], f["end_offset"])
            )
        ),
        remedy=steps(
            [
                "Copy the partition's folder on every replica, and stop compaction of the topic "
                f"({keep_cleaner_away(row['topic'])}): "
                "the ABORT markers are still there.",
                f"Update the brokers to {words.FIXED_13727} or newer.",
                "Stop the broker cleanly, remove the .index files of this partition's segments and start it: it reads these "
                "segments again and writes all their indexes anew, that of aborted transactions from the markers.",
                "For each key above, produce its last committed value again, or a tombstone where it should not exist.",
            ]
        ),
        references=[words.KAFKA_13727],
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return f"consumers with read_committed get aborted records of {partitions_of(findings)}: the broker's index lacks them"


detector = Detector(
    id="aborted-txn-not-indexed",
    title="Aborted transaction without an index entry",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="transactions",
    needs=frozenset({"batches", "producers", "control"}),
    absent=absent,
    wants="indexes",
    family="lost-abort",
)
