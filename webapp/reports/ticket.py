"""The report as Markdown for a ticket: verdict, root causes with offsets, coverage, what to do, link."""

from __future__ import annotations

from webapp.reports.copies import told_once
from webapp.reports.report import Finding, Report

CAUSES_IN_TICKET = 10
EVIDENCE_IN_TICKET = 10


def ticket_text(report: Report, link: str) -> str:
    """What "Copy for ticket" copies."""
    verdict = report.verdict
    parts = [f"**{verdict['level'].capitalize()}.** {verdict['sentence']}"]
    causes = [one.finding for one in told_once(report.causes)]
    if causes:
        parts.append("\n".join(_cause(finding) for finding in causes[:CAUSES_IN_TICKET]))
    more = len(causes) - CAUSES_IN_TICKET
    if more > 0:
        parts.append(f"… and {more:,} more finding{'s' if more > 1 else ''}.")
    parts.append(_coverage(report))
    remedies = list(dict.fromkeys(f.remedy for f in causes[:CAUSES_IN_TICKET] if f.remedy))
    if remedies:
        parts.append("**What to do**\n\n" + "\n\n".join(remedies))
    parts.append(f"Report: {link}")
    return "\n\n".join(parts) + "\n"


def _cause(finding: Finding) -> str:
    where = f"{finding.topic}-{finding.partition}" if finding.partition is not None else finding.topic
    offsets = ", ".join(f"{offset}" for offset in finding.evidence[:EVIDENCE_IN_TICKET])
    more = len(finding.evidence) - EVIDENCE_IN_TICKET
    proof = f"; offsets {offsets}" if offsets else ""
    proof += f" and {more:,} more" if more > 0 else ""
    consequences = len(list(finding.all_consequences()))
    led_to = f"; {consequences:,} consequence{'s' if consequences > 1 else ''}" if consequences else ""
    return f"- **{finding.severity.capitalize()}, {finding.confidence}:** {finding.title} (`{where}`{proof}{led_to})"


def _coverage(report: Report) -> str:
    coverage = report.coverage
    ranges = ", ".join(
        f"`{name}` {bounds[0]:,}–{bounds[1]:,}"
        for name, bounds in coverage.get("offsets_per_partition", {}).items()
    )
    sentences = [
        f"{coverage.get('records', 0):,} records" + (f", offsets {ranges}" if ranges else ""),
        f"{coverage.get('unreadable_bytes', 0):,} bytes unreadable",
        f"isolation {coverage.get('isolation', 'read_uncommitted')}",
    ]
    cannot_tell = coverage.get("cannot_tell") or []
    lost = f" The source cannot tell: {'; '.join(cannot_tell)}." if cannot_tell else ""
    return f"**Coverage**: {'; '.join(sentences)}.{lost}"
