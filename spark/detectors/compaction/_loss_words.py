"""What findings about the next compaction say: what is lost, what reappears, what changes, and by which record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark.detectors.compaction._causes import Cause
from spark.detectors.compaction._differences import EntityDifference, EntityState
from spark.terms import marked
from spark.terms.entity_words import type_words, value_of
from spark.terms.findings import WHEN_WORDS, Effect, When
from spark.terms.topic_commands import take_dump
from spark.terms.typed_wording import at_offsets, listed, plural, some

TYPE_NAMES = {
    "artifact-rule": "rule", "global-rule": "global rule", "config-property": "property", "log-config": "log level",
}  # fmt: skip
MAX_NAMED = 6
MAX_IN_SENTENCE = 3
# Entities are named before those that belong to them.
TYPE_ORDER = ("group", "artifact", "version", "content")
CHANGE_VERBS = {  # one, many
    "lost": ("is lost", "are lost"),
    "revived": ("reappears", "reappear"),
    "changed": ("changes", "change"),
}
MAX_LISTED = 20
# Members that tell states of an entity apart at a glance.
TELLING = {
    "type", "state", "config", "globalId", "contentId", "role", "value", "logLevel", "id", "compatibility",
}  # fmt: skip


def called(difference: EntityDifference) -> str:
    """`version default/tariff/2`."""
    return typed(*difference.entity)


def typed(entity_type: str, name: str) -> str:
    """`version default/tariff/2`."""
    return f"{TYPE_NAMES.get(entity_type, entity_type)} {marked.entity(name, entity_type)}"


def of_change(cause: Cause, change: str) -> list[EntityDifference]:
    """The differences of one kind; artifacts before what belongs to them."""
    order = {name: number for number, name in enumerate(TYPE_ORDER)}
    return sorted(
        (difference for difference in cause.differences if difference.change == change),
        key=lambda difference: (order.get(difference.entity_type, len(TYPE_ORDER)), difference.entity_id),
    )


def named(differences: Sequence[EntityDifference]) -> str:
    """The most telling few, and how many more."""
    return some([called(difference) for difference in most_telling(differences)], MAX_NAMED)


def most_telling(differences: Sequence[EntityDifference]) -> list[EntityDifference]:
    """Leave out entities that another named entity implies: versions and rules of a named artifact, contents that come back
    with their users."""
    artifacts = {difference.entity_id for difference in differences if difference.entity_type == "artifact"}
    has_users = any(difference.entity_type in ("artifact", "version") for difference in differences)

    def is_implied(difference: EntityDifference) -> bool:
        if difference.entity_type == "content":
            return has_users and difference.change == "revived"
        return difference.entity_type in ("version", "artifact-rule") and difference.parent in artifacts

    return [difference for difference in differences if not is_implied(difference)]


def summary(cause: Cause) -> str:
    """What happens: `version a reappears and global rule b is lost`."""
    clauses = []
    for change, (singular, many) in CHANGE_VERBS.items():
        if differences := of_change(cause, change):
            verb = singular if len(most_telling(differences)) == 1 else many
            clauses.append(f"{named(differences)} {verb}")
    return listed(clauses)


def title(cause: Cause) -> str:
    """`Version a is lost at the next compaction: offset 27 supersedes offset 26`."""
    changes = summary(cause)
    return f"{changes[:1].upper()}{changes[1:]} {at_which_time(cause)}: {by_record(cause)}"


def at_which_time(cause: Cause) -> str:
    """When the first of its effects happens."""
    if cause.is_by_start:
        return WHEN_WORDS["after_next_start"]
    if any(difference.is_soon for difference in cause.differences):
        return WHEN_WORDS["next_compaction"]
    return WHEN_WORDS["after_tombstones"]


def by_record(cause: Cause) -> str:
    """`offset 27 supersedes offset 26`."""
    if not cause.pairs:
        return f"compaction removes offset {marked.offset(cause.offset)}"
    gone = sorted({pair[0] for pair in cause.pairs})
    by = sorted({pair[1] for pair in cause.pairs})
    return f"{at_offsets(by)} {'supersedes' if len(by) == 1 else 'supersede'} {at_offsets(gone)}"


def before_and_after(cause: Cause) -> list[str]:
    """One line an entity: its state now and then."""
    lines = [
        marked.item(
            f"{called(difference)}: now {state(difference.now)}, after compaction {state(difference.then)}"
        )
        for change in CHANGE_VERBS
        for difference in of_change(cause, change)
    ]
    more = len(lines) - MAX_LISTED
    if more > 0:
        return [*lines[:MAX_LISTED], marked.item(f"and {plural(more, 'more entity', 'more entities')}")]
    return lines


def effects(cause: Cause) -> list[Effect]:
    return [
        Effect(difference.change, *difference.entity, effective(difference))
        for difference in cause.differences
    ]


def effective(difference: EntityDifference) -> When:
    if difference.is_by_start:
        return "after_next_start"
    return "next_compaction" if difference.is_soon else "after_tombstones"


def damage(cause: Cause) -> list[str]:
    """What the cause does, for a finding that explains it better."""
    return [f"After compaction, {summary(cause)}:", *before_and_after(cause), *confirmed(cause)]


def confirmed(cause: Cause) -> list[str]:
    """What the replay with the removed records kept showed."""
    retained = cause.undone_by
    if not retained:
        return []
    return [
        f"Replay confirms the cause: with {at_offsets(retained)} kept, compaction changes nothing about {whom(cause)}."
    ]


def whom(cause: Cause) -> str:
    """`artifact a and content 4`, `these 7 artifacts`, of which the lines before tell."""
    heads = [difference for change in CHANGE_VERBS for difference in most_telling(of_change(cause, change))]
    names = list(dict.fromkeys(map(called, heads)))
    if len(names) <= MAX_IN_SENTENCE:
        return listed(names)
    types = {TYPE_NAMES.get(each.entity_type, each.entity_type) for each in heads}
    noun, many = (type_words(types.pop()), None) if len(types) == 1 else ("entity", "entities")
    return f"these {plural(len(names), noun, many or (noun[:-1] + 'ies' if noun.endswith('y') else None))}"


def state(end: EntityState | None) -> str:
    """An entity's state in a few words."""
    if end is None:
        return "absent"
    members = [
        f"{name} {value_of(name, value)}" for name, value in end.attributes.items() if is_telling(name, value)
    ]
    return f"present ({', '.join(members)})" if members else "present"


def is_telling(name: str, value: Any) -> bool:
    return name in TELLING and isinstance(value, str | int) and len(str(value)) <= 60


def when(cause: Cause) -> str:
    """At the next compaction, or when compaction removes tombstones."""
    if cause.is_by_start:
        return "The first compaction after the next start removes the records. The service is affected from the start after that."
    if any(difference.is_soon for difference in cause.differences):
        return (
            "The next compaction of these records is sufficient. The service is affected from its next start."
        )
    return (
        "This happens when the log cleaner removes the tombstones, in a compaction after delete.retention.ms. The service is "
        "affected from its next start."
    )


def dump_first(topic: str) -> str:
    """The step before all others."""
    return f"Take a full dump of the topic: {take_dump(topic)}"
