"""What an UPDATE without content does, to whom and at which start of the registry; several of them as one incident."""

from __future__ import annotations

from spark.detectors.apicurio._content_words import artifacts_named
from spark.detectors.apicurio._contents import Case
from spark.detectors.apicurio._repair import artifact_of
from spark.terms import marked
from spark.terms.findings import Effect, Finding, When
from spark.terms.typed_wording import plural

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
    """`The restart at offset 275 emptied 3 content items; 4 artifacts are lost`."""
    start = findings[0].event.removeprefix("start:")
    began = f"the restart at offset {marked.offset(int(start))}" if start else "a restart"
    emptied = plural(len({finding.entity for finding in findings}), "content item")
    clauses = [
        lost(findings, "already", "is", "are"),
        lost(findings, "next_compaction", "will be", "will be"),
    ]
    return "; ".join([f"{began} emptied {emptied}", *filter(None, clauses)])


def lost(findings: list[Finding], when: str, is_one: str, are_several: str) -> str:
    """The artifacts that are lost then; empty for none."""
    labels = [
        effect.entity_id
        for finding in findings
        for effect in finding.effects
        if (effect.entity_type, effect.when) == (VERSION, when)
    ]
    names = sorted({artifact_of(label) for label in labels})
    if not names:
        return ""
    verb = f"{is_one if len(names) == 1 else are_several} lost"
    after = " at the next compaction" if when == "next_compaction" else ""
    return f"{artifacts_named(names)} {verb}{after}"
