"""Where files of docs/ are in the documentation: pages end in .html, a folder is a section of the first page."""

from __future__ import annotations

import posixpath
from pathlib import Path

from django.conf import settings

FIRST_PAGE = "index.html"


def docs_folder() -> Path:
    return Path(settings.BASE_DIR) / "docs"


def below_docs(folder: str, target: str) -> str | None:
    """Path below docs/ of what a page in this folder of it links; None where that is elsewhere in the repository."""
    path = posixpath.normpath(posixpath.join(folder, target))
    return None if path.startswith("..") else path


def address(path: str) -> str:
    """Of a path below docs/, relative to the first page."""
    if path.endswith(".md"):
        return f"{path.removesuffix('.md')}.html"
    return f"{FIRST_PAGE}#{path}" if (docs_folder() / path).is_dir() else path
