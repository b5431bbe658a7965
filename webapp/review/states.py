"""States of a finding, and which of them mean that work is left."""

from __future__ import annotations

from django.db import models

SEVERITIES = ("critical", "high", "medium", "low", "info")


class FindingState(models.TextChoices):
    NEW = "new", "new"
    ACKNOWLEDGED = "acknowledged", "acknowledged"
    IN_REVIEW = "in_review", "in review"
    CONFIRMED = "confirmed", "confirmed"
    FALSE_POSITIVE = "false_positive", "false positive"
    RESOLVED = "resolved", "resolved"
    SUPPRESSED = "suppressed", "suppressed"


class Presence(models.TextChoices):
    """What the newest inspection of the journal says of it."""

    CREATED = "created", "first found"
    STILL = "still", "still present"
    GONE = "gone", "no longer present"
    BACK = "back", "present again"


OPEN = (FindingState.NEW, FindingState.ACKNOWLEDGED, FindingState.IN_REVIEW, FindingState.CONFIRMED)
DONE = (FindingState.FALSE_POSITIVE, FindingState.RESOLVED)


def rank(severity: str) -> int:
    """0 is the most severe."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)
