"""What the next compaction brings back or undoes: deletions and updates that share a key with what they act on. Of rules also what a compaction
has undone, where an older dump has the value that was in force.

Innocent: deletions by records with keys of their own (artifacts, comments). Contents have their own detector.
Page: docs/detectors/resurrection-after-compaction.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors.apicurio._content_headline import AT_RESTART
from spark.detectors.compaction import _loss_words as words
from spark.detectors.compaction._causes import Cause, causes
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_columns, same_replica
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.entity_words import owners
from spark.terms.findings import WHEN_WORDS, Effect, Finding
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

# Rules that an older dump has with another value, although it reaches beyond the record that is in force here: the registry rejected that record
# while the one before it was there.
ALREADY = f"""
    WITH reach AS (SELECT {REPLICA_COLUMNS}, dump, max(origin_offset) AS last_offset FROM older_entities GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, dump, entity_type, entity_id, older.attributes->>'config' AS before, live.attributes->>'config' AS now,
        older.origin_offset AS removed_offset, live.origin_offset AS "offset"
    FROM older_entities AS older JOIN live_state AS live USING ({REPLICA_COLUMNS}, entity_type, entity_id) JOIN reach USING ({REPLICA_COLUMNS}, dump)
    WHERE entity_type IN ('global-rule', 'artifact-rule') AND before <> now AND removed_offset < "offset" AND "offset" <= reach.last_offset
        AND NOT EXISTS (FROM lifelines AS line WHERE {same_replica("line", "older")} AND line."offset" = removed_offset)
    QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, entity_type, entity_id ORDER BY dumped_at_ms DESC NULLS LAST, dump) = 1
    ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per record that decides, then one per rule that a compaction has changed."""
    next_ones = [
        {**replica_columns(cause.replica), "cause": cause}
        for cause in causes(tables)
        if cause.entry_type in ACTS
    ]
    return [*next_ones, *(tables.rows(ALREADY) if tables.has("older_entities") else ())]


def describe(row: Row) -> Finding:
    return of_next(row) if "cause" in row else already(row)


def already(row: Row) -> Finding:
    """A rule whose value a compaction has changed."""
    rule, was, now = (
        words.typed(row["entity_type"], row["entity_id"]),
        marked.name(row["before"]),
        marked.name(row["now"]),
    )
    removed, offset = marked.offset(row["removed_offset"]), marked.offset(row["offset"])
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{rule[0].upper()}{rule[1:]} changes from {was} to {now}, {AT_RESTART}: compaction removed offset {removed}",
        explanation=(
            f"{ACTS['GlobalRule']} In the older dump {marked.replica(row['dump'])}, {was} (offset {removed}) "
            f"is in force although the dump reaches beyond offset {offset} ({now}): the registry rejected offset {offset}. This journal no longer contains "
            f"offset {removed}, so a start applies offset {offset}. "
            f"A registry that read offset {removed} before that compaction uses {was} until its next start."
        ),
        **located(row, row["offset"]),
        entity=f"cause:{row['removed_offset']}",
        effects=[Effect("changed", row["entity_type"], row["entity_id"])],
        evidence=[row["offset"]],
        remedy=detector.remedy("Already changed", topic=row["topic"], changed_rule=rule, old_value=was),
        references=detector.references,
        entities={f"{row['entity_type']}:{row['entity_id']}"},
    )


def of_next(row: Row) -> Finding:
    """What a record does at the next compaction."""
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
        "At the next compaction",
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
    if whens == {"already"}:
        return f"{', '.join(happens)}, {AT_RESTART}"
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
