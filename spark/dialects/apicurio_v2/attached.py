"""Replay of what belongs to artifacts and versions: artifact rules, owners, comments.

The registry accepts a rule for a missing artifact (clients may set the rule first) and does not show it until the artifact
is created. All other records are rejected without their artifact or version.
"""

from __future__ import annotations

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import ArtifactKey, Members, artifact_key, configuration
from spark.dialects.apicurio_v2.registry import Registry, Version
from spark.dialects.apicurio_v2.settings import RULE_MISSING

KIND = "artifact-rule"
COMMENT_MISSING = "comment-missing"


def apply_artifact_rule(registry: Registry, offset: int, action: str, members: Members) -> None:
    """ArtifactRule: CREATE, UPDATE, DELETE, IMPORT; null follows the deletion of the artifact."""
    key, rule_type = artifact_key(members), str(members.get("ruleType"))
    name, rules = r.entity_id(*key, rule_type), registry.rules.get(key, {})
    if action == "import" and key not in registry.artifacts:
        registry.refuse(offset, KIND, name, r.ARTIFACT_MISSING, f"artifact:{'/'.join(key)}", artifact=key)
    elif action in ("create", "import") and rule_type in rules:
        registry.refuse(offset, KIND, name, r.ALREADY_EXISTS)
    elif action in ("update", "delete") and rule_type not in rules:
        registry.refuse(offset, KIND, name, RULE_MISSING)
    elif action in ("create", "import", "update"):
        config = configuration(members)
        registry.rules.setdefault(key, {})[rule_type] = config, offset
        if key in registry.artifacts:
            registry.history.put(KIND, name, {"config": config}, offset)
    elif action == "delete":
        del rules[rule_type]
        registry.history.end(KIND, name, offset)


def show_rules(registry: Registry, key: ArtifactKey, offset: int) -> None:
    """The artifact exists now: rules recorded before it apply."""
    for rule_type, (config, origin) in registry.rules.get(key, {}).items():
        registry.history.put(KIND, r.entity_id(*key, rule_type), {"config": config}, offset, origin)


def unseen_rules(registry: Registry) -> None:
    """At the end of the journal: rules whose artifact was never created."""
    for key, rules in registry.rules.items():
        if key not in registry.artifacts:
            for rule_type, (_, offset) in rules.items():
                name, needs = r.entity_id(*key, rule_type), f"artifact:{'/'.join(key)}"
                registry.history.refuse(offset, KIND, name, r.ARTIFACT_MISSING, needs)


def apply_owner(registry: Registry, offset: int, action: str, members: Members) -> None:
    """ArtifactOwner: a new owner."""
    key = artifact_key(members)
    name = r.entity_id(*key)
    if action != "update":
        return
    if key not in registry.artifacts:
        registry.refuse(offset, "artifact", name, r.ARTIFACT_MISSING, f"artifact:{'/'.join(key)}")
        return
    attributes = registry.history.attributes("artifact", name)
    registry.history.put("artifact", name, attributes | {"owner": members.get("owner")}, offset)


def apply_comment(registry: Registry, offset: int, action: str, members: Members) -> None:
    """Comment: CREATE and IMPORT need their version, UPDATE and DELETE their comment. The comment's author must be the user of
    the thread that reads the journal, which has no name (seen with 2.6.13)."""
    key, comment = artifact_key(members), str(members.get("commentId"))
    tenant, name = key[0], r.entity_id(key[0], comment)
    commented_version = registry.comments.get((tenant, comment))
    if action in ("create", "import"):
        add_comment(registry, offset, action, key, comment, members)
    elif commented_version is None or registry.history.attributes("comment", name).get("createdBy"):
        registry.refuse(offset, "comment", name, COMMENT_MISSING)
    elif action == "update":
        attributes = registry.history.attributes("comment", name)
        registry.history.put("comment", name, attributes | {"value": members.get("text")}, offset)
    elif action == "delete":
        del registry.comments[tenant, comment]
        version = registry.artifacts[commented_version[0]].versions[commented_version[1]]
        version.comments = [other for other in version.comments or () if other != comment]
        registry.history.end("comment", name, offset)


def add_comment(
    registry: Registry, offset: int, action: str, key: ArtifactKey, comment: str, members: Members
) -> None:
    """Inserts a comment; an import names its version by global id."""
    name = r.entity_id(key[0], comment)
    number = str(members.get("version"))
    version: Version | None
    if action == "import":
        version = registry.global_ids.get((key[0], members.get("globalId")))
        key = version.artifact if version else key
    else:
        artifact = registry.artifacts.get(key)
        version = artifact.versions.get(number) if artifact else None
    if version is None:
        registry.refuse(offset, "comment", name, r.VERSION_MISSING, f"version:{'/'.join((*key, number))}")
    elif (key[0], comment) in registry.comments:
        registry.refuse(offset, "comment", name, r.ALREADY_EXISTS)
    else:
        registry.comments[key[0], comment] = key, version.number
        version.comments = [*(version.comments or ()), comment]
        attributes = {
            "groupId": key[1],
            "artifactId": key[2],
            "version": version.number,
            "value": members.get("text"),
            "createdBy": members.get("createdBy"),
            "createdOn": members.get("createdOn"),
        }
        registry.history.put("comment", name, attributes, offset)
