"""Names of topics that Kafka allows. Source: Kafka `Topic.LEGAL_CHARS`; spark/terms/topic_commands.py has the same pattern."""

from __future__ import annotations

import re

LEGAL = re.compile(r"[A-Za-z0-9._-]{1,249}")
MAX_CHARACTERS = 249


def is_legal(name: str) -> bool:
    """Whether a topic may have this name."""
    return LEGAL.fullmatch(name) is not None and name not in {".", ".."}
