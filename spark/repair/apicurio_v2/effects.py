"""What a repair does to settings, deletions and members, in words: what stays as it is, and what is no longer so and is set right.

stays      a compaction would change it:  `global rule VALIDITY stays FULL`, `artifact a/b stays deleted`
corrected  the topic says something else by now:  `global rule VALIDITY from FULL back to SYNTAX_ONLY`

What is corrected changes what the registry answers, so it has a warning, and a rule the steps that give it the value of now.
"""

from __future__ import annotations

import json
import re
from urllib.parse import quote

from spark.dialects import Entity
from spark.difference.members import Attributes
from spark.repair.apicurio_v2.older import SET
from spark.repair.apicurio_v2.stake import Stake, artifact_of
from spark.repair.journal import PartitionJournal

NOUNS = {"global-rule": "global rule", "artifact-rule": "rule", "config-property": "property"}
RULES = ("global-rule", "artifact-rule")
MAX_RULES = 20  # of the steps
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
