"""Copies of a partition (a dump beside its segments, two replicas) show the same things: each is told once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from webapp.reports.report import Finding
from webapp.reports.results import PartitionReplica


@dataclass
class UniqueFinding:
    """A finding, and those that say the same of other copies of the partition."""

    finding: Finding
    twins: list[Finding] = field(default_factory=list)


def unique_findings(
    findings: Sequence[Finding], chosen: PartitionReplica | None = None
) -> list[UniqueFinding]:
    """In the order of the findings; the copy that somebody looks at speaks for the others."""
    found: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        found.setdefault(_said(finding), []).append(finding)
    return [_told(group, chosen) for same in found.values() for group in _one_of_each_copy(same)]


def _said(finding: Finding) -> tuple[object, ...]:
    """What two copies have in common when they show the same."""
    return finding.detector, finding.severity, finding.topic, finding.partition, finding.title


def _one_of_each_copy(same: list[Finding]) -> list[list[Finding]]:
    """One copy may say the same words of several things: those are not twins."""
    groups: list[list[Finding]] = []
    for finding in same:
        for group in groups:
            if finding.replica not in {twin.replica for twin in group}:
                group.append(finding)
                break
        else:
            groups.append([finding])
    return groups


def _told(group: list[Finding], chosen: PartitionReplica | None) -> UniqueFinding:
    looked_at = chosen.replica if chosen else ""
    speaker = next((finding for finding in group if (finding.replica or "") == looked_at), group[0])
    return UniqueFinding(speaker, [finding for finding in group if finding is not speaker])
