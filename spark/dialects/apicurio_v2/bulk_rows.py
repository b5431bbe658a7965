"""The rows of `state` that plain entries make, in SQL: attributes as the reader would write them.

Members stand as the JSON that spells them, in the reader's order; those that say nothing are left out.
"""

from __future__ import annotations

import json

from spark.dialects.apicurio_v2.message_types import DEFAULT_GROUP

MEMBERS = {
    "artifact": (
        "groupId", "artifactId", "uuid", "action", "globalId", "artifactType", "contentHash", "contentId", "createdBy",
        "createdOn", "version", "versionId", "state", "tenantId", "metaData",
    ),
    "attached": (
        "groupId", "artifactId", "action", "tenantId", "version", "state", "metaData", "owner", "ruleType", "config",
        "commentId", "text", "createdBy", "createdOn",
    ),
    "content": (
        "tenantId", "action", "contentId", "contentHash", "canonicalHash", "has_content", "content_size_bytes", "references"
    ),
    "other": ("groupId", "action"),
}  # fmt: skip
NESTED = {"metaData": "name", "config": "configuration"}
GROUP = f"""coalesce(nullif(m.groupId, '""'), '"{DEFAULT_GROUP}"')"""


def with_members(kind: str, condition: str) -> str:
    """Entries of a portion with their members in `m`: the JSON that spells them; null for JSON's null."""
    names = MEMBERS[kind]
    form = json.dumps({name: {NESTED[name]: "JSON"} if name in NESTED else "JSON" for name in names})
    types = (
        f'"{name}" ' + (f"STRUCT({NESTED[name]} VARCHAR)" if name in NESTED else "VARCHAR") for name in names
    )
    texts = f"from_json(attributes, '{form}')::STRUCT({', '.join(types)})"
    return f"SELECT *, {texts} AS m FROM portion WHERE {condition}"


def member(name: str, text: str) -> str:
    """A member and the comma before it, as arguments of concat; nothing if the text is null."""
    return f"""CASE WHEN {text} IS NOT NULL THEN ',"{name}":' END, {text}"""


def own(*names: str) -> str:
    return ", ".join(member(name, f'm."{name}"') for name in names)


PLACE = f"""trim({GROUP}, '"'), '/', trim(m.artifactId, '"')"""
# A name that comes with a description only stands last.
VERSION = f"""concat(
    '{{"tenantId":"_","groupId":', {GROUP}, ',"artifactId":', m.artifactId, ',"version":"', place, '","globalId":', m.globalId,
    ',"contentId":', content_id, ',"contentHash":', m.contentHash, ',"artifactType":', m.artifactType,
    ',"state":', coalesce(said, nullif(m.state, '""'), '"ENABLED"'),
    CASE WHEN m.metaData.name IS NOT NULL THEN ',"name":' END,
    CASE WHEN m.metaData.name IS NOT NULL THEN coalesce(name, m.metaData.name) END,
    {own("createdBy", "createdOn", "uuid")}, ',"record_offset":', "offset",
    CASE WHEN m.metaData.name IS NULL AND name IS NOT NULL THEN ',"name":' END, CASE WHEN m.metaData.name IS NULL THEN name END,
    '}}')"""
ARTIFACT = f"""concat('{{"type":', m.artifactType, {own("createdBy", "createdOn")}, {member("owner", "said")}, '}}')"""
RULE = """concat('{"config":', m.config.configuration, '}')"""
COMMENT = f"""concat(
    '{{"groupId":', {GROUP}, ',"artifactId":', m.artifactId, ',"version":"', trim(m.version, '"'), '"', {member("value", "m.text")},
    {own("createdBy", "createdOn")}, '}}')"""
CONTENT = f"""concat(
    '{{', CASE WHEN m.tenantId IS NOT NULL THEN '"tenantId":"_",' END, '"contentId":', m.contentId, ',"contentHash":', m.contentHash,
    {own("canonicalHash", "content_size_bytes", "references")}, '}}')"""


def rows(entity: str, members: str, entity_id: str, attributes: str) -> str:
    """Of the entities of a type."""
    return f"""
        SELECT entity AS entity_type, {entity_id} AS entity_id, {attributes} AS attributes,
            valid_from_offset, valid_from_offset AS origin_offset, valid_to_offset
        FROM ({with_members(members, f"entity = '{entity}'")})
    """


ROWS = " UNION ALL ".join((
    rows("version", "artifact", f"concat({PLACE}, '/', place)", VERSION),
    rows("artifact", "artifact", f"concat({PLACE})", ARTIFACT),
    rows("artifact-rule", "attached", f"""concat({PLACE}, '/', trim(m.ruleType, '"'))""", RULE),
    rows("comment", "attached", """trim(m.commentId, '"')""", COMMENT),
    rows("content", "content", "m.contentId", CONTENT),
))  # fmt: skip
