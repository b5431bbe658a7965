"""What `content-null-update` says in a headline: artifacts, and the contents that they lose."""

from __future__ import annotations

from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, plural

# A start after the compaction cannot read the content; no record says whether one came since.
AT_RESTART = "after the next restart at the latest"
AFTER_RESTART = f"404, {AT_RESTART}"
ARTIFACTS_NAMED = 2


def headline(findings: list[Finding]) -> str:
    """`3 artifacts return 404, after the next restart at the latest: 2 content items are lost; 1 content item will be lost at the next compaction`."""
    unread = [finding for finding in findings if finding.severity == "critical"]
    risky = [finding for finding in findings if finding.severity == "high"]
    unneeded = len(findings) - len(unread) - len(risky)
    clauses = [lost_clause(unread)] if unread else []
    if risky:
        clauses.append(risk_clause(risky))
    if unneeded:
        has = "has" if unneeded == 1 else "have"
        clauses.append(
            f"{plural(unneeded, 'content item')} that no artifact needs {has} an UPDATE without content"
        )
    return "; ".join(clauses)


def risk_clause(findings: list[Finding]) -> str:
    """The part about the next compaction."""
    artifacts = broken_by(findings)
    victims_too = (
        f"; {artifacts_named(artifacts)} with {'it' if len(findings) == 1 else 'them'}" if artifacts else ""
    )
    return f"{plural(len(findings), 'content item')} will be lost at the next compaction{victims_too}"


def lost_clause(findings: list[Finding]) -> str:
    """The part about what cannot be read now."""
    late = [finding for finding in findings if any(name.startswith("late:") for name in finding.entities)]
    count, artifacts = len(findings), broken_by(findings)
    if len(late) == count:
        what = "comes too late in the journal" if count == 1 else "come too late in the journal"
    else:
        what = f"{'is' if count == 1 else 'are'} lost{' or come too late in the journal' if late else ''}"
    if not artifacts:
        return f"{plural(count, 'content item')} {what}"
    items = "its content" if count == len(artifacts) == 1 else plural(count, "content item")
    named, is_one = victims_named(artifacts, findings)
    return f"{named} {'returns' if is_one else 'return'} {AFTER_RESTART}: {items} {what}"


def victims_named(artifacts: list[str], findings: list[Finding]) -> tuple[str, bool]:
    """The artifacts in words, and whether it is one thing. Of an artifact that was created again, later versions answer by name."""
    named = artifacts_named(artifacts)
    if any(finding.facts.get("is_recreated") for finding in findings):
        return f"versions of {named}", False
    return named, len(artifacts) == 1


def broken_by(findings: list[Finding]) -> list[str]:
    """Names of the artifacts that need these contents."""
    names = {name for finding in findings for name in finding.entities if name.startswith("artifact:")}
    return sorted(name.removeprefix("artifact:") for name in names)


def artifacts_named(artifacts: list[str]) -> str:
    """`artifact pay/money`, `artifacts a/b and a/c`; many are counted."""
    if len(artifacts) > ARTIFACTS_NAMED:
        return plural(len(artifacts), "artifact")
    return f"{'artifact' if len(artifacts) == 1 else 'artifacts'} {listed(marked.entity(name, 'artifact') for name in artifacts)}"
