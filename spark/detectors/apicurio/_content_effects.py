"""What an UPDATE without content does, to whom and at which start of the registry; several of them as one incident."""

from __future__ import annotations

from spark.detectors.apicurio._content_headline import AFTER_RESTART, victims_named
from spark.detectors.apicurio._contents import Case
from spark.detectors.apicurio._repair import artifact_of
from spark.terms import marked
from spark.terms.findings import Effect, Finding, When
from spark.terms.typed_wording import moment, plural

CONTENT, VERSION = "content", "version"


def effects(case: Case) -> list[Effect]:
    """The content, and the versions whose records the registry rejects because of it."""
    when: When = "next_compaction" if case.status == "at_risk" else "already"
    versions = case.needs if case.status == "at_risk" else case.broken
    lost = [] if case.status == "late" else [Effect("lost", CONTENT, case.content_id, when)]
    return [*lost, *(Effect("lost", VERSION, version.label, when) for version in versions)]


def event(case: Case) -> str:
    """`start:275` where the dump still contains the Bootstrap record of the start that wrote the UPDATE."""
    needed = max((version.offset for version in case.needs if version.offset < case.updates[-1]), default=-1)
    return f"start:{case.restart}" if case.restart is not None and case.restart > needed else ""


def incident(findings: list[Finding]) -> str:
    """`4 artifacts return 404, after the next restart at the latest: 3 content items emptied at 2026-11-21 08:25:06 UTC`."""
    emptied = plural(len({finding.entity for finding in findings}), "content item")
    start, at = findings[0].event.removeprefix("start:"), findings[0].since_ms
    when = f" at {moment(at)}" if at is not None else ""
    by = f" by the restart at offset {marked.offset(int(start))}" if start and not when else ""
    clauses = [
        clause(findings, "already", "returns", "return", f" {AFTER_RESTART}"),
        clause(findings, "next_compaction", "is", "are", " lost at the next compaction"),
    ]
    victims = "; ".join(filter(None, clauses))
    return f"{victims}: {emptied} emptied{when}{by}" if victims else f"a restart{when} emptied {emptied}"


def clause(findings: list[Finding], when: str, is_one: str, are_several: str, end: str) -> str:
    """What happens then to the artifacts; empty for none."""
    labels = [
        effect.entity_id
        for finding in findings
        for effect in finding.effects
        if (effect.entity_type, effect.when) == (VERSION, when)
    ]
    names = sorted({artifact_of(label) for label in labels})
    named, is_single = victims_named(names, findings)
    return f"{named} {is_one if is_single else are_several}{end}" if names else ""
