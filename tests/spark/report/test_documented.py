"""docs/report.md shows every member of report.json, and no other."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from spark.terms.findings import Effect
from spark.terms.marked import KINDS, LAYOUT_KINDS
from tests.generator import legacy
from tests.generator.segment import Record
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

NAME = re.compile("`([a-z]+)`")
PAGE = Path(__file__).resolve().parents[3] / "docs/report.md"


def shape(document: Any) -> Any:
    """Names of members; of a list those of its first item; where keys are data (`<topic>-<partition>`), nothing; `typed`, which
    stands beside every text, has a section of its own."""
    if isinstance(document, list):
        return shape(document[0]) if document else None
    if not isinstance(document, dict) or not document or any("-" in name or "<" in name for name in document):
        return None
    return {name: shape(value) for name, value in document.items() if name != "typed"}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report on a log of an old format: it has findings, and advice with steps."""
    folder = tmp_path_factory.mktemp("old")
    log = b"".join(legacy.message(Record(b"a", b"1"), offset) for offset in range(3))
    return report_of(write(folder / "input", {0: log}), folder / "results")


def test_the_page_shows_the_members_that_a_report_has(report: dict[str, Any]) -> None:
    documented = json.loads(PAGE.read_text().partition("```json")[2].partition("```")[0])
    # none are used here
    rules = {"rules": [{"id": "", "version": 1, "name": ""}], "masks": {"hidden": [""], "id_series": ""}}
    # compaction changes nothing there; what it does elsewhere has these members
    effects = [asdict(Effect("lost", "content", "1", "next_compaction"))]
    victims = [{"finding": "", **effects[0]}]
    incidents = [{**incident, "victims": victims} for incident in report["incidents"]]
    second = {"dialect": "", "title": "", "why": ""}  # no other type matches these records
    journals = [{**journal, "runner_up": journal["runner_up"] or second} for journal in report["journals"]]
    findings = [{**finding, "effects": effects} for finding in report["findings"]]
    assert shape(documented) == shape(
        {**report, **rules, "journals": journals, "findings": findings, "incidents": incidents}
    )


def test_the_page_names_every_kind_of_value() -> None:
    rows = PAGE.read_text().partition("## Typed texts")[2]
    documented = {
        name
        for line in rows.splitlines()
        if line.startswith("| `")
        for name in NAME.findall(line.split("|")[1])
    }
    assert documented == set(KINDS) - set(LAYOUT_KINDS)
