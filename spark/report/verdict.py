"""Verdict: root findings -> a level and one sentence that a ticket could quote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spark.detectors import detectors
from spark.rules.asking import is_rule
from spark.sources import LACKS
from spark.terms.findings import SEVERITIES, WORSE_THAN_LOW, Finding
from spark.terms.wording import grouped, plural, sentence

Verdict = dict[str, str]
HEALTHY = "healthy"
INCOMPLETE = ("unreadable-lines", "unreadable-bytes", "truncated-tail", "missing-segment", "missing-head")
UNREMARKABLE = ("source-too-poor", "lines-set-aside", "tombstone-without-value", "preallocated-tail")
JOURNALS_NAMED = 3


def verdict_of_journal(
    journal: dict[str, Any], coverage: dict[str, Any], findings: Sequence[Finding]
) -> Verdict:
    """The verdict on one topic."""
    counts = coverage.get("records_per_partition", {})
    records = sum(count for name, count in counts.items() if belongs(name, journal))
    own = [finding for finding in findings if finding.topic == journal["topic"]]
    if (
        not records
        and coverage.get("records")
        and not any(finding.severity in WORSE_THAN_LOW for finding in own)
    ):
        return {"level": HEALTHY, "sentence": "This journal holds no record."}
    return verdict(records, coverage, own, missing(coverage, journal))


def missing(coverage: dict[str, Any], journal: dict[str, Any] | None = None) -> int:
    """Offsets that nothing explains the lack of, of one journal or of all."""
    counts = coverage.get("unexplained_offsets_per_partition", {})
    return sum(count for name, count in counts.items() if journal is None or belongs(name, journal))


def belongs(name: str, journal: dict[str, Any]) -> bool:
    """Whether `<topic>-<partition>` is a partition of the journal."""
    return name in {f"{journal['topic']}-{partition}" for partition in journal["partitions"]}


def verdict_of_all(
    journals: Sequence[dict[str, Any]], coverage: dict[str, Any], findings: Sequence[Finding]
) -> Verdict:
    """The verdict on the whole input: its journals' sentences, or what all of them have in common."""
    whole = verdict(coverage.get("records", 0), coverage, findings, missing(coverage))
    sick = [journal for journal in journals if journal["verdict"]["level"] in WORSE_THAN_LOW]
    if len(journals) < 2 or not sick or whole["level"] == HEALTHY:
        return whole
    sick.sort(key=lambda journal: SEVERITIES.index(journal["verdict"]["level"]))
    named = [f"{journal['topic']}: {journal['verdict']['sentence']}" for journal in sick[:JOURNALS_NAMED]]
    more = len(sick) - len(named)
    count = f"{grouped(len(sick))} of {plural(len(journals), 'journal')} {'needs' if len(sick) == 1 else 'need'} attention."
    others = [f"And {plural(more, 'more journal')}."] if more else []
    return {"level": whole["level"], "sentence": " ".join([count, *named, *others])}


def verdict(
    records: int, coverage: dict[str, Any], findings: Sequence[Finding], unexplained: int = 0
) -> Verdict:
    """Level and sentence for some findings on some records."""
    roots = once_per_partition(finding for finding in findings if finding.consequence_of is None)
    alarming = [finding for finding in roots if finding.severity in WORSE_THAN_LOW]
    if not records and not alarming and coverage.get("printed"):
        return {"level": HEALTHY, "sentence": f"Healthy. {sentence(coverage['printed'])}"}
    if not records:
        return {
            "level": alarming[0].severity if alarming else "medium",
            "sentence": no_records(coverage, alarming),
        }
    if not alarming:
        return {
            "level": HEALTHY,
            "sentence": healthy(records, roots, unexplained, coverage.get("has_offsets", True))
            if has_keys(coverage)
            else not_checked(records, roots, coverage.get("has_offsets", True)),
        }
    worst = min((finding.severity for finding in alarming), key=SEVERITIES.index)
    return {"level": worst, "sentence": alarm(alarming)}


