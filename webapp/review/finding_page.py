"""What a finding's page tells: the proof from its last report, and everything that happened, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString

from spark.tables.replica import PartitionReplica
from webapp.reports.offset_links import OffsetLinks
from webapp.reports.report import read_report
from webapp.reports.results import ResultsGone, open_results
from webapp.reports.typed_text import Block, in_blocks
from webapp.review.comments import RecordLink, in_html, links_of
from webapp.review.models import Change, Finding, state_words
from webapp.review.states import Presence

EVIDENCE_SHOWN = 20


@dataclass(frozen=True)
class ReportLinks:
    """What texts of a report need to make links of their offsets outside of the report."""

    inspection_id: UUID
    replica: PartitionReplica

    def url_of_replica(self, replica: PartitionReplica, name: str, *args: Any, **extra: Any) -> str:
        named = {"topic": replica.topic, "partition": replica.partition, "replica": replica.replica, **extra}
        query = {key: value for key, value in named.items() if value not in (None, "")}
        return f"{reverse(name, args=[self.inspection_id, *args])}?{urlencode(query)}"

    def offset_links(self, replica: PartitionReplica) -> OffsetLinks:
        listed = self.url_of_replica(replica, "report-records")
        return OffsetLinks(listed, self.url_of_replica(replica, "report-record", 0))


@dataclass(frozen=True)
class LastReport:
    """What the last report that saw it says, and where."""

    title: list[Mapping[str, Any]]
    explanation: list[Block]
    remedy: list[Block]
    page: ReportLinks
    evidence: list[int]
    evidence_count: int
    consequences: int
    url: str


@dataclass(frozen=True)
class HistoryStep:
    """One thing that happened: a change in words, or a comment."""

    at: datetime
    who: str
    words: str
    why: str = ""
    comment_id: int | None = None
    text: SafeString | str = ""
    records: tuple[RecordLink, ...] = ()


def last_report_of(finding: Finding) -> LastReport | None:
    """None if the report was deleted."""
    inspection = finding.last_inspection
    if inspection is None:
        return None
    try:
        with open_results(inspection.results) as results:
            report = read_report(results.document)
    except ResultsGone:
        return None
    reported = next((row for row in report.findings if row.id == finding.fingerprint), None)
    if reported is None:
        return None
    consequences = len(list(reported.all_consequences()))
    return LastReport(
        reported.blocks["title"],
        in_blocks(reported.blocks["explanation"]),
        in_blocks(reported.blocks["remedy"]),
        ReportLinks(inspection.pk, PartitionReplica(finding.topic, finding.partition or 0, finding.replica)),
        reported.evidence[:EVIDENCE_SHOWN],
        len(reported.evidence),
        consequences,
        card_url(finding, str(inspection.pk)),
    )


def card_url(finding: Finding, inspection_id: str) -> str:
    mark = finding.fingerprint
    return f"{reverse('report-overview', args=[inspection_id])}?finding={mark}#finding-{mark}"


def history_of(finding: Finding) -> list[HistoryStep]:
    """Everything that happened to it, the newest first."""
    changes = [_of_change(change) for change in finding.changes.select_related("by", "inspection")]
    comments = finding.comments.select_related("author").prefetch_related("mentions")
    steps = [*changes, *(_of_comment(comment) for comment in comments)]
    first = HistoryStep(finding.first_seen_at, "Journalscope", "found it")
    return [*sorted(steps, key=lambda step: step.at, reverse=True), first]


def _of_change(change: Change) -> HistoryStep:
    who = change.by.get_username() if change.by else "Journalscope"
    return HistoryStep(change.at, who, words_of(change), change.why)


def words_of(change: Change) -> str:
    """`changed the state from new to resolved`."""
    if change.what == Change.What.STATE:
        return f"changed the state from {state_words(change.before).removesuffix(' until it changes')} to {state_words(change.after, change.until)}"
    if change.what == Change.What.ASSIGNEE:
        before = f" (before: {change.before})" if change.before else ""
        return f"assigned it to {change.after or 'nobody'}{before}"
    if change.what == Change.What.PRESENCE:
        is_back = change.after == Presence.BACK
        return "found it again after it was no longer present" if is_back else "no longer found it"
    return f"changed the {change.what} from {change.before} to {change.after}"


def _of_comment(comment: Any) -> HistoryStep:
    who = comment.author.get_username() if comment.author else "a deleted user"
    return HistoryStep(
        comment.at, who, "commented", "", comment.pk, in_html(comment), tuple(links_of(comment))
    )
