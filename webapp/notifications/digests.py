"""When the next digest is due."""

from __future__ import annotations

from datetime import datetime, timedelta


def next_digest(now: datetime, hour: int) -> datetime:
    """The next full hour of that number, UTC."""
    today = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)
