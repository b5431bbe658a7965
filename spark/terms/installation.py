"""Where this copy of Journalscope lies and how it is called: a checkout, or installed as one package `journalscope`.

In the wheel the packages and the folders docs, static and templates lie below that package (scripts/packaging).
"""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path
from typing import cast

WHEEL = "journalscope"
HOME = __name__.partition("spark.")[0].rstrip(".")  # the package that holds ours; "" in a checkout
IS_INSTALLED = HOME == WHEEL
ROOT = cast(Path, resources.files(HOME)) if HOME else Path(__file__).resolve().parents[2]
IMPORT_ROOT = ROOT.parent if HOME else ROOT  # the folder that child processes import from
COMMAND_NAME = WHEEL if IS_INSTALLED else "manage.py"  # as texts name the command
SERVER = f"{WHEEL} serve" if IS_INSTALLED else "make run"


def compiled_code() -> Path | None:
    """The folder for compiled functions of an installed copy: beside its code they would outlive it. None in a checkout."""
    if not IS_INSTALLED:
        return None
    from platformdirs import user_cache_path

    return user_cache_path(WHEEL) / version()


def version() -> str:
    """Of the installed package, or of pyproject.toml."""
    if IS_INSTALLED:
        return metadata.version(WHEEL)
    import tomllib

    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])
