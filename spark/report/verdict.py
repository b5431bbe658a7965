"""Verdict: root findings -> a level and one sentence that a ticket could quote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from spark.detectors import detectors
from spark.report.calm_verdict import (
    Absent,
    JournalCoverage,
    calm,
    calm_without_records,
    notes,
    numbered_partitions,
    sentence_of_failed,
)
from spark.rules.evaluation import is_rule
from spark.terms import marked
from spark.terms.findings import SEVERITIES, WORSE_THAN_LOW, Finding
from spark.terms.typed_wording import grouped, plural, sentence, some
from spark.terms.verdict_word import NO_FAULT

Verdict = dict[str, str]
HEALTHY = "healthy"
INCOMPLETE = (
    "unreadable-lines",
    "truncated-tail",
    "missing-segment",
    "missing-head",
    "missing-tail",
)
JOURNALS_NAMED = 3
REPLICAS_NAMED = 3
SEVERAL_REPLICAS, SEVERAL_INCIDENTS = 3, 4  # of one partition: from there on they are counted


def verdict_of_journal(
    journal: dict[str, Any], coverage: dict[str, Any], findings: Sequence[Finding], failed: int = 0
) -> Verdict:
    counts = coverage.get("records_per_partition", {})
    records = sum(count for name, count in counts.items() if belongs(name, journal))
    findings = [finding for finding in findings if finding.topic == journal["topic"]]
    is_alarming = any(finding.severity in WORSE_THAN_LOW for finding in findings)
    checked = coverage_of(records, coverage, journal)._replace(failed=failed)
    if not records and coverage.get("records") and not is_alarming and not calm_without_records(checked):
        return {"level": HEALTHY, "sentence": f"{NO_FAULT}. This journal contains no records."}
    return verdict(checked, findings)


def coverage_of(
    records: int, coverage: dict[str, Any], journal: dict[str, Any] | None = None
) -> JournalCoverage:
    """Of one journal, or of all."""
    bounds = coverage.get("log_bounds_per_partition", {})
    own = [log for name, log in bounds.items() if journal is None or belongs(name, journal)]
    aside = [
        name
        for name in coverage.get("set_aside_in_partitions", ())
        if journal is None or belongs(PurePosixPath(name).parent.name, journal)
    ]
    left_out = sum(
        count
        for topic, count in coverage.get("partitions_left_out", {}).items()
        if journal is None or topic == journal["topic"]
    )
    partitions = [
        name
        for name, count in coverage.get("records_per_partition", {}).items()
        if count and (journal is None or belongs(name, journal))
    ]
    numbered = numbered_partitions(coverage).intersection(partitions)
    has_offsets = coverage.get("has_offsets", True) and (not numbered or len(numbered) < len(partitions))
    return JournalCoverage(
        records,
        coverage,
        absent_of(coverage, journal),
        own,
        aside,
        left_out,
        has_offsets,
        len(numbered) if has_offsets else 0,
    )


def absent_of(coverage: dict[str, Any], journal: dict[str, Any] | None = None) -> Absent:
    counts = coverage.get("absent_offsets_per_partition", {})
    own = [count for name, count in counts.items() if journal is None or belongs(name, journal)]
    return Absent(*(sum(count.get(name, 0) for count in own) for name in Absent._fields))


def belongs(name: str, journal: dict[str, Any]) -> bool:
    """Whether `<topic>-<partition>` is a partition of the journal."""
    return name in {f"{journal['topic']}-{partition}" for partition in journal["partitions"]}


def verdict_of_all(
    journals: Sequence[dict[str, Any]],
    coverage: dict[str, Any],
    findings: Sequence[Finding],
    failed: int = 0,
) -> Verdict:
    """The verdict on the whole input: its journals' sentences, or what all of them have in common. `failed`: checks without an answer."""
    whole = verdict(coverage_of(coverage.get("records", 0), coverage)._replace(failed=failed), findings)
    sick = [journal for journal in journals if journal["verdict"]["level"] in WORSE_THAN_LOW]
    if len(journals) < 2 or not sick or whole["level"] == HEALTHY:
        return whole
    sick.sort(key=lambda journal: SEVERITIES.index(journal["verdict"]["level"]))
    named = [
        f"{marked.topic(journal['topic'], 'Topic unknown')}: {journal['verdict']['sentence']}"
        for journal in sick[:JOURNALS_NAMED]
    ]
    left_out = len(sick) - len(named)
    count = f"{grouped(len(sick))} of {plural(len(journals), 'journal')} {'needs' if len(sick) == 1 else 'need'} attention."
    others = [f"And {plural(left_out, 'more journal')}."] if left_out else []
    return {"level": whole["level"], "sentence": " ".join([count, *named, *others])}


