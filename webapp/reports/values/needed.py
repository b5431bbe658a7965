"""What a rejected entry lacks, in words: `the version pay/invoice/2`, `the content item with hash acfbc192c6db…`."""

from __future__ import annotations

from typing import Any

from spark.terms.entity_words import type_words
from webapp.reports.values.attributes import DIGEST, DIGEST_START, members_of

DEFAULT_TENANT = "_/"
BY_ID = "#"
# Reasons of rejections that would be the same if nothing were lacking.
WHATEVER_IT_NEEDS = frozenset(("already-exists", "id-taken", "repeated"))


def lacked(rejection: dict[str, Any]) -> str:
    """`content:57`; empty where the entry is rejected for another reason."""
    return "" if rejection["reason"] in WHATEVER_IT_NEEDS else rejection["needs"] or ""


def needed(rejection: dict[str, Any], attributes: str | None) -> str:
    """Empty where nothing is named, where the entry is about what it lacks, and where that is not why it is rejected.
    `attributes`: those of the entry."""
    kind, _, identity = lacked(rejection).partition(":")
    identity = identity.removeprefix(DEFAULT_TENANT).removeprefix(BY_ID)
    name = identity.rpartition("/")[2]
    own_names = (rejection["entity_id"], members_of(attributes).get("contentHash"))
    if not identity or (kind == rejection["entity_type"] and (identity in own_names or name in own_names)):
        return ""
    if DIGEST.fullmatch(name):
        return f"the {type_words(kind)} with hash {name[:DIGEST_START]}…"
    return f"the {type_words(kind)} {identity}"


def own_hash(rejection: dict[str, Any], attributes: str | None) -> str:
    """The hash of the entity itself, where that is what is missing; else empty."""
    is_itself = lacked(rejection) and not needed(rejection, attributes)
    return str(members_of(attributes).get("contentHash") or "") if is_itself else ""
