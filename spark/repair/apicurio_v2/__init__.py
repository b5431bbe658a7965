"""Repair of an Apicurio Registry 2.x journal that lost contents or artifacts, or will at the next compaction.

append   artifact by artifact: its DELETE where the registry holds it, the contents of all its versions, then its records
         again: the CREATE under its old key, any other under a new one. Without the DELETE the records would fail, and the null
         records that the registry then writes would take them along at the compaction after.
copy     a new topic: each content before the first record that needs it, no empty UPDATE, no null record under the key
         of a living version, no second copy of a record that counts

Both were followed on real registries (docs/repair.md). What has been deleted stays so; where a compaction would bring
it back, or change a setting, records are added that keep it as it is (settled.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from spark.dialects import Entity
from spark.repair import Added, AddedSchemaFile, MissingEntity, Plan, RequestedSchema
from spark.repair.apicurio_v2.artifacts import AFTER, BrokenArtifact, artifact_of
from spark.repair.apicurio_v2.contents import Needed, Supply
from spark.repair.apicurio_v2.effects import keeping
from spark.repair.apicurio_v2.rebuilt import rebuilt
from spark.repair.apicurio_v2.settled import Settling, settling
from spark.repair.apicurio_v2.stake import Stake, stake_of
from spark.repair.journal import PartitionJournal
from spark.repair.marks import with_requests
from spark.repair.steps import steps
from spark.simulation.starts import start
from spark.tables.repair_records import REQUEST
from spark.terms.wording import listed

MAX_ROUNDS = 5  # of looking what a registry would still reject in the repaired copy
CONTENT_REASONS = ("content-missing", "content-later", "content-null")
COPY_REASONS = ("repeated", "already-exists")
NO_ID = (
    "its contentId, which no record tells. The text is in the file {file}. An older dump tells the ID, and so do clients that "
    "write contentIds into their messages: give it with that file. The ID must be free"
)


def plan(
    journal: PartitionJournal,
    older: Sequence[PartitionJournal],
    files: Sequence[AddedSchemaFile],
    requested: Sequence[RequestedSchema] = (),
) -> Plan:
    """What repairs a journal, with older dumps of it and files that hold the text of its schemas, some with the id of their
    content."""
    stake = stake_of(journal, older)
    artifacts = [artifact_of(label, journal, older, label in stake.artifacts) for label in stake.labels]
    unnamed = rebuilt(artifacts, stake.gone_versions, journal)
    artifacts = [artifact for artifact in artifacts if artifact.living]
    supply = Supply(journal, older, files, requested)
    contents = supply.needed(need for artifact in artifacts for need in artifact.needs)
    lacking = {need.entity for need in contents if need.source is None}
    for artifact in artifacts:
        artifact.standing_in(lacking)
    saved = [artifact.without(lacking) for artifact in artifacts]
    whole = [artifact for artifact in saved if artifact.living and artifact.begins]
    building = RepairRecords(
        journal,
        whole,
        contents,
        stake,
        settling(journal, older, stake, {artifact.label for artifact in whole}),
    )
    wanted_by = (
        {need.entity for need in contents} & lacking & {n for artifact in artifacts for n in artifact.needs}
    )
    missing = [missing_content(need, artifacts) for need in contents if need.entity in wanted_by]
    missing += [missing_first(artifact) for artifact in artifacts if not artifact.begins]
    refused = tuple(replaced_artifact(artifact) for artifact in artifacts if artifact.predecessor[1])
    return replace(building.plan((*missing, *unnamed)), refused=refused)


def replaced_artifact(artifact: BrokenArtifact) -> MissingEntity:
    """Versions of an artifact whose name a later one has."""
    created, names = artifact.predecessor
    return MissingEntity(
        f"{listed(names)} as {'it was' if len(names) == 1 else 'they were'} before offset {created}",
        tuple(names),
        f"at that offset, {artifact.label} was created again; the repair keeps the later one, without versions of the earlier one",
    )


def missing_content(need: Needed, artifacts: Sequence[BrokenArtifact]) -> MissingEntity:
    users = tuple(label for artifact in artifacts for label in artifact.labels_with(need.entity))
    if need.unidentified:
        return MissingEntity(need.name, users, NO_ID.format(file=need.unidentified))
    return MissingEntity(
        need.name,
        users,
        f"its exact bytes, whose SHA-256 (of the content followed by its references) is {need.content_hash}: from an older dump, "
        "from the running registry, or the schema's file as it was registered",
    )


def is_lost_with(
    entity: Entity, attributes: Mapping[str, Any], versions: Collection[str], artifacts: Collection[str]
) -> bool:
    """Whether an entity is one of these versions or artifacts, or belongs to one."""
    kind, name = entity
    if kind == "comment":
        return (
            "/".join(str(attributes.get(member)) for member in ("groupId", "artifactId", "version"))
            in versions
        )
    if kind == "artifact-rule":
        return name.rpartition("/")[0] in artifacts
    return (kind == "version" and name in versions) or (kind == "artifact" and name in artifacts)


def missing_first(artifact: BrokenArtifact) -> MissingEntity:
    """An artifact of which only later versions are left."""
    return MissingEntity(
        f"the first version of {artifact.label}",
        tuple(artifact.labels),
        "its Artifact CREATE record, from an older dump of the topic",
    )


@dataclass
class RepairRecords:
    """The records that the plan is made of."""

    journal: PartitionJournal
    artifacts: Sequence[BrokenArtifact]
    contents: Sequence[Needed]
    stake: Stake
    settling: Settling
    before: dict[int, list[Added]] = field(default_factory=lambda: defaultdict(list))
    after: dict[int, list[Added]] = field(default_factory=lambda: defaultdict(list))
    left_out: dict[int, str] = field(default_factory=dict)

    @property
    def used(self) -> list[Needed]:
        """Contents of the artifacts that are written again."""
        needs = {entity for artifact in self.artifacts for entity in artifact.needs}
        return [need for need in self.contents if need.entity in needs]

    def plan(self, missing: tuple[MissingEntity, ...]) -> Plan:
        """Both ways."""
        for need in self.used:
            self.edit_content(need)
        for artifact in self.artifacts:
            self.edit_artifact(artifact)
        self.edit_what_is_rejected()
        if self.settling.records and len(self.journal.log()):
            self.after[self.journal.end_offset() - 1].extend(self.settling.records)
        recovered = tuple(label for artifact in self.artifacts for label in artifact.labels)
        at_risk = tuple(label for label in recovered if ("version", label) in self.journal.state)
        corrected = self.settling.corrected
        return Plan(
            recovered, at_risk, self.settling.settled, corrected, self.required(missing),
            (*with_requests([*self.appended()], REQUEST), *self.settling.records),
            self.before, self.after, self.left_out, missing, bears_old_alarms=bool(missing),
            reasons=self.settling.reasons,
            steps_of=partial(steps, versions=recovered, corrected=corrected, keeping=keeping(self.journal, self.stake)),
        )  # fmt: skip

    def required(self, missing: Sequence[MissingEntity]) -> dict[tuple[str, str], dict[str, Any]]:
        """What the registry held, and what comes back; not what is missing, which no way can bring back."""
        entities = {entity: dict(attributes) for entity, attributes in self.stake.required.items()}
        lost = {label for gone in missing for label in gone.needed_by}
        for artifact in self.artifacts:
            entities.setdefault(("artifact", artifact.label), {})
            for kind, name, label in artifact.belongings:
                if label not in lost:
                    entities.setdefault((kind, name), {})
            for version in artifact.living:
                entities.setdefault(("version", version.label), {"globalId": version.global_id})
        whole = {artifact.label for artifact in self.artifacts}
        versions = {name for kind, name in entities if kind == "version" and name not in lost}
        emptied = (
            {label.rpartition("/")[0] for label in lost}
            - whole
            - {name.rpartition("/")[0] for name in versions}
        )
        return {
            entity: attributes
            for entity, attributes in entities.items()
            if not is_lost_with(entity, attributes, lost, emptied)
        }

    def appended(self) -> Iterator[Added]:
        """Artifact by artifact: its DELETE, which takes contents along; its contents, then all its records. An append that is
        interrupted lacks one artifact at most; those that no registry holds lose nothing, and stand first."""
        own = {artifact.label for artifact in self.artifacts}
        written: set[str] = set()
        for artifact in sorted(self.artifacts, key=lambda artifact: artifact.is_held):
            if artifact.is_held:
                yield from artifact.deletion()
            for need in [
                need for need in self.used if need.entity in artifact.needs and need.entity not in written
            ]:
                users = self.stake.users_of(need.content_hash)
                yield need.appended(is_shared=bool(users - own))
            written.update(artifact.needs)
            yield from artifact.records()

    def edit_content(self, need: Needed) -> None:
        """In a new topic: no empty UPDATE, and the content before the first record that needs it."""
        for offset in need.empty_updates:
            self.left_out[offset] = f"replaces content {need.content_id} with an empty content"
        uses = [position for artifact in self.artifacts for position in artifact.positions_with(need.entity)]
        first_use = min(uses, default=None)
        if first_use is None or need.stands_before(first_use):
            return
        for offset in need.full_records:
            self.left_out[offset] = (
                f"content {need.content_id} is put before the first record that needs it instead"
            )
        offset, side = first_use
        (self.after if side == AFTER else self.before)[offset].insert(0, need.added())

    def edit_artifact(self, artifact: BrokenArtifact) -> None:
        """In a new topic: versions that fell with the first one stand in their place again, and no null takes them."""
        for offset in artifact.unfinished:
            self.left_out[offset] = f"an unfinished repair of {artifact.label} wrote it"
        for offset in artifact.nulls:
            self.left_out[offset] = f"removes a version of {artifact.label} that the registry could not read"
        for version in artifact.versions:
            if version.offset is not None and version.is_replaced:
                self.left_out[version.offset] = (
                    f"the lost content of {version.label}, which is deleted later, is replaced"
                    if version.is_deleted
                    else f"{version.label} is written with its number: a version before it stays lost"
                )
                self.before[version.offset].append(version.record)
        for (offset, side), record in artifact.strayed():
            (self.after if side == AFTER else self.before)[offset].append(record)
        self.edit_unanchored(artifact)

    def edit_unanchored(self, artifact: BrokenArtifact) -> None:
        """Of an artifact none of whose records is in the journal: all of it goes to the end."""
        if not len(self.journal.log()):
            return
        end = self.after[self.journal.end_offset() - 1]
        if any(version.offset is not None for version in artifact.versions):
            end += artifact.restored
            return
        end += [need.added() for need in self.used if need.entity in artifact.needs]
        end += artifact.records()

    def edit_what_is_rejected(self) -> None:
        """Look what the registry would reject in the copy, and put that right: a content that an earlier deletion took
        along, the second copy of a record that counts."""
        release = self.journal.language.releases[-1]
        for _ in range(MAX_ROUNDS):
            log = self.journal.edited_log(self.before, self.after, self.left_out)
            rejected = start(log, self.journal.language, release).started.rejected
            at = {log.offset(position): reason for position, reason in rejected.items()}
            if not self.edit_round(at):
                return

    def edit_round(self, rejected: dict[int | None, str]) -> bool:
        """One round; whether anything was put right."""
        needs = {need.entity: need for need in self.used}
        changed = False
        for version in (version for artifact in self.artifacts for version in artifact.versions):
            offset = version.offset
            reason = rejected.get(offset, "") if offset is not None else ""
            if offset is None or offset in self.left_out:
                continue
            need = needs.get(version.need)
            if reason in CONTENT_REASONS and need and need.added() not in self.before[offset]:
                self.before[offset].insert(0, need.added())
                changed = True
        for artifact in self.artifacts:
            for offset in artifact.copies & rejected.keys() - self.left_out.keys():
                if offset is not None and rejected[offset] in COPY_REASONS:
                    self.left_out[offset] = f"a second copy of a record of {artifact.label}"
                    changed = True
        return changed
