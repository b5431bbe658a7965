"""What a repair does to settings, deletions and members, in words: what stays as it is, and what is no longer so and is set right.

stays      a compaction would change it:  `global rule VALIDITY stays FULL`, `artifact a/b stays deleted`
corrected  the topic says something else by now:  `global rule VALIDITY from FULL back to SYNTAX_ONLY`

What is corrected changes what the registry answers, so it has a warning, and a rule the steps that give it the value of now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import quote

from spark.dialects import Entity
from spark.dialects.apicurio_v2.members import configuration
from spark.difference.members import Attributes
from spark.repair.apicurio_v2.older import ENTRY_TYPES, RULES, SET, is_beginning
from spark.repair.apicurio_v2.stake import Stake, artifact_of
from spark.repair.journal import PartitionJournal
from spark.tables.replica import IN_REPLICA

NOUNS = {"global-rule": "global rule", "artifact-rule": "rule", "config-property": "property"}
MAX_RULES = 20  # of the steps
REJECTED = f"""
    SELECT "offset" FROM live_refusals
    WHERE {IN_REPLICA} AND entity_type = $kind AND entity_id = $name AND reason = 'already-exists'
"""
HARMLESS = re.compile(r"[A-Za-z0-9_,.-]+")
KEEP = (
    "If {rule} must be {value}: after the repair, delete it and create it again. An update would be lost at the next compaction: "
    "`curl -fsS -X DELETE '{rules}/{type}' && curl -fsS -X POST -H 'Content-Type: application/json' -d '{document}' '{rules}'`"
)
REST = "http://REGISTRY:8080/apis/registry/v2"


def called(entity: Entity) -> str:
    """`global rule VALIDITY`."""
    kind, name = entity
    return f"{NOUNS.get(kind, kind)} {name}"


def stays(entity: Entity, stake: Stake) -> str:
    """What the repair keeps as it is."""
    if entity not in stake.required:
        return f"{called(entity)} stays deleted"
    value = value_in(stake.required[entity])
    return f"{called(entity)} stays {value}".rstrip() if value else f"{called(entity)} stays"


def corrected(entity: Entity, now: Attributes | None, stake: Stake) -> str:
    """What the repair sets right."""
    if entity not in stake.required:
        return f"{called(entity)} deleted again"
    required = stake.required[entity]
    if now is None:
        return f"{called(entity)} written again" + (f", {value}" if (value := value_in(required)) else "")
    members = [
        name for name in SET.get(entity[0], ()) if name in required and now.get(name) != required[name]
    ]
    changes = [
        f"{'' if name in VALUES else name + ' '}from {now.get(name)} back to {required[name]}"
        for name in members
    ]
    return f"{called(entity)} {', '.join(changes)}".rstrip()


def reason(rule: Entity, journal: PartitionJournal, older: Sequence[PartitionJournal], stake: Stake) -> str:
    """Why a rule has another value than it had: a record counts that the registry rejected while the one before it was there.
    Empty where no older dump proves it."""
    kind, name = rule
    entries = {
        "condition": "entry_type = $type AND entity_id = $name",
        "type": ENTRY_TYPES[kind],
        "name": name,
    }
    now = [*journal.entries(**entries)][-1:]
    for dump in older:
        rejected = {row["offset"] for row in dump.rows(REJECTED, kind=kind, name=name)}
        accepted = [entry for entry in dump.entries(**entries) if entry.offset not in rejected][-1:]
        for since, before in zip(now, accepted, strict=False):
            keys = {record.key for record in dump.records([since.offset, before.offset]).values()}
            if (
                since.offset in rejected
                and before.offset < since.offset
                and not journal.records([before.offset])
                and journal.inspected_log.offsets[0] < before.offset  # so retention did not remove it
                and len(keys) == 1
                and configuration(since.members) == journal.state[rule].get("config")
                and configuration(before.members) == stake.required[rule].get("config")
                and is_beginning(dump, journal)
            ):
                return (
                    f"Offset {since.offset} ({configuration(since.members)}) was rejected until compaction removed offset "
                    f"{before.offset} ({configuration(before.members)})."
                )
    return ""


VALUES = ("config", "role")  # what the entity is for: its name is not needed


def value_in(attributes: Attributes) -> str:
    """The value of a rule or role."""
    return next((str(attributes[name]) for name in VALUES if attributes.get(name)), "")


def rewritten(stake: Stake, written_again: set[str]) -> list[Entity]:
    """Of artifacts that are written again: what the topic has with other members, or has although it was deleted."""
    return sorted(
        (kind, name)
        for kind, name in stake.already.changed | stake.already.revived
        if (kind == "artifact" and name in written_again)
        or (kind in ("version", "artifact-rule") and artifact_of(name) in written_again)
    )


def keeping(journal: PartitionJournal, stake: Stake) -> list[str]:
    """A step for each rule that gets another value: how it keeps the one of now."""
    rules = [entity for entity in sorted(stake.already.changed) if entity[0] in RULES]
    steps = (keep(rule, str(journal.state[rule].get("config"))) for rule in rules[:MAX_RULES])
    return [step for step in steps if step]


def keep(rule: Entity, value: str) -> str:
    """Empty for a value or type that no shell should get, and for a tenant's rule, whose address we do not know."""
    kind, name = rule
    owner, _, rule_type = name.rpartition("/")
    if not (HARMLESS.fullmatch(value) and HARMLESS.fullmatch(rule_type)) or (kind == "global-rule" and owner):
        return ""
    group, _, artifact = owner.partition("/")
    owner_path = f"groups/{quote(group, safe='')}/artifacts/{quote(artifact, safe='')}" if owner else "admin"
    document = json.dumps({"type": rule_type, "config": value})
    return KEEP.format(
        rule=called(rule), value=value, type=rule_type, document=document, rules=f"{REST}/{owner_path}/rules"
    )
