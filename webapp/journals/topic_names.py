"""Names of topics that Kafka allows. Source: Kafka `Topic.LEGAL_CHARS`."""

from __future__ import annotations

from spark.terms.topic_commands import LEGAL_NAME

MAX_CHARACTERS = 249


def is_legal(name: str) -> bool:
    """By Kafka's rules."""
    return LEGAL_NAME.fullmatch(name) is not None and name not in {".", ".."}
