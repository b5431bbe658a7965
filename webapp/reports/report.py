"""The report of an inspection as the pages see it: findings sorted into causes and consequences.

The JSON behind it is the contract of docs/report.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spark.tables.replica import PartitionReplica
from spark.terms.damage import damage, what_was_read
from spark.terms.findings import SEVERITIES, WORSE_THAN_LOW
from spark.terms.marked import UNNAMED
from spark.terms.verdict_word import CLAIMS, HEALTHY, verdict_word
from spark.terms.visible import visible
from spark.terms.wording import plural
from webapp.catalogue.pages import page_of, pages
from webapp.reports.typed_text import blocks_of

# in which inputs the checks look that are about files
IN_FILES = re.compile(r"log (segments|folders)|^dumps$|^every log\b")
# findings that say what a damaged range says
DAMAGE = ("crc-mismatch", "unreadable-bytes", "truncated-tail", "preallocated-tail")


@dataclass
class ReportFinding:
    """One finding with the findings it caused; `blocks`: its texts by name (`webapp.reports.typed_text`)."""

    id: str
    detector: str
    severity: str
    confidence: str
    title: str
    explanation: str
    topic: str
    partition: int | None
    first_offset: int | None
    last_offset: int | None
    key: str | None
    evidence: list[int]
    remedy: str
    references: list[str]
    consequence_of: str | None
    replica: str | None = None
    copies: list[str] = field(default_factory=list)
    incident: str | None = None
    blocks: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    consequences: list[ReportFinding] = field(default_factory=list)

    @property
    def flag_offset(self) -> int | None:
        """Offset of a chart's flag: where it begins, or the record that completes the proof where that record is not part of it."""
        if self.first_offset in self.evidence or not self.evidence:
            return self.first_offset
        return self.evidence[-1]

    @property
    def check(self) -> str:
        """What its check finds, by the heading of the check's page."""
        return page_of(f"detectors/{self.detector}.md").title

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return SEVERITIES.index(self.severity) if self.severity in SEVERITIES else len(SEVERITIES)

    def is_about(self, replica: PartitionReplica) -> bool:
        """Whether it belongs to this partition (one that names no partition or copy belongs to all of them)."""
        is_there = self.topic == replica.topic and self.partition in (None, replica.partition)
        is_shown = replica.replica in self.copies or not (self.copies or self.replica)
        return is_there and (is_shown or self.replica == replica.replica)

    def lies_in(self, stretches: Iterable[Mapping[str, Any]]) -> bool:
        """Whether one of its offsets is in one of these stretches; a stretch without offsets contains none."""
        first = self.first_offset
        return first is not None and any(
            row["first_offset"] <= (self.last_offset or first) and first <= row["last_offset"]
            for row in stretches
            if row.get("first_offset") is not None and row.get("last_offset") is not None
        )

    def all_consequences(self) -> Iterator[ReportFinding]:
        """Its consequences and theirs."""
        for consequence in self.consequences:
            yield consequence
            yield from consequence.all_consequences()


