"""Incidents of the partition or replica that somebody chose come before those of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from webapp.reports.replica_choice import asks_for_replica

if TYPE_CHECKING:
    from webapp.reports.incident_cards import IncidentCard
    from webapp.reports.page import Page


def chosen_first(page: Page, incidents: Sequence[IncidentCard]) -> list[IncidentCard]:
    """In the order of the report where the address names no partition."""
    if not asks_for_replica(page.request):
        return list(incidents)
    return sorted(incidents, key=lambda incident: not _is_of_chosen(page, incident))


def are_of_others(page: Page, incidents: Sequence[IncidentCard]) -> bool:
    """Whether a partition was chosen that none of the incidents is about."""
    of_chosen = (_is_of_chosen(page, incident) for incident in incidents)
    return bool(incidents) and asks_for_replica(page.request) and not any(of_chosen)


def _is_of_chosen(page: Page, incident: IncidentCard) -> bool:
    findings = (*(card.finding for card in incident.cards), *incident.more)
    return any(finding.is_about(page.replica) for finding in findings)
