"""A report does not depend on how many tasks its partitions are divided among."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.log import write
from spark.report import detect
from tests.spark.corpus_inputs import cases, copied
from tests.spark.whole_pipeline import report_of

MIN_FILES = 4  # of an input with several partitions


def has_several(folder: Path, names: list[str]) -> bool:
    """Whether an input has files of several folders or several dumps."""
    files = [
        file
        for name in names
        for file in ((folder / name).rglob("*") if (folder / name).is_dir() else [folder / name])
    ]
    return (
        len({file.parent if file.suffix == ".log" else file for file in files if file.is_file()}) >= MIN_FILES
    )


SEVERAL = [case for case in cases() if has_several(*case.values)]


@pytest.mark.parametrize(("folder", "names"), SEVERAL)
def test_a_task_for_each_partition_gives_the_same_report(
    folder: Path, names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = copied(folder, names, tmp_path / "input")
    whole = report_of(inputs, tmp_path / "whole")
    monkeypatch.setattr(detect, "MAX_RECORDS", 1)
    monkeypatch.setattr(write, "MAX_RECORDS", 1)
    divided = report_of(inputs, tmp_path / "divided")
    assert comparable(divided) == comparable(whole)


def comparable(report: dict[str, Any]) -> Any:
    """Without the order of checks that could not run, which follows the tasks."""
    text = json.dumps(report | {"not_run": sorted(report["not_run"], key=lambda one: one["detector"])})
    return json.loads(text)
