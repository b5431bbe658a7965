"""Matching spans of a text: which of them reveal something, and the text without them."""

from __future__ import annotations

from spark.redaction.masking.values import MASKED
from spark.redaction.masking.views import TextSpan

# A match that ends in a value which is masked or null tells nothing.
SHOWS_NOTHING = ("null", "none")


def shows_nothing(match: str) -> bool:
    """Whether the value in it is already masked, or null."""
    value = min(match.rpartition("=")[2], match.rpartition(":")[2], key=len).strip(" \t\\\"'").casefold()
    is_value = len(value) < len(match.strip(" \t\\\"'"))
    return (
        (is_value and value in SHOWS_NOTHING) or (value.startswith("[masked") and is_value) or match == MASKED
    )


def masked_text(text: str, spans: list[TextSpan]) -> str:
    """The text with its spans replaced; adjacent spans become one."""
    parts: list[str] = []
    at = 0
    for first, last in _joined(sorted(spans)):
        parts += [text[at:first], MASKED]
        at = last
    return "".join([*parts, text[at:]])


def _joined(spans: list[TextSpan]) -> list[TextSpan]:
    joined: list[TextSpan] = []
    for first, last in spans:
        if joined and first < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        elif last > first:
            joined.append((first, last))
    return joined
