"""One difference belongs to one finding: who explains a damage better takes it over from the general detector.

`compaction-loss` reports whatever compaction changes. Where another finding, at least as grave, is about the record that
decides, it gets the effects and the lines that tell them, and the general finding is not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark.detectors import detectors
from spark.terms.findings import Finding


def taken_over(findings: Sequence[Finding]) -> list[Finding]:
    """Without findings that another one stands for; that one has their effects."""
    left = []
    for finding in findings:
        better = explained_better(finding, findings) if finding.damage else None
        if better is None:
            left.append(finding)
        else:
            take_over(better, finding)
    return left


def explained_better(finding: Finding, others: Iterable[Finding]) -> Finding | None:
    """Which finding is about the same record and the same entities, and as grave."""
    follows = detectors()[finding.detector].follows
    fit = [one for one in others if one.detector in follows and explains(one, finding)]
    return min(fit, key=lambda one: (one.rank, follows.index(one.detector)), default=None)


def explains(better: Finding, general: Finding) -> bool:
    """Whether a finding tells why the damage of the general one happens."""
    is_there = (better.topic, better.partition, better.replica) == (
        general.topic, general.partition, general.replica,
    )  # fmt: skip
    is_as_grave = better.rank <= general.rank
    is_same_record = general.cause_offset in better.evidence
    return is_there and is_as_grave and is_same_record and bool(better.entities & general.entities)


def take_over(better: Finding, general: Finding) -> None:
    """What the general one knows belongs to the better one."""
    known = {(one.kind, one.entity_type, one.entity_id) for one in better.effects}
    better.effects += [
        one for one in general.effects if (one.kind, one.entity_type, one.entity_id) not in known
    ]
    if not better.stands_for:
        better.write("explanation", "\n".join([better.marked["explanation"], *general.damage]))
    better.stands_for.append(general)
