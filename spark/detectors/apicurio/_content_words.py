"""What `content-null-update` says: who needs a content, what happens to them, and the UPDATE without content that did it."""

from __future__ import annotations

from collections.abc import Sequence

from spark.detectors.apicurio import _repair as repair
from spark.detectors.apicurio._content_facts import DependentVersion
from spark.detectors.apicurio._content_headline import AT_RESTART, artifacts_named
from spark.detectors.apicurio._contents import Case
from spark.terms import marked
from spark.terms.findings import Severity
from spark.terms.typed_wording import at_offsets, moment, plural, steps, version_name

MAX_EVIDENCE = 50


def severity(case: Case) -> Severity:
    """As the catalogue says, also when all that needed the content was deleted: compaction may bring that back."""
    return "high" if case.status == "at_risk" else "critical"


def title(case: Case) -> str:
    """One sentence a ticket can quote: victim, impact, cause."""
    content = f"content {marked.entity(case.content_id, 'content')}"
    if not case.needs:
        when = "will be lost at the next compaction" if case.status == "at_risk" else "is lost"
        return f"{content.capitalize()} {when}: offset {marked.offset(case.updates[-1])} is an UPDATE without content"
    if case.status == "late":
        return late_title(case, content)
    is_one = len(case.needs) == 1
    its = "its" if is_one else "their"
    if case.status == "lost":
        returns = "returns" if is_one else "return"
        return f"{victims(case.needs)} {returns} 404{by_ids(case)}, {AT_RESTART}: {its} content ({content}) is lost{emptied(case)}{copy_is_late(case)}{created_again(case)}"
    loses = "loses" if is_one else "lose"
    return f"{victims(case.needs)} {loses} {content} at the next compaction: offset {marked.offset(case.updates[-1])} empties it{copy_is_late(case)}"


def by_ids(case: Case) -> str:
    """For versions whose names later versions have: what is lost is what their ids stand for."""
    return f" by {'its' if len(case.needs) == 1 else 'their'} IDs" if case.again else ""


def created_again(case: Case) -> str:
    """`; created again at offset 175 with other IDs`."""
    return f"; created again at {at_offsets(case.again)} with other IDs" if case.again else ""


def emptied(case: Case) -> str:
    """`, emptied at 2026-11-21 08:25:06 UTC`."""
    return f", emptied at {moment(case.emptied_ms)}" if case.emptied_ms is not None else ""


def late_title(case: Case, content: str) -> str:
    """For a content that a record contains again, but only after the artifact record that needs it."""
    again = at_offsets((case.retained or case.held_by)[:1])
    if len(case.broken) == 1:
        order = f"its content ({content}, {again}) comes after its artifact record"
    else:
        order = f"their content ({content}, {again}) comes after their artifact records"
    returns = "returns" if len(case.broken) == 1 else "return"
    return f"{victims(case.broken)} {returns} 404{by_ids(case)}, {AT_RESTART}: {order} ({offsets(case.broken)}){created_again(case)}"


def victims(versions: Sequence[DependentVersion]) -> str:
    """One is named, several are counted."""
    if len(versions) == 1:
        return f"Artifact {version_name(versions[0].label)}"
    return plural(len(versions), "artifact version")


def copy_is_late(case: Case) -> str:
    """For a content that a later record contains again, but after the artifact record."""
    return f"; the copy at offset {marked.offset(case.retained[0])} comes too late" if case.retained else ""


def offsets(versions: Sequence[DependentVersion]) -> str:
    """Where the versions' records stand."""
    return at_offsets([version.offset for version in versions])


def explanation(case: Case) -> str:
    """What happened, in order, and why it matters."""
    events = [held(case), started(case), replaced(case), *carried(case), *needed(case)]
    matters = [*emptied_by(case), still_answers(case), *secondary(case), *uncertainty(case)]
    return "\n".join([steps(events), *matters])


def emptied_by(case: Case) -> list[str]:
    """The cause of a loss in a sentence, for who does not read the steps."""
    if case.status != "lost" or not case.needs:
        return []
    return [
        f"A registry of version 2.1.3 to 2.5.8 wrote content {marked.entity(case.content_id, 'content')} again without its text, and compaction removes the "
        "record before it."
    ]


def held(case: Case) -> str:
    """The record that contained the content."""
    if case.held_by:
        verb = "contains" if len(case.held_by) == 1 else "contain"
        return f"{at_offsets(case.held_by).capitalize()} {verb} content {marked.entity(case.content_id, 'content')} (contentHash {marked.hash_of(case.content_hash)})."
    before = min([version.offset for version in case.needs] + case.updates)
    copies = f" The same content, under another ID: {at_offsets(case.copies)}." if case.copies else ""
    return (
        f"A record before offset {marked.offset(before)} contained content {marked.entity(case.content_id, 'content')} (contentHash {marked.hash_of(case.content_hash)}). The dump does "
        f"not contain this record. Compaction keeps only the last record of each key.{copies}"
    )


def started(case: Case) -> str:
    """The start at which the UPDATE was written: its Bootstrap record, or where it must have stood."""
    update = case.updates[-1]
    before = max((version.offset for version in case.needs if version.offset < update), default=-1)
    if case.restart is not None and case.restart > before:
        return f"A registry started at offset {marked.offset(case.restart)}."
    when = (
        f"between offsets {marked.offset(before)} and {marked.offset(update)}"
        if before >= 0
        else f"before offset {marked.offset(update)}"
    )
    return (
        f"A registry of version 2.1.3 to 2.5.8 started {when}. The dump does not contain its Bootstrap record. Compaction "
        "removes these records."
    )


