"""Which findings of a report count for the exit code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark.terms.errors import UnreadableInput
from spark.terms.findings import SEVERITIES
from spark.terms.installation import COMMAND_NAME

if TYPE_CHECKING:
    from workers.management.pipeline.masked import ReportMasks

NEVER = "never"
OTHER_SERIES = (
    "The baseline {path} was made with [masks], and with another secret or none, so its findings cannot be recognised. "
    "Use the same JOURNALSCOPE_MASK_SECRET and [masks] as for that report, or make a new baseline."
)
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
    without one; `failing`: ids of those that decide the exit code."""

    failing: frozenset[str]
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
    sorted_out = CountedFindings(frozenset(), why, in_baseline)
    limit = FAIL_ON.index(fail_on)
    severe = [finding for finding in findings if SEVERITIES.index(finding["severity"]) <= limit]
    failing = [finding["id"] for finding in severe if sorted_out.counts(finding)] if fail_on != NEVER else []
    return CountedFindings(frozenset(failing), why, in_baseline)


def baseline(path: Path, masks: ReportMasks | None = None) -> frozenset[str]:
    """Ids of the findings in a report that `inspect --json` printed, as a report with these masks has them. Raises UnreadableInput."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        ids = frozenset(finding["id"] for finding in report["findings"])
        series = report.get("masks", {}).get("id_series")
    except OSError as problem:
        raise UnreadableInput(f"{path} cannot be read: {problem.strerror}.") from problem
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UnreadableInput(
            f"{path} is not a report. Make one with: {COMMAND_NAME} inspect PATH... --json > baseline.json"
        ) from problem
    if series is None:
        return ids if masks is None else frozenset(map(masks.id_of, ids))
    if masks is None or masks.id_series != series:
        raise UnreadableInput(OTHER_SERIES.format(path=path))
    return ids
