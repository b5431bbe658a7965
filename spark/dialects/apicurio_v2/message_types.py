"""Message types of the KafkaSQL journal of Apicurio Registry 2.x, and the words for their actions.

    Key   => type:int8 json:bytes
    Value => null | type:int8 json:bytes | 02 binary         the binary form of Content: content.py

Source: MessageType, ActionType and keys/*.java of the storage module, tags 2.0.0.Final to 2.6.13.Final.
"""

from __future__ import annotations

from dataclasses import dataclass

import orjson

BOOTSTRAP, CONTENT, ARTIFACT, ARTIFACT_VERSION, COMMENT, CONTENT_V2, UPGRADER = 0, 2, 3, 5, 16, 17, 18


@dataclass(frozen=True)
class MessageType:
    """A message type: what its key must contain (`needed`) and may contain (`allowed`), and which members identify its entity."""

    ordinal: int
    name: str
    needed: frozenset[str]
    allowed: frozenset[str]
    entity: tuple[str, ...]


def _type(ordinal: int, name: str, needed: str, optional: str = "", entity: str = "") -> MessageType:
    """`tenantId` is optional everywhere: single-tenant journals before 2.1.2 lack it in some keys."""
    must = frozenset(needed.split())
    may = must | frozenset(optional.split()) | {"tenantId"}
    return MessageType(ordinal, name, must, may, tuple((entity or needed).split()))


_TYPES = (
    _type(0, "Bootstrap", "bootstrapId"),
    _type(1, "GlobalRule", "ruleType"),
    _type(2, "Content", "contentHash contentId", entity="contentId"),
    _type(3, "Artifact", "artifactId uuid", "groupId", entity="groupId artifactId"),
    _type(4, "ArtifactRule", "artifactId ruleType", "groupId", entity="groupId artifactId ruleType"),
    _type(5, "ArtifactVersion", "artifactId version", "groupId", entity="groupId artifactId version"),
    _type(6, "Group", "groupId"),
    _type(7, "LogConfig", "", entity="logger"),
    _type(8, "GlobalId", "", "uuid", entity="uuid"),
    _type(9, "ContentId", "", "uuid", entity="uuid"),
    _type(10, "RoleMapping", "principalId"),
    _type(11, "GlobalAction", ""),
    _type(12, "Download", "downloadId"),
    _type(13, "ConfigProperty", "propertyName"),
    _type(14, "ArtifactOwner", "artifactId", "groupId", entity="groupId artifactId"),
    _type(15, "CommentId", "uuid"),
    _type(
        16,
        "Comment",
        "artifactId version commentId",
        "groupId uuid",
        entity="groupId artifactId version commentId",
    ),
    _type(17, "ContentV2", "contentId"),
    _type(18, "Upgrader", "uuid"),
)
MESSAGE_TYPES = {kind.ordinal: kind for kind in _TYPES}

# Journals say an action as a number (2.1.4 on), as "CREATE" (2.1.0 to 2.1.3) or as "Create" (before).
ACTIONS = {
    1: "create",
    2: "update",
    3: "delete",
    4: "clear",
    5: "import",
    6: "reset",
    7: "delete_all_user_data",
    8: "create_or_update",
    9: "restart",  # UPGRADE_BOOTSTRAP: what a start of 2.5.9 and later writes instead of Bootstrap
    10: "upgrade_try_lock",
    11: "upgrade_abort_and_unlock",
    12: "upgrade_commit_and_unlock",
    13: "upgrade_lock_heartbeat",
    14: "upgrade_wait_heartbeat",
}
CREATE, UPDATE, DELETE, CREATE_OR_UPDATE = 1, 2, 3, 8
_ACTION_NAMES = {word: word for word in ACTIONS.values()} | {"upgrade_bootstrap": "restart"}
_SPELLINGS = {word.replace("_", ""): word for word in _ACTION_NAMES}


def message(ordinal: int, members: object) -> bytes:
    return bytes([ordinal]) + orjson.dumps(members)


def action_word(action: object) -> str | None:
    """The action as a word, from any of its forms; None if it is none of them."""
    if isinstance(action, int):
        return ACTIONS.get(action)
    if not isinstance(action, str):
        return None
    spelled = _SPELLINGS.get(action.lower().replace("_", ""))
    return _ACTION_NAMES[spelled] if spelled else None


DEFAULT_GROUP = "default"
SINGLE_TENANT = "_"


def entity_id(kind: MessageType, members: dict[str, object]) -> str:
    """The entity's id, parts joined with `/`; the tenant comes first if there are several."""
    parts = [str(members.get(name) or (DEFAULT_GROUP if name == "groupId" else "")) for name in kind.entity]
    tenant = members.get("tenantId") or SINGLE_TENANT
    return "/".join(parts if tenant == SINGLE_TENANT else [str(tenant), *parts])
