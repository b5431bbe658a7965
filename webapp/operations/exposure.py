"""Data folders that other accounts of this machine can open, told by `manage.py check`, by other commands and at each start.

New files and folders are private (umask 077); folders made by earlier versions or by hand may not be.
"""

from __future__ import annotations

import shlex
import stat
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks

from webapp.journals.disk import storage

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def open_folders() -> list[Path]:
    """Data folders that other accounts can open, without subfolders of one another."""
    folders = [Path(settings.DATA_DIR), Path(settings.RESULTS_DIR)]
    if not storage.is_remote():
        folders.append(Path(settings.RAW_STORAGE_URL))
    apart = [folder for folder in folders if not any(other in folder.parents for other in folders)]
    return [folder for folder in dict.fromkeys(apart) if folder.is_dir() and folder.stat().st_mode & OTHERS]


def sentence(folder: Path) -> str:
    mode = stat.S_IMODE(folder.stat().st_mode)
    return f"Other accounts can open the data folder {folder} (mode {mode:04o}). Close it: {command(folder)}"


def command(folder: Path) -> str:
    """A chmod that closes the folder and everything in it."""
    return f"chmod -R go-rwx {shlex.quote(str(folder))}"


def check(**_: Any) -> list[checks.CheckMessage]:
    return [checks.Warning(sentence(folder), id="journalscope.W001") for folder in open_folders()]
