"""What somebody wants of a topic: which partitions, from where to where, how much and how fast.

    start: {"at": "earliest"} | {"offset": 5} | {"timestamp_ms": 0} | {"offsets": {"0": 5}}
    end:   {"at": "latest"} | {"offset": 9} | {"timestamp_ms": 0}

`offsets` goes on from where an earlier capture stopped: a partition that is not named begins at its first record.
`latest` is the high watermark when the capture begins. An end is exclusive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

# Kafka `Topic.java`: legal characters, longest name.
TOPIC_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
EARLIEST, LATEST = {"at": "earliest"}, {"at": "latest"}
STARTS, ENDS = ("at", "offset", "timestamp_ms", "offsets"), ("at", "offset", "timestamp_ms")
MAX_OFFSET = 2**63 - 1


@dataclass(frozen=True)
class CaptureSpec:
    """Raises ValueError, in a sentence, for what no capture can do.

    `topic_id` (Kafka's, base64url) is the topic that earlier offsets are about: one of another id is another topic.
    """

    topic: str
    partitions: tuple[int, ...] | None = None
    start: Mapping[str, Any] = field(default_factory=lambda: EARLIEST)
    end: Mapping[str, Any] = field(default_factory=lambda: LATEST)
    max_bytes: int | None = None
    bytes_per_second: int | None = None
    topic_id: str | None = None

    def __post_init__(self) -> None:
        if not TOPIC_NAME.fullmatch(self.topic) or self.topic in {".", ".."}:
            raise ValueError(
                f"{self.topic!r} is not a topic name. Allowed: letters, digits, dots, underscores and hyphens only."
            )
        if self.partitions is not None and not all(_is_count(number) for number in self.partitions or [None]):
            raise ValueError(
                "The partitions are not a list of numbers. Write them as 0, 1, 2, or leave them out."
            )
        _check_border("start", self.start, STARTS, "earliest")
        _check_border("end", self.end, ENDS, "latest")
        for name, limit in (("max_bytes", self.max_bytes), ("bytes_per_second", self.bytes_per_second)):
            if limit is not None and not (_is_count(limit) and limit):
                raise ValueError(f"{name} is {limit!r}. Write a number of bytes above 0, or leave it out.")

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Self:
        """From JSON. Raises ValueError."""
        names = set(cls.__dataclass_fields__)
        if "topic" not in payload or not set(payload) <= names:
            raise ValueError(f"An ask has a topic, and only {', '.join(sorted(names))}.")
        fields = {name: value for name, value in payload.items() if value is not None}
        if "partitions" in fields:
            fields["partitions"] = tuple(fields["partitions"])
        return cls(**fields)


def _check_border(which: str, border: Mapping[str, Any], kinds: tuple[str, ...], word: str) -> None:
    invalid = ValueError(
        f"The {which} {dict(border)!r} is invalid. Use one of {', '.join(kinds)}: see docs/captures.md."
    )
    if len(border) != 1:
        raise invalid
    ((kind, value),) = border.items()
    if kind not in kinds:
        raise invalid
    if kind == "at":
        is_valid = value == word
    elif kind == "offsets":
        is_valid = isinstance(value, Mapping) and all(
            str(number).isdecimal() and _is_count(offset) for number, offset in value.items()
        )
    else:
        is_valid = _is_count(value)
    if not is_valid:
        raise invalid


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_OFFSET
