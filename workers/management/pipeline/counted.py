"""Which findings of a report count for the exit code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from spark.terms.errors import UnreadableInput
from spark.terms.findings import SEVERITIES

NEVER = "never"
FAIL_ON = (*SEVERITIES, NEVER)
Finding = Mapping[str, Any]


@dataclass(frozen=True)
class Ignored:
    """Findings that somebody has decided about: of a detector, and if named of a topic, a partition, an entity."""

    detector: str
    reason: str
    until: date | None = None
    topic: str | None = None
    partition: int | None = None
    entity: str | None = None

    def is_over(self, today: date) -> bool:
        """Whether the day up to which it holds has passed."""
        return self.until is not None and self.until < today

    def matches(self, finding: Finding) -> bool:
        named = {
            "detector": self.detector,
            "topic": self.topic,
            "partition": self.partition,
            "entity": self.entity,
        }
        return all(value is None or finding[name] == value for name, value in named.items())


@dataclass(frozen=True)
class CountedFindings:
    """The findings of one report, sorted. `ignored`: id of a finding -> why it does not count; `in_baseline`: ids in the baseline, None
    without one; `failing`: those that decide the exit code."""

    failing: Sequence[Finding]
    ignored: Mapping[str, Ignored] = field(default_factory=dict)
    in_baseline: frozenset[str] | None = None

    def counts(self, finding: Finding) -> bool:
        return finding["id"] not in self.ignored and finding["id"] not in (self.in_baseline or ())


def counted(
    report: Mapping[str, Any],
    fail_on: str,
    ignored: Sequence[Ignored],
    in_baseline: frozenset[str] | None,
    today: date,
) -> CountedFindings:
    """Findings of severity `fail_on` or worse that are neither ignored nor in the baseline. Consequences count with their causes."""
    findings = report.get("findings", [])
    valid = [rule for rule in ignored if not rule.is_over(today)]
    why = {finding["id"]: rule for finding in findings for rule in reversed(valid) if rule.matches(finding)}
    for finding in findings:
        if finding["consequence_of"] in why:
            why.setdefault(finding["id"], why[finding["consequence_of"]])
    sorted_out = CountedFindings([], why, in_baseline)
    limit = FAIL_ON.index(fail_on)
    severe = [finding for finding in findings if SEVERITIES.index(finding["severity"]) <= limit]
    failing = [finding for finding in severe if sorted_out.counts(finding)] if fail_on != NEVER else []
    return CountedFindings(failing, why, in_baseline)


def baseline(path: Path) -> frozenset[str]:
    """Ids of the findings in a report that `inspect --json` printed. Raises UnreadableInput."""
    try:
        findings = json.loads(path.read_text(encoding="utf-8"))["findings"]
        return frozenset(finding["id"] for finding in findings)
    except OSError as problem:
        raise UnreadableInput(f"{path} cannot be read: {problem.strerror}.") from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise UnreadableInput(
            f"{path} is not a report. Make one with: inspect PATH... --json > {path.name}"
        ) from problem
