"""What the next compaction brings back or undoes: deletions and updates that share a key with what they act on.

Innocent: deletions by records with keys of their own (artifacts, comments). Contents have their own detector.
Page: docs/detectors/resurrection-after-compaction.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors.compaction import _loss_words as words
from spark.detectors.compaction._causes import Cause, causes
from spark.tables.replica import Row, replica_columns
from spark.tables.store import ResultTables
from spark.terms.entity_words import owners
from spark.terms.findings import WHEN_WORDS, Finding
from spark.terms.typed_wording import some

NAMED = 3  # entities in a headline, of each kind of effect
KINDS = ("revived", "lost", "changed")  # of effects, in the order of a headline
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
        references=detector.references,
        entities={
            f"cause:{cause.offset}",
            *(f"{difference.entity_type}:{difference.entity_id}" for difference in cause.differences),
        },
    )


def remedy(cause: Cause) -> str:
    """What comes back is deleted, what is lost is created again."""
    back = words.of_change(cause, "revived")
    gone = [*words.of_change(cause, "lost"), *words.of_change(cause, "changed")]
    are_artifacts = any(difference.entity_type in ("artifact", "version") for difference in back)
    is_one_back = len(words.most_telling(back)) == 1
    return detector.remedy(
        topic=cause.replica[0],
        artifacts_come_back=are_artifacts,
        rules_come_back=bool(back) and not are_artifacts,
        revived_entities=words.named(back),
        they_stay="it stays" if is_one_back else "they stay",
        they_reappear="it reappears" if is_one_back else "they reappear",
        values_are_lost=gone,
        lost_entities=words.named(gone),
        them="it" if len(words.most_telling(gone)) == 1 else "them",
    )


def headline(findings: list[Finding]) -> str:
    """What happens to which entities, the first of many, without what belongs to another of them and without contents beside others."""
    effects = {
        (effect.kind, effect.entity_id): effect.entity_type
        for finding in findings
        for effect in sorted(finding.effects, key=lambda effect: effect.entity_type == "content")
    }
    others = {key for key, entity_type in effects.items() if entity_type != "content"} or set(effects)
    heads = [
        (kind, words.typed(entity_type, name))
        for (kind, name), entity_type in effects.items()
        if (kind, name) in others and all((kind, owner) not in others for owner in owners(name))
    ]
    by_kind = [(kind, [name for of, name in heads if of == kind]) for kind in KINDS]
    happens = [
        f"{some(names, NAMED)} {words.CHANGE_VERBS[kind][len(names) > 1]}" for kind, names in by_kind if names
    ]
    whens = {effect.when for finding in findings for effect in finding.effects}
    when = WHEN_WORDS[whens.pop()] if len(whens) == 1 else "at the next compactions"
    return f"{', '.join(happens)} {when}"


detector = Detector(
    id="resurrection-after-compaction",
    title="Delete or update undone by compaction",
    find=find,
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="state",
    asks_causes=True,
)
