"""Lost ABORT marker: the log contains aborted data but not its marker (KAFKA-13727): consumers get the data, unless the index of
aborted transactions still lists it (`CompletedFetch` skips what the broker lists, until the next ABORT marker of the producer).

Innocent: the cleaner removed data and marker both. Page: docs/detectors/lost-abort-marker.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors.transactions import _aborted as aborted
from spark.detectors.transactions import _words as words
from spark.log.transaction_events import ABORTS, LOG, LOST
from spark.tables.replica import REPLICA_COLUMNS, Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.topic_rules import kafkas_own, written_again
from spark.terms.typed_wording import moment, plural

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
    ends = {(example["producer_id"], example["last_offset"]) for example in row["examples"]}
    traces = [
        trace
        for trace in tables.rows(f'{TRACES} {aborted.here(row)} ORDER BY after_offset, "offset"')
        if (trace["producer_id"], trace["after_offset"]) in ends
    ]
    for trace in traces:
        trace["copy"] = replica_with(tables, row, trace["named_offset"]) if trace["trace"] == "copy" else None
    return {
        **aborted.with_keys(tables, dict(row), LOST_MARKERS),
        "traces": traces,
        "is_indexed": row["transactions"]
        == len({trace["after_offset"] for trace in traces if trace["trace"] == "txnindex"}),
        "missing": aborted.missing_before(tables, row),
    }


def replica_with(tables: ResultTables, row: Row, offset: int) -> str | None:
    """Another copy that contains a marker at an offset."""
    rows = tables.rows(
        f"""
        SELECT min(replica) AS replica FROM records WHERE topic = {quoted(row["topic"])} AND partition = {row["partition"]}
            AND replica <> {quoted(row["replica"])} AND "offset" = {offset} AND control_type IS NOT NULL
        """
    )
    return rows[0]["replica"]


def describe(row: Row) -> Finding:
    holes = [trace["hole_offset"] for trace in row["traces"] if trace["hole_offset"] is not None]
    last_offset = max([row["last_offset"], *holes])
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{consequence(row)}: {markers(row)} missing",
        explanation=explanation(row),
        **located(row, row["first_offset"], last_offset),
        evidence=evidence(row, holes),
        effects=aborted.effects(row, "at_risk" if row["is_indexed"] else "revived"),
        remedy=detector.remedy(
            topic=row["topic"],
            kafka_writes_the_topic=kafkas_own(row["topic"]),
            do_not_write_to_this_topic=written_again(row["topic"]),
            the_keys=aborted.keys_named(row),
            where_it_is=aborted.where_it_is(row),
            this_partition=words.partition_name(row),
        ),
        confidence="proven" if any(t["trace"] != "coordinator" for t in row["traces"]) else "likely",
        references=detector.references,
    )


def consequence(row: Row) -> str:
    """Who gets the aborted records."""
    records = plural(row["records"], "aborted record")
    if row["is_indexed"]:
        return f"Only the .txnindex of {words.partition_name(row)} still hides {records} from read_committed consumers"
    return f"read_committed consumers of {words.partition_name(row)} get {records}"


def markers(row: Row) -> str:
    """`the ABORT marker of producer 7 is`, `3 ABORT markers are`."""
    if row["transactions"] == 1:
        return f"the ABORT marker of producer {marked.number(row['examples'][0]['producer_id'])} is"
    return f"{plural(row['transactions'], 'ABORT marker')} are"


def explanation(row: Row) -> str:
    """What happened, who sees it, what was deleted for it."""
    return "\n".join(
        part
        for part in (
            f"The log contains {aborted.records_named(row)}, but no longer the ABORT marker that ended the transaction. The log "
            "cleaner of brokers with KAFKA-13727 treats aborted data as committed and removes the ABORT marker.",
            " ".join(traces(row)),
            adopted(row),
            INDEXED if row["is_indexed"] else "read_committed consumers get these records.",
            "If a broker rebuilds its producer state (after an unclean stop without snapshots, or on a new replica), it treats the "
            f"transaction as open. Then read_committed consumers stop at offset {marked.offset(row['first_offset'])}, unless a later "
            "marker of the producer follows.",
            aborted.superseded(row),
        )
        if part
    )


INDEXED = (
    "The .txnindex still lists the transaction, so read_committed consumers skip these records. In the same fetch they also skip later "
    "transactional records of the producer, up to its next ABORT marker. A new replica, and a broker that rebuilds the index, do not "
    "list the transaction: consumers get the records from them."
)
PROOFS = {
    "txnindex": "The .txnindex contains the ABORT marker at offset {named_offset}.",
    "copy": "Another replica contains the ABORT marker at offset {named_offset}.",
    "emptied": "The emptied batch of the marker is still at offset {named_offset}. The log cleaner never empties a COMMIT marker while "
    "its data is present.",
    "snapshot": "The producer snapshot of offset {named_offset} lists no such open transaction, so a marker ended it.",
    "epoch": "A newer producer epoch starts at offset {named_offset}, so a marker ended the transaction.",
    "cleaned": "The log cleaner compacted the log up to offset {named_offset}. It never passes an open transaction.",
}


def traces(row: Row) -> list[str]:
    """What shows that the data was aborted, each kind once."""
    first = {trace["trace"]: trace for trace in reversed(row["traces"])}
    sentences = [
        text.format(named_offset=marked.offset(first[name]["named_offset"], first[name]["copy"]))
        for name, text in PROOFS.items()
        if name in first
    ]
    if {"snapshot", "cleaned"} & set(first):
        sentences.append(
            "The log cleaner keeps a COMMIT marker while its data is present, so the missing marker is an ABORT."
        )
    if "coordinator" in first:
        at = moment(first["coordinator"]["named_offset"])
        sentences.append(f"Its coordinator recorded the abort in `__transaction_state` at {at}.")
    return sentences


def adopted(row: Row) -> str:
    """Whether a later COMMIT covers the data."""
    sentences = [
        f"The COMMIT at offset {marked.offset(example['next_marker'])} of the same producer also covers "
        f"{words.offsets(example['first_offset'], example['last_offset'])}. A program that reads only the log treats them as committed."
        for example in row["examples"]
        if example["next_outcome"] == "committed"
    ]
    return " ".join(sentences) or "No later COMMIT of the same producer covers these aborted records."


def evidence(row: Row, holes: list[int]) -> list[int]:
    """Offsets of the data, of the places where the markers lay, of the COMMITs that adopt the data, of the values removed for it."""
    commits = [
        example["next_marker"] for example in row["examples"] if example["next_outcome"] == "committed"
    ]
    data = [
        offset for example in row["examples"] for offset in (example["first_offset"], example["last_offset"])
    ]
    return list(dict.fromkeys([*data, *holes, *commits, *aborted.lost_offsets(row)]))


def headline(findings: list[Finding]) -> str:
    """Consumers get the records, or will."""
    if any(effect.kind == "revived" for finding in findings for effect in finding.effects):
        return GET(findings)
    return HIDDEN(findings)


GET = clause("read_committed consumers get aborted records of {partitions}: an ABORT marker is lost")
HIDDEN = clause("only the .txnindex of {partitions} still hides aborted records: an ABORT marker is lost")
detector = Detector(
    id="lost-abort-marker",
    title="Lost ABORT marker",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="transactions",
    needs=frozenset({"batches", "producers", "control"}),
    family="lost-abort",
    befalls=("revived", "read_committed"),
)
