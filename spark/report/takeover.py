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
    """Without the findings that a better one replaces; that one gets their effects."""
    reported = []
    by_record = findings_by_record(findings)
    for general in findings:
        deciding = general.topic, general.partition, general.replica, general.cause_offset
        better = explained_better(general, by_record[deciding]) if general.damage else None
        if better is None:
            reported.append(general)
        else:
            take_over(better, general)
    return reported


def findings_by_record(findings: Iterable[Finding]) -> dict[Record, list[Finding]]:
    """By each record among their evidence."""
    by_record: dict[Record, list[Finding]] = defaultdict(list)
    for finding in findings:
        for offset in dict.fromkeys(finding.evidence):
            by_record[finding.topic, finding.partition, finding.replica, offset].append(finding)
    return by_record


def explained_better(general: Finding, findings: Iterable[Finding]) -> Finding | None:
    """Which of the findings on the same record is about the same entities, and as grave."""
    follows = detectors()[general.detector].follows
    better = [finding for finding in findings if finding.detector in follows and explains(finding, general)]
    return min(better, key=lambda finding: (finding.rank, follows.index(finding.detector)), default=None)


def explains(better: Finding, general: Finding) -> bool:
    """Whether a finding tells why the damage of the general one happens."""
    return better.rank <= general.rank and bool(better.entities & general.entities)


def take_over(better: Finding, general: Finding) -> None:
    """The better finding gets the effects of the general one, and the lines that tell them."""
    present = {(effect.kind, effect.entity_type, effect.entity_id) for effect in better.effects}
    better.effects += [
        effect
        for effect in general.effects
        if (effect.kind, effect.entity_type, effect.entity_id) not in present
    ]
    if not better.stands_for:
        better.write("explanation", "\n".join([better.marked["explanation"], *unsaid(better, general)]))
    better.stands_for.append(general)


def unsaid(better: Finding, general: Finding) -> Sequence[str]:
    """The general finding's lines of damage; none where the better one tells all that follow their heading."""
    present = set(better.marked["explanation"].splitlines())
    _, *lines = general.damage
    return [] if lines and present.issuperset(lines) else general.damage
