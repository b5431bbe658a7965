"""What findings about the next compaction say: what is lost, what reappears, what changes, and by which record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark.detectors.compaction._causes import Cause
from spark.detectors.compaction._differences import Ending, EntityDifference
from spark.terms import marked
from spark.terms.findings import Effect, When
from spark.terms.topic_commands import take_dump
from spark.terms.typed_wording import at_offsets, listed, plural, some

TYPE_NAMES = {
    "artifact-rule": "rule", "global-rule": "global rule", "config-property": "property", "log-config": "log level",
}  # fmt: skip
MAX_NAMED = 6
# What hangs on something else is not named as long as that is.
ABOVE = ("group", "artifact", "version", "content")
LISTED = 20


def called(one: EntityDifference) -> str:
    """`version default/tariff/2`."""
    return (
        f"{TYPE_NAMES.get(one.entity_type, one.entity_type)} {marked.entity(one.entity_id, one.entity_type)}"
    )


def of_change(cause: Cause, change: str) -> list[EntityDifference]:
    """The differences of one kind; artifacts before what hangs on them."""
    differences = [one for one in cause.differences if one.change == change]
    order = {name: number for number, name in enumerate(ABOVE)}
    return sorted(differences, key=lambda one: (order.get(one.entity_type, len(ABOVE)), one.entity_id))


def named(differences: Sequence[EntityDifference]) -> str:
    """The most telling few, and how many more."""
    return some([called(one) for one in most_telling(differences)], MAX_NAMED)


def most_telling(differences: Sequence[EntityDifference]) -> list[EntityDifference]:
    """Without what goes without saying: versions whose artifact is named, contents that come back with them."""
    artifacts = {one.entity_id for one in differences if one.entity_type == "artifact"}
    users = any(one.entity_type in ("artifact", "version") for one in differences)
    return [one for one in differences if not goes_without_saying(one, artifacts, users)]


def goes_without_saying(one: EntityDifference, artifacts: set[str], users: bool) -> bool:
    """Whether another entity that is named implies this one."""
    if one.entity_type == "content":
        return users and one.change == "revived"
    hangs_on_artifact = one.entity_type in ("version", "artifact-rule")
    return hangs_on_artifact and one.entity_id.rpartition("/")[0] in artifacts


def summary(cause: Cause) -> str:
    """What happens: `version a reappears and global rule b is lost`."""
    words = (
        ("lost", "is lost", "are lost"),
        ("revived", "reappears", "reappear"),
        ("changed", "changes", "change"),
    )
    clauses = []
    for change, one, many in words:
        differences = of_change(cause, change)
        if differences:
            clauses.append(f"{named(differences)} {one if len(most_telling(differences)) == 1 else many}")
    return listed(clauses)


def title(cause: Cause) -> str:
    """`Version a is lost at the next compaction: offset 27 supersedes offset 26`."""
    what = summary(cause)
    return f"{what[:1].upper()}{what[1:]} {at_which_time(cause)}: {by_record(cause)}"


def at_which_time(cause: Cause) -> str:
    """When the first of its effects happens."""
    if cause.is_by_start:
        return "after the next start and compaction"
    if any(one.is_soon for one in cause.differences):
        return "at the next compaction"
    return "when compaction removes tombstones"


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
        marked.item(f"{called(one)}: now {state(one.now)}, after compaction {state(one.then)}")
        for change in ("lost", "revived", "changed")
        for one in of_change(cause, change)
    ]
    more = len(lines) - LISTED
    return lines[:LISTED] + (
        [marked.item(f"and {plural(more, 'more entity', 'more entities')}")] if more > 0 else []
    )


def effects(cause: Cause) -> list[Effect]:
    """What happens to each entity."""
    return [Effect(one.change, one.entity_type, one.entity_id, effective(one)) for one in cause.differences]


def effective(one: EntityDifference) -> When:
    """When."""
    if one.is_by_start:
        return "after_next_start"
    return "next_compaction" if one.is_soon else "after_tombstones"


def damage(cause: Cause) -> list[str]:
    """What the cause does, for a finding that explains it better."""
    return [f"After compaction, {summary(cause)}:", *before_and_after(cause), *confirmed(cause)]


def confirmed(cause: Cause) -> list[str]:
    """What the replay with the removed records kept showed."""
    retained = cause.undone_by
    if not retained:
        return []
    return [
        f"Replay confirms the cause: if {at_offsets(retained)} {'is' if len(retained) == 1 else 'are'} kept, these changes do not happen."
    ]


def state(end: Ending | None) -> str:
    """An entity's state in a few words."""
    if end is None:
        return "absent"
    short = {name: value for name, value in end.attributes.items() if is_short(name, value)}
    return (
        f"present ({', '.join(f'{name} {marked.name(value)}' for name, value in short.items())})"
        if short
        else "present"
    )


def is_short(name: str, value: Any) -> bool:
    """What tells states apart at a glance."""
    telling = (
        "type",
        "state",
        "config",
        "globalId",
        "contentId",
        "role",
        "value",
        "logLevel",
        "id",
        "compatibility",
    )
    return name in telling and isinstance(value, str | int) and len(str(value)) <= 60


def when(cause: Cause) -> str:
    """At the next compaction, or when compaction removes tombstones."""
    if cause.is_by_start:
        return "The first compaction after the next start removes the records. The service is affected from the start after that."
    if any(one.is_soon for one in cause.differences):
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
