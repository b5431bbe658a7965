"""Calls about groups, rules, roles and properties, and those that draw or reset ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spark.dialects.apicurio_v3.artifacts import ALREADY_EXISTS
from spark.dialects.apicurio_v3.message_classes import group_of, inner
from spark.dialects.apicurio_v3.registry import Members, RegistryTables, RuleOwner, key_of, rule_entity

Apply = Callable[[RegistryTables, int, Members], None]
RULE_MISSING = "rule-missing"
GROUP_MISSING = "group-missing"
MAX_DIGITS = 19  # of a 64-bit number


def create_group(registry: RegistryTables, offset: int, members: Members) -> None:
    add_group(registry, offset, inner(members, "group"))


def add_group(registry: RegistryTables, offset: int, body: Members) -> None:
    """Inserts a group, unless it exists."""
    group = group_of(body)
    if group in registry.groups:
        registry.history.refuse(offset, "group", group, ALREADY_EXISTS)
        return
    attributes = {name: body.get(name) for name in ("description", "createdOn", "owner")}
    registry.put_group(group, attributes, offset)


def update_group(registry: RegistryTables, offset: int, members: Members) -> None:
    group = group_of(members)
    if group not in registry.groups:
        registry.history.refuse(offset, "group", group, GROUP_MISSING)
        return
    changes = {name: value for name, value in inner(members, "dto").items() if name in ("description",)}
    registry.put_group(group, registry.groups[group] | changes, offset)


def delete_group(registry: RegistryTables, offset: int, members: Members) -> None:
    """Deletes a group with its rules and artifacts; their contents remain until a later clean-up."""
    group = group_of(members)
    if group not in registry.groups:
        registry.history.refuse(offset, "group", group, GROUP_MISSING)
        return
    for key in list(registry.by_group.get(group, ())):
        registry.remove_artifact(key, offset)
    registry.drop_rules(("group-rule", group), offset)
    del registry.groups[group]
    registry.history.end("group", group, offset)


def rule_owner(members: Members) -> RuleOwner:
    """What the rule of a call belongs to: an artifact, a group, or the registry."""
    if "artifactId" in members:
        return "artifact-rule", *key_of(members)
    if "groupId" in members:
        return "group-rule", group_of(members)
    return ("global-rule",)


def rule_config(members: Members) -> Members:
    return {"config": inner(members, "config").get("configuration")}


def create_rule(registry: RegistryTables, offset: int, members: Members) -> None:
    """A new rule. An artifact's rule does not need the artifact."""
    add_rule(registry, offset, rule_owner(members), str(members.get("rule")), rule_config(members))


def add_rule(registry: RegistryTables, offset: int, owner: RuleOwner, rule: str, attributes: Members) -> None:
    """Inserts a rule, unless it exists."""
    entity = rule_entity(owner, rule)
    if entity in registry.settings:
        registry.history.refuse(offset, *entity, ALREADY_EXISTS)
    else:
        registry.rules.setdefault(owner, set()).add(rule)
        registry.keep(*entity, attributes, offset)


def update_rule(registry: RegistryTables, offset: int, members: Members) -> None:
    entity = rule_entity(rule_owner(members), str(members.get("rule")))
    if entity in registry.settings:
        registry.keep(*entity, rule_config(members), offset)
    else:
        registry.history.refuse(offset, *entity, RULE_MISSING)


def delete_rule(registry: RegistryTables, offset: int, members: Members) -> None:
    owner, rule = rule_owner(members), str(members.get("rule"))
    registry.rules.get(owner, set()).discard(rule)
    if not registry.drop(*rule_entity(owner, rule), offset):
        registry.history.refuse(offset, *rule_entity(owner, rule), RULE_MISSING)


def delete_rules(registry: RegistryTables, offset: int, members: Members) -> None:
    """Deletes all rules of an artifact, of a group, or the global ones."""
    registry.drop_rules(rule_owner(members), offset)


def put_role(registry: RegistryTables, offset: int, members: Members) -> None:
    principal = str(members.get("principalId"))
    before = registry.settings.get(("role", principal))
    is_new = "principalName" in members or before is None
    if is_new and before is not None:
        registry.history.refuse(offset, "role", principal, ALREADY_EXISTS)
        return
    registry.keep("role", principal, {"role": members.get("role")}, offset)


def delete_role(registry: RegistryTables, offset: int, members: Members) -> None:
    principal = str(members.get("principalId"))
    if not registry.drop("role", principal, offset):
        registry.history.refuse(offset, "role", principal, "role-missing")


def set_property(registry: RegistryTables, offset: int, members: Members) -> None:
    body = inner(members, "propertyDto")
    registry.keep("config-property", str(body.get("name")), {"value": body.get("value")}, offset)


def delete_property(registry: RegistryTables, offset: int, members: Members) -> None:
    """Resets a property to its default."""
    registry.drop("config-property", str(members.get("propertyName")), offset)


def delete_all_user_data(registry: RegistryTables, offset: int, members: Members) -> None:
    """Deletes everything except the ids drawn."""
    for key in list(registry.artifacts):
        registry.remove_artifact(key, offset)
    for kind, name in list(registry.settings):
        if kind != "config-property":
            registry.drop(kind, name, offset)
    for group in list(registry.groups):
        registry.history.end("group", group, offset)
    registry.groups, registry.rules = {}, {}
    registry.clean_orphans(offset)


def draws(sequence: str) -> Apply:
    """A call that only draws an id."""

    def draw(registry: RegistryTables, offset: int, members: Members) -> None:
        registry.draw(sequence)

    return draw


def resets(sequence: str) -> Apply:
    """A call that raises a sequence to the highest id in use."""

    def reset(registry: RegistryTables, offset: int, members: Members) -> None:
        used: dict[str, Iterable[int]] = {
            "global": registry.global_ids,
            "content": registry.content_ids,
            "comment": [
                int(name) for name in registry.comments if name.isdecimal() and len(name) < MAX_DIGITS
            ],
        }
        registry.sequences[sequence] = max([registry.sequences[sequence], *used[sequence]])

    return reset


def clean_orphans(registry: RegistryTables, offset: int, members: Members) -> None:
    """Deletes contents without versions."""
    registry.clean_orphans(offset)
