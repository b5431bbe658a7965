"""Times of rows against a clock that may have been set back: what lies in the future is past as well."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

AHEAD = timedelta(seconds=5)  # by which the clocks of web server and worker may differ


def is_past(column: str, age: timedelta) -> Q:
    """Rows whose time is older than this, or later than now: they were written before the clock went back."""
    now = timezone.now()
    return Q(**{f"{column}__lt": now - age}) | Q(**{f"{column}__gt": now + AHEAD})
