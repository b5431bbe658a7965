"""Entries of Apicurio Registry 2.x as a page writes them -> key and value.

    Bootstrap | ContentId CREATE | GlobalId CREATE | Content 2 UPDATE | Artifact `pay/invoice` CREATE | Version 2 of `pay/a` DELETE
    | Group `pay` DELETE | Global rule VALIDITY UPDATE | ... null

Columns: `content` ("nothing", "other bytes", a Protobuf file of the generator; else a small JSON schema of its own, 37
bytes), `contentHash` ("of the content alone"), `references` ("1"), `needs` ("content 4"), `globalId`, `contentId`, `uuid`,
`value` (of a rule), `repair` (the header of a repair's record).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from spark.tables.repair_records import HEADER
from tests.generator.schemas import PLAIN_PROTO, REFERRING_PROTO, Schema, plain_proto, referring_proto
from tests.spark.apicurio_journals import content_value, json_record

Row = Mapping[str, str]
Encoded = tuple[bytes | None, bytes | None, list[tuple[bytes, bytes | None]]]
ACTIONS = {"CREATE": 1, "UPDATE": 2, "DELETE": 3, "CLEAR": 4, "IMPORT": 5, "RESET": 6}
ENTRY = re.compile(r"(?P<what>.+?) (?P<action>CREATE|UPDATE|DELETE|IMPORT|RESET|null)")
REFERENCES = b'[{"groupId":"pay","artifactId":"money","version":"1","name":"money"}]'


def apicurio(row: Row) -> Encoded:
    """Key and value of one entry."""
    if row["entry"] == "Bootstrap":
        return json_record(0, {"bootstrapId": f"b{row['offset']}"}), None, []
    match = ENTRY.fullmatch(row["entry"].replace("`", ""))
    assert match, row["entry"]
    what, action = match["what"], ACTIONS.get(match["action"])
    kind, _, name = what.partition(" ")
    key, value = KINDS[kind](row, name, action)
    mark = row.get("repair")
    return key, value if action else None, [(HEADER.encode(), mark.encode())] if mark else []


def text_of(number: str) -> bytes:
    """A content's text, where the page gives none."""
    return json.dumps({"type": "string", "title": f"content {number}"}, separators=(",", ":")).encode()


def references(row: Row) -> bytes:
    """The block of references that is hashed behind the content."""
    return REFERENCES if row.get("references") == "1" else b""


def protobuf(said: str) -> Schema | None:
    """A Protobuf file of the generator, where the column `content` names one."""
    path = said.partition(",")[0]
    if path in PLAIN_PROTO:
        return plain_proto(path)
    return referring_proto(path, 1)[0] if path in REFERRING_PROTO else None


def content(row: Row, number: str, action: int | None) -> tuple[bytes, bytes]:
    """A content: its key has the hash of what it should hold."""
    said = row.get("content", "")
    if schema := protobuf(said):
        members = {"tenantId": "_", "contentHash": schema.content_hash, "contentId": int(number)}
        held = content_value(1, schema.content, schema.reference_bytes, schema.canonical_hash.encode())
        return json_record(2, members), held
    whole, other = text_of(number), references(row)
    right, alone = hashlib.sha256(whole + other).hexdigest(), hashlib.sha256(whole).hexdigest()
    hashes = {"": right, "of content and references": right, "of the content alone": alone}
    named = hashes[row.get("contentHash", "")]
    stored = {"": whole, f"{len(whole)} bytes": whole, "nothing": b"", "other bytes": text_of("of another")}
    key = json_record(
        2, {"tenantId": "_", "contentHash": named, "contentId": int(row.get("contentId") or number)}
    )
    return key, content_value(action or 1, stored[said], other, right.encode())


def artifact(row: Row, name: str, action: int | None) -> tuple[bytes, bytes]:
    """A version of an artifact, which needs a content by its hash."""
    group, _, id = name.rpartition("/")
    members = {
        "tenantId": "_",
        "groupId": group or None,
        "artifactId": id,
        "uuid": row.get("uuid") or f"u{row['offset']}",
    }
    needed = row.get("needs", "").removeprefix("content ") or "1"
    value: dict[str, Any] = {"action": action}
    if action != ACTIONS["DELETE"]:
        value |= {"globalId": int(row.get("globalId") or row["offset"]), "artifactType": "JSON"}
        value |= {"contentHash": hashlib.sha256(text_of(needed)).hexdigest()}
    return json_record(3, {name: one for name, one in members.items() if one is not None}), json_record(
        3, value
    )


def version(row: Row, name: str, action: int | None) -> tuple[bytes, bytes]:
    """A change of a version: `Version 2 of pay/a`."""
    number, _, place = name.partition(" of ")
    group, _, id = place.rpartition("/")
    members = {"tenantId": "_", "groupId": group, "artifactId": id, "version": number}
    return json_record(5, {k: v for k, v in members.items() if v}), json_record(5, {"action": action})


def rule(row: Row, name: str, action: int | None) -> tuple[bytes, bytes]:
    """A global rule: `Global rule VALIDITY`."""
    key = {"tenantId": "_", "ruleType": name.removeprefix("rule ")}
    return json_record(1, key), json_record(
        1, {"action": action, "config": {"configuration": row.get("value", "FULL")}}
    )


def group(row: Row, name: str, action: int | None) -> tuple[bytes, bytes]:
    """A group."""
    return json_record(6, {"tenantId": "_", "groupId": name}), json_record(6, {"action": action})


def drawn(ordinal: int) -> Any:
    """A record that draws an id."""

    def draw(row: Row, name: str, action: int | None) -> tuple[bytes, bytes]:
        key = {"tenantId": "_", "uuid": f"g{row['offset']}"}
        return json_record(ordinal, key), json_record(ordinal, {"action": action})

    return draw


KINDS: dict[str, Any] = {
    "Content": content,
    "Artifact": artifact,
    "Version": version,
    "Global": rule,
    "Group": group,
    "GlobalId": drawn(8),
    "ContentId": drawn(9),
}
