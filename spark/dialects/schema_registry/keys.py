"""Keys of a `_schemas` topic: their contents, and the generation of software whose byte form they have.

    old                     {"subject":S,"version":1,"magic":1,"keytype":"SCHEMA"}     Confluent 1.0 to 5.2
    canonical               {"keytype":"SCHEMA","subject":S,"version":1,"magic":1}     Confluent 5.3 and later, Karapace
    canonical-null-subject  {"keytype":"CONFIG","subject":null,"magic":0}              Confluent 5.3 to 6.1, Karapace
    redpanda                canonical, followed by ,"seq":7,"node":1
    pretty                  any of them with white space                              restored backups of Karapace

Registries compare keys as JSON, the log cleaner compares bytes: two forms of one key are two keys to it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

from spark.dialects._interpret import json_object
from spark.terms.errors import Unreadable

Members = dict[str, Any]
SCHEMA, CONFIG, MODE, NOOP = "SCHEMA", "CONFIG", "MODE", "NOOP"
DELETE_SUBJECT, CLEAR_SUBJECT, CONTEXT, ASSOC = "DELETE_SUBJECT", "CLEAR_SUBJECT", "CONTEXT", "ASSOC"
KEYTYPES = frozenset((SCHEMA, CONFIG, MODE, NOOP, DELETE_SUBJECT, CLEAR_SUBJECT, CONTEXT, ASSOC))
CANONICAL_ORDER = (
    "keytype", "tenant", "context", "resourceName", "resourceNamespace", "resourceType", "associationType",
    "subject", "version", "magic",
)  # fmt: skip
OLD_ORDER = ("subject", "version", "magic", "keytype")
SEQUENCED = ("seq", "node")
SKIPPED, TOMBSTONE, FATAL, APPLIED = "skipped", "tombstone", "fatal", "applied"
Effects = dict[str, str]
NO_KEY: Effects = {"confluent": FATAL, "redpanda": FATAL, "karapace": SKIPPED}
UNREADABLE: Effects = {"confluent": SKIPPED, "redpanda": FATAL, "karapace": SKIPPED}
UNKNOWN_KEYTYPE: Effects = {"confluent": FATAL, "redpanda": SKIPPED, "karapace": SKIPPED}


class UnreadableKey(Unreadable):
    """Why no registry can use this key, and what each does; `keytype` if at least that is readable."""

    def __init__(
        self, why: str, effects: Effects, reason: str = "key-unreadable", keytype: str | None = None
    ):
        super().__init__(why)
        self.effects = effects
        self.reason = reason
        self.keytype = keytype


@dataclass(slots=True)
class Key:
    keytype: str
    subject: str | None
    version: int | None
    members: Members
    form: str

    @property
    def entity_id(self) -> str:
        """subject/version of a schema, else the subject."""
        return f"{self.subject}/{self.version}" if self.keytype == SCHEMA else self.subject or ""


def read_key(key: bytes | None) -> Key:
    """Raises UnreadableKey."""
    if key is None:
        raise UnreadableKey("The record has no key.", NO_KEY)
    try:
        members = json_object(key, "key")
    except Unreadable as error:
        raise UnreadableKey(str(error), UNREADABLE) from error
    keytype = members.get("keytype")
    if not is_one_of(keytype, KEYTYPES):
        named = "no keytype" if keytype is None else f"the keytype {keytype!r}, which no registry knows"
        raise UnreadableKey(f"The key names {named}.", UNKNOWN_KEYTYPE, "unknown-keytype")
    subject, version = members.get("subject"), members.get("version")
    if keytype == SCHEMA and not (isinstance(subject, str) and is_whole(version)):
        raise UnreadableKey("The key names no subject and version.", UNREADABLE, keytype=keytype)
    if subject is not None and not isinstance(subject, str):
        raise UnreadableKey("The key's subject is not text.", UNREADABLE, keytype=keytype)
    return Key(keytype, subject, version if keytype == SCHEMA else None, members, form_of(key, members))


def is_one_of(word: Any, words: frozenset[str]) -> TypeGuard[str]:
    return isinstance(word, str) and word in words


def is_whole(number: Any) -> bool:
    """A whole number; JSON's true and false are none."""
    return isinstance(number, int) and not isinstance(number, bool)


def form_of(key: bytes, members: Members) -> str:
    """The generation of software that writes keys like this."""
    if not is_compact(key, members):
        return "pretty"
    return form_of_names(tuple(members), "subject" in members and members["subject"] is None)


@lru_cache(maxsize=1000)
def form_of_names(names: tuple[str, ...], is_null_subject: bool) -> str:
    """The same by the order of a key's members."""
    if names[-2:] == SEQUENCED and names[:-2] == in_order(CANONICAL_ORDER, names):
        return "redpanda"
    if names == in_order(CANONICAL_ORDER, names):
        return "canonical-null-subject" if is_null_subject else "canonical"
    return "old" if names == in_order(OLD_ORDER, names) else "other"


def in_order(order: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([name for name in order if name in names])


def is_compact(key: bytes, members: Members) -> bool:
    """No white space between members; a subject may contain some. Writers differ in which characters they escape."""
    if b'": ' not in key and b", " not in key and b"\n" not in key:
        return True
    return any(
        json.dumps(members, separators=(",", ":"), ensure_ascii=escapes).encode() == key
        for escapes in (False, True)
    )
