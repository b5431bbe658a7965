"""Asking for a comparison, and whether it is still on its way."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from redis.exceptions import RedisError

from webapp.jobs import lifecycle, progress
from webapp.journals.models import Comparison, Inspection

# a message may wait this long behind inspections before somebody may ask again
PATIENCE = timedelta(minutes=2)
State = Comparison.State


@transaction.atomic
def request_comparison(left: Inspection, right: Inspection, user: Any) -> Comparison:
    """The comparison of these two; queued unless it is done or pending."""
    now = timezone.now()
    comparison, is_new = Comparison.objects.get_or_create(
        left=left, right=right, defaults={"requested_by": user, "requested_at": now}
    )
    if is_new or may_ask_again(comparison):
        lifecycle.send_again(Comparison.objects.all(), comparison, requested_at=now)
        comparison.refresh_from_db()
    return comparison


def may_ask_again(comparison: Comparison) -> bool:
    """It failed, or its worker is gone."""
    if comparison.state == State.FAILED:
        return True
    if comparison.is_over or comparison.requested_at > timezone.now() - PATIENCE:
        return False
    try:
        return not progress.is_alive(comparison.pk)
    except RedisError:
        return True
