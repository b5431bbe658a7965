"""Records of Apicurio 2.x journals, usual and special, for what is replayed in bulk and by the reader."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.spark.apicurio_journals import content_value, json_record

Parts = tuple[bytes, bytes | None]
PLACES: tuple[dict[str, Any], ...] = (  # those of Clients, and some that are spelled otherwise
    {"groupId": "orders", "artifactId": "a0"}, {"groupId": "orders", "artifactId": "a1"}, {"artifactId": "a0"},
    {"groupId": None, "artifactId": "a1"}, {"groupId": "default", "artifactId": "a0"}, {"groupId": "payments", "artifactId": "a2"},
    {"groupId": "payments", "artifactId": "a3"}, {"groupId": "h", "artifactId": 'ü "a"/b'},
    {"groupId": "h", "artifactId": "ü/b"},
)  # fmt: skip
STRANGE_PLACES = ({"groupId": 5, "artifactId": "a"}, {"groupId": "g"}, {"groupId": "g", "artifactId": 7})
NAMES: tuple[dict[str, Any], ...] = (
    {"metaData": {"name": "n"}}, {"metaData": {"name": "ü ñ"}}, {"metaData": {"name": 'a "quoted" \\ name\n'}}, {},
    {"metaData": {"name": None}}, {"metaData": {"name": 5}}, {"metaData": 5}, {"metaData": {}}, {"metaData": {"name": "m"}},
)  # fmt: skip
REFERENCES = (b"", b"", b"", None, b'[{"name":"a","version":"1"}]', b'[{"size": 1.50}]', b"no JSON")


def written(kind: int, key: dict[str, Any], action: object, **value: Any) -> Parts:
    """A record other than a content."""
    return json_record(kind, {"tenantId": "_", **key}), json_record(kind, {"action": action, **value})


def content(random: Random, number: int, action: int = 1, **members: Any) -> Parts:
    """A content; each number has a hash of its own."""
    key = {"tenantId": "_", "contentHash": f"hash-{number}", "contentId": number, **members}
    canonical_hash = random.choice((b"c" * 64, b""))
    return json_record(2, key), content_value(
        action, random.choice((b"text", b"")) if action == 2 else b"text", random.choice(REFERENCES), canonical_hash
    )  # fmt: skip


def version(
    random: Random, number: int, action: object, place: dict[str, Any] | None = None, **more: Any
) -> Parts:
    """An artifact record; its global id is that of its content unless said."""
    key = {**(place or random.choice(PLACES)), "uuid": f"uuid-{number}"}
    value = {
        "globalId": number,
        "contentHash": f"hash-{number}",
        "artifactType": "AVRO",
        "createdBy": "",
        "createdOn": 5,
    }
    return written(3, key, action, **{**value, **random.choice(NAMES), **more})  # fmt: skip


def usual_record(random: Random, number: int) -> Parts:
    """A record as 2.5.8 writes it, whether it can be accepted or not."""
    place, comment = (
        random.choice(PLACES),
        {"version": "1", "commentId": str(random.randrange(30)), "uuid": "u"},
    )
    config = {"config": {"configuration": random.choice(("FULL", "NONE"))}}
    rule, which = (
        {**place, "ruleType": random.choice(("VALIDITY", "COMPATIBILITY"))},
        {**place, "version": "1"},
    )
    return random.choice((
        content(random, number), content(random, number), content(random, number + 1), version(random, number - 1, 1),
        version(random, number - 1, 1), version(random, number - 1, 2), version(random, number, 2), version(random, number, 3),
        written(5, {**place, "version": random.choice(("1", "2", 1))}, 2, **random.choice(NAMES)),
        written(5, which, 2, state=random.choice(("DISABLED", "", None)), metaData={"name": "n"}),
        written(4, rule, 1, **config), written(4, rule, 2, **config), written(4, rule, 3), (json_record(5, which), None),
        written(14, place, 2, owner=random.choice(("ü", "me"))), written(16, {**place, **comment}, 1, createdBy="", value="x"),
        written(16, {**place, **comment}, 3), written(8, {"uuid": "u"}, 1), written(9, {"uuid": "u"}, 1),
    ))  # fmt: skip


def odd_record(random: Random, number: int) -> Parts:
    """A record that concerns others, has strange members, or comes from another release or an import."""
    place = random.choice(PLACES)
    comment = {**place, "version": "1", "commentId": str(random.randrange(30)), "uuid": "u"}
    rule = {**place, "ruleType": random.choice(("VALIDITY", "COMPATIBILITY"))}
    if random.random() < 0.05:
        return random.choice((
            version(random, number, 1, random.choice(STRANGE_PLACES)), written(18, {"uuid": "u"}, 9),
            version(random, number, 2, globalId=True), written(11, {}, 7), content(random, number, contentId=True),
            content(random, number, tenantId="other"), (json_record(0, {"bootstrapId": "u"}), None), written(17, {"contentId": number}, 8, contentHash="hash-1"),
        ))  # fmt: skip
    return random.choice((
        version(random, number, random.choice(("CREATE", "Update", 1))), version(random, number, 1, globalId=-1),
        version(random, number, 5, version="3", versionId=3), version(random, number, 5, contentHash=None, contentId=number),
        version(random, number, 1, version="7"), version(random, number, 2, globalId=random.randrange(9)),
        version(random, number, 2, contentHash=f"hash-{number - 5}"), version(random, number, 2, artifactType=None),
        version(random, number, 2, createdOn=random.choice(("x", 1.5, None)), createdBy=random.choice((None, "me"))),
        version(random, number, 2, state=random.choice((None, "", "DISABLED", 5))),
        (json_record(3, {"tenantId": "_", **place, "uuid": f"uuid-{number - 1}"}), None), written(6, {"groupId": "payments"}, 3),
        written(6, {"groupId": "h"}, random.choice((1, 2, 3))), written(8, {"uuid": "u"}, 6), written(15, {"uuid": "u"}, 1),
        content(random, number, 2), content(random, number - 5, 2), content(random, number - 3), content(random, number, 5),
        content(random, number, tenantId=None), content(random, number, contentHash="hash-1"),
        written(5, {**place, "version": "1"}, random.choice((3, 4))), written(4, rule, 5, config={"configuration": "FULL"}),
        written(4, rule, 1, config=None), written(16, comment, 5, globalId=number - 1), written(16, comment, 2, value="y"),
        written(16, comment, 1, createdBy="me", value=None), written(14, place, random.choice((1, 2)), owner=None),
        written(1, {"ruleType": "VALIDITY"}, random.choice((1, 2, 3)), config={"configuration": "FULL"}),
        written(13, {"propertyName": "p"}, 2, value="x"), (b"\x03{", b"\x03{}"), (json_record(3, place | {"uuid": "u"}), b"x"),
        (json_record(3, {"tenantId": "_", **place, "uuid": "u", "action": 1}), None),
    ))  # fmt: skip


FIRST, SECOND = {"groupId": "orders", "artifactId": "a0"}, {"groupId": "orders", "artifactId": "a1"}
RULE = {"ruleType": "VALIDITY"}
COMMENT = {"version": "1", "commentId": "1", "uuid": "u"}
FULL = {"config": {"configuration": "FULL"}}


def stored(number: int, text: bytes = b"text", action: int = 1, **members: Any) -> Parts:
    """A content without references; its hash is named after its number."""
    key = {"tenantId": "_", "contentHash": f"hash-{number}", "contentId": number, **members}
    return json_record(2, key), content_value(action, text)


def made(place: dict[str, Any], number: int, action: object = 1, **members: Any) -> Parts:
    """A version of the content with its number."""
    value = {"globalId": number, "contentHash": f"hash-{number}", "artifactType": "AVRO", **members}
    return written(3, {**place, "uuid": f"uuid-{number}"}, action, **value)


FIRST_MADE = [stored(1), made(FIRST, 1)]
STAYS = [stored(1000), made({"artifactId": "stays"}, 1000)]
SPECIAL: dict[str, list[Parts]] = {
    "an update without its artifact": [stored(1), made(FIRST, 1, 2)],
    "an update after the delete": [*FIRST_MADE, written(3, FIRST, 3), stored(2), made(FIRST, 2, 2)],
    "an artifact made twice": [*FIRST_MADE, stored(2), made(FIRST, 2)],
    "an artifact made again": [*FIRST_MADE, written(3, FIRST, 3), stored(2), made(FIRST, 2), stored(3), made(FIRST, 3, 2)],
    "a delete without its artifact": [written(3, FIRST, 3), *FIRST_MADE],
    "an owner before the artifact": [written(14, FIRST, 2, owner="me"), *FIRST_MADE],
    "a rule before the artifact": [written(4, FIRST | RULE, 1, **FULL), *FIRST_MADE],
    "a rule of no artifact": [written(4, FIRST | RULE, 1, **FULL)],
    "a rule made twice": [*FIRST_MADE, *[written(4, FIRST | RULE, 1, **FULL)] * 2],
    "a rule changed that is not there": [*FIRST_MADE, written(4, FIRST | RULE, 2, **FULL)],
    "a rule deleted that is not there": [*FIRST_MADE, written(4, FIRST | RULE, 3)],
    "a rule made again": [*FIRST_MADE, *[written(4, FIRST | RULE, 1, **FULL), written(4, FIRST | RULE, 3)] * 2],
    "a rule imported": [*FIRST_MADE, written(4, FIRST | RULE, 5, **FULL), written(4, FIRST | RULE, 1, **FULL)],
    "a version described that is not there": [*FIRST_MADE, written(5, {**FIRST, "version": "2"}, 2, metaData={"name": "n"})],
    "a version described too early": [
        *FIRST_MADE, written(5, {**FIRST, "version": "2"}, 2, metaData={"name": "n"}), stored(2), made(FIRST, 2, 2),
    ],
    "a version deleted": [*FIRST_MADE, stored(2), made(FIRST, 2, 2), written(5, {**FIRST, "version": "2"}, 3)],
    "a version with a number of its own": [*FIRST_MADE, stored(2), made(FIRST, 2, 2, version="7"), stored(3), made(FIRST, 3, 2)],
    "a name that comes later": [*FIRST_MADE, written(5, {**FIRST, "version": "1"}, 2, metaData={"name": "n"})],
    "a name that goes": [
        stored(1), made(FIRST, 1, metaData={"name": "n"}), written(5, {**FIRST, "version": "1"}, 2),
        written(5, {**FIRST, "version": "1"}, 2, metaData={"name": "m"}),
    ],
    "a name that JSON spells in several ways": [stored(1), made(FIRST, 1, metaData={"name": "\x1f/\x7f\u2028\"\\"})],
    "a name that is no text": [stored(1), made(FIRST, 1, metaData={"name": {"size": 1e22}})],
    "a comment on a version that is not there": [*FIRST_MADE, written(16, {**FIRST, **COMMENT, "version": "2"}, 1, value="x")],
    "a delete in spite of a comment": [*FIRST_MADE, written(16, FIRST | COMMENT, 1, value="x"), written(3, FIRST, 3)],
    "a comment deleted that is not there": [*FIRST_MADE, written(16, FIRST | COMMENT, 3)],
    "a comment of a user deleted": [
        *FIRST_MADE, written(16, FIRST | COMMENT, 1, value="x", createdBy="me"), written(16, FIRST | COMMENT, 3),
    ],
    "a comment made twice": [
        *FIRST_MADE, stored(2), made(SECOND, 2), *[written(16, place | COMMENT, 1, value="x") for place in (FIRST, SECOND)],
    ],
    "a comment deleted under another key": [
        *FIRST_MADE, stored(2), made(SECOND, 2), written(16, FIRST | COMMENT, 1, value="x"), written(16, SECOND | COMMENT, 3),
    ],
    "a comment changed under another key": [
        *FIRST_MADE, stored(2), made(SECOND, 2), written(16, FIRST | COMMENT, 1, value="x"),
        written(16, SECOND | COMMENT, 2, value="y"),
    ],
    "a comment imported by global id": [*FIRST_MADE, written(16, SECOND | COMMENT, 5, globalId=1, value="x")],
    "a content that comes later": [made(FIRST, 1), stored(1)],
    "a content without bytes": [stored(1, b""), made(FIRST, 1)],
    "a content emptied": [*FIRST_MADE, stored(1, b"", 2)],
    "a content that comes twice": [*FIRST_MADE, stored(1)],
    "an id for two contents": [*FIRST_MADE, stored(2, contentId=1), made(SECOND, 2)],
    "a hash for two contents": [*FIRST_MADE, stored(2, contentHash="hash-1")],
    "a hash for two contents before its version": [stored(1), stored(2, contentHash="hash-1"), made(FIRST, 1)],
    "a version below zero": [*FIRST_MADE, written(5, {**FIRST, "version": "-5"}, 2, metaData={"name": "n"})],
    "a comment below zero": [*FIRST_MADE, written(16, {**FIRST, **COMMENT, "commentId": "-5"}, 1, value="x")],
    "a content shared with an import": [*FIRST_MADE, made(SECOND, 2, 5, contentHash=None, contentId=1)],
    "a content shared with what is refused": [*FIRST_MADE, made(SECOND, 2, 2, contentHash="hash-1")],
    "a content known by its id first": [made(SECOND, 2, 5, contentHash=None, contentId=1), *FIRST_MADE],
    "a global id for two versions": [*FIRST_MADE, stored(2), made(SECOND, 2, globalId=1)],
    "a global id that is drawn": [(*written(8, {"uuid": "u"}, 1),), *FIRST_MADE, stored(2), made(SECOND, 2, 5, globalId=-1)],
    "a global id that is no number": [*FIRST_MADE, stored(2), made(SECOND, 2, globalId=True)],
    "a group deleted": [written(6, {"groupId": "orders"}, 1), *FIRST_MADE, written(6, {"groupId": "orders"}, 3)],
    "everything deleted": [*FIRST_MADE, written(11, {}, 7), stored(2), made(FIRST, 2, 2)],
    "everything deleted twice": [
        *FIRST_MADE, written(11, {}, 7), stored(2), made(SECOND, 2), written(11, {}, 7), stored(3), made(SECOND, 3, 2),
    ],
    "the newest version deleted": [stored(2000), made(SECOND, 2000), written(3, SECOND, 3)],
    "contents of all deleted": [*FIRST_MADE, written(11, {}, 7), made(FIRST, 1)],
    "an id raised": [*FIRST_MADE, written(8, {"uuid": "u"}, 6), written(8, {"uuid": "u"}, 1), stored(2), made(SECOND, 2)],
    "actions in words": [stored(1), made(FIRST, 1, "CREATE"), stored(2), written(3, FIRST, "DELETE"), made(SECOND, 2, "CREATE")],
    "another tenant": [*FIRST_MADE, stored(1, tenantId="other"), stored(9, b"", 2, tenantId="other")],
    "a start of 2.5.9": [stored(1), written(18, {"uuid": "u"}, 9), made(FIRST, 1), stored(2), written(3, FIRST, 3), made(SECOND, 2)],
    "a null under a key with an action": [*FIRST_MADE, (json_record(3, {**FIRST, "uuid": "u", "action": 1}), None)],
    "a null for a create that failed": [made(FIRST, 1), (json_record(3, {**FIRST, "uuid": "uuid-1"}), None), stored(1)],
    "names that are spelled alike": [
        stored(1), made({"groupId": "g", "artifactId": "a/1"}, 1), stored(2), made({"groupId": "g", "artifactId": "a"}, 2),
        stored(3), made({"groupId": "g", "artifactId": "a"}, 3, 2, version="1/1"),
    ],
    "places that are spelled alike": [
        stored(1), made({"groupId": "a/b", "artifactId": "c"}, 1), stored(2), made({"groupId": "a", "artifactId": "b/c"}, 2),
    ],
}  # fmt: skip
