"""The whole pipeline over a folder, by its own code, with the tasks run one after another instead of by Spark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark.pipeline import Limits, NoProgress, inspect
from spark.report.detect import DEFECT
from spark.runtime.in_process import in_process
from spark.sources import InputFile
from tests.spark.log_folders import inputs


def report_of(folder: Path, results: Path) -> dict[str, Any]:
    """The report on every file below a folder."""
    return report_on(inputs(folder), results)


def report_on(
    files: list[InputFile], results: Path, read_as: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The report on these files together; `read_as`: topic ("": every one) -> dialect id."""
    report = inspect(in_process, files, results, NoProgress(), Limits(read_as=read_as or {}))
    assert not [one for one in report["not_run"] if one["why"].startswith(DEFECT[:30])]
    return report


def said(report: dict[str, Any], *severities: str) -> list[tuple[str, str]]:
    """Detector and severity of the findings that no other one explains."""
    return [
        (finding["detector"], finding["severity"])
        for finding in report["findings"]
        if finding["consequence_of"] is None and (not severities or finding["severity"] in severities)
    ]
