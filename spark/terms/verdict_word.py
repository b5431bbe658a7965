"""The word of a verdict, and its sentence without it: the same for terminal, pages, tickets and bundles.

A sentence of level `healthy` begins with its claim: everything was checked, or only that no fault was found.
"""

from __future__ import annotations

HEALTHY = "Healthy"
NO_FAULT = "No fault found"
CLAIMS = (HEALTHY, NO_FAULT)


def verdict_word(level: str, sentence: str) -> str:
    """`Critical`, `Healthy`, `No fault found`."""
    claim = sentence.partition(". ")[0]
    return claim if level == HEALTHY.lower() and claim in CLAIMS else level.capitalize()


def verdict_tone(level: str, sentence: str) -> str:
    """The level, or `info` for a healthy verdict with reservations: decides sign and colour."""
    return "info" if verdict_word(level, sentence) == NO_FAULT else level


def without_word(level: str, sentence: str) -> str:
    """The sentence for use after that word: `Healthy. 243 records.` as `243 records.`"""
    return sentence.removeprefix(f"{verdict_word(level, sentence)}. ")
