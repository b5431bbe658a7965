"""The report for a ticket: verdict, root causes with offsets, coverage, what to do, link; nothing else.

The same words in each of the markups that ticket systems read; a markup escapes what its system would take for its
own signs, so that a key named `{code}` or `*` stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from types import ModuleType

from spark.terms.marked import partition_name, partition_of_key
from spark.terms.verdict_word import verdict_word, without_word
from webapp.reports.report import Report, ReportFinding
from webapp.reports.ticket import jira, markdown, plain
from webapp.reports.typed_text import Segments, in_blocks, in_markup

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
    parts = [f"{word} {markup.text(without_word(verdict['level'], verdict['sentence']))}"]
    causes = report.causes
    if causes:
        parts.append("\n".join(_cause(finding, markup) for finding in causes[:CAUSES_IN_TICKET]))
    left_out = len(causes) - CAUSES_IN_TICKET
    if left_out > 0:
        parts.append(f"… and {left_out:,} more finding{'s' if left_out > 1 else ''}.")
    parts.append(_coverage(report, markup))
    remedies: dict[str, ReportFinding] = {}
    for finding in causes[:CAUSES_IN_TICKET]:
        remedies.setdefault(finding.remedy, finding)
    if texts := [_remedy(finding, markup) for text, finding in remedies.items() if text]:
        parts.append("\n\n".join([markup.strong("What to do"), *texts]))
    if link:
        parts.append(f"Report: {link}")
    return "\n\n".join(parts) + "\n"


def _cause(finding: ReportFinding, markup: ModuleType) -> str:
    partition = (
        finding.topic if finding.partition is None else partition_name(finding.topic, finding.partition)
    )
    offsets = ", ".join(f"{offset}" for offset in finding.evidence[:EVIDENCE_IN_TICKET])
    left_out = len(finding.evidence) - EVIDENCE_IN_TICKET
    proof = f"; offsets {offsets}" if offsets else ""
    proof += f" and {left_out:,} more" if left_out > 0 else ""
    consequences = len(list(finding.all_consequences()))
    led_to = f"; {consequences:,} consequence{'s' if consequences > 1 else ''}" if consequences else ""
    title = "".join(in_markup(block["segments"], markup) for block in finding.blocks["title"])
    how_sure = markup.strong(f"{finding.severity.capitalize()}, {finding.confidence}:")
    sentence = f"{how_sure} {title} ({markup.code(partition)}{proof}{led_to})"
    return str(markup.item(sentence))


def _remedy(finding: ReportFinding, markup: ModuleType) -> str:
    return "\n\n".join(
        "\n".join(_steps(block.lines, block.is_numbered, markup))
        if block.is_list
        else in_markup(block.lines[0], markup)
        for block in in_blocks(finding.blocks["remedy"])
    )


def _steps(lines: Iterable[Segments], are_numbered: bool, markup: ModuleType) -> Iterable[str]:
    for number, line in enumerate(lines, 1):
        text = in_markup(line, markup)
        yield markup.step(number, text) if are_numbered else markup.item(text)


def _coverage(report: Report, markup: ModuleType) -> str:
    coverage = report.coverage
    offsets = coverage.get("offsets_per_partition", {})
    first = islice(offsets.items(), PARTITIONS_IN_TICKET)
    ranges = ", ".join(
        f"{markup.code(partition_of_key(name))} {bounds[0]:,}–{bounds[1]:,}" for name, bounds in first
    )
    if (left_out := len(offsets) - PARTITIONS_IN_TICKET) > 0:
        ranges += f" and {left_out:,} more {'partition' if left_out == 1 else 'partitions'}"
    sentences = [
        f"{coverage.get('records', 0):,} records" + (f", offsets {ranges}" if ranges else ""),
        report.damage,
        f"isolation {markup.text(coverage.get('isolation', 'read_uncommitted'))}",
    ]
    cannot_tell = [markup.text(limit) for limit in coverage.get("cannot_tell") or []]
    lost = f" The source cannot tell: {'; '.join(cannot_tell)}." if cannot_tell else ""
    return f"{markup.strong('Coverage')}: {'; '.join(sentences)}.{lost}"
