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
        waiting = sorted(candidates, key=lambda one: (one.is_moved, one.subject, one.version))
        while waiting:
            ready = [one for one in waiting if not self.lacking(one)]
            for one in ready:
                self.try_one(one)
            if not ready:
                break
            waiting = [one for one in waiting if one not in ready]
        for one in waiting:
            self.refuse(one, f"it references {self.lacking(one)}, which is not there")

    def try_one(self, one: LostVersion) -> None:
        """Admit it, or say why not."""
        if one.is_moved:
            one = one.at(max(version for subject, version in self.schemas if subject == one.subject) + 1)
        try:
            held = attributes_of(one)
        except Unreadable as problem:
            self.refuse(one, f"its text cannot be used: {problem}")
            return
        reason = self.reason_against(one, held)
        if reason:
            self.refuse(one, reason)
        else:
            self.schemas[one.subject, one.version] = held
            self.admitted.append(one)

    def reason_against(self, one: LostVersion, held: Attributes) -> str:
        """Why it must not be written; empty: it may."""
        if (one.subject, one.version) in self.schemas:
            other = self.schemas[one.subject, one.version]["id"]
            return f"{one.name} now has schema ID {other}"
        taken = next(self.others_with_id(one, held), None)
        return f"{taken} now has this ID with another text" if taken else ""

    def others_with_id(self, one: LostVersion, held: Attributes) -> Iterator[str]:
        """Versions that have its id for another text."""
        context = id_context(self.holdings, one.subject)
        for (subject, version), other in self.schemas.items():
            if other["id"] == held["id"] and id_context(self.holdings, subject) == context and (
                text_of(other) != text_of(held)
            ):  # fmt: skip
                yield f"{subject}/{version}"

    def lacking(self, one: LostVersion) -> str:
        """The first reference that is not there, or is marked as deleted while the version would not be."""
        references = one.fields.get("references")
        for reference in references if isinstance(references, list) else ():
            subject, version = reference.get("subject"), reference.get("version")
            if version in (LATEST, None):
                held = next((held for (name, _), held in self.schemas.items() if name == subject), None)
            else:
                held = self.schemas.get((subject, version))
            if held is None or (held["deleted"] and not one.is_deleted):
                return f"{subject}/{version}"
        return ""

    def refuse(self, one: LostVersion, reason: str) -> None:
        """Say why not."""
        self.refused.append(MissingEntity(f"schema ID {one.schema_id} of {one.name}", (), reason))


def attributes_of(one: LostVersion) -> Attributes:
    """What a registry holds of it once it is written. Raises Unreadable."""
    _, members = schema_members({**one.fields, "id": one.schema_id, "deleted": one.is_deleted})
    if members.get("isNotJson"):
        raise Unreadable("it is no JSON")
    return schema_attributes({name: member for name, member in members.items() if member is not None})


def text_of(held: Attributes) -> tuple[str, str]:
    """What an id stands for."""
    return held["schemaType"], held["schemaHash"]
