"""The review state of findings on a report's cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from webapp.journals.models import Inspection
from webapp.review.access import can_judge
from webapp.review.models import Finding
from webapp.review.states import FindingState

if TYPE_CHECKING:
    from webapp.reports import report

ACTIONS = (
    (FindingState.ACKNOWLEDGED, "Acknowledge", "a"),
    (FindingState.IN_REVIEW, "Start review", ""),
    (FindingState.CONFIRMED, "Confirm", "c"),
    (FindingState.FALSE_POSITIVE, "False positive", "f"),
    (FindingState.RESOLVED, "Resolve", "r"),
    (FindingState.NEW, "Reopen", ""),
)


def reviews_on(
    inspection: Inspection | None, user: Any, cards: Sequence[report.ReportFinding]
) -> dict[str, Any]:
    """Findings by fingerprint, and whether the user may judge them; empty on a share."""
    if inspection is None:
        return {}
    names = [card.id for card in cards]
    rows = Finding.objects.filter(lineage=inspection.journal.lineage, fingerprint__in=names)
    return {
        "reviews": {row.fingerprint: row for row in rows.select_related("assignee")},
        "can_judge": can_judge(user, inspection.journal.project_id),
        "review_actions": ACTIONS,
        "seen_at": timezone.now().isoformat(),
    }
