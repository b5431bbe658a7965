"""Compaction loss: replay of the log as it is and of what the cleaner leaves of it differ.

The general detector of every dialect: one finding for each record whose removal changes something. Innocent:
sequences, and members that only say when something was written. Page: docs/detectors/compaction-loss.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors.compaction import _loss_words as words
from spark.detectors.compaction._causes import Cause, causes
from spark.tables.replica import Row, replica_columns
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets

MAX_EVIDENCE = 50


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per record that decides."""
    return [{**replica_columns(cause.replica), "cause": cause} for cause in causes(tables)]


def describe(row: Row) -> Finding:
    cause: Cause = row["cause"]
    return Finding(
        detector=detector.id,
        severity="high",
        title=words.title(cause),
        explanation=explanation(cause),
        **located(row, min(cause.evidence), max(cause.evidence)),
        entity=f"cause:{cause.offset}",
        effects=words.effects(cause),
        cause_offset=cause.offset,
        damage=words.damage(cause),
        evidence=cause.evidence[:MAX_EVIDENCE],
        remedy=detector.remedy(
            "After a start" if cause.is_by_start else "At the next compaction", topic=cause.replica[0]
        ),
        references=detector.references,
        entities=cause.names,
    )


def explanation(cause: Cause) -> str:
    """Which record goes, what that does, when."""
    if cause.is_by_start:
        return "\n".join([by_start(cause), *words.before_and_after(cause), words.when(cause)])
    why = [f"Compaction keeps only the last record of each key: {words.by_record(cause)}."]
    if cause.dropped:
        is_one = len(cause.dropped) == 1
        why.append(
            f"{at_offsets(sorted(cause.dropped)[:10]).capitalize()} {'remains' if is_one else 'remain'}, but the service rejects "
            f"{'it' if is_one else 'them'}, because compaction removes a record that {'it needs' if is_one else 'they need'}."
        )
    why.append("After compaction, these entities differ:")
    return "\n".join(
        [" ".join(why), *words.before_and_after(cause), *words.confirmed(cause), words.when(cause)]
    )


def by_start(cause: Cause) -> str:
    """What the next start writes, and what that does."""
    return (
        f"At its next start, the service rejects {at_offsets([cause.offset])}, because the record creates an entity that already "
        "exists or changes an entity that does not exist. The service then writes a tombstone with the same key. The next "
        "compaction removes the rejected record and every earlier record of its key. After that, these entities differ:"
    )


detector = Detector(
    id="compaction-loss",
    title="Compaction changes the state",
    find=find,
    describe=describe,
    headline=clause("the next compaction changes the service's state ({count})", "record"),
    follows=(
        "content-null-update",
        "resurrection-after-compaction",
        "resurrected-schema",
        "several-key-forms",
        "empty-value-not-tombstone",
        "hard-delete-incomplete",
        "connector-incomplete",
        "unreadable-entry",
        "schema-id-restart",
        "schema-id-collision",
    ),
    rows_of="state",
    needs=frozenset({"offset"}),
    asks_causes=True,
)
