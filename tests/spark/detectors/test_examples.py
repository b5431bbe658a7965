"""The example of each detector's page is inspected: the detector finds what the page says, and nothing in the innocent one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors import detectors
from spark.report.proof import MAX_OF_FINDING
from spark.terms.findings import WORSE_THAN_LOW
from tests.plain_words import unwanted_in_report
from tests.spark.examples.files import made
from tests.spark.examples.page import Block, Case, Expected, cases
from tests.spark.examples.run import inspected
from tests.spark.literals import foreign_words
from tests.spark.remedy_rules import violations

ROOT = Path(__file__).resolve().parents[3]
OF_THE_INPUT = {"unreadable-lines", "secrets-in-journal"}  # nothing happens to the journal
pytestmark = [pytest.mark.integration, pytest.mark.heavy]


EXAMPLES = {id: cases((ROOT / f"docs/detectors/{id}.md").read_text()) for id in detectors()}
CASES = [
    pytest.param(id, case, id=f"{id} {'' if case.expected else 'innocent '}{number}")
    for id, of_page in EXAMPLES.items()
    for number, case in enumerate(of_page, 1)
]


@pytest.mark.parametrize(("id", "case"), CASES)
def test_the_detector_finds_what_its_page_says(
    id: str, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = inspected(case, id, tmp_path, monkeypatch)
    assert [one["why"] for one in report["not_run"]] == []
    assert unwanted_in_report(report) == []
    assert violations(report) == []
    found = sorted((one for one in report["findings"] if one["detector"] == id), key=place)
    assert len(found) == len(case.expected), [one["title"] for one in found]
    for finding, said in zip(found, sorted(case.expected, key=said_place), strict=True):
        assert_agree(finding, said)
        assert_concrete(finding)
        assert_says_until_when(finding)
    assert foreign_words(report) == set()  # a value that is not marked: docs/decisions/0020-typed-text.md


def place(finding: dict[str, Any]) -> tuple[str, int, int]:
    """The order of findings."""
    return finding["severity"], finding["first_offset"] or 0, finding["last_offset"] or 0


def said_place(said: Expected) -> tuple[str, int, int]:
    """The same order of what a page says."""
    return said.severity, said.first_offset or 0, said.last_offset or 0


def assert_agree(finding: dict[str, Any], said: Expected) -> None:
    """A finding is the one that the page announces."""
    seen = (finding["severity"], finding["first_offset"], finding["last_offset"])
    assert seen == (said.severity, said.first_offset, said.last_offset), finding["title"]
    assert said.confidence in (None, finding["confidence"])
    assert said.title in finding["title"]


def assert_concrete(finding: dict[str, Any]) -> None:
    """It says what happens to what, and what its records show."""
    of_the_input = finding["detector"] in OF_THE_INPUT or finding["severity"] not in WORSE_THAN_LOW
    assert finding["effects"] or of_the_input
    evidence = finding["evidence"] if finding["partition"] is not None else []
    assert [one["offset"] for one in finding["proof"]] == evidence[:MAX_OF_FINDING]
    assert all(one["shows"] or one["in_input"] for one in finding["proof"])


UNTIL_WHEN = ("before", "until", "still", "of version", "If the folder contains no snapshot")


def assert_says_until_when(finding: dict[str, Any]) -> None:
    """A step that forbids a restart says until when: a later one may need it."""
    forbidding = [
        one for one in finding["remedy"].split(".") if "ot restart a" in one or "ot restart t" in one
    ]
    assert [one for one in forbidding if not any(word in one for word in UNTIL_WHEN)] == []


@pytest.mark.parametrize("id", detectors())
def test_a_page_shows_what_is_found_and_what_is_innocent(id: str) -> None:
    kinds = {bool(case.expected) for case in EXAMPLES[id]}
    assert kinds == {True, False}


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("| offset | key | value |\n|---|---|---|\n| 0 | a | b |\n", "does not end in a line"),
        ("```text a\nx\n```\n\nFinding: high, offset 3.\n", "not of the form"),
    ],
    ids=["no judgement", "a judgement of another form"],
)
def test_an_example_that_nothing_would_run_is_an_error(section: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        cases(f"## Example\n{section}\n## What to do\n")


def test_a_column_that_nothing_reads_is_an_error() -> None:
    row = {"base_offset": "0", "last_offset": "4", "leader_epok": "3"}
    with pytest.raises(ValueError, match="leader_epok"):
        made(Block("orders-0", rows=[row]))