def once_per_partition(findings: Iterable[Finding]) -> list[Finding]:
    """What several copies of a partition show alike is one fact."""
    found: dict[object, Finding] = {}
    once = []
    for finding in findings:
        alike = (finding.detector, finding.topic, finding.partition, finding.title)
        if found.setdefault(alike, finding).replica == finding.replica:
            once.append(finding)
    return once


def healthy(records: int, roots: Sequence[Finding], unexplained: int = 0, has_offsets: bool = True) -> str:
    """`Healthy. 4,812 records, nothing missing; 2 remarks.`"""
    noted = remarks(roots)
    are = "is" if unexplained == 1 else "are"
    whole = (
        f"; why {plural(unexplained, 'offset')} {are} missing cannot be told"
        if unexplained
        else ", nothing missing"
        if has_offsets
        else "; whether any is missing cannot be told, for they carry no offsets"
    )
    return f"Healthy. {plural(records, 'record')}{whole}{noted}."


def remarks(roots: Sequence[Finding]) -> str:
    """`; 2 remarks`, or nothing."""
    count = sum(finding.detector not in UNREMARKABLE for finding in roots)
    return f"; {plural(count, 'remark')}" if count else ""


def has_keys(coverage: dict[str, Any]) -> bool:
    """Whether any layout of the input carries keys."""
    return LACKS["key"] not in coverage.get("cannot_tell", ())


def not_checked(records: int, roots: Sequence[Finding], has_offsets: bool) -> str:
    """For values alone, of which nobody can say that they are healthy."""
    lacking = "no keys" if has_offsets else "no keys and no offsets"
    missing = "" if has_offsets else "are missing, "
    return (
        f"No fault was found in {plural(records, 'value')}, but the input has {lacking}: whether records {missing}were "
        f"deleted or replaced, or go with compaction, could not be checked{remarks(roots)}."
    )


def no_records(coverage: dict[str, Any], alarming: Sequence[Finding]) -> str:
    """Nothing could be inspected: say so, and why as far as it is known."""
    unreadable = coverage.get("unreadable_bytes", 0)
    if alarming and coverage.get("printed"):
        return f"{sentence('; '.join(clauses(alarming)))} {sentence(coverage['printed'])}"
    if alarming:
        return f"No record could be read; {'; '.join(clauses(alarming))}."
    if unreadable:
        return f"No record could be read: {plural(unreadable, 'byte')} hold nothing in a form that we know."
    return "No record could be read: the input holds none."


def alarm(alarming: Sequence[Finding]) -> str:
    """The clauses of all root causes, worst first."""
    said = clauses(alarming)
    nothing_lost = alarming[0].severity == "high" and " will be lost " in said[0]
    return sentence(("nothing is lost yet; " if nothing_lost else "") + "; ".join(said))


def clauses(alarming: Sequence[Finding]) -> list[str]:
    """One clause per detector; those about missing parts of the input gathered into one."""
    own: list[str] = []
    incomplete: list[str] = []
    for detector, findings in by_detector(alarming):
        (incomplete if detector in INCOMPLETE else own).append(clause(detector, findings))
    gathered = [f"the dump is incomplete: {', '.join(incomplete)}"] if incomplete else []
    return [*gathered, *own] if alarming[0].detector in INCOMPLETE else [*own, *gathered]


def by_detector(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """The findings of each detector, detectors in the order of their worst finding."""
    groups: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)):
        groups.setdefault(finding.detector, []).append(finding)
    return list(groups.items())


def clause(detector: str, findings: list[Finding]) -> str:
    """What a detector adds to the sentence."""
    if is_rule(detector):
        return f"the rule {detector.rpartition('/')[2]} applies to {plural(len(findings), 'partition')}"
    known = detectors().get(detector)
    return known.headline(findings) if known else plural(len(findings), "finding")
