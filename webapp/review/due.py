"""When a finding should be worked off: so many days by severity, as the project says."""

from __future__ import annotations

from datetime import datetime, timedelta

from webapp.accounts.models import DUE_DAYS, Project


def due_at(project: Project, severity: str, since: datetime) -> datetime | None:
    """None where a finding of this severity is never due."""
    days = {**DUE_DAYS, **(project.due_days or {})}.get(severity)
    try:
        return since + timedelta(days=float(days)) if days is not None else None
    except (TypeError, ValueError, OverflowError):
        return None
