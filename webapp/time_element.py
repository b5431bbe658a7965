"""A moment on a page: `<time>` with its text in UTC, which `static/js/zone.js` writes in the zone that the reader chose."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.html import format_html
from django.utils.safestring import SafeString

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def from_ms(timestamp_ms: Any) -> datetime | None:
    """A Kafka timestamp as a datetime; None for null and what no calendar holds."""
    try:
        return EPOCH + timedelta(milliseconds=int(timestamp_ms))
    except (TypeError, ValueError, OverflowError):
        return None


def zone_named(name: str) -> ZoneInfo | None:
    """None: no such zone, or UTC."""
    try:
        return ZoneInfo(name) if name and name != "UTC" else None
    except (KeyError, ValueError, OSError):
        return None


def time_element(moment: datetime, text: str) -> SafeString:
    """`text`: the moment in UTC as `2026-01-31 10:30:00.000` or a part of it, or words such as `3 h ago`, which stay."""
    utc = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>', utc.isoformat(), f"{utc:%Y-%m-%d %H:%M:%S}", text
    )
