"""The report for a ticket: verdict, root causes with offsets, coverage, what to do, link; nothing else.

The same words in each of the markups that ticket systems read; a markup escapes what its system would take for its
own signs, so that a key named `{code}` or `*` stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from types import ModuleType

from spark.terms.verdict_word import verdict_word, without_word
from webapp.reports.prose import blocks
from webapp.reports.report import Finding, Report
from webapp.reports.ticket import jira, markdown, plain

CAUSES_IN_TICKET = 10
EVIDENCE_IN_TICKET = 10
PARTITIONS_IN_TICKET = 20
MARKUPS: tuple[tuple[str, str, ModuleType], ...] = (
    ("markdown", "Markdown", markdown),
    ("jira", "Jira", jira),
    ("plain", "Plain text", plain),
)


@dataclass(frozen=True)
class TicketText:
    """One of the choices of "Copy for ticket"."""

    name: str
    title: str
    text: str


def ticket_texts(report: Report, link: str) -> list[TicketText]:
    """The report in every markup."""
    return [TicketText(name, title, ticket_text(report, link, markup)) for name, title, markup in MARKUPS]


def ticket_text(report: Report, link: str, markup: ModuleType = markdown) -> str:
    """What "Copy for ticket" copies."""
    verdict = report.verdict
    word = markup.strong(f"{verdict_word(verdict['level'], verdict['sentence'])}.")
    parts = [f"{word} {prose(without_word(verdict['level'], verdict['sentence']), markup)}"]
    causes = report.causes
    if causes:
        parts.append("\n".join(_cause(finding, markup) for finding in causes[:CAUSES_IN_TICKET]))
    more = len(causes) - CAUSES_IN_TICKET
    if more > 0:
        parts.append(f"… and {more:,} more finding{'s' if more > 1 else ''}.")
    parts.append(_coverage(report, markup))
    remedies = dict.fromkeys(f.remedy for f in causes[:CAUSES_IN_TICKET] if f.remedy)
    if remedies:
        told = [_remedy(text, markup) for text in remedies]
        parts.append("\n\n".join([markup.strong("What to do"), *told]))
    parts.append(f"Report: {link}")
    return "\n\n".join(parts) + "\n"


def prose(text: str, markup: ModuleType) -> str:
    """A sentence; what stands between backticks is code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a lone backtick is a sign like any other
        return str(markup.text(text))
    said = (
        markup.code(piece) if number % 2 else markup.text(piece)
        for number, piece in enumerate(pieces)
        if piece
    )
    return "".join(said)


def _cause(finding: Finding, markup: ModuleType) -> str:
    where = f"{finding.topic}-{finding.partition}" if finding.partition is not None else finding.topic
    offsets = ", ".join(f"{offset}" for offset in finding.evidence[:EVIDENCE_IN_TICKET])
    more = len(finding.evidence) - EVIDENCE_IN_TICKET
    proof = f"; offsets {offsets}" if offsets else ""
    proof += f" and {more:,} more" if more > 0 else ""
    consequences = len(list(finding.all_consequences()))
    led_to = f"; {consequences:,} consequence{'s' if consequences > 1 else ''}" if consequences else ""
    how_sure = markup.strong(f"{finding.severity.capitalize()}, {finding.confidence}:")
    said = f"{how_sure} {prose(finding.title, markup)} ({markup.code(where)}{proof}{led_to})"
    return str(markup.item(said))


def _remedy(text: str, markup: ModuleType) -> str:
    return "\n\n".join(
        "\n".join(_steps(block.lines, block.is_numbered, markup))
        if block.is_list
        else prose(block.lines[0], markup)
        for block in blocks(text)
    )


def _steps(lines: Iterable[str], are_numbered: bool, markup: ModuleType) -> Iterable[str]:
    for number, line in enumerate(lines, 1):
        said = prose(line, markup)
        yield markup.step(number, said) if are_numbered else markup.item(said)


def _coverage(report: Report, markup: ModuleType) -> str:
    coverage = report.coverage
    offsets = coverage.get("offsets_per_partition", {})
    first = islice(offsets.items(), PARTITIONS_IN_TICKET)
    ranges = ", ".join(f"{markup.code(name)} {bounds[0]:,}–{bounds[1]:,}" for name, bounds in first)
    if (more := len(offsets) - PARTITIONS_IN_TICKET) > 0:
        ranges += f" and {more:,} more {'partition' if more == 1 else 'partitions'}"
    sentences = [
        f"{coverage.get('records', 0):,} records" + (f", offsets {ranges}" if ranges else ""),
        report.damage,
        f"isolation {markup.text(coverage.get('isolation', 'read_uncommitted'))}",
    ]
    cannot_tell = [prose(one, markup) for one in coverage.get("cannot_tell") or []]
    lost = f" The source cannot tell: {'; '.join(cannot_tell)}." if cannot_tell else ""
    return f"{markup.strong('Coverage')}: {'; '.join(sentences)}.{lost}"
