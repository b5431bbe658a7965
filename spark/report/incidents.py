"""Incidents: root findings with one cause in the world are one incident, with a title, their victims and one plan.

A restart that empties three content items is one incident, and so is a disk that flips bits in four batches. What
findings of one detector have in common is said by the detector (`Detector.one_cause`, `Detector.family`); an event that
the finding itself names (a start of the service, a producer) goes before that. Decision 0021.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from spark.detectors import Detector, OneCause, detectors
from spark.terms.findings import WORSE_THAN_LOW, Effect, Finding
from spark.terms.joined_steps import joined
from spark.terms.marked import without_layout
from spark.terms.typed_wording import plural, sentence

MAX_VICTIMS = 1_000
MAX_PLANNED = 50  # findings whose own steps are in a plan
NEAR = 50  # offsets: one start of a service writes its records no further apart
UNKNOWN_DETECTOR = "each"
Key = tuple[str, ...]
PlanStep = dict[str, str | None]


@dataclass(frozen=True)
class Victim:
    """Whom an incident concerns, and how: an effect of one of its findings or of what follows from it."""

    finding: str
    effect: Effect


@dataclass(frozen=True)
class Incident:
    """Root findings with one cause, the worst first, and what follows from them."""

    findings: tuple[Finding, ...]
    key: Key
    consequences: tuple[Finding, ...] = ()

    @property
    def id(self) -> str:
        """Fingerprint: what its findings have in common, so that it stays the same in the next dump."""
        return hashlib.sha256("\x1f".join(self.key).encode("utf-8", "surrogateescape")).hexdigest()[:20]

    @property
    def severity(self) -> str:
        return self.findings[0].severity

    @property
    def title(self) -> str:
        """One finding's own; of several the event and the damage, in the words of the worst one's detector."""
        if len(self.findings) == 1:
            return self.findings[0].marked["title"]
        detector = detectors()[self.findings[0].detector]
        findings = [finding for finding in self.findings if finding.detector == detector.id]
        if len(findings) == 1 and not detector.incident:
            return findings[0].marked["title"]
        headline = detector.incident or detector.headline
        return sentence(headline(findings)).removesuffix(".")

    @cached_property
    def victims(self) -> list[Victim]:
        """Every effect of the findings and of their consequences, each entity once."""
        by_entity: dict[tuple[str, str], Victim] = {}
        for finding in (*self.findings, *self.consequences):
            for effect in finding.effects:
                by_entity.setdefault((effect.entity_type, effect.entity_id), Victim(finding.id, effect))
        return list(by_entity.values())

    @property
    def worst_first(self) -> tuple[int, bool, int]:
        """Sort key: severity; what loses something before what changes or brings back; more victims before fewer."""
        loses = any(victim.effect.kind == "lost" for victim in self.victims)
        return self.findings[0].rank, not loses, -len(self.victims)


def incidents(findings: Sequence[Finding]) -> list[Incident]:
    """The incidents of all root findings of severity medium or worse, the worst first; each root is in one."""
    roots = [
        finding
        for finding in findings
        if finding.consequence_of is None and finding.severity in WORSE_THAN_LOW
    ]
    groups: dict[Key, list[Finding]] = defaultdict(list)
    for finding, key in keyed(roots):
        groups[key].append(finding)
    direct = direct_consequences(findings)
    unordered = [
        Incident(
            tuple(sorted(group, key=lambda finding: finding.rank)),
            key,
            tuple(consequences_of(group, direct, findings)),
        )
        for key, group in groups.items()
    ]
    return sorted(unordered, key=lambda incident: incident.worst_first)


def keyed(roots: Iterable[Finding]) -> Iterator[tuple[Finding, Key]]:
    """Each root with what it shares with the others of its incident."""
    by_key: dict[Key, list[Finding]] = defaultdict(list)
    for finding in roots:
        detector = detectors().get(finding.detector)
        key = key_of(finding, detector)
        if detector and detector.one_cause == "burst" and not finding.event:
            by_key[key].append(finding)
        else:
            yield finding, key
    for key, group in by_key.items():
        yield from separated(group, key)


def key_of(finding: Finding, detector: Detector | None) -> Key:
    """The members that are the same for all findings of an incident."""
    if detector is None:
        return (UNKNOWN_DETECTOR, finding.id)
    scope = {"topic": finding.topic, "partition": str(finding.partition), "replica": finding.replica}
    shared = [scope[name] for name in SHARED[detector.one_cause]]
    alone = [finding.id] if detector.one_cause == "each" and not finding.event else []
    return (detector.family or detector.id, *shared, finding.event, *alone)


SHARED: dict[OneCause, tuple[str, ...]] = {
    "burst": ("topic", "partition", "replica"),
    "each": ("topic",),
    "partition": ("topic", "partition", "replica"),
    "replicas": ("topic", "partition"),
    "topic": ("topic",),
    "disk": ("replica",),
}


def separated(group: Iterable[Finding], key: Key) -> Iterator[tuple[Finding, Key]]:
    """Findings of one partition, parted where many offsets lie between one and the next."""
    in_order = sorted(group, key=lambda finding: finding.first_offset or 0)
    first_offset = in_order[0].first_offset
    yield in_order[0], (*key, str(first_offset))
    for before, finding in pairwise(in_order):
        if (finding.first_offset or 0) - (before.last_offset or before.first_offset or 0) > NEAR:
            first_offset = finding.first_offset
        yield finding, (*key, str(first_offset))


def direct_consequences(findings: Iterable[Finding]) -> dict[str, list[int]]:
    """By the id of the cause, the places in the report of what follows from it."""
    direct: dict[str, list[int]] = defaultdict(list)
    for number, finding in enumerate(findings):
        if finding.consequence_of is not None:
            direct[finding.consequence_of].append(number)
    return direct


def consequences_of(
    causes: Iterable[Finding], direct: Mapping[str, list[int]], findings: Sequence[Finding]
) -> list[Finding]:
    """The consequences of findings in the order of the report, then theirs."""
    numbers = sorted(number for cause in causes for number in direct.get(cause.id, ()))
    consequences = [findings[number] for number in numbers]
    return consequences + consequences_of(consequences, direct, findings) if consequences else []


def as_json(incidents: Sequence[Incident]) -> list[dict[str, Any]]:
    """`incidents` of report.json; each of its findings, consequences too, gets the id."""
    for incident in incidents:
        for finding in (*incident.findings, *incident.consequences):
            finding.incident = incident.id
    return [document(incident) for incident in incidents]


def document(incident: Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "severity": incident.severity,
        "title": incident.title,
        "findings": [finding.id for finding in incident.findings],
        "victims": [
            {"finding": victim.finding, **asdict(victim.effect)} for victim in incident.victims[:MAX_VICTIMS]
        ],
        "victim_count": len(incident.victims),
        "plan": plan_of(incident.findings),
    }


def plan_of(findings: Sequence[Finding]) -> list[PlanStep]:
    """The steps of all remedies; of many findings those of the worst ones, and where the others' are."""
    plans = {finding.id: steps_of(finding.marked["remedy"]) for finding in findings[:MAX_PLANNED]}
    plan = one_plan(plans)
    left_out = len(findings) - MAX_PLANNED
    if left_out < 1 or all(step["step"] in plans[findings[0].id] for step in plan):
        return plan
    return [
        *plan,
        {
            "finding": None,
            "step": f"Follow the steps of the other {plural(left_out, 'finding')} of this incident. Each finding contains its own.",
        },
    ]


def steps_of(remedy: str) -> list[str]:
    """The steps of a remedy without their numbers; values stay marked."""
    return [without_layout(line) for line in remedy.split("\n") if line.strip()]


def one_plan(plans: Mapping[str, list[str]]) -> list[PlanStep]:
    """One list of steps out of those of several findings: a step that all have is there once, `finding` is then null;
    a step of only one finding comes before the next step in common, findings in order. Steps that differ only in the partition
    are one (`joined_steps`)."""
    first = next(iter(plans.values()), [])
    shared = [step for step in first if all(step in plan for plan in plans.values())]
    stages: list[dict[str, list[str]]] = [{name: [] for name in plans} for _ in range(len(shared) + 1)]
    for finding, plan in plans.items():
        at = 0
        for step in plan:
            if step in shared:
                at = max(at, shared.index(step) + 1)
            else:
                stages[at][finding].append(step)
    merged: list[PlanStep] = []
    for common, stage in zip((None, *shared), stages, strict=True):
        merged += [{"finding": None, "step": common}] if common is not None else []
        merged += [{"finding": finding, "step": step} for finding, step in joined(stage)]
    return merged
