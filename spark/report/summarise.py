"""Summarise: findings -> causes and consequences, verdict, report.json. The contract: docs/report.md. No Spark here.

One cause, one alarm: a finding whose entities meet those of a finding that its detector follows is a consequence,
and the verdict names root findings only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from spark.detectors import detectors
from spark.detectors._effects import on_partition
from spark.inspection import Detected, Inspection
from spark.report.copies import Copies, copies_of, name_intact, unique_findings
from spark.report.coverage import coverage, journals
from spark.report.format_advice import format_advice
from spark.report.incidents import Incident, incidents
from spark.report.incidents import as_json as incidents_as_json
from spark.report.proof import with_proof
from spark.report.takeover import taken_over
from spark.report.typed_report import typed_report
from spark.report.unrun_checks import FAILED, unrun_checks, without_kafkas_files
from spark.report.verdict import verdict_of_all, verdict_of_journal
from spark.runtime.stage_runner import StageRunner
from spark.tables.store import ResultTables
from spark.terms.findings import WORSE_THAN_LOW, Finding

Report = dict[str, Any]
SCHEMA = 1
POOR = "source-too-poor"
WHOLE_TOPIC = "topic:"  # how entities begin that partitions share
EVERY_TOPIC = "committed:"  # and topics: group/topic/partition of a committed offset
FILE_MEMBERS = ("name", "sha256", "kind", "layout", "size_bytes", "layout_title", "note")
FINDING_MEMBERS = (
    "id", "detector", "severity", "confidence", "title", "explanation", "topic", "partition", "first_offset",
    "last_offset", "key", "evidence", "remedy", "references", "consequence_of", "replica", "copies",
    "entity", "detector_version", "incident",
)  # fmt: skip


def summarise(inspection: Inspection, runner: StageRunner) -> Inspection:
    """The report, with the proof of its findings, advice on message formats, and the rules that were asked."""
    runner.watch.stage("summarise")
    manifest = inspection.manifest
    copies = copies_of(manifest)
    covered = coverage(inspection, copies)
    document = report_of(
        inspection.plan.files,
        journals(inspection),
        covered,
        inspection.detected,
        copies,
        are_redpandas=not covered["has_segments"] and are_redpandas(inspection),
    )
    report = {
        **with_proof(document, ResultTables.open(manifest)),
        "format_advice": format_advice(manifest),
        "rules": [rule.as_used for rule in inspection.limits.rules],
    }
    return replace(inspection, report=report)


def are_redpandas(inspection: Inspection) -> bool:
    """Whether Redpanda's registry, which runs in Redpanda's brokers alone, wrote every journal."""
    owners = {origin.owner for origin in inspection.origins.values()}
    return owners == {"redpanda"} and len(inspection.origins) == len(
        {replica.topic for replica in inspection.replicas}
    )


def report_of(
    files: Sequence[Report],
    journals: Sequence[Report],
    coverage: Report,
    detected: Detected,
    copies: Copies,
    *,
    are_redpandas: bool = False,
) -> Report:
    """The document of report.json without what `summarise` adds; `tables` is for the caller to set."""
    not_run = without_kafkas_files(detected.not_run) if are_redpandas else list(detected.not_run)
    unrun = unrun_checks(not_run)
    poor = too_poor(journals, coverage, unrun["better_data"], are_redpandas)
    findings = [*unique_findings(taken_over(detected.findings), copies), *poor]
    name_intact(findings, copies)
    link(findings)
    concern_partitions(findings)
    consequences = Counter(finding.consequence_of for finding in findings)
    findings.sort(
        key=lambda finding: (
            finding.rank,
            finding.detector == POOR,
            -consequences[finding.id],
            worst_first(finding),
        )
    )
    all_incidents = incidents(findings)
    failed = sum(row["reason"] == FAILED for row in not_run)
    incident_rows = incidents_as_json(all_incidents)
    by_incident = in_order_of(all_incidents, findings)
    judged = [
        {**journal, "verdict": verdict_of_journal(journal, coverage, by_incident, failed)}
        for journal in journals
    ]
    report = {
        "schema": SCHEMA,
        "files": [{name: file.get(name) for name in FILE_MEMBERS} for file in files],
        "verdict": verdict_of_all(judged, coverage, by_incident, failed),
        "journals": judged,
        "coverage": coverage,
        "incidents": incident_rows,
        "findings": [as_json(finding) for finding in findings],
        "clean": [name for name in detected.clean if not (poor and name == POOR)],
        "not_run": not_run,
        "unrun_checks": unrun,
        "tables": None,
    }
    return typed_report(report)


def concern_partitions(findings: list[Finding]) -> None:
    """A finding that names no entity concerns its partition, in the way that its detector says. What several would say
    of one copy of a partition, the worst says."""
    stated: set[tuple[object, ...]] = set()
    for finding in sorted(findings, key=worst_first):
        detector = detectors().get(finding.detector)
        if detector and detector.befalls and not finding.effects and finding.severity in WORSE_THAN_LOW:
            kind, whom = detector.befalls
            whom = finding.facts.get("whom", whom)
            effect = (finding.topic, finding.partition, finding.replica, kind, whom)
            if finding.consequence_of or effect not in stated:
                finding.effects = on_partition(kind, finding.topic, finding.partition, whom)
            if not finding.consequence_of:
                stated.add(effect)


def in_order_of(incidents: list[Incident], findings: list[Finding]) -> list[Finding]:
    """Findings of the worst incident first: its headline begins the verdict."""
    position = {
        finding.id: number for number, incident in enumerate(incidents) for finding in incident.findings
    }
    return sorted(findings, key=lambda finding: position.get(finding.id, len(incidents)))


def as_json(finding: Finding) -> Report:
    """A finding as report.json has it; its texts are still marked."""
    members = {name: getattr(finding, name) for name in FINDING_MEMBERS} | finding.marked
    return members | {"effects": [asdict(effect) for effect in finding.effects]}


def too_poor(
    journals: Sequence[Report], coverage: Report, better_data: list[str], are_redpandas: bool
) -> list[Finding]:
    """One finding for what the layout cannot tell, with the data that would let more checks run."""
    if not coverage.get("cannot_tell"):
        return []
    only = journals[0] if len(journals) == 1 else {"topic": "?", "partitions": []}
    row = {
        "topic": only["topic"],
        "partition": only["partitions"][0] if len(only["partitions"]) == 1 else None,
        "cannot_tell": coverage["cannot_tell"],
        "better_data": better_data,
        "are_redpandas": are_redpandas,
    }
    return [detectors()[POOR].describe(row)]


def link(findings: list[Finding]) -> None:
    """Give each consequence the id of its cause: the worst finding its detector follows that shares an entity."""
    by_entity: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for cause in sorted(findings, key=worst_first):
        for entity in cause.entities.union(*(finding.entities for finding in cause.stands_for)):
            for key in reach(cause, entity):
                by_entity[key].append(cause)
    for finding in findings:
        follows = detectors()[finding.detector].follows if finding.detector in detectors() else ()
        keys = dict.fromkeys(key for entity in sorted(finding.entities) for key in reach(finding, entity))
        causes = [
            cause
            for key in keys
            for cause in by_entity[key]
            if any(other.detector in follows for other in (cause, *cause.stands_for))
        ]
        if causes:
            finding.consequence_of = min(causes, key=worst_first).id


def reach(finding: Finding, entity: str) -> list[tuple[object, ...]]:
    """Where an entity is known: causes and consequences share a copy of a partition, unless it is one of the whole topic or of every one."""
    if entity.startswith(EVERY_TOPIC):
        return [(entity,)]
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
