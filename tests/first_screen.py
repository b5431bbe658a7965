"""README's first screen: the one line to try, and what it says that the line prints. `...` there leaves lines out."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = "...\n"


def line() -> list[str]:
    """The words of the command."""
    return _blocks()[0].split()


def lacking(output: str) -> list[str]:
    """Pieces of the promised output that are not in this one, in their order."""
    lacking = []
    for piece in _blocks()[1].removesuffix(LEFT_OUT).split(LEFT_OUT):
        before, found, output = output.partition(piece)
        if not found:
            lacking.append(piece)
            output = before
    return lacking


def _blocks() -> list[str]:
    return FENCE.findall((ROOT / "README.md").read_text())
