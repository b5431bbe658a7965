"""Lost ABORT marker: aborted data is there, its marker is not (KAFKA-13727): the data comes back to life.

Innocent: the cleaner removed data and marker both. Page: docs/detectors/lost-abort-marker.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.transactions import _aborted as aborted
from spark.detectors.transactions import _words as words
from spark.log.transaction_events import ABORTS, LOG, LOST
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import keep_cleaner_away
from spark.terms.victims import partitions_of
from spark.terms.wording import moment, steps

LOST_MARKERS = f"""
    SELECT *, last_offset AS end_offset FROM (
        SELECT *, lead(marker_offset) OVER later AS next_marker, lead(outcome) OVER later AS next_outcome
        FROM transactions
        WINDOW later AS (PARTITION BY {REPLICA_COLUMNS}, producer_id ORDER BY coalesce(first_offset, marker_offset))
    )
    WHERE outcome = 'marker_missing' AND ended_as = 'aborted' AND records > 0
"""
TRACES = f"""
    WITH {LOG}, {ABORTS}, {LOST}
    SELECT producer_id, after_offset, trace, named_offset, hole_offset FROM lost r
    WHERE ended_as = 'aborted' AND """


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy."""
    return [complete(tables, row) for row in tables.rows(aborted.grouped(LOST_MARKERS))]


def complete(tables: ResultTables, row: Row) -> Row:
    """Add what tells of the abort, the keys concerned and the offsets missing before."""
    ends = {(found["producer_id"], found["last_offset"]) for found in row["found"]}
    traces = [
        trace
        for trace in tables.rows(f'{TRACES} {aborted.here(row)} ORDER BY after_offset, "offset"')
        if (trace["producer_id"], trace["after_offset"]) in ends
    ]
    return {
        **aborted.with_keys(tables, dict(row)),
        "traces": traces,
        "missing": aborted.missing_before(tables, row),
    }


def describe(row: Row) -> Finding:
    """In words."""
    holes = [trace["hole_offset"] for trace in row["traces"] if trace["hole_offset"] is not None]
    last_offset = max([row["last_offset"], *holes])
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"The ABORT marker of the {words.transactions_named(row)} of {words.partition_name(row)} is gone: aborted data lives again",
        explanation=explanation(row),
        **words.place(row),
        first_offset=row["first_offset"],
        last_offset=last_offset,
        evidence=evidence(row, holes),
        remedy=remedy(row),
        confidence="proven" if any(t["trace"] != "coordinator" for t in row["traces"]) else "likely",
        references=[words.KAFKA_13727],
    )


def explanation(row: Row) -> str:
    """What happened, who sees it, what was deleted for it."""
    return "\n".join(
        part
        for part in (
            f"The log holds {aborted.records_named(row)}; the ABORT that ended the transaction is not there any more. "
            "The log cleaner of brokers with KAFKA-13727 takes aborted data for committed, and drops the ABORT marker.",
            " ".join(traces(row)),
            adopted(row),
            "Consumers that read committed data get these records. Once a broker builds its producer state anew (an "
            "unclean stop without snapshots, a new replica), it takes the transaction for open, and such consumers stop "
            f"at offset {row['first_offset']} unless a later marker of the producer follows.",
            aborted.superseded(row),
        )
        if part
    )


def traces(row: Row) -> list[str]:
    """What shows that the data was aborted, each kind once."""
    told = {
        "txnindex": "The .txnindex names the ABORT marker at offset {named_offset}.",
        "copy": "Another copy of the partition has the ABORT marker at offset {named_offset}.",
        "emptied": "The cleaner left the emptied batch of the marker at offset {named_offset}; it never empties a COMMIT whose data is left.",
        "snapshot": "The producer snapshot of offset {named_offset} knows of no such open transaction, so a marker had ended it; the cleaner keeps a COMMIT as long as its data.",
        "epoch": "A newer epoch of the producer goes on at offset {named_offset}, so a marker had ended the transaction.",
        "cleaned": "The cleaner has been behind it, up to offset {named_offset}, and it never passes an open transaction, so a marker had ended it; it keeps a COMMIT as long as its data.",
    }
    first = {trace["trace"]: trace for trace in reversed(row["traces"])}
    said = [text.format(**first[name]) for name, text in told.items() if name in first]
    if "coordinator" in first:
        at = moment(first["coordinator"]["named_offset"])
        said.append(f"Its coordinator recorded the abort in `__transaction_state` on {at}.")
    return said


def adopted(row: Row) -> str:
    """Whether a later COMMIT takes the data over."""
    told = [
        f"The COMMIT at offset {found['next_marker']} of the same producer adopts {words.offsets(found['first_offset'], found['last_offset'])}: "
        "whoever reads the log alone takes them for committed."
        for found in row["found"]
        if found["next_outcome"] == "committed"
    ]
    return " ".join(told) or "No later COMMIT of the same producer adopts them."


def evidence(row: Row, holes: list[int]) -> list[int]:
    """Offsets of the data, of the places where the markers lay, of the COMMITs that adopt the data."""
    commits = [found["next_marker"] for found in row["found"] if found["next_outcome"] == "committed"]
    data = [offset for found in row["found"] for offset in (found["first_offset"], found["last_offset"])]
    return list(dict.fromkeys([*data, *holes, *commits]))


def remedy(row: Row) -> str:
    """What to save, and what to write again."""
    return steps(
        [
            "Do not restart the brokers. Copy the partition's folder on every replica.",
            f"Pause compaction of the topic: {keep_cleaner_away(row['topic'])}",
            f"Upgrade the brokers to {words.FIXED_13727} or later. Older brokers do it again at the next compaction.",
            "For each key above, produce its last committed value again (from a replica, a backup or its source), or a "
            "tombstone where it should not exist.",
            f"Inform the owners of the consumers of {words.partition_name(row)}: they got records that were never committed.",
        ]
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return f"consumers with read_committed get aborted records of {partitions_of(findings)}: an ABORT marker is lost"


detector = Detector(
    id="lost-abort-marker",
    title="Lost ABORT marker",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="transactions",
    needs=frozenset({"batches", "producers", "control"}),
    family="lost-abort",
)
