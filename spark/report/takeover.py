"""One difference belongs to one finding: who explains a damage better takes it over from the general detector.

`compaction-loss` reports whatever compaction changes. Where another finding, at least as grave, is about the record that
decides, it gets the effects and the lines that tell them, and the general finding is not reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from spark.detectors import detectors
from spark.terms.findings import Finding

Record = tuple[str, int | None, str, int | None]  # topic, partition, replica, offset


def taken_over(findings: Sequence[Finding]) -> list[Finding]:
    """Without findings that another one stands for; that one has their effects."""
    reported = []
    by_proof = by_record(findings)
    for finding in findings:
        better = explained_better(finding, by_proof[record_of(finding)]) if finding.damage else None
        if better is None:
            reported.append(finding)
        else:
            take_over(better, finding)
    return reported


def by_record(findings: Iterable[Finding]) -> dict[Record, list[Finding]]:
    """The findings that each record proves."""
    findings_by_record: dict[Record, list[Finding]] = defaultdict(list)
    for finding in findings:
        for offset in dict.fromkeys(finding.evidence):
            findings_by_record[finding.topic, finding.partition, finding.replica, offset].append(finding)
    return findings_by_record


def record_of(finding: Finding) -> Record:
    """The one that decides."""
    return finding.topic, finding.partition, finding.replica, finding.cause_offset


def explained_better(finding: Finding, others: Iterable[Finding]) -> Finding | None:
    """Which of the findings on the same record is about the same entities, and as grave."""
    follows = detectors()[finding.detector].follows
    better = [other for other in others if other.detector in follows and explains(other, finding)]
    return min(better, key=lambda other: (other.rank, follows.index(other.detector)), default=None)


def explains(finding: Finding, general: Finding) -> bool:
    """Whether a finding tells why the damage of the general one happens."""
    return finding.rank <= general.rank and bool(finding.entities & general.entities)


def take_over(finding: Finding, general: Finding) -> None:
    """What the general one knows belongs to the better one."""
    present = {(effect.kind, effect.entity_type, effect.entity_id) for effect in finding.effects}
    finding.effects += [
        effect
        for effect in general.effects
        if (effect.kind, effect.entity_type, effect.entity_id) not in present
    ]
    if not finding.stands_for:
        finding.write("explanation", "\n".join([finding.marked["explanation"], *general.damage]))
    finding.stands_for.append(general)
