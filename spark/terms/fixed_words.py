"""Values of members that are words of the service itself, such as the type of an artifact: data of nobody, so a share shows them.

Sources: Apicurio `ArtifactType`, `ArtifactState`, `VersionState`, `RuleType`, `RoleType`, `CompatibilityLevel`, `ValidityLevel`,
`IntegrityLevel`. Any other value of such a member is data: operators can add artifact types.
"""

from __future__ import annotations

from spark.terms import marked

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
