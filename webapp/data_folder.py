"""The folder of all data of a site (JOURNALSCOPE_DATA)."""

from __future__ import annotations

import os
from pathlib import Path

from spark.terms.installation import IS_INSTALLED, ROOT, WHEEL


def data_dir() -> Path:
    """As the environment names it; else `var` of a checkout, and the user's own folder for data of an installed copy."""
    if named := os.environ.get("JOURNALSCOPE_DATA"):
        return Path(named).resolve()
    if not IS_INSTALLED:
        return ROOT / "var"
    from platformdirs import user_data_path

    return user_data_path(WHEEL)
