"""The records that prove what happens to a victim, as chips: an offset each, and in two words what the record does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spark.terms.entity_words import owners
from spark.terms.findings import OF_THE_LOG
from spark.terms.visible import cut_middle as short_name
from spark.terms.wording import version_name
from webapp.reports.incidents.victim_words import SCHEMA_ID, VALUE, value_offset
from webapp.reports.proof import Proof
from webapp.reports.report import ReportFinding

CHIPS_SHOWN = 4
MISSING = "missing"
PLURAL = {
    "needs": "need",
    "empties": "empty",
    "contains": "contain",
    "creates": "create",
    "changes": "change",
    "sets": "set",
    "deletes": "delete",
    "recreates": "recreate",
    "writes": "write",
    "differs": "differ",
    "supersedes": "supersede",
    "rolls": "roll",
}  # verbs at the begin of a role
REGISTRATION, VERSION = "registration", "version"
OF_PRODUCERS = ("stuck", "revived")  # effects on a partition that the producer of a record explains
WRITES = "writes "  # deed of a record that repeats another one: `writes 14 again`
ROLLS_BACK = "rolls it back"  # the same where its value is hidden
DELETES = "deletes it"
REJECTION = "shows a rejection"  # a null under the key of a version that needs a content: a start wrote it
OF_CHIP = {"changed": "differs"}  # a record that proves an effect on a partition
NAME_CHARACTERS = 32  # of an entity in a role


@dataclass(frozen=True)
class Chip:
    """A record that proves it, and its role: `empties it`. `last`: of a range of offsets without records."""

    offset: int
    role: str = ""
    last: int | None = None


def chips_of(
    row: Mapping[str, Any],
    content: Mapping[str, Any] | None,
    proofs: Sequence[Proof],
    evidence: Sequence[int],
) -> list[Chip]:
    """The records about the victim and about the content that it needs; where none is, the first ones of the proof."""
    if row["entity_type"] == VALUE:
        return chips_of_value(row["entity_id"], proofs)
    names = {row["entity_id"], *owners(row["entity_id"])}
    own = [proof for proof in proofs if proof.entity_id in names]
    of_content = [proof for proof in proofs if content and proof.entity_id == content["entity_id"]]
    if content and own and of_content:
        needing = [Chip(proof.offset, REJECTION if proof.role == DELETES else "needs it") for proof in own]
        return [*needing, *(Chip(proof.offset, proof.role) for proof in of_content)][:CHIPS_SHOWN]
    chosen = own or proofs
    if chosen:
        return [
            Chip(proof.offset, proof.role or role_for(row, proof, names)) for proof in chosen[:CHIPS_SHOWN]
        ]
    return [Chip(offset) for offset in evidence[:CHIPS_SHOWN]]


def chips_of_value(entity_id: str, proofs: Sequence[Proof]) -> list[Chip]:
    """Where the value was, and the later records of its key."""
    key, at = entity_id.rpartition("/")[0], value_offset(entity_id)
    own = [proof for proof in proofs if proof.offset == at or (proof.key == key and proof.offset > at)]
    return [Chip(proof.offset, proof.role or "supersedes it") for proof in own[:CHIPS_SHOWN]] or [
        Chip(at, MISSING)
    ]


def role_for(row: Mapping[str, Any], proof: Proof, names: Iterable[str]) -> str:
    """Of a record that has no role of its own: whose it is, or what readers meet there."""
    if proof.entity_id and proof.entity_id not in names and row["entity_type"] not in OF_THE_LOG:
        subject, _, version = proof.entity_id.rpartition("/")
        if row["entity_type"] not in (VERSION, REGISTRATION, SCHEMA_ID) or not (
            subject and version.isdecimal()
        ):
            name = proof.entity_id
        else:
            name = version_name(proof.entity_id) if subject in names else subject
        return f"of {short_name(name, NAME_CHARACTERS)}"
    if row["entity_type"] in OF_THE_LOG and not proof.entity_id:
        return proof.writer if row["kind"] in OF_PRODUCERS else OF_CHIP.get(row["kind"], "")
    return ""


def holder_of(row: Mapping[str, Any], proofs: Iterable[Proof]) -> list[Chip]:
    """The first record that gave the id of a victim to another schema, of another version or of its own."""
    names = {row["entity_id"], *owners(row["entity_id"])}
    lost = registered_at(row)
    others = [
        proof
        for proof in proofs
        if proof.entity_id and (proof.entity_id not in names or (lost is not None and proof.offset < lost))
    ]
    return [
        Chip(proof.offset, role_for(row, proof, names) or proof.role or "first schema")
        for proof in others[:1]
    ]


def registered_at(row: Mapping[str, Any]) -> int | None:
    """The offset of a victim that is one registration of a version which exists."""
    return int(row["entity_id"].rpartition("/")[2]) if row["entity_type"] == REGISTRATION else None


def with_deeds(chips: Sequence[Chip], row: Mapping[str, Any], proofs: Iterable[Proof]) -> list[Chip]:
    """Records without a role, of the victim or of what it belongs to, say what they do to it."""
    deeds = {proof.offset: deed_for(row, proof) for proof in proofs if proof.deed}
    return [replace(chip, role=chip.role or deeds.get(chip.offset, "")) for chip in chips]


def deed_for(row: Mapping[str, Any], proof: Proof) -> str:
    """`creates it`; of an owner `creates team-a`, but the record that creates an artifact creates its version too."""
    name, owner, lost = row["entity_id"], proof.entity_id, registered_at(row)
    if name == owner or (row["entity_type"] == VERSION and name.rpartition("/")[0] == owner):
        return proof.deed
    if owner not in owners(name):
        return ""
    if lost is not None:
        return proof.deed if proof.deed.startswith(WRITES) else ROLLS_BACK if proof.offset > lost else ""
    verb = proof.deed.removesuffix("it")
    return verb + short_name(owner, NAME_CHARACTERS) if verb != proof.deed else proof.deed


def around(chips: Sequence[Chip], finding: ReportFinding) -> list[Chip]:
    """Records beside what is missing say on which side they stand."""
    first, last = finding.first_offset, finding.last_offset
    sides = {
        chip.offset: "last before" if chip.offset < first else "first after"
        for chip in chips
        if first is not None and last is not None and not first <= chip.offset <= last
    }
    return [replace(chip, role=chip.role or sides.get(chip.offset, "")) for chip in chips]


def with_rejections(chips: Sequence[Chip], rejected: Collection[int]) -> list[Chip]:
    """Records that the service rejects, and that have no role of their own, say so."""
    return [
        chip if chip.role or chip.offset not in rejected else Chip(chip.offset, "rejected") for chip in chips
    ]


def as_ranges(chips: Sequence[Chip], finding: ReportFinding) -> list[Chip]:
    """The ends of a range without records are one chip: `98-103 missing`."""
    ends = (finding.first_offset, finding.last_offset)
    if [(chip.offset, chip.role) for chip in chips] != [(offset, MISSING) for offset in ends]:
        return list(chips)
    return [replace(chips[0], last=chips[1].offset)]


def with_roles_once(chips: Sequence[Chip]) -> list[Chip]:
    """Of neighbours with one role the last has it, in the plural: `276 279 empty it`. Those without a role stand last, as the role
    of the next one would be read as theirs."""
    chips = sorted(chips, key=lambda chip: not chip.role)
    roles = [chip.role for chip in chips]
    named = []
    for number, chip in enumerate(chips):
        is_followed = number + 1 < len(chips) and roles[number + 1] == chip.role
        follows = number > 0 and roles[number - 1] == chip.role
        named.append(
            replace(chip, role="" if is_followed else in_plural(chip.role) if follows else chip.role)
        )
    return named


def in_plural(role: str) -> str:
    """`empty it` of `empties it`."""
    verb, _, rest = role.partition(" ")
    return f"{PLURAL.get(verb, verb)} {rest}".rstrip()


def with_their_role(chips: Sequence[Chip]) -> list[Sequence[Chip]]:
    """`8 9 delete it` in one group: a chip whose role the next one tells is not parted from it by the end of a line."""
    groups: list[Sequence[Chip]] = []
    for chip in chips:
        joins = bool(groups) and len(groups[-1]) == 1 and not groups[-1][0].role and bool(chip.role)
        if joins:
            groups[-1] = [*groups[-1], chip]
        else:
            groups.append([chip])
    return groups
