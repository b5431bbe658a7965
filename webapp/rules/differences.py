"""What changed between two versions of a rule, line by line."""

from __future__ import annotations

from difflib import ndiff

WORDS = {"+": "added", "-": "removed", " ": "same"}


def differences(before: str, after: str) -> list[tuple[str, str, str]]:
    """(added | removed | same, its mark, the line) for every line of both."""
    lines = ndiff(before.splitlines(), after.splitlines())
    return [(WORDS[line[0]], line[0], line[2:]) for line in lines if line[0] in WORDS]
