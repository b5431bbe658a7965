"""An example through the whole pipeline, with the one detector that its page is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors import detectors
from spark.pipeline import Limits, NoProgress, inspect
from spark.report import detect
from spark.runtime.in_process import in_process
from spark.stages.older import OlderDump
from tests.spark.examples.files import INPUT, OLDER, write
from tests.spark.examples.page import Case
from tests.spark.log_folders import inputs


def inspected(case: Case, id: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The report on the files that a case shows; no other detector is asked."""
    chosen = {id: detectors()[id]}
    monkeypatch.setattr(detect, "detectors", lambda: chosen)
    write(list(case.blocks), folder)
    older = []
    if (folder / OLDER).is_dir():
        report_on(folder / OLDER, folder / "older-results", Limits())
        older = [OlderDump("older", folder / "older-results")]
    return report_on(folder / INPUT, folder / "results", Limits(older=older))


def report_on(folder: Path, results: Path, limits: Limits) -> dict[str, Any]:
    """The report on every file below a folder."""
    return inspect(in_process, inputs(folder), results, NoProgress(), limits)
