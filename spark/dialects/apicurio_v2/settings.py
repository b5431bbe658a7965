"""Replay of independent named settings: global rules, roles, config properties, log levels.

GlobalRule, RoleMapping   CREATE and IMPORT fail if it exists, UPDATE and DELETE if it does not
ConfigProperty            UPDATE sets, DELETE removes
LogConfig                 the same; the key is the tenant alone, so compaction keeps the last logger only
"""

from __future__ import annotations

from typing import Any

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import Members, configuration, tenant_of
from spark.dialects.apicurio_v2.registry import Registry

RULE_MISSING = "rule-missing"
ROLE_MISSING = "role-missing"


def apply_global_rule(registry: Registry, offset: int, action: str, members: Members) -> None:
    attributes = {"config": configuration(members)}
    strictly(registry, offset, action, "global-rule", tenant_of(members), members.get("ruleType"), attributes)


def apply_role(registry: Registry, offset: int, action: str, members: Members) -> None:
    attributes = {"role": members.get("role"), "principalName": members.get("principalName")}
    strictly(registry, offset, action, "role", tenant_of(members), members.get("principalId"), attributes)


def strictly(
    registry: Registry, offset: int, action: str, kind: str, tenant: str, setting: object, attributes: Members
) -> None:
    """For settings whose creation fails if they exist, and whose change fails if they do not."""
    key, name = (tenant, kind, str(setting)), r.entity_id(tenant, setting)
    exists = key in registry.settings
    if action in ("create", "import") and exists:
        registry.refuse(offset, kind, name, r.ALREADY_EXISTS)
    elif action in ("update", "delete") and not exists:
        registry.refuse(offset, kind, name, RULE_MISSING if kind == "global-rule" else ROLE_MISSING)
    elif action in ("create", "import", "update"):
        put(registry, offset, key, name, attributes)
    elif action == "delete":
        take_away(registry, offset, key, name)


def apply_property(registry: Registry, offset: int, action: str, members: Members) -> None:
    tenant, property_name = tenant_of(members), str(members.get("propertyName"))
    loosely(
        registry, offset, action, (tenant, "config-property", property_name), {"value": members.get("value")}
    )


def apply_log_config(registry: Registry, offset: int, action: str, members: Members) -> None:
    config: Any = members.get("config")
    if isinstance(config, dict):
        key = tenant_of(members), "log-config", str(config.get("logger"))
        loosely(registry, offset, action, key, {"logLevel": config.get("logLevel")})


def loosely(
    registry: Registry, offset: int, action: str, key: tuple[str, str, str], attributes: Members
) -> None:
    """For settings that can be set or deleted in any state."""
    name = r.entity_id(key[0], key[2])
    if action == "update":
        put(registry, offset, key, name, attributes)
    elif action == "delete" and key in registry.settings:
        take_away(registry, offset, key, name)


def put(registry: Registry, offset: int, key: tuple[str, str, str], name: str, attributes: Members) -> None:
    registry.settings[key] = offset
    registry.history.put(key[1], name, attributes, offset)


def take_away(registry: Registry, offset: int, key: tuple[str, str, str], name: str) -> None:
    del registry.settings[key]
    registry.history.end(key[1], name, offset)
