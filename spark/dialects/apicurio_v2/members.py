"""Reads members of an entry for the replay, whatever type they have in the journal."""

from __future__ import annotations

from typing import Any

from spark.dialects.apicurio_v2.message_types import DEFAULT_GROUP, SINGLE_TENANT

Members = dict[str, Any]
ArtifactKey = tuple[str, str, str]  # tenant, group, artifact id


def tenant_of(members: Members) -> str:
    """The tenant. Journals before 2.1.2 do not always name it."""
    return str(members.get("tenantId") or SINGLE_TENANT)


def scalar(members: Members, name: str) -> Any:
    """A member that should be a number or a text; anything else becomes text."""
    value = members.get(name)
    return value if value is None or isinstance(value, int | str) else str(value)


def artifact_key(members: Members) -> ArtifactKey:
    """Tenant, group and artifact id of an artifact's records."""
    return tenant_of(members), group_of(members), str(members.get("artifactId"))


def meta_name(members: Members) -> Any:
    """The name in the metadata of an artifact or a version."""
    meta = members.get("metaData")
    return meta.get("name") if isinstance(meta, dict) else None


def group_of(members: Members) -> str:
    """The group; the default one is not named."""
    return str(members.get("groupId") or DEFAULT_GROUP)


def configuration(members: Members) -> Any:
    config = members.get("config")
    return config.get("configuration") if isinstance(config, dict) else None
