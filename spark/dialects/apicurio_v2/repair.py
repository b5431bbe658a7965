"""Repair of an Apicurio Registry 2.x journal whose contents an empty UPDATE replaced.

What works was tried on real registries: the content first, then every record of the artifact again, under their old
keys, so that compaction keeps these copies and not the stranded ones; or a fresh topic in which the content stands
before the first record that needs it. In neither may an empty UPDATE be the last record of a content's key.

Only what is missing now, or will be when compaction is done, is touched; what has been deleted stays so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from spark.dialects.apicurio_v2.repair_artifacts import BrokenArtifact, broken_artifacts
from spark.dialects.apicurio_v2.repair_contents import Needed, Supply
from spark.repair import Added, Missing, Plan, SchemaFile
from spark.repair.journal import Journal


def plan(journal: Journal, older: Sequence[Journal], files: Sequence[SchemaFile]) -> Plan:
    """What mends a journal, with older dumps of it and files that hold the text of its schemas."""
    artifacts = broken_artifacts(journal, older)
    supply = Supply(journal, older, files)
    contents = supply.needed(need for artifact in artifacts for need in artifact.needs)
    lacking = {need.entity for need in contents if need.source is None}
    whole = [one for one in artifacts if not lacking.intersection(one.needs)]
    used = {entity for one in whole for entity in one.needs}
    mending = Mending(journal, whole, [need for need in contents if need.entity in used])
    missing = tuple(missing_content(need, artifacts) for need in contents if need.source is None)
    return mending.plan(missing)


def missing_content(need: Needed, artifacts: Sequence[BrokenArtifact]) -> Missing:
    """What to look for."""
    users = tuple(label for one in artifacts for label in one.labels_with(need.entity))
    return Missing(
        f"content {need.content_id}",
        users,
        f"its exact bytes, whose SHA-256 (with the references behind them) is {need.content_hash}: from an older dump, "
        "from the running registry, or the schema's file as it was registered",
    )


@dataclass
class Mending:
    """The records that the plan is made of."""

    journal: Journal
    artifacts: Sequence[BrokenArtifact]
    contents: Sequence[Needed]
    before: dict[int, list[Added]] = field(default_factory=lambda: defaultdict(list))
    after: dict[int, list[Added]] = field(default_factory=lambda: defaultdict(list))
    left_out: dict[int, str] = field(default_factory=dict)

    def plan(self, missing: tuple[Missing, ...]) -> Plan:
        """Both ways of mending."""
        for need in self.contents:
            self.mend_content(need)
        for artifact in self.artifacts:
            self.mend_artifact(artifact)
        mended = tuple(label for one in self.artifacts for label in one.labels)
        return Plan(mended, tuple(self.appended()), self.before, self.after, self.left_out, missing)

    def appended(self) -> Iterator[Added]:
        """Contents first, then every record of each artifact again."""
        for need in self.contents:
            if need.must_be_written:
                yield need.added()
        for artifact in self.artifacts:
            yield from artifact.records()

    def mend_content(self, need: Needed) -> None:
        """In a fresh topic: no empty UPDATE, and the content before the first record that needs it."""
        for offset in need.empty_updates:
            self.left_out[offset] = f"replaces content {need.content_id} with nothing"
        first_use = min(one.first_use(need.entity) for one in self.artifacts)
        if need.stands_before(first_use):
            return
        for offset in need.full_records:
            self.left_out[offset] = (
                f"content {need.content_id} stands before the first record that needs it instead"
            )
        self.before[first_use].insert(0, need.added())

    def mend_artifact(self, artifact: BrokenArtifact) -> None:
        """In a fresh topic: versions that fell with the first one stand in their place again, and no null takes them."""
        for offset in artifact.nulls:
            self.left_out[offset] = (
                f"takes back a version of {artifact.label} that the registry could not read"
            )
        for side, offset, record in artifact.strayed():
            (self.after if side == "after" else self.before)[offset].append(record)
