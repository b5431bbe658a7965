"""What `content-null-update` says: one content, the record that replaced it with nothing, and who needs it."""

from __future__ import annotations

from collections.abc import Sequence

from spark.detectors.apicurio import _repair as repair
from spark.detectors.apicurio._content_case import Case, VersionOfCase
from spark.terms.findings import Finding, Severity
from spark.terms.wording import at_offsets, listed, plural, steps

MAX_EVIDENCE = 50
ARTIFACTS_NAMED = 2


def severity(case: Case) -> Severity:
    """As the catalogue says, also when all that needed the content was deleted: compaction may bring that back."""
    return "high" if case.status == "at_risk" else "critical"


def title(case: Case) -> str:
    """One sentence a ticket can quote."""
    update, name = case.updates[-1], f"Content {case.content_id}"
    if case.status == "late":
        stand = (
            f"{repair.artifacts_named([version.label for version in case.broken])} at {offsets(case.broken)}"
        )
        again = at_offsets((case.kept or case.held_by)[:1])
        return f"{name} came back too late: {again} holds it again, behind {stand}"
    if case.status == "lost":
        rest = (
            f"; the same bytes stand too late, at offset {case.kept[0]}"
            if case.kept
            else " and no record holds it any more"
        )
        return f"{name} is lost: offset {update} replaced it with nothing{rest}"
    return f"{name} will be lost at the next compaction: offset {update} replaces offset {case.held_by[-1] if case.held_by else '?'} with nothing{too_late(case)}"


def too_late(case: Case) -> str:
    """For a content that a later record carries, but behind the artifact."""
    return f", and offset {case.kept[0]} holds it too late" if case.kept else ""


def offsets(versions: Sequence[VersionOfCase]) -> str:
    """Where the versions' records stand."""
    return at_offsets([version.offset for version in versions])


def explanation(case: Case) -> str:
    """What happened, in order, and why it matters."""
    told = [held(case), started(case), replaced(case), *carried(case), *needed(case)]
    matters = [still_answers(case), *secondary(case), *uncertainty(case)]
    return "\n".join([steps(told), *matters])


def held(case: Case) -> str:
    """The record that held the content."""
    if case.held_by:
        return f"{at_offsets(case.held_by).capitalize()} holds content {case.content_id} (contentHash {case.content_hash})."
    before = min([version.offset for version in case.needs] + case.updates)
    return (
        f"A record before offset {before} held content {case.content_id} (contentHash {case.content_hash}). It is not "
        "in the journal any more: compaction keeps only the last record of a key."
    )


def started(case: Case) -> str:
    """The start at which the UPDATE was written: its Bootstrap record, or where it must have stood."""
    update = case.updates[-1]
    before = max((version.offset for version in case.needs if version.offset < update), default=-1)
    if case.restart is not None and case.restart > before:
        return f"A registry started at offset {case.restart}."
    since = f"after offset {before} and " if before >= 0 else ""
    return (
        f"A registry of version 2.1.3 to 2.5.8 started, {since}before offset {update}. Its Bootstrap record is not in this "
        "dump; compaction removes these records."
    )


def replaced(case: Case) -> str:
    """The UPDATE and who writes it."""
    verb = "is" if len(case.updates) == 1 else "are"
    return (
        f"{at_offsets(case.updates).capitalize()} {verb} an UPDATE of that content with the same key and no content. The "
        "canonical-hash upgrader for Protobuf writes it in versions 2.1.3 to 2.5.8, at every start and not only after an "
        "upgrade, when the stored canonical hash is not the one it computes. It means to change that hash and forgets "
        "the content."
    )


def carried(case: Case) -> list[str]:
    """Records that hold the content again."""
    return [f"{at_offsets(case.kept).capitalize()} holds the content again."] if case.kept else []


def needed(case: Case) -> list[str]:
    """Who needs the content."""
    if not case.needs:
        gone = f" {repair.versions_named(case.gone)} needed it and has been deleted." if case.gone else ""
        return [f"No artifact record in this dump needs the content.{gone}"]
    verb = "needs" if len(case.needs) == 1 else "need"
    named = repair.versions_named([version.label for version in case.needs])
    return [f"{named} {verb} it, at {offsets(case.needs)}."]


def still_answers(case: Case) -> str:
    """Why nobody notices yet, or what they notice."""
    if case.status == "at_risk":
        return (
            "Today the registry reads everything. Compaction will keep only the last record of the key, the one without "
            "content; from the next start on the registry drops the artifact records that need it, and they answer 404."
        )
    return (
        "A registry that was already running answers everything from memory. At its next start it drops the artifact "
        "records that need the content, without a message above debug level, and the artifacts answer 404."
    )


