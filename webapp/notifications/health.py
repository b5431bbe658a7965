"""How deliveries fare: counts of the last week and the latest ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, QuerySet
from django.utils import timezone

from webapp.notifications.models import Delivery

SHOWN = 30
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Health:
    """Counts by state, and the latest deliveries."""

    counts: list[tuple[str, int]]
    latest: list[Delivery]
    total: int

    @property
    def is_troubled(self) -> bool:
        """Whether deliveries were given up or are being retried."""
        return any(
            delivery.last_error and delivery.state in {"waiting", "failed"} for delivery in self.latest
        )


def health_of(deliveries: QuerySet[Delivery]) -> Health:
    recent = deliveries.filter(created_at__gt=timezone.now() - WEEK).order_by()
    by_state = dict(recent.values_list("state").annotate(count=Count("pk")))
    counts = [(state.label, by_state[state.value]) for state in Delivery.State if by_state.get(state.value)]
    latest = deliveries.select_related("message__project", "channel", "user")[:SHOWN]
    return Health(counts, list(latest), deliveries.count())
