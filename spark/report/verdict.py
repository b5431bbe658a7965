"""Verdict: root findings -> a level and one sentence that a ticket could quote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from spark.detectors import detectors
from spark.rules.evaluation import is_rule
from spark.sources import LACKS
from spark.terms import marked
from spark.terms.findings import SEVERITIES, WORSE_THAN_LOW, Finding
from spark.terms.typed_wording import grouped, plural, sentence
from spark.terms.verdict_word import HEALTHY as HEALTHY_WORD
from spark.terms.verdict_word import NO_FAULT

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
    is_alarming = any(finding.severity in WORSE_THAN_LOW for finding in own)
    if not records and coverage.get("records") and not is_alarming:
        return {"level": HEALTHY, "sentence": f"{NO_FAULT}. This journal contains no records."}
    return verdict(records, coverage, own, absent_of(coverage, journal))


class Absent(NamedTuple):
    """Missing offsets: those whose cause is proven, and the others."""

    known: int = 0
    unknown: int = 0


def absent_of(coverage: dict[str, Any], journal: dict[str, Any] | None = None) -> Absent:
    """Of one journal, or of all."""
    counts = coverage.get("absent_offsets_per_partition", {})
    own = [count for name, count in counts.items() if journal is None or belongs(name, journal)]
    return Absent(sum(count["known"] for count in own), sum(count["unknown"] for count in own))


def belongs(name: str, journal: dict[str, Any]) -> bool:
    """Whether `<topic>-<partition>` is a partition of the journal."""
    return name in {f"{journal['topic']}-{partition}" for partition in journal["partitions"]}


def verdict_of_all(
    journals: Sequence[dict[str, Any]], coverage: dict[str, Any], findings: Sequence[Finding]
) -> Verdict:
    """The verdict on the whole input: its journals' sentences, or what all of them have in common."""
    whole = verdict(coverage.get("records", 0), coverage, findings, absent_of(coverage))
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


def verdict(
    records: int, coverage: dict[str, Any], findings: Sequence[Finding], absent: Absent | None = None
) -> Verdict:
    """Level and sentence for some findings on some records."""
    roots = [finding for finding in findings if finding.consequence_of is None]
    alarming = [finding for finding in roots if finding.severity in WORSE_THAN_LOW]
    if not records and not alarming and coverage.get("printed"):
        return {"level": HEALTHY, "sentence": f"{NO_FAULT}. {sentence(coverage['printed'])}"}
    if not records:
        return {
            "level": alarming[0].severity if alarming else "medium",
            "sentence": no_records(coverage, alarming),
        }
    if not alarming:
        return {
            "level": HEALTHY,
            "sentence": no_fault(records, coverage, roots, absent or Absent()),
        }
    worst = min((finding.severity for finding in alarming), key=SEVERITIES.index)
    return {"level": worst, "sentence": alarm(alarming)}


def no_fault(records: int, coverage: dict[str, Any], roots: Sequence[Finding], absent: Absent) -> str:
    """`Healthy. 4,812 records, no missing offsets; 2 notes.`, or `No fault found.` with what could not be checked."""
    if not has_keys(coverage):
        return not_checked(records, roots, coverage.get("has_offsets", True))
    count = plural(records, "record")
    if not coverage.get("has_offsets", True):
        return f"{NO_FAULT}. {count}; missing offsets unknown: the dump contains no offsets{notes(roots)}."
    if absent.unknown:
        return f"{NO_FAULT}. {count}, {plural(absent.unknown, 'absent offset')}{notes(roots)}. {cause_unknown(coverage)}"
    if absent.known:
        return f"{HEALTHY_WORD}. {count}; {plural(absent.known, 'absent offset')}, cause known{notes(roots)}."
    return f"{HEALTHY_WORD}. {count}, no missing offsets{notes(roots)}."


def cause_unknown(coverage: dict[str, Any]) -> str:
    """What may have removed absent offsets, and how to find out."""
    if coverage.get("has_segments"):
        return "Cause: compaction or loss. Compare this replica with another replica."
    return "Cause: compaction, transactions or loss. The dump does not show which. To find out, inspect the log segments."


def notes(roots: Sequence[Finding]) -> str:
    """`; 2 notes`, or nothing."""
    count = sum(finding.detector not in UNREMARKABLE for finding in roots)
    return f"; {plural(count, 'note')}" if count else ""


def has_keys(coverage: dict[str, Any]) -> bool:
    """Whether any layout of the input contains keys."""
    return LACKS["key"] not in coverage.get("cannot_tell", ())


def not_checked(records: int, roots: Sequence[Finding], has_offsets: bool) -> str:
    """For values alone: whether they are healthy is unknown."""
    lacking = "no keys" if has_offsets else "no keys and no offsets"
    checks = f"{'' if has_offsets else 'missing records, '}deleted or superseded records, compaction"
    return (
        f"{NO_FAULT}. {plural(records, 'value')}. The input contains {lacking}, so these checks could not run: {checks}"
        f"{notes(roots)}."
    )


def no_records(coverage: dict[str, Any], alarming: Sequence[Finding]) -> str:
    """Nothing could be inspected: say so, and why as far as it is known."""
    unreadable = coverage.get("unreadable_bytes", 0)
    if alarming and coverage.get("printed"):
        return f"{sentence('; '.join(clauses(alarming)))} {sentence(coverage['printed'])}"
    if alarming:
        return f"No record could be read; {'; '.join(clauses(alarming))}."
    if unreadable:
        return f"No record could be read: {plural(unreadable, 'byte')} {'is' if unreadable == 1 else 'are'} in an unknown format."
    return "The input contains no records."


def alarm(alarming: Sequence[Finding]) -> str:
    """The clauses of all root causes, worst first."""
    nothing_lost = alarming[0].severity == "high" and loses_later(alarming)
    return sentence(("no data is lost yet; " if nothing_lost else "") + "; ".join(clauses(alarming)))


def loses_later(alarming: Sequence[Finding]) -> bool:
    """Whether the clause that stands first tells of a loss to come."""
    (detector, first), *_ = by_detector(alarming)
    return detector not in INCOMPLETE and any(finding.loses_later for finding in first)


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
    for finding in sorted(findings, key=lambda finding: finding.rank):
        groups.setdefault(finding.detector, []).append(finding)
    return list(groups.items())


def clause(detector: str, findings: list[Finding]) -> str:
    """What a detector adds to the sentence."""
    if is_rule(detector):
        return f"the rule {marked.name(detector.rpartition('/')[2])} applies to {plural(len(findings), 'partition')}"
    known = detectors().get(detector)
    return known.headline(findings) if known else plural(len(findings), "finding")
