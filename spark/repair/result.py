"""A plan carried out and tried: the mended journal is inspected and replayed as any other before anybody trusts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spark.detectors import Place, Tables
from spark.dialects import dialects
from spark.repair import Added, Plan, SchemaFile, envelopes
from spark.repair.journal import Journal
from spark.repair.steps import steps
from spark.sources import InputFile
from spark.stages.speaking import speaking
from spark.stages.state_at import state_at
from spark.tables import Manifest
from spark.topic_commands import FILL_IN, named

Report = dict[str, Any]
Inspect = Callable[[list[InputFile], Path, Mapping[str, str]], Report]  # the mapping: topic -> dialect id
Entities = dict[tuple[str, str], dict[str, Any]]
ALARMS = ("critical", "high")
APPEND, COPY = "append", "copy"


@dataclass(frozen=True)
class Input:
    """An inspected input: its report, the folder of its tables, and what the user calls it."""

    report: Report
    folder: Path
    name: str

    def journals(self) -> list[Journal]:
        """Each partition, by the copy that speaks for it."""
        manifest = Manifest.load(self.folder)
        names = {one["topic"]: one["dialect"] for one in self.report["journals"]}
        places = speaking(Tables.open(manifest))
        return [Journal(manifest, where, self.name, names[where[0]]) for where in places]


@dataclass
class Way:
    """One way to mend: records to append, or a mended copy for a fresh topic."""

    id: str
    records: int  # in the files to produce
    added: Sequence[Added]
    left_out: Mapping[int, str]
    files: list[str] = field(default_factory=list)
    verdict: dict[str, str] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)
    state: dict[str, dict[str, int]] = field(default_factory=dict)
    lacks: list[str] = field(default_factory=list)  # entities that should be there and are not
    steps: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Everything is there, now and when compaction is done, and nothing grave is found."""
        return not self.lacks and not any(finding["severity"] in ALARMS for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "id": self.id, "holds": self.holds, "records": self.records, "files": self.files,
            "added": [{"what": one.what, "source": one.source} for one in self.added],
            "removed": [{"offset": offset, "why": why} for offset, why in sorted(self.left_out.items())],
            "state": self.state, "lacks": self.lacks, "verdict": self.verdict, "findings": self.findings,
            "steps": self.steps,
        }  # fmt: skip


@dataclass
class Repaired:
    """What came of one partition."""

    topic: str
    partition: int
    plan: Plan
    ways: list[Way]

    @property
    def recommended(self) -> Way | None:
        """The first way that holds: appending is less work than a fresh topic."""
        return next((way for way in self.ways if way.holds), None)

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "topic": self.topic,
            "partition": self.partition,
            "mended": list(self.plan.mended),
            "missing": [
                {"entity": one.entity, "needed_by": list(one.needed_by), "wanted": one.wanted}
                for one in self.plan.missing
            ],
            "recommended": self.recommended.id if self.recommended else None,
            "ways": [way.as_json() for way in self.ways],
        }


def repair(
    broken: Input, older: Sequence[Input], files: Sequence[SchemaFile], inspect: Inspect, out: Path
) -> list[Repaired]:
    """Mend every partition that can be mended; the files to produce are written below `out`."""
    found = []
    for journal in broken.journals():
        planned = dialects()[journal.dialect].repair
        if planned is None:
            continue
        copies = [one for other in older for one in other.journals() if is_same(one, journal)]
        plan = planned(journal, copies, files)
        if plan.is_empty and not plan.missing:
            continue
        folder = out / f"{named(journal.where[0], 'topic')}-{journal.where[1]}"
        ways = [] if plan.is_empty else carried_out(journal, plan, inspect, folder)
        found.append(Repaired(journal.where[0], journal.where[1], plan, ways))
    return found


def is_same(one: Journal, other: Journal) -> bool:
    """Two dumps of the same partition, as far as their layouts name it."""
    is_named_alike = one.where[0] == other.where[0] or "?" in (one.where[0], other.where[0])
    return is_named_alike and one.where[1] == other.where[1] and one.dialect == other.dialect


def carried_out(journal: Journal, plan: Plan, inspect: Inspect, folder: Path) -> list[Way]:
    """Both ways, written and tried."""
    topic, partition, _ = journal.where
    fresh = fresh_topic(topic)
    append = Way(APPEND, len(plan.appended), plan.appended, {})
    end_offset = journal.end_offset()
    envelopes.write(folder, "append", plan.appended, topic, partition, end_offset)
    added = [record for group in (*plan.before.values(), *plan.after.values()) for record in group]
    copy = Way(COPY, 0, added, plan.left_out)
    copy.records = envelopes.write(folder, "mended", envelopes.mended(journal, plan), fresh, partition)
    before = {view: entities(journal.manifest, journal.where, view) for view in ("log", "full")}
    for way, name in ((append, "append"), (copy, "mended")):
        way.files = [f"{folder.name}/{name}.topicdump", f"{folder.name}/{name}.ndjson"]
        way.steps = steps(way.id, named(topic), fresh, way.files[0])
        tried(way, journal, plan, before, inspect, folder)
    return [append, copy]


def tried(
    way: Way, journal: Journal, plan: Plan, before: Mapping[str, Entities], inspect: Inspect, folder: Path
) -> None:
    """Inspect the mended journal, and hold its state against what should be there."""
    topic, partition, _ = journal.where
    whole, tables = folder / "mended.topicdump", folder / f"tried-{way.id}"
    if way.id == APPEND:
        envelopes.write(folder, "tried", envelopes.appended(journal, plan), topic, partition)
        whole = folder / "tried.topicdump"
    # A copy's topic has another name, by which it may look like another journal: it is read as this one is.
    report = inspect([InputFile(whole.name, str(whole), whole.stat().st_size)], tables, {"": journal.dialect})
    after = Manifest.load(tables)
    where = ((fresh_topic(topic) if way.id == COPY else topic), partition, "")
    states = {view: entities(after, where, view) for view in ("log", "full")}
    wanted = set(before["log"]) | {("version", label) for label in plan.mended}
    gone = {entity for state in states.values() for entity in wanted - set(state)}
    way.lacks = sorted(" ".join(entity) for entity in gone)
    way.state = {
        "before": counted(before["log"]), "before_after_compaction": counted(before["full"]),
        "after": counted(states["log"]), "after_after_compaction": counted(states["full"]),
    }  # fmt: skip
    way.verdict = report["verdict"]
    way.findings = [
        {name: finding[name] for name in ("detector", "severity", "title", "first_offset")}
        for finding in report["findings"]
        if finding["consequence_of"] is None
    ]


def fresh_topic(topic: str) -> str:
    """What to call the topic of a mended copy."""
    return f"{topic}-mended" if named(topic) == topic else FILL_IN


def entities(manifest: Manifest, where: Place, view: str) -> Entities:
    """The entities at the end of one partition's journal, by type and name; others in the same input do not count."""
    return {
        (row["entity_type"], row["entity_id"]): row["attributes"]
        for row in state_at(manifest, view=view)
        if (row["topic"], row["partition"]) == where[:2]
    }


def counted(state: Entities) -> dict[str, int]:
    """Entities by type."""
    return dict(sorted(Counter(entity_type for entity_type, _ in state).items()))
