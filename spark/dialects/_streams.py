"""What the dialects of Kafka Streams share: topic names, keys as text, times that prove a window.

    changelog   => <application.id> "-" <store> "-changelog"          repartition => <application.id> "-" <name> "-repartition"

A window's time proves itself if it is a date of this century and not after the record's own timestamp: the timestamp of a
value is that of the newest event in its window. Source: Kafka Streams `ProcessorStateManager.storeChangelogTopic`,
`InternalTopologyBuilder` (4.1).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

CHANGELOG = re.compile(r".+-.+-changelog")
REPARTITION = re.compile(r".+-.+-repartition")
NAMED_SCORE, PROVEN_SCORE, CONTENT_SCORE = 30, 95, 80
MAX_SAMPLED = 500
FIRST_MS, LAST_MS = 1_000_000_000_000, 4_102_444_800_000  # 2001-09-09, 2100-01-01
MAX_SHOWN_MS = 253_402_300_799_999  # the last millisecond of the year 9999


def is_time(time_ms: int, timestamp_ms: int | None) -> bool:
    """Whether a number can be the start or end of a window that holds a record with this timestamp."""
    return FIRST_MS <= time_ms <= (LAST_MS if timestamp_ms is None else timestamp_ms)


def key_text(key: bytes) -> str:
    """A key as text if it is printable UTF-8, else in hexadecimal."""
    try:
        text = key.decode()
    except UnicodeDecodeError:
        return f"0x{key.hex()}"
    return text if text.isprintable() else f"0x{key.hex()}"


def time_text(time_ms: int) -> str:
    """`2024-02-08T00:00:00Z`, with milliseconds if there are any; a number outside the calendar unchanged."""
    if not 0 <= time_ms <= MAX_SHOWN_MS:
        return str(time_ms)
    moment = datetime.fromtimestamp(time_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    milliseconds = f".{time_ms % 1000:03d}" if time_ms % 1000 else ""
    return f"{moment}{milliseconds}Z"
