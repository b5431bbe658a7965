"""Summarise: findings -> causes and consequences, verdict, report.json. The contract: docs/report.md. No Spark here.

One cause, one alarm: a finding whose entities meet those of a finding that its detector follows is a consequence,
and the verdict names root findings only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from spark.detectors import detectors
from spark.detectors._effects import on_partition
from spark.report.copies import Copies, unique_findings
from spark.report.incidents import Incident, incidents
from spark.report.incidents import as_json as incidents_as_json
from spark.report.takeover import taken_over
from spark.report.typed_report import typed_report
from spark.report.unrun_checks import NotRun, unrun_checks
from spark.report.verdict import verdict_of_all, verdict_of_journal
from spark.terms.findings import WORSE_THAN_LOW, Finding

Report = dict[str, Any]
SCHEMA = 1
POOR = "source-too-poor"
WHOLE_TOPIC = "topic:"  # how entities begin that partitions share
FILE_MEMBERS = ("name", "sha256", "kind", "layout", "size_bytes", "layout_title", "note")
FINDING_MEMBERS = (
    "id", "detector", "severity", "confidence", "title", "explanation", "topic", "partition", "first_offset",
    "last_offset", "key", "evidence", "remedy", "references", "consequence_of", "replica", "copies",
    "entity", "detector_version", "incident",
)  # fmt: skip


def summarise(
    files: list[Report],
    journals: list[Report],
    coverage: Report,
    findings: list[Finding],
    clean: list[str],
    not_run: list[NotRun],
    copies: Copies | None = None,
) -> Report:
    """The document of report.json; `tables` is for the caller to set."""
    unrun = unrun_checks(not_run)
    poor = too_poor(journals, coverage, unrun["better_data"])
    every = [*unique_findings(taken_over(findings), copies or {}), *poor]
    link(every)
    concern_partitions(every)
    suffered = Counter(finding.consequence_of for finding in every)
    every.sort(key=lambda finding: (worst_first(finding)[0], -suffered[finding.id], worst_first(finding)))
    grouped = incidents(every)
    of_incidents = incidents_as_json(grouped)
    judging = in_order_of(grouped, every)
    judged = [{**journal, "verdict": verdict_of_journal(journal, coverage, judging)} for journal in journals]
    report = {
        "schema": SCHEMA,
        "files": [{name: file.get(name) for name in FILE_MEMBERS} for file in files],
        "verdict": verdict_of_all(judged, coverage, judging),
        "journals": judged,
        "coverage": coverage,
        "incidents": of_incidents,
        "findings": [as_json(finding) for finding in every],
        "clean": [name for name in clean if not (poor and name == POOR)],
        "not_run": not_run,
        "unrun_checks": unrun,
        "tables": None,
    }
    return typed_report(report)


def concern_partitions(findings: list[Finding]) -> None:
    """A finding that names no entity concerns its partition, in the way that its detector says. What several would say
    of one copy of a partition, the worst says."""
    effects_told: set[tuple[object, ...]] = set()
    for finding in sorted(findings, key=worst_first):
        detector = detectors().get(finding.detector)
        if detector and detector.befalls and not finding.effects and finding.severity in WORSE_THAN_LOW:
            kind, whom = detector.befalls
            effect = (finding.topic, finding.partition, finding.replica, kind, whom)
            if finding.consequence_of or effect not in effects_told:
                finding.effects = on_partition(kind, finding.topic, finding.partition, whom)
            if not finding.consequence_of:
                effects_told.add(effect)


def in_order_of(every: list[Incident], findings: list[Finding]) -> list[Finding]:
    """Findings of the worst incident first: its headline begins the verdict."""
    position = {finding.id: number for number, one in enumerate(every) for finding in one.findings}
    return sorted(findings, key=lambda finding: position.get(finding.id, len(every)))


def as_json(finding: Finding) -> Report:
    """A finding as report.json has it, its texts with their marks."""
    members = {name: getattr(finding, name) for name in FINDING_MEMBERS} | finding.marked
    return members | {"effects": [asdict(effect) for effect in finding.effects]}


def too_poor(journals: Sequence[Report], coverage: Report, better_data: list[str]) -> list[Finding]:
    """One finding for what the layout cannot tell, with the data that would let more checks run."""
    if not coverage.get("cannot_tell"):
        return []
    topic = journals[0]["topic"] if len(journals) == 1 else "?"
    row = {"topic": topic, "cannot_tell": coverage["cannot_tell"], "better_data": better_data}
    return [detectors()[POOR].describe(row)]


def link(findings: list[Finding]) -> None:
    """Give each consequence the id of its cause: the worst finding its detector follows that shares an entity."""
    causes = sorted(findings, key=worst_first)
    by_entity: dict[tuple[object, ...], list[Finding]] = {}
    for cause in causes:
        for entity in cause.entities.union(*(one.entities for one in cause.stands_for)):
            for key in reach(cause, entity):
                by_entity.setdefault(key, []).append(cause)
    for finding in findings:
        follows = detectors()[finding.detector].follows if finding.detector in detectors() else ()
        keys = dict.fromkeys(key for entity in sorted(finding.entities) for key in reach(finding, entity))
        leading = sorted(
            (
                cause
                for key in keys
                for cause in by_entity[key]
                if cause.detector in follows or any(one.detector in follows for one in cause.stands_for)
            ),
            key=worst_first,
        )
        finding.consequence_of = leading[0].id if leading else finding.consequence_of


def reach(finding: Finding, entity: str) -> list[tuple[object, ...]]:
    """Where an entity is known: causes and consequences share a copy of a partition, unless it is one of the whole topic."""
    if entity.startswith(WHOLE_TOPIC):
        return [(finding.topic, entity)]
    return [
        (finding.topic, finding.partition, replica, entity) for replica in finding.copies or [finding.replica]
    ]


def worst_first(finding: Finding) -> tuple[object, ...]:
    """Sort key: severity, roots before consequences, place, offset."""
    return (
        finding.rank,
        finding.consequence_of is not None,
        finding.topic,
        -1 if finding.partition is None else finding.partition,
        -1 if finding.first_offset is None else finding.first_offset,
        finding.detector,
    )
