"""What comes of a repair: the ways of each partition with their trial, and the answer for every journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spark.repair import Added, Plan
from spark.repair.alarms import is_alarm, mark_of
from spark.repair.nothing import Untouched
from spark.repair.trial import PrefixTrial, TrialOutcome
from spark.tables.repair_records import UnfinishedRepair

APPEND, COPY = "append", "copy"


@dataclass
class RepairOption:
    """One way to repair: records to append, or a repaired copy for a new topic."""

    id: str
    records: int  # in the files to produce
    added: Sequence[Added]
    left_out: Mapping[int, str]
    files: list[str] = field(default_factory=list)
    verdict: dict[str, str] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)
    state: dict[str, dict[str, int]] = field(default_factory=dict)
    outcomes: list[TrialOutcome] = field(default_factory=list)
    elsewhere: Mapping[str, TrialOutcome] = field(default_factory=dict)  # by service: what others make of it
    prefixes: PrefixTrial = field(default_factory=PrefixTrial)  # of records to append
    writes: list[str] = field(default_factory=list)  # by the first start
    needs: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    old_alarms: frozenset[tuple[str, str]] = frozenset()  # marks of findings that may stay

    @property
    def lacks(self) -> list[str]:
        """What is not as it should be after some start, each once."""
        entities = [entity for outcome in self.outcomes for entity in outcome.lacks]
        entities += [
            f"{entity} (deleted, reappears)" for outcome in self.outcomes for entity in outcome.returns
        ]
        entities += [f"{entity} (changed)" for outcome in self.outcomes for entity in outcome.differs]
        return sorted(set(entities))

    @property
    def holds(self) -> bool:
        """Everything is as it should be at every start, and nothing grave is found after the first."""
        alarms = [finding for finding in self.findings if is_alarm(finding)]
        is_grave = any(mark_of(finding) not in self.old_alarms for finding in alarms)
        return bool(self.outcomes) and all(outcome.holds for outcome in self.outcomes) and not is_grave

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "id": self.id, "holds": self.holds, "records": self.records, "files": self.files,
            "added": [{"what": record.what, "source": record.source} for record in self.added],
            "removed": [{"offset": offset, "why": why} for offset, why in sorted(self.left_out.items())],
            "state": self.state, "lacks": self.lacks, "trial": [outcome.as_json() for outcome in self.outcomes],
            "writes": self.writes, "needs": self.needs, "verdict": self.verdict, "findings": self.findings,
            "steps": self.steps, "prefixes": self.prefixes.as_json(),
            "elsewhere": [outcome.as_json() | {"release": title} for title, outcome in self.elsewhere.items()],
        }  # fmt: skip


@dataclass
class RepairAnswer:
    """What came of every partition of an input: repaired as far as possible, in no need of a repair, not supported."""

    partitions: list[Repaired] = field(default_factory=list)
    intact: list[Untouched] = field(default_factory=list)
    unsupported: list[Untouched] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "partitions": [partition.as_json() for partition in self.partitions],
            "nothing_to_repair": [journal.as_json() for journal in self.intact],
            "unsupported": [journal.as_json() for journal in self.unsupported],
        }


@dataclass
class Repaired:
    """What came of one partition."""

    topic: str
    partition: int
    plan: Plan
    ways: list[RepairOption]
    folder: str = ""
    unfinished: UnfinishedRepair = field(default_factory=UnfinishedRepair)  # that this one finishes

    @property
    def is_complete(self) -> bool:
        """Everything that needs it can be repaired: a way holds, or no record is needed."""
        is_done = self.recommended is not None or self.plan.is_empty
        return is_done and not (self.plan.missing or self.plan.refused)

    @property
    def recommended(self) -> RepairOption | None:
        """The first way that holds, of nothing that is missing: appending is less work than a new topic."""
        return None if self.plan.missing else next((way for way in self.ways if way.holds), None)

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "topic": self.topic,
            "partition": self.partition,
            "folder": self.folder,
            "mended": list(self.plan.recovered),
            "at_risk": list(self.plan.at_risk),
            "settled": list(self.plan.settled),
            "corrected": list(self.plan.corrected),
            "reasons": list(self.plan.reasons),
            "missing": [
                {"entity": entity.entity, "needed_by": list(entity.needed_by), "wanted": entity.sought}
                for entity in self.plan.missing
            ],
            "refused": [
                {"entity": entity.entity, "needed_by": list(entity.needed_by), "why": entity.sought}
                for entity in self.plan.refused
            ],
            "measures": [
                {
                    "title": measure.title,
                    "is_alternative": measure.is_alternative,
                    "steps": list(measure.steps),
                }
                for measure in self.plan.measures
            ],
            "is_complete": self.is_complete,
            "unfinished": sorted(self.unfinished.offsets),
            "recommended": self.recommended.id if self.recommended else None,
            "ways": [way.as_json() for way in self.ways],
        }
