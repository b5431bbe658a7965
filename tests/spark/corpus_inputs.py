"""The inputs of the corpus beside the repository: what a person would hand over, without the files that tell the truth."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
TRUTH = {"case.json", "registry-state.json", "state.json", "truth.json"}


def cases() -> Iterator[Any]:
    """Folder and names of each input; not what is to be refused."""
    for path in sorted(CORPUS.rglob("case.json")):
        case = json.loads(path.read_text())
        present = [one.name for one in sorted(path.parent.iterdir()) if one.name not in TRUTH]
        for number, variant in enumerate(case.get("variants") or [case.get("inspect") or present]):
            names = variant["inspect"] if isinstance(variant, dict) else variant
            if "refuse" not in case and path.parent.name != "pasted":
                yield pytest.param(path.parent, names, id=f"{path.parent.relative_to(CORPUS)} {number}")


def copied(folder: Path, names: list[str], target: Path) -> Path:
    """Those files and folders alone, below `target`."""
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (folder / name).is_dir() else shutil.copy)(folder / name, target / name)
    return target
