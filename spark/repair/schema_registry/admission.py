"""Which lost versions may be written: the id free, the place free, every reference there. The others are refused with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from spark.dialects.schema_registry.reader import schema_attributes
from spark.dialects.schema_registry.values import schema_members
from spark.difference.members import Attributes
from spark.repair import MissingEntity
from spark.repair.schema_registry.holdings import Holdings
from spark.repair.schema_registry.lost import LostVersion, id_context
from spark.terms.errors import Unreadable

LATEST = -1


@dataclass
class Admission:
    """The registry's versions and what is admitted to them, one version after the other."""

    holdings: Holdings
    schemas: dict[tuple[str, int], Attributes] = field(init=False)
    admitted: list[LostVersion] = field(default_factory=list)
    refused: list[MissingEntity] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.schemas = dict(self.holdings.schemas)

    def admit(self, candidates: Sequence[LostVersion]) -> None:
        """All that may be: those that others reference before these; a place of its own before one that is moved."""
        waiting = sorted(candidates, key=lambda lost: (lost.is_moved, lost.subject, lost.version))
        while waiting:
            ready = [candidate for candidate in waiting if not self.lacking(candidate)]
            for candidate in ready:
                self.try_to_admit(candidate)
            if not ready:
                break
            waiting = [candidate for candidate in waiting if candidate not in ready]
        for candidate in waiting:
            self.refuse(candidate, f"it references {self.lacking(candidate)}, which is not there")

    def try_to_admit(self, candidate: LostVersion) -> None:
        if candidate.is_moved:
            versions = [version for subject, version in self.schemas if subject == candidate.subject]
            candidate = candidate.at(max(versions) + 1)
        try:
            schema = attributes_of(candidate)
        except Unreadable as problem:
            self.refuse(candidate, f"its text cannot be used: {problem}")
            return
        reason = self.reason_against(candidate, schema)
        if reason:
            self.refuse(candidate, reason)
        else:
            self.schemas[candidate.subject, candidate.version] = schema
            self.admitted.append(candidate)

    def reason_against(self, candidate: LostVersion, schema: Attributes) -> str:
        """Why it must not be written; empty: it may."""
        present = self.schemas.get((candidate.subject, candidate.version))
        if present and not (candidate.shared and present["id"] == candidate.shared.schema_id):
            return f"{candidate.name} now has schema ID {present['id']}"
        taken = next(self.others_with_id(candidate, schema), None)
        return f"{taken} now has this ID with another text" if taken else ""

    def others_with_id(self, candidate: LostVersion, schema: Attributes) -> Iterator[str]:
        """Versions that have its id for another text."""
        context = id_context(self.holdings, candidate.subject)
        for (subject, version), other in self.schemas.items():
            has_id = other["id"] == schema["id"] and id_context(self.holdings, subject) == context
            if has_id and text_of(other) != text_of(schema):
                yield f"{subject}/{version}"

    def lacking(self, candidate: LostVersion) -> str:
        """The first reference that is not there, or is marked as deleted while the version would not be."""
        references = candidate.fields.get("references")
        for reference in references if isinstance(references, list) else ():
            subject, version = reference.get("subject"), reference.get("version")
            if version in (LATEST, None):
                target = next((schema for (name, _), schema in self.schemas.items() if name == subject), None)
            else:
                target = self.schemas.get((subject, version))
            if target is None or (target["deleted"] and not candidate.is_deleted):
                return f"{subject}/{version}"
        return ""

    def refuse(self, candidate: LostVersion, reason: str) -> None:
        entity = f"schema ID {candidate.schema_id} of {candidate.name}"
        self.refused.append(MissingEntity(entity, (), reason))


def attributes_of(version: LostVersion) -> Attributes:
    """What a registry holds of it once it is written. Raises Unreadable."""
    _, members = schema_members({**version.fields, "id": version.schema_id, "deleted": version.is_deleted})
    if members.get("isNotJson"):
        raise Unreadable("it is no JSON")
    return schema_attributes({name: member for name, member in members.items() if member is not None})


def text_of(schema: Attributes) -> tuple[str, str]:
    return schema["schemaType"], schema["schemaHash"]
