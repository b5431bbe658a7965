"""Times that tools print as ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime


def iso_ms(text: str) -> int | None:
    """Milliseconds since 1970; a time without zone is read as UTC. None if the text is not a time."""
    try:
        at = datetime.fromisoformat(text)
        return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
    except ValueError:
        return None
