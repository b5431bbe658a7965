"""Stale epoch checkpoint: the leader-epoch-checkpoint says other than the batches beside it.

One finding per file. Innocent: see _checkpoints. Page: docs/detectors/stale-epoch-checkpoint.md
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors.log import _checkpoints as checkpoints
from spark.detectors.log._formats import ENTITY
from spark.tables.replica import PartitionReplica, Row, replica_columns, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, listed, some

KINDS = ("cleared", "lacking", "moved")


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per checkpoint that disagrees with its log."""
    wrong = tables.rows(checkpoints.DISAGREEMENTS) if tables.rows(checkpoints.ANY) else []
    if not wrong:
        return []
    entries = {
        replica: list(rows)
        for replica, rows in groupby(tables.rows(checkpoints.RIGHT_ENTRIES), key=replica_of)
    }
    starts_known = bool(tables.rows(checkpoints.LOG_STARTS_KNOWN))
    by_log = [(replica, list(rows)) for replica, rows in groupby(wrong, key=replica_of)]
    return [
        row(replica, rows, entries.get(replica, []))
        for replica, rows in by_log
        if starts_known or not may_be_deleted(rows)
    ]


def may_be_deleted(wrong: Sequence[Row]) -> bool:
    """Whether records deleted at the log's start explain it all: then epochs before the first entry are gone, and that
    entry begins among the batches of its epoch or right behind them."""
    return all(
        one["is_at_head"]
        and one["kind"] != "cleared"
        and (one["kind"] == "lacking" or one["first_offset"] < one["start_offset"] <= one["last_offset"] + 1)
        for one in wrong
    )


def row(replica: PartitionReplica, wrong: Sequence[Row], entries: Sequence[Row]) -> Row:
    """One checkpoint: what is wrong by kind, the entries as they should be."""
    kinds = {kind: [one for one in wrong if one["kind"] == kind] for kind in KINDS}
    return {
        **replica_columns(replica),
        **kinds,
        "corrected": corrected(kinds, entries),
    }


def corrected(kinds: Mapping[str, Sequence[Row]], entries: Sequence[Row]) -> list[tuple[int, int]]:
    """The entries that the file should contain, by epoch."""
    starts = {entry["epoch"]: entry["start_offset"] for entry in entries}
    for kind in KINDS:
        for one in kinds[kind]:
            starts.pop(one["epoch"], None)
            if one["right_offset"] is not None:
                starts[one["epoch"]] = one["right_offset"]
    return sorted(starts.items())


def describe(row: Row) -> Finding:
    """In words."""
    first, last = span(row)
    causes = {ENTITY} if row["cleared"] else set()
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"Replicas of {words.partition_name(row)} can truncate at the wrong offset: leader-epoch-checkpoint {listed(clauses(row))}",
        explanation=explanation(row),
        **located(row, first, last),
        entity="leader-epoch-checkpoint",
        entities=causes,
        evidence=words.some(
            [
                offset
                for kind in KINDS
                for one in row[kind]
                for offset in (one["start_offset"], one["first_offset"])
                if offset is not None
            ]
        ),
        remedy=detector.remedy(corrected_lines=corrected_lines(row)),
        references=detector.references,
    )


def span(row: Row) -> tuple[int, int]:
    """From the first offset concerned to the last."""
    wrong = [one for kind in KINDS for one in row[kind]]
    starts = [one["start_offset"] for one in wrong if one["start_offset"] is not None]
    ends = [max(one["first_offset"], one["start_offset"] or 0) for one in row["moved"]]
    ends += [one["last_offset"] for kind in ("cleared", "lacking") for one in row[kind]]
    return min([*starts, *(one["first_offset"] for one in wrong)]), max(ends)


def clauses(row: Row) -> list[str]:
    """What is wrong, kind by kind, for the title."""
    wrong = []
    if cleared := row["cleared"]:
        entries = some(
            [
                f"epoch {marked.number(one['epoch'])} from offset {marked.offset(one['start_offset'])}"
                for one in cleared
            ],
            3,
        )
        switch = min(one["first_offset"] for one in cleared)
        wrong.append(
            f"still contains {entries}, although an older message format starts at offset {marked.offset(switch)}"
        )
    if lacking := row["lacking"]:
        entries = some(
            [
                f"{marked.number(one['epoch'])} (from offset {marked.offset(one['first_offset'])})"
                for one in lacking
            ],
            3,
        )
        wrong.append(
            f"lacks leader {'epoch' if len(lacking) == 1 else 'epochs'} {entries}, which batches contain"
        )
    if moved := row["moved"]:
        entries = some(
            [
                f"epoch {marked.number(one['epoch'])} at offset {marked.offset(one['start_offset'])} instead of {marked.offset(one['first_offset'])}"
                for one in moved
            ],
            3,
        )
        wrong.append(f"starts {entries}")
    return wrong


def explanation(row: Row) -> str:
    """How it came about, what it leads to."""
    sentences = [
        "The file contains the first offset of each leader epoch. After a change of leader, followers ask for it to find the offset "
        "at which they truncate their log.",
    ]
    if cleared := row["cleared"]:
        offsets = at_offsets([one["start_offset"] for one in cleared])
        sentences.append(
            "Batches of message format 0 and 1 contain no leader epoch. A broker that writes such a batch must clear the file. "
            f"Brokers before 2.2.1 do not clear it, and newer ones keep its entries. The file still contains the entries from {offsets}."
        )
    if row["lacking"] or row["moved"]:
        sentences.append("The batches contain other leader epochs than the file.")
    sentences.append(
        "With wrong entries, a leader returns the wrong offset. A follower then keeps records that the other replicas do not have, or "
        "truncates too many. The replicas diverge, and no broker detects it."
    )
    return "\n".join(sentences)


def corrected_lines(row: Row) -> str:
    """What the file must contain."""
    lines = ["0", marked.number(len(row["corrected"]))]
    lines += [f"{marked.number(epoch)} {marked.offset(start)}" for epoch, start in row["corrected"]]
    return " / ".join(lines) if len(lines) <= 12 else "the epochs and first offsets of the batches"


detector = Detector(
    id="stale-epoch-checkpoint",
    title="Leader epoch checkpoint does not match the log",
    find=find,
    describe=describe,
    headline=clause(
        "replicas of {partitions} can truncate at the wrong offset after a leader change: leader-epoch-checkpoint does not match the log"
    ),
    rows_of="batches",
    needs=frozenset({"batches"}),
    follows=("format-flapping", "format-downgrade"),
    one_cause="disk",
    befalls=("at_risk", "brokers"),
)
