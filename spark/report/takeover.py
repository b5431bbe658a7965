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
    left = []
    about = by_record(findings)
    for finding in findings:
        better = explained_better(finding, about[record_of(finding)]) if finding.damage else None
        if better is None:
            left.append(finding)
        else:
            take_over(better, finding)
    return left


def by_record(findings: Iterable[Finding]) -> dict[Record, list[Finding]]:
    """The findings that each record proves."""
    about: dict[Record, list[Finding]] = defaultdict(list)
    for finding in findings:
        for offset in dict.fromkeys(finding.evidence):
            about[finding.topic, finding.partition, finding.replica, offset].append(finding)
    return about


def record_of(finding: Finding) -> Record:
    """The one that decides."""
    return finding.topic, finding.partition, finding.replica, finding.cause_offset


def explained_better(finding: Finding, others: Iterable[Finding]) -> Finding | None:
    """Which of the findings on the same record is about the same entities, and as grave."""
    follows = detectors()[finding.detector].follows
    fit = [one for one in others if one.detector in follows and explains(one, finding)]
    return min(fit, key=lambda one: (one.rank, follows.index(one.detector)), default=None)


def explains(better: Finding, general: Finding) -> bool:
    """Whether a finding tells why the damage of the general one happens."""
    return better.rank <= general.rank and bool(better.entities & general.entities)


def take_over(better: Finding, general: Finding) -> None:
    """What the general one knows belongs to the better one."""
    known = {(one.kind, one.entity_type, one.entity_id) for one in better.effects}
    better.effects += [
        one for one in general.effects if (one.kind, one.entity_type, one.entity_id) not in known
    ]
    if not better.stands_for:
        better.write("explanation", "\n".join([better.marked["explanation"], *general.damage]))
    better.stands_for.append(general)
