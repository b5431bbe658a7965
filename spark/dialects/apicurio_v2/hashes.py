"""Recomputes a content's hashes to find which historical form the stored ones have.

    contentHash   => sha256(content || references)               since 2.4.2: current
                   | sha256(content)                             before, and kept by some imports: legacy
    canonicalHash => the same two forms over the canonical text of the content

The content record does not name its artifact type. Every family whose grammar fits the content is tried: a match proves
the form. Source: RegistryContentUtils.java 2.6.13.Final, KafkaSqlRegistryStorage.java 2.5.8.Final.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from spark.dialects.apicurio_v2.canonical import Form, candidates, quick_forms

Members = dict[str, Any]
CURRENT, LEGACY, OTHER, MISMATCH = "current", "legacy", "other", "mismatch"


def sha256(data: bytes) -> str:
    """Lower-case hex, as in the journal."""
    return hashlib.sha256(data).hexdigest()


def hash_forms(content: bytes, references: bytes, content_hash: object, canonical_hash: object) -> Members:
    """What an entry says of its hashes. Unknown members are null, with the reason in a member of their own."""
    return {
        "contentHashForm": matching_form(content, references, content_hash) or MISMATCH,
        **canonical_hash_form(content, references, canonical_hash),
    }


def canonical_hash_form(content: bytes, references: bytes, stored: object) -> Members:
    """`canonicalHashForm`, the family that computed it (`canonicalHashOf`), or why it is unknown."""
    if not stored:
        return {"canonicalHashForm": None, "canonicalHashWhy": "no canonical hash is stored"}
    try:
        match = first_match(quick_forms(content), references, stored)
        if match:
            return match
        tried = candidates(content, bool(references))
        match = first_match(tried.forms, references, stored)
    except RecursionError:
        return {"canonicalHashForm": None, "canonicalHashWhy": "the content is nested too deep"}
    if match:
        return match
    if tried.is_certain:
        return {"canonicalHashForm": OTHER, "canonicalHashOf": tried.family}
    return {"canonicalHashForm": None, "canonicalHashWhy": tried.why}


def first_match(forms: Iterable[Form], references: bytes, stored: object) -> Members | None:
    for family, text, is_outdated in forms:
        form = matching_form(text, references, stored)
        if form:
            return {"canonicalHashForm": OTHER if is_outdated else form, "canonicalHashOf": family}
    return None


def matching_form(text: bytes, references: bytes, stored: object) -> str | None:
    """How the stored hash was computed from this text: with the references or, if there are some, without."""
    if sha256(text + references) == stored:
        return CURRENT
    return LEGACY if references and sha256(text) == stored else None