@dataclass(frozen=True)
class Report:
    """report.json with its findings linked."""

    document: dict[str, Any]
    findings: list[ReportFinding]

    @property
    def roots(self) -> list[ReportFinding]:
        """Findings without a cause, worst first."""
        ids = {finding.id for finding in self.findings}
        roots = [finding for finding in self.findings if finding.consequence_of not in ids]
        return sorted(roots, key=lambda finding: finding.rank)

    @property
    def causes(self) -> list[ReportFinding]:
        """Roots with a severity above info."""
        return [finding for finding in self.roots if finding.severity != "info"]

    @property
    def alarms(self) -> int:
        """Number of incidents worse than low."""
        causes = [cause for cause in self.causes if cause.severity in WORSE_THAN_LOW]
        return len({cause.incident or cause.id for cause in causes})

    @property
    def more_incidents(self) -> int:
        """Incidents beside the worst one, those of low severity included, as Journals and Review count them."""
        low = sum(cause.severity not in WORSE_THAN_LOW for cause in self.causes)
        return self.alarms - 1 + low if self.alarms else 0

    @property
    def remarks(self) -> list[ReportFinding]:
        """Causes of severity info."""
        return [finding for finding in self.roots if finding.severity == "info"]

    def log_findings(self, replica: PartitionReplica | None = None) -> list[ReportFinding]:
        """Findings about logs and dumps, not about what their entries say, of all partitions or one, worst first; no notes."""
        about = {check.name for check in pages("detectors") if IN_FILES.search(check.found_in)}
        return sorted(
            (
                finding
                for finding in self.findings
                if finding.detector in about
                and finding.severity != "info"
                and (replica is None or finding.is_about(replica))
            ),
            key=lambda finding: finding.rank,
        )

    @property
    def verdict(self) -> dict[str, str]:
        return self.document["verdict"]

    @property
    def headline(self) -> dict[str, Any]:
        """Level and sentence of the worst incident, as on the Overview; without an incident those of the verdict."""
        return self.headline_of(None) or self.verdict

    def headline_of(self, replica: PartitionReplica | None) -> dict[str, Any]:
        """The same of one partition, or of all; empty where no incident is about it."""
        by_id = {cause.id: cause for cause in self.causes if cause.severity in WORSE_THAN_LOW}
        for incident in self.document.get("incidents") or [{"findings": [name]} for name in by_id]:
            causes = [by_id[name] for name in incident["findings"] if name in by_id]
            own = [cause for cause in causes if replica is None or cause.is_about(replica)]
            if own:
                title = incident["title"] if len(causes) > 1 and own[0] is causes[0] else own[0].title
                return {"level": own[0].severity, "sentence": title, "is_incident": True}
        return {}

    @property
    def calm_headline(self) -> str:
        """A healthy verdict's claim, and of what: `No fault found in _schemas`, `Healthy: 3 journals`; empty for another verdict."""
        claim = verdict_word(self.verdict["level"], self.verdict["sentence"])
        if claim not in CLAIMS:
            return ""
        topics = [journal.get("topic") for journal in self.document.get("journals", [])]
        name = plural(len(topics), "journal") if len(topics) > 1 else "the input"
        if len(topics) == 1:
            name = "the journal" if topics[0] in (None, UNNAMED) else topics[0]
        return f"{claim}: {name}" if claim == HEALTHY else f"{claim} in {name}"

    @property
    def coverage(self) -> dict[str, Any]:
        return self.document.get("coverage", {})

    @property
    def read(self) -> str:
        """What was read of the input as a clause."""
        return what_was_read(self.document)

    @property
    def damage(self) -> str:
        """The damage of the input as a clause."""
        return damage(self.coverage)

    @property
    def unrun(self) -> list[str]:
        """What better data would allow, then what does not apply; of an older report, how many did not run."""
        unrun = self.document.get("unrun_checks")
        if unrun:
            lines = [*unrun.get("better_data", []), *unrun.get("failed", []), unrun.get("does_not_apply")]
            return [line for line in lines if line]
        count = len(self.document.get("not_run", []))
        return [f"{plural(count, 'check')} did not run on this input."] if count else []

    def journal(self, topic: str) -> dict[str, Any]:
        """What is known of a topic's journal: dialect, profile; empty where the report does not say."""
        journals = self.document.get("journals", [])
        return next((journal for journal in journals if journal.get("topic") == topic), {})

    def victims_of(self, finding: ReportFinding) -> list[str]:
        """Names of the entities that the finding says are victims."""
        incidents = self.document.get("incidents", [])
        victims = (row for incident in incidents for row in incident.get("victims") or [])
        return [row["entity_id"] for row in victims if row["finding"] == finding.id]

    def root_of(self, finding_id: str) -> ReportFinding | None:
        """The finding, or the cause at the root of it; None where there is no such finding."""
        by_id = {finding.id: finding for finding in self.findings}
        finding, seen = by_id.get(finding_id), set[str]()
        while finding is not None and finding.consequence_of in by_id and finding.id not in seen:
            seen.add(finding.id)
            finding = by_id[finding.consequence_of]
        return finding

    def worst_by_offset(self, replica: PartitionReplica) -> dict[int, ReportFinding]:
        """By record that proves something, the worst finding that names it; no remarks."""
        worst: dict[int, ReportFinding] = {}
        for finding in sorted(self.findings, key=lambda finding: finding.rank, reverse=True):
            if finding.severity != "info" and finding.is_about(replica):
                worst |= dict.fromkeys(finding.evidence, finding)
        return worst

    def findings_at(self, offset: int, replica: PartitionReplica) -> list[ReportFinding]:
        """Findings that this record proves."""
        return [f for f in self.findings if offset in f.evidence and f.is_about(replica)]

    def findings_on(self, offsets: Iterable[int], replica: PartitionReplica) -> list[ReportFinding]:
        """Causes and consequences, the worst first, that name one of these records as proof; no remarks."""
        proofs = set(offsets)
        return [
            finding
            for finding in self.findings
            if finding.severity != "info"
            and not proofs.isdisjoint(finding.evidence)
            and finding.is_about(replica)
        ]


def beside_damage(
    findings: Iterable[ReportFinding], damaged: Iterable[Mapping[str, Any]]
) -> list[ReportFinding]:
    """Those that the damaged ranges do not tell already, the worst of each check."""
    ranges = list(damaged)
    others: dict[str, ReportFinding] = {}
    for finding in findings:
        if finding.detector not in DAMAGE or not finding.lies_in(ranges):
            others.setdefault(finding.detector, finding)
    return list(others.values())


def incident_titles(document: dict[str, Any]) -> dict[str, str]:
    """Titles by id of incidents that have several findings."""
    return {
        incident["id"]: incident["title"]
        for incident in document.get("incidents", [])
        if len(incident["findings"]) > 1
    }


def positions_of(document: dict[str, Any]) -> dict[str, int]:
    """By id, the position of each finding in every list of findings of equal severity: that of its incident, then the others in the order
    of the report."""
    names = [name for incident in document.get("incidents", []) for name in incident.get("findings", [])]
    names += [entry["id"] for entry in document.get("findings", [])]
    return {name: position for position, name in enumerate(dict.fromkeys(names))}


def read_report(document: dict[str, Any]) -> Report:
    """Link the findings of a report.json, the worst first."""
    positions = positions_of(document)
    findings = [ReportFinding(**shown(entry)) for entry in document.get("findings", [])]
    findings.sort(key=lambda finding: (finding.rank, positions[finding.id]))
    by_id = {finding.id: finding for finding in findings}
    for finding in findings:
        finding.evidence = finding.evidence or []
        finding.references = finding.references or []
        finding.copies = finding.copies or []
        cause = by_id.get(finding.consequence_of or "")
        if cause is not None and cause is not finding:
            cause.consequences.append(finding)
    return Report(document, findings)


def shown(entry: dict[str, Any]) -> dict[str, Any]:
    """A finding's members; names and data in its texts hold no character that a browser would obey."""
    members: dict[str, Any] = {name: entry.get(name) for name in _MEMBERS}
    members["blocks"] = {name: blocks_of(entry, name) for name in _TEXTS}
    return members | {name: visible(members[name]) for name in _TEXTS if members[name]}


_TEXTS = ("title", "explanation", "remedy")
_MEMBERS = tuple(
    name for name in ReportFinding.__dataclass_fields__ if name not in ("consequences", "blocks")
)