def verdict(checked: JournalCoverage, findings: Sequence[Finding]) -> Verdict:
    """Level and sentence for some findings on what was read."""
    roots = [finding for finding in findings if finding.consequence_of is None]
    alarms = [finding for finding in roots if finding.severity in WORSE_THAN_LOW]
    if alarms:
        worst = min((finding.severity for finding in alarms), key=SEVERITIES.index)
        return {
            "level": worst,
            "sentence": of_replicas(checked.coverage, alarms) or alarm(alarms)
            if checked.records
            else no_records(checked, alarms),
        }
    if checked.records:
        return {"level": HEALTHY, "sentence": calm(checked, roots)}
    if checked.coverage.get("printed"):
        return {
            "level": HEALTHY,
            "sentence": f"{NO_FAULT}. {sentence(checked.coverage['printed'])}{sentence_of_failed(checked)}{notes(roots)}",
        }
    if calm_words := calm_without_records(checked):
        return {"level": HEALTHY, "sentence": calm_words}
    return {"level": "medium", "sentence": no_records(checked, alarms)}


def no_records(checked: JournalCoverage, alarms: Sequence[Finding]) -> str:
    """Nothing could be inspected: say so, and why as far as it is known."""
    coverage = checked.coverage
    unreadable = coverage.get("unreadable_bytes", 0)
    if alarms and coverage.get("printed"):
        return f"{sentence('; '.join(clauses(alarms)))} {sentence(coverage['printed'])}"
    if alarms:
        return f"No record could be read; {'; '.join(clauses(alarms))}."
    if unreadable:
        return f"No record could be read: {plural(unreadable, 'byte')} {'is' if unreadable == 1 else 'are'} in an unknown format."
    return "The input contains no records."


def alarm(alarms: Sequence[Finding]) -> str:
    """The clauses of all root causes, worst first."""
    nothing_lost = alarms[0].severity == "high" and loses_later(alarms)
    return sentence(("no data is lost yet; " if nothing_lost else "") + "; ".join(clauses(alarms)))


def of_replicas(coverage: Mapping[str, Any], alarms: Sequence[Finding]) -> str:
    """`12 incidents in 13 of 14 replicas of steady-0; clean is intact.`: faults of several replicas of one partition are no sum. Empty
    for other inputs."""
    (topic, partition), *others = {(alarm.topic, alarm.partition) for alarm in alarms}
    copies = (coverage.get("copies_per_partition") or {}).get(f"{topic}-{partition}", {})
    incidents = {alarm.incident or alarm.id for alarm in alarms}
    faulty = {name for alarm in alarms for name in (alarm.replica, *alarm.copies)}
    is_by_replica = (
        len(faulty) > 1 and faulty <= copies.keys() and all(copy["is_log"] for copy in copies.values())
    )
    if others or not is_by_replica or len(copies) < SEVERAL_REPLICAS or len(incidents) < SEVERAL_INCIDENTS:
        return ""
    intact = [marked.replica(name) for name in copies if name not in faulty]
    are_intact = (
        f"; {some(intact, REPLICAS_NAMED)} {'is' if len(intact) == 1 else 'are'} intact" if intact else ""
    )
    count = (
        f"{grouped(len(faulty))} of {plural(len(copies), 'replica')} of {marked.partition(topic, partition)}"
    )
    return f"{plural(len(incidents), 'incident')} in {count}{are_intact}."


def loses_later(alarms: Sequence[Finding]) -> bool:
    """Whether the first clause is about data that will be lost."""
    (detector, findings), *_ = by_detector(alarms)
    return detector not in INCOMPLETE and any(finding.loses_later for finding in findings)


def clauses(alarms: Sequence[Finding]) -> list[str]:
    """One clause per detector; those about missing parts of the input gathered into one."""
    own: list[str] = []
    incomplete: list[str] = []
    for detector, findings in by_detector(alarms):
        (incomplete if detector in INCOMPLETE else own).append(clause(detector, findings))
    gathered = [f"the dump is incomplete: {', '.join(incomplete)}"] if incomplete else []
    return [*gathered, *own] if alarms[0].detector in INCOMPLETE else [*own, *gathered]


def by_detector(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """Detectors in the order of their worst finding."""
    groups: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: finding.rank):
        groups.setdefault(finding.detector, []).append(finding)
    return list(groups.items())


def clause(detector_id: str, findings: list[Finding]) -> str:
    if is_rule(detector_id):
        return f"the rule {marked.name(detector_id.rpartition('/')[2])} applies to {plural(len(findings), 'partition')}"
    detector = detectors().get(detector_id)
    own = of_worst_replica(findings)
    more = len({name for finding in findings for name in (finding.replica, *finding.copies)}) - 1
    words = detector.headline(own) if detector else plural(len(own), "finding")
    noun = marked.noun_of_replica(findings[0].replica)
    return words if len(own) == len(findings) else f"{words}, similar in {plural(more, f'more {noun}')}"


def of_worst_replica(findings: list[Finding]) -> list[Finding]:
    """Those of one replica where all are of replicas of one partition: faults of several replicas are not one sum."""
    partitions = {(finding.topic, finding.partition) for finding in findings}
    if len(partitions) > 1 or not all(finding.replica for finding in findings):
        return findings
    return [finding for finding in findings if finding.replica == findings[0].replica]
