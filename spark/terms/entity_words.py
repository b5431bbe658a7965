"""Sentences with ids of entities, such as those that a state lost or regained: few are named, many are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spark.terms import marked
from spark.terms.wording import grouped, listed, sentence, some, type_name

NAMED = 3
WORDS = {"content": "content item"}


def owners(entity_id: str) -> list[str]:
    """`a` and `a/b` of `a/b/1`: an id is names joined with `/`, each below its owner."""
    parts = entity_id.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def type_words(entity_type: str) -> str:
    """`content item`, `artifact rule`."""
    return WORDS.get(entity_type, type_name(entity_type))


def type_before_id(entity_type: str) -> str:
    """`content` of `content 61`, `artifact rule` of `artifact rule a/VALIDITY`."""
    return entity_type.replace("-", " ")


def named(entity_type: str, ids: list[str], most: int = NAMED) -> str:
    """`content 4`, `3 content items (48, 61 and 63)`."""
    return counted(entity_type, ids) + ("" if len(ids) == 1 else f" ({some(ids, most)})")


def counted(entity_type: str, ids: list[str]) -> str:
    """`content 4`, `3 content items`."""
    if len(ids) == 1:
        return f"{type_before_id(entity_type)} {ids[0]}"
    word = type_words(entity_type)
    return f"{grouped(len(ids))} {word[:-1] + 'ies' if word.endswith('y') else word + 's'}"


def by_type(rows: Iterable[Mapping[str, Any]], kind: str) -> dict[str, list[str]]:
    """Ids of a kind by type, without those that belong to another of them."""
    of_kind = [row for row in rows if row["kind"] == kind]
    ids = {row["entity_id"] for row in of_kind}
    outermost: dict[str, list[str]] = {}
    for row in of_kind:
        if ids.isdisjoint(owners(row["entity_id"])):
            outermost.setdefault(row["entity_type"], []).append(row["entity_id"])
    return outermost


def difference_sentence(rows: list[dict[str, Any]], words: Callable[[str, list[str]], str] = named) -> str:
    """`Between these dumps 3 content items (48, 61 and 63) were lost. Artifact a/b reappeared.`; of `changed`
    rows what changed although no record says so; empty without differences."""
    lost, reappeared, changed = (by_type(rows, kind) for kind in ("lost", "reappeared", "changed"))
    clauses = []
    if lost:
        verb = "was" if sum(map(len, lost.values())) == 1 else "were"
        clauses.append(f"between these dumps {_listed(lost, words)} {verb} lost")
    if reappeared:
        since = "" if lost else "between these dumps "
        clauses.append(f"{since}{_listed(reappeared, words)} reappeared")
    if changed:
        since = "" if clauses else "between these dumps "
        clauses.append(f"{since}{_listed(changed, words)} changed without a new record")
    return " ".join(sentence(clause) for clause in clauses)


def _listed(ids: dict[str, list[str]], words: Callable[[str, list[str]], str]) -> str:
    return listed([words(entity_type, some_ids) for entity_type, some_ids in ids.items()])


# Values of members that are words of the registry itself: data of nobody, so a share shows them. Sources: Apicurio `ArtifactType`,
# `ArtifactState`, `VersionState`, `RuleType`, `RoleType`, `CompatibilityLevel`, `ValidityLevel`, `IntegrityLevel`. Any other value of such a
# member is data: operators can add artifact types.
LEVELS = frozenset(
    ["NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"]
)
FIXED_WORDS: dict[str, frozenset[str]] = {
    "type": frozenset(
        [
            "AVRO",
            "PROTOBUF",
            "PROTOBUF_FD",
            "JSON",
            "KCONNECT",
            "OPENAPI",
            "ASYNCAPI",
            "GRAPHQL",
            "WSDL",
            "XSD",
            "XML",
        ]
    ),
    "state": frozenset({"ENABLED", "DISABLED", "DEPRECATED", "DRAFT"}),
    "rule": frozenset({"VALIDITY", "COMPATIBILITY", "INTEGRITY"}),
    "role": frozenset({"READ_ONLY", "DEVELOPER", "ADMIN"}),
    "compatibility": LEVELS,
    "config": LEVELS | frozenset(["SYNTAX_ONLY", "REFS_EXIST", "ALL_REFS_MAPPED", "NO_DUPLICATES"]),
}


def is_fixed(member: str, value: object) -> bool:
    return str(value) in FIXED_WORDS.get(member, ())


def value_of(member: str, value: object) -> str:
    """In a sentence: one of our words, or a name of the data."""
    return str(value) if is_fixed(member, value) else marked.name(value)