def replaced(case: Case) -> str:
    """The UPDATE and who writes it."""
    verb = "is an UPDATE" if len(case.updates) == 1 else "are UPDATEs"
    return (
        f"{at_offsets(case.updates).capitalize()} {verb} of content {marked.entity(case.content_id, 'content')} with the same key but without content. The "
        "canonical-hash upgrader for Protobuf in versions 2.1.3 to 2.5.8 writes such an UPDATE at every start at which the "
        "stored canonical hash differs from the hash that it computes. A restart without an upgrade is enough. The UPDATE "
        "changes the hash but has no content."
    )


def carried(case: Case) -> list[str]:
    """Records that contain the content again."""
    verb = "contains" if len(case.retained) == 1 else "contain"
    return [f"{at_offsets(case.retained).capitalize()} {verb} the content again."] if case.retained else []


def needed(case: Case) -> list[str]:
    """Who needs the content."""
    if not case.needs:
        has = "has" if len(case.gone) == 1 else "have"
        gone = f" {repair.versions_named(case.gone)} needed it and {has} been deleted." if case.gone else ""
        return [f"No artifact record in this dump needs the content.{gone}"]
    named = repair.versions_named([version.label for version in case.needs])
    who = f"Artifact {named} needs it" if len(case.needs) == 1 else f"Artifacts {named} need it"
    record = "artifact record" if len(case.needs) == 1 else "artifact records"
    again = (
        f" Requests by name get the version that was created again at {at_offsets(case.again)}. A consumer whose messages contain the old global "
        "ID or content ID does not find it."
        if case.again
        else ""
    )
    return [f"{who} ({record} at {offsets(case.needs)}).{again}"]


def still_answers(case: Case) -> str:
    """Why nobody notices yet, or what they notice."""
    is_one = len(case.artifacts) == 1
    artifacts, these = ("artifact", "this artifact") if is_one else ("artifacts", "these artifacts")
    records = "artifact record that needs" if len(case.needs) == 1 else "artifact records that need"
    if case.status == "at_risk":
        return (
            f"At the end of this dump, a start still reads {these}. Compaction will keep only the last record of each key, here an UPDATE "
            f"without content. From its first start after that compaction, the registry rejects the {records} the content. Requests for {these} then return 404."
        )
    if case.is_recreated:
        return " ".join(
            (
                *after_a_start(case),
                *(
                    []
                    if case.failed_by is not None
                    else [f"The {artifacts} {'was' if is_one else 'were'} created again later."]
                ),
                "A registry accepts that only if it has lost the earlier one. The registry logs the rejection at debug level only.",
            )
        )
    return " ".join(
        (
            *after_a_start(case),
            f"A registry that read the content before compaction removed it still serves the {artifacts} from memory. At its "
            f"next start, it rejects the {records} the content. The registry logs the rejection at debug level only. Requests for {these}{by_ids(case)} then return 404.",
        )
    )


def after_a_start(case: Case) -> list[str]:
    """Since when requests fail, as far as the dump proves it: a start that came before the compaction read the content."""
    if case.failed_by is not None:
        after = (
            "Both returned 404 until the artifact was created again."
            if case.is_recreated
            else "That registry returns 404 for both."
        )
        return [
            f"A registry rejected the first version of {artifacts_named(case.artifacts[:1])}, and therefore wrote the tombstone at offset "
            f"{marked.offset(case.failed_by)} for a later version. {after}"
        ]
    if case.later_start is None:
        return []
    at = f", {moment(case.later_start_ms)}" if case.later_start_ms is not None else ""
    return [
        f"Later, a registry started (offset {marked.offset(case.later_start)}{at}). It returns 404 if compaction had "
        "removed the content before that start. The dump does not show when compaction removed the content."
    ]


def secondary(case: Case) -> list[str]:
    """Later versions that fall with a first one."""
    labels = [version.label for version in case.later_versions]
    return [repair.secondary_loss(labels, case.status == "at_risk")] if labels else []


def uncertainty(case: Case) -> list[str]:
    """What a dump that starts late cannot tell."""
    if case.has_bytes or case.starts_at_zero:
        return []
    return [
        (
            "The dump starts after offset 0. If the export left out earlier records and the content is among them, the topic still contains it."
        )
    ]


def evidence(case: Case) -> list[int]:
    """Offsets in the order that proves it: the content, who needs it, the start, the UPDATE, the late copy, the null that a start wrote."""
    restart = [case.restart] if case.restart is not None else []
    needs = [version.offset for version in case.needs]
    in_order = [
        *case.held_by,
        *needs[:MAX_EVIDENCE],
        *restart,
        *case.updates[-MAX_EVIDENCE:],
        *case.retained,
        *([case.failed_by] if case.failed_by is not None else []),
    ]
    return list(dict.fromkeys(in_order))


def entities(case: Case) -> set[str]:
    """What the finding is about: the content, which consequences share, and what the headline counts."""
    late = {f"late:{case.content}"} if case.status == "late" else set()
    return {case.content, *late, *(f"artifact:{name}" for name in case.artifacts)}
