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
        mistake["is_at_head"]
        and mistake["kind"] != "cleared"
        and (
            mistake["kind"] == "lacking"
            or mistake["first_offset"] < mistake["start_offset"] <= mistake["last_offset"] + 1
        )
        for mistake in wrong
    )


def row(replica: PartitionReplica, wrong: Sequence[Row], entries: Sequence[Row]) -> Row:
    """One checkpoint: what is wrong by kind, the entries as they should be."""
    kinds = {kind: [mistake for mistake in wrong if mistake["kind"] == kind] for kind in KINDS}
    return {
        **replica_columns(replica),
        **kinds,
        "corrected": corrected(kinds, entries),
    }


def corrected(kinds: Mapping[str, Sequence[Row]], entries: Sequence[Row]) -> list[tuple[int, int]]:
    """The entries that the file should contain, by epoch."""
    starts = {entry["epoch"]: entry["start_offset"] for entry in entries}
    for kind in KINDS:
        for mistake in kinds[kind]:
            starts.pop(mistake["epoch"], None)
            if mistake["right_offset"] is not None:
                starts[mistake["epoch"]] = mistake["right_offset"]
    return sorted(starts.items())


def describe(row: Row) -> Finding:
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
                for mistake in row[kind]
                for offset in (mistake["start_offset"], mistake["first_offset"])
                if offset is not None
            ]
        ),
        remedy=detector.remedy(
            corrected_lines=corrected_lines(row), this_log=(row["topic"], row["partition"])
        ),
        references=detector.references,
    )


def span(row: Row) -> tuple[int, int]:
    """From the first offset concerned to the last."""
    wrong = [mistake for kind in KINDS for mistake in row[kind]]
    starts = [mistake["start_offset"] for mistake in wrong if mistake["start_offset"] is not None]
    ends = [max(mistake["first_offset"], mistake["start_offset"] or 0) for mistake in row["moved"]]
    ends += [mistake["last_offset"] for kind in ("cleared", "lacking") for mistake in row[kind]]
    return min([*starts, *(mistake["first_offset"] for mistake in wrong)]), max(ends)


def clauses(row: Row) -> list[str]:
    """What is wrong, kind by kind, for the title."""
    wrong = []
    if cleared := row["cleared"]:
        entries = some(
            [
                f"epoch {marked.number(mistake['epoch'])} from offset {marked.offset(mistake['start_offset'])}"
                for mistake in cleared
            ],
            3,
        )
        switch = min(mistake["first_offset"] for mistake in cleared)
        wrong.append(
            f"still contains {entries}, although an older message format starts at offset {marked.offset(switch)}"
        )
    if lacking := row["lacking"]:
        entries = some(
            [
                f"{marked.number(mistake['epoch'])} (from offset {marked.offset(mistake['first_offset'])})"
                for mistake in lacking
            ],
            3,
        )
        wrong.append(
            f"lacks leader {'epoch' if len(lacking) == 1 else 'epochs'} {entries}, which batches contain"
        )
    if moved := row["moved"]:
        entries = some(
            [
                f"epoch {marked.number(mistake['epoch'])} at offset {marked.offset(mistake['start_offset'])} instead of {marked.offset(mistake['first_offset'])}"
                for mistake in moved
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
        offsets = at_offsets([mistake["start_offset"] for mistake in cleared])
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
