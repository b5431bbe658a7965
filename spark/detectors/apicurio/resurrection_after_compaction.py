"""What the next compaction brings back or undoes: deletions and updates that share a key with what they act on.

Innocent: deletions by records with keys of their own (artifacts, comments). Contents have their own detector.
Page: docs/detectors/resurrection-after-compaction.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors._words import look_again, stop_compaction
from spark.detectors.compaction import _loss_words as words
from spark.detectors.compaction._causes import Cause, causes
from spark.tables.replica import Row, replica_columns
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.typed_wording import steps

ACTS = {
    "ArtifactVersion": (
        "The DELETE of a version and the tombstone that the registry writes after it share a key. Compaction keeps the "
        "tombstone at most. The Artifact record that created the version has a separate key, so the version reappears."
    ),
    "Group": (
        "All records of a group share a key. Compaction keeps only the last one. If a CREATE follows the DELETE, compaction "
        "removes the DELETE. If the DELETE is last, the registry rejects it at replay, because no record creates the group. In "
        "both cases the group's artifacts reappear."
    ),
    "GlobalRule": (
        "All records of a rule share a key. Compaction keeps only the last one. The registry rejects an UPDATE without a CREATE "
        "at replay. It applies an IMPORT that it rejected before, because the rule no longer exists at that point."
    ),
    "RoleMapping": (
        "All records of a principal's role share a key. Compaction keeps only the last one. The registry rejects an UPDATE "
        "without a CREATE at replay."
    ),
    "LogConfig": "All log levels share one key. Compaction keeps only the level that was set last.",
}
ACTS["ArtifactRule"] = ACTS["GlobalRule"]


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per record that decides."""
    return [
        {**replica_columns(cause.replica), "cause": cause}
        for cause in causes(tables)
        if cause.entry_type in ACTS
    ]


def describe(row: Row) -> Finding:
    """The row in words."""
    cause: Cause = row["cause"]
    last = max([cause.offset, *(by for gone, by in cause.pairs if gone == cause.offset)])
    return Finding(
        detector=detector.id,
        severity="high",
        title=words.title(cause),
        explanation="\n".join(
            [
                ACTS[str(cause.entry_type)],
                *words.before_and_after(cause),
                *words.confirmed(cause),
                words.when(cause),
            ]
        ),
        **located(row, cause.offset, last),
        entity=f"cause:{cause.offset}",
        effects=words.effects(cause),
        cause_offset=cause.offset,
        evidence=cause.evidence[:50],
        remedy=remedy(cause),
        references=["https://kafka.apache.org/documentation/#compaction"],
        entities={
            f"cause:{cause.offset}",
            *(f"{one.entity_type}:{one.entity_id}" for one in cause.differences),
        },
    )


def remedy(cause: Cause) -> str:
    """What to do, in this order."""
    topic = cause.replica[0]
    back = words.of_change(cause, "revived")
    gone = [*words.of_change(cause, "lost"), *words.of_change(cause, "changed")]
    done = [words.dump_first(topic), stop_compaction(topic)]
    if back:
        artifacts = any(one.entity_type in ("artifact", "version") for one in back)
        done.append(
            "If newer versions whose records contain no version number follow, skip this step: their numbers would change. "
            f"Otherwise append a tombstone for the key of each Artifact record that created {words.named(back)}. The key belongs "
            f"to that record only, so {'it stays' if len(words.most_telling(back)) == 1 else 'they stay'} deleted."
            if artifacts
            else f"After {'it reappears' if len(words.most_telling(back)) == 1 else 'they reappear'}, delete {words.named(back)} again."
        )
    if gone:
        done.append(
            f"Delete {words.named(gone)} through the API. Then create {'it' if len(words.most_telling(gone)) == 1 else 'them'} again "
            "with the correct value. The CREATE is then the last record of its key."
        )
    done.append(look_again(topic))
    return steps(done)


detector = Detector(
    id="resurrection-after-compaction",
    title="Delete or update undone by compaction",
    find=find,
    describe=describe,
    headline=clause("the next compaction will undo {count}", "delete or update", "deletes or updates"),
    dialects=("apicurio-v2",),
    rows_of="state",
    asks_causes=True,
)
