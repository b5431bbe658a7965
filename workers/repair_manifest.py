"""`repair.json` of a repair's folder, as a command is given it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spark.terms.errors import UnreadableInput

NAME = "repair.json"
SCHEMA = 1


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder, or in the one folder of a partition below it. Raises UnreadableInput where there is none."""
    files = [folder / NAME] if (folder / NAME).is_file() else sorted(folder.glob(f"*/{NAME}"))
    if len(files) > 1:
        raise UnreadableInput(f"{folder} has repairs of {len(files)} partitions. Name the folder of one.")
    try:
        document = json.loads(files[0].read_text(encoding="utf-8"))
        if document["schema"] == SCHEMA and document["built_from"]:
            return dict(document)
    except (IndexError, OSError, ValueError, KeyError, TypeError):
        pass
    raise UnreadableInput(
        f"{folder} has no {NAME} of a repair. Name the folder that manage.py repair --out wrote."
    )
