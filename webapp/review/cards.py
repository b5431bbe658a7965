"""The review state of findings on a report's cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from webapp.journals.models import Inspection
from webapp.review.access import can_judge
from webapp.review.models import Finding
from webapp.review.states import State

if TYPE_CHECKING:
    from webapp.reports.duplicate_findings import UniqueFinding

ACTIONS = (
    (State.ACKNOWLEDGED, "Acknowledge", "a"),
    (State.IN_REVIEW, "In review", ""),
    (State.CONFIRMED, "Confirm", ""),
    (State.FALSE_POSITIVE, "False positive", "f"),
    (State.RESOLVED, "Resolve", "r"),
    (State.NEW, "Reopen", ""),
)


def reviews_on(inspection: Inspection | None, user: Any, told: Sequence[UniqueFinding]) -> dict[str, Any]:
    """Context of the cards: findings by fingerprint, and whether the user may judge them. Nothing on a share.

    A card that speaks for several copies of a partition judges the finding of each.
    """
    if inspection is None:
        return {}
    names = [one.id for card in told for one in (card.finding, *card.twins)]
    rows = Finding.objects.filter(lineage=inspection.journal.lineage, fingerprint__in=names)
    found: dict[str, Any] = {row.fingerprint: row for row in rows.select_related("assignee")}
    for card in told:
        if row := found.get(card.finding.id):
            row.twins = [found[twin.id].pk for twin in card.twins if twin.id in found]
    return {
        "reviews": found,
        "can_judge": can_judge(user, inspection.journal.project_id),
        "review_actions": ACTIONS,
        "seen_at": timezone.now().isoformat(),
    }