def secondary(case: Case) -> list[str]:
    """Later versions that fall with a first one."""
    labels = [version.label for version in case.later_versions]
    return [repair.secondary_loss(labels, case.status == "at_risk")] if labels else []


def uncertainty(case: Case) -> list[str]:
    """What a dump that starts late cannot tell."""
    if case.held_by or case.kept or case.starts_at_zero:
        return []
    return [
        (
            "The dump does not start at offset 0. If earlier records were left out of it rather than compacted away, the "
            "content may still be in the topic."
        )
    ]


def remedy(case: Case) -> str:
    """What to do, in this order."""
    source = (
        []
        if case.held_by or case.kept
        else [repair.from_process_or_dump([version.label for version in case.needs])]
    )
    return steps(
        [
            repair.dump_first(case.topic),
            repair.stop_compaction(case.topic),
            *source,
            repair.append_again(case.to_append, content_step(case)),
            repair.start_fixed_version(),
            repair.look_again(case.topic),
        ]
    )


def content_step(case: Case) -> str | None:
    """How the content gets back into the journal; None: it stands there, and a copy would stand behind its users."""
    if case.kept:
        return None
    if case.held_by:
        return f"Append a copy of the record at offset {case.held_by[-1]}, with its key and value unchanged"
    return (
        f"Append a Content CREATE for content {case.content_id}, with the key of offset {case.updates[-1]}. Its value: the bytes "
        "02 01, then canonical hash, content and references, each after its length as a 4-byte big-endian integer"
    )


def evidence(case: Case) -> list[int]:
    """Offsets in the order that proves it: the content, who needs it, the start, the UPDATE, the late copy."""
    restart = [case.restart] if case.restart is not None else []
    needs = [version.offset for version in case.needs]
    in_order = [
        *case.held_by,
        *needs[:MAX_EVIDENCE],
        *restart,
        *case.updates[-MAX_EVIDENCE:],
        *case.kept,
    ]
    return list(dict.fromkeys(in_order))


def entities(case: Case, content: str) -> set[str]:
    """What the finding is about: the content, which consequences share, and what the headline counts."""
    late = {f"late:{content}"} if case.status == "late" else set()
    return {content, *late, *(f"artifact:{name}" for name in case.artifacts)}


def headline(findings: list[Finding]) -> str:
    """`1 content is lost, and 1 artifact cannot be read because of it; 3 contents will be lost at the next compaction`."""
    unread = [finding for finding in findings if finding.severity == "critical"]
    risky = [finding for finding in findings if finding.severity == "high"]
    unneeded = len(findings) - len(unread) - len(risky)
    clauses = [lost_clause(unread)] if unread else []
    if risky:
        broken = broken_by(risky)
        clauses.append(
            f"{plural(len(risky), 'content')} will be lost at the next compaction"
            + (f", and with {'it' if len(risky) == 1 else 'them'} {which(broken)}" if broken else "")
        )
    if unneeded:
        clauses.append(
            f"{plural(unneeded, 'content')} that nothing needs {'is' if unneeded == 1 else 'are'} replaced by nothing"
        )
    return "; ".join(clauses)


def lost_clause(findings: list[Finding]) -> str:
    """The part about what cannot be read now."""
    late = [finding for finding in findings if any(name.startswith("late:") for name in finding.entities)]
    count = len(findings)
    what = "is lost" if count == 1 else "are lost"
    if len(late) == count:
        what = "came back too late"
    elif late:
        what = "are lost or came back too late"
    artifacts = broken_by(findings)
    because = f", and {which(artifacts)} cannot be read because of {'it' if count == 1 else 'them'}"
    return f"{plural(count, 'content')} {what}{because if artifacts else ''}"


def broken_by(findings: list[Finding]) -> list[str]:
    """Names of the artifacts that need these contents."""
    names = {name for finding in findings for name in finding.entities if name.startswith("artifact:")}
    return sorted(name.removeprefix("artifact:") for name in names)


def which(artifacts: list[str]) -> str:
    """`artifact pay/money`, `artifacts a/b and a/c`; many are counted."""
    if len(artifacts) > ARTIFACTS_NAMED:
        return plural(len(artifacts), "artifact")
    return f"{'artifact' if len(artifacts) == 1 else 'artifacts'} {listed(artifacts)}"
