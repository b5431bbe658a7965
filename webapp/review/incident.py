"""An incident as the review shows it: its findings in the queue, and what its newest report says of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest

from spark.tables.replica import PartitionReplica
from webapp.reports.incident_cards import IncidentCard, finding_card, incident_cards
from webapp.reports.incidents.short_folders import apart
from webapp.reports.page import Page, opened_page
from webapp.reports.proof import Card, Proof
from webapp.reports.results import ResultsGone
from webapp.reports.source import of_inspection
from webapp.review.access import findings_for_user
from webapp.review.finding_page import HistoryStep, LastReport, history_of, last_report_of
from webapp.review.models import Finding

HISTORY_SHOWN = 5
FINDINGS_SHOWN = 200
SAME_DECISION = timedelta(seconds=1)  # each of its findings has a moment of its own


@dataclass(frozen=True)
class IncidentReport:
    """What the report says, and the page that makes its links."""

    page: Page
    card: IncidentCard

    @property
    def with_sides(self) -> list[Card]:
        """Findings whose records are shown side by side, replica by replica."""
        return [card for card in self.card.cards if card.sides]

    @property
    def records(self) -> list[tuple[PartitionReplica, Proof]]:
        """Records that prove the others, by offset and replica."""
        rows = {
            (card.replica, proof.offset): (card.replica, proof)
            for card in self.card.cards
            if not card.sides
            for proof in card.proofs
        }
        return sorted(rows.values(), key=lambda row: (row[1].offset, row[0].name))

    @property
    def replica_names(self) -> dict[PartitionReplica, str]:
        """Short names of the replicas or partitions that these records are of; empty where it is one."""
        replicas = list(dict.fromkeys(replica for replica, _ in self.records))
        folders = apart([name for name in dict.fromkeys(replica.replica for replica in replicas) if name])
        if len({replica[:2] for replica in replicas}) > 1:
            return {each: each._replace(replica=folders.get(each.replica, "")).name for each in replicas}
        return {each: folders.get(each.replica, "") for each in replicas} if len(replicas) > 1 else {}

    @property
    def url(self) -> str:
        return self.page.card_url(self.card.first.finding)


@dataclass(frozen=True)
class ReviewedIncident:
    """`members`: its causes, worst first; `followers`: those of them that its decisions are about."""

    head: Finding
    members: list[Finding]
    report: IncidentReport | None
    text: LastReport | None = None  # of a finding whose severity has no card

    @property
    def title(self) -> str:
        return (self.head.incident_title or self.head.title) if self.is_several else self.head.title

    @property
    def is_several(self) -> bool:
        return len(self.members) > 1

    @property
    def followers(self) -> list[Finding]:
        return followers_of(self.members)

    @property
    def history(self) -> list[HistoryStep]:
        """Of all its findings, the newest first; what happened to several by one decision or inspection once."""
        steps = [step for member in self.members[:FINDINGS_SHOWN] for step in history_of(member)]
        once: list[HistoryStep] = []
        newest: dict[tuple[str, str, int | None], HistoryStep] = {}
        for step in sorted(steps, key=lambda step: step.at):
            named = (step.who, step.words, step.comment_id)
            before = newest.get(named)
            newest[named] = step
            if before is None or step.at - before.at > SAME_DECISION:
                once.append(step)
        return once[::-1]


def followers_of(members: list[Finding]) -> list[Finding]:
    """Findings that a decision on the incident is about: those that nobody decided alone; all where each was."""
    return [finding for finding in members if not finding.decided_alone] or members


def incident_of(request: HttpRequest, finding: Finding) -> ReviewedIncident:
    """The incident of a finding that the user may see."""
    members = [finding]
    if finding.incident_title:
        same = findings_for_user(request.user).filter(lineage=finding.lineage, incident=finding.incident)
        rows = same.causes().select_related("assignee", "journal", "project", "last_inspection")
        members = list(rows.order_by("rank", "position", "pk")[:FINDINGS_SHOWN]) or members
    head = next((member for member in members if member.pk == finding.pk), members[0])
    report = _report_of(request, head)
    return ReviewedIncident(head, members, report, None if report else last_report_of(head))


def cause_of(finding: Finding) -> Finding | None:
    """The cause that heads its incident, for a consequence in an incident without a title of its own."""
    if finding.is_root or finding.incident_title:
        return None
    same = Finding.objects.filter(lineage=finding.lineage, incident=finding.incident)
    return same.causes().order_by("rank", "position", "pk").first()


def report_of_finding(request: HttpRequest, finding: Finding) -> IncidentReport | None:
    """The finding alone, with its victims and what to do; None where its report is deleted."""
    inspection = finding.last_inspection
    if inspection is None:
        return None
    try:
        with opened_page(request, of_inspection(inspection)) as page:
            reported = next((each for each in page.report.findings if each.id == finding.fingerprint), None)
            return IncidentReport(page, finding_card(page, reported)) if reported else None
    except ResultsGone:
        return None


def _report_of(request: HttpRequest, finding: Finding) -> IncidentReport | None:
    """None where the report is deleted, or has no card for such a finding."""
    inspection = finding.last_inspection
    if inspection is None:
        return None
    try:
        with opened_page(request, of_inspection(inspection)) as page:
            causes = page.report.causes
            selected = next((cause for cause in causes if cause.id == finding.fingerprint), None)
            if selected is None:
                return None
            cards, _ = incident_cards(page, causes, selected)
    except ResultsGone:
        return None
    card = next((card for card in cards if any(c.finding is selected for c in card.cards)), None)
    return IncidentReport(page, card) if card else None
