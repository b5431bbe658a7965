"""The inputs of the corpus beside the repository: what a person would hand over, without the files that tell the truth.

Several tests ask something of the same reports, so each input is inspected once in a run, by whichever process comes first.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.spark.whole_pipeline import report_of

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
TRUTH = {"case.json", "registry-state.json", "state.json", "truth.json"}


def cases() -> Iterator[Any]:
    """Folder and names of each input; not what is to be refused."""
    for path in sorted(CORPUS.rglob("case.json")):
        case = json.loads(path.read_text())
        present = [one.name for one in sorted(path.parent.iterdir()) if one.name not in TRUTH]
        for number, variant in enumerate(case.get("variants") or [case.get("inspect") or present]):
            names = variant["inspect"] if isinstance(variant, dict) else variant
            is_refused = "refuse" in case or (isinstance(variant, dict) and "refuse" in variant)
            if not is_refused and not path.parent.name.startswith("pasted"):
                yield pytest.param(path.parent, names, id=f"{path.parent.relative_to(CORPUS)} {number}")


def copied(folder: Path, names: list[str], target: Path) -> Path:
    """Those files and folders alone, below `target`."""
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (folder / name).is_dir() else shutil.copy)(folder / name, target / name)
    return target


@dataclass(frozen=True)
class Inspected:
    """An input's report, and the folder with its tables and `report.json`; for reading only."""

    report: dict[str, Any]
    results: Path


def inspected(folder: Path, names: list[str], run: Path) -> Inspected:
    """The inspection of these files. `run`: a folder that all processes of a run share."""
    identity = hashlib.sha256(json.dumps([str(folder), names]).encode()).hexdigest()[:16]
    shared = run / f"inspected-{identity}"
    if not shared.exists():
        made = Path(tempfile.mkdtemp(dir=run))
        report = report_of(copied(folder, names, made / "input"), made / "results")
        (made / "results" / "report.json").write_text(json.dumps(report))
        shutil.rmtree(made / "input")
        try:
            os.rename(made, shared)
        except OSError:  # another process was quicker
            shutil.rmtree(made)
    return Inspected(json.loads((shared / "results" / "report.json").read_text()), shared / "results")
