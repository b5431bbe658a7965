"""Every wrapping around every print: the same verdict and the same findings as of the bare print."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.terms.findings import WORSE_THAN_LOW
from tests.spark.sources._wrapping.test_wrappings import Combination, combinations, wrapped
from tests.spark.sources._wrapping.wrappings import prints
from tests.spark.whole_pipeline import report_on

pytestmark = pytest.mark.pipeline

SAMPLE, OF_ALL = 4, 200

Said = tuple[str, int, list[tuple[str, str, Any, Any]]]


def said(content: bytes, folder: Path) -> Said:
    """Level of the verdict, records, and what asks for a look."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "paste.txt"
    path.write_bytes(content)
    report = report_on([InputFile(path.name, str(path), len(content))], folder / "results")
    found = [
        (one["detector"], one["severity"], one["first_offset"], one["last_offset"])
        for one in report["findings"]
        if one["severity"] in WORSE_THAN_LOW
    ]
    return report["verdict"]["level"], report["coverage"]["records"], sorted(found, key=str)


@cache
def said_of_the_bare(name: str, folder: Path) -> Said:
    return said(prints()[name], folder / "bare")


def differences(chosen: list[Combination], folder: Path) -> list[str]:
    """The combinations of which something else is said."""
    found = []
    for one in chosen:
        bare, around = said_of_the_bare(one[0], folder), said(wrapped(one), folder / "wrapped")
        if bare != around:
            found.append(f"{one}: {around} instead of {bare}")
    return found


def test_a_sample_of_all_wrappings_changes_no_verdict(tmp_path: Path) -> None:
    assert differences(combinations()[:SAMPLE], tmp_path) == []


@pytest.mark.long
def test_no_wrapping_of_two_hundred_changes_a_verdict(tmp_path: Path) -> None:
    assert differences(combinations()[-OF_ALL:], tmp_path) == []
