"""Which Journalscope this is: the project's own version."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@cache
def version() -> str:
    """Of pyproject.toml."""
    return str(tomllib.loads(PROJECT.read_text())["project"]["version"])
