"""Artifact records without their content: never there, there too late, there without bytes; and made good."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.apicurio.dangling_content_hash import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.apicurio import incident
from tests.spark.apicurio_journals import (
    content_value,
    corpus,
    findings,
    generated,
    json_record,
    real_cases,
    real_journal,
    records_of,
)

THIS = "dangling-content-hash"
CONTENT = json_record(2, {"tenantId": "_", "contentHash": "ab", "contentId": 7}), content_value(1, b"text")
ARTIFACT = (
    json_record(3, {"tenantId": "_", "groupId": "pay", "artifactId": "invoice", "uuid": "u1"}),
    json_record(3, {"action": 1, "globalId": 3, "contentHash": "ab", "artifactType": "AVRO"}),
)


def found(*records: tuple[bytes, bytes | None], first: int = 0) -> list[Finding]:
    """This detector's findings in a journal of these records."""
    numbered = [(first + n, key, value) for n, (key, value) in enumerate(records)]
    return [finding for finding in findings(records_of(numbered)) if finding.detector == THIS]


def test_content_that_was_never_there() -> None:
    (finding,) = found(ARTIFACT, first=40)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 40, 40)
    assert "pay/invoice version 1" in finding.title
    assert "refers to content that no record contains" in finding.title


def test_a_content_without_any_record_may_have_lain_at_the_head() -> None:
    (never,), (late,) = found(ARTIFACT, first=40), found(ARTIFACT, CONTENT, first=40)
    assert "head" in never.entities
    assert "head" not in late.entities
    assert "missing-head" in detector.follows


def test_content_that_comes_too_late() -> None:
    (finding,) = found(ARTIFACT, CONTENT)
    assert "its content (offset 1) comes after" in finding.title
    assert finding.evidence == [0, 1]


def test_content_that_only_has_a_record_without_bytes() -> None:
    (finding,) = found(ARTIFACT, (CONTENT[0], content_value(2, b"")))
    assert "only as an UPDATE without content" in finding.title


def test_the_same_record_again_behind_the_content_is_a_repair() -> None:
    assert found(ARTIFACT, CONTENT, ARTIFACT) == []


def test_content_before_its_artifact_is_as_it_should_be() -> None:
    assert found(CONTENT, ARTIFACT) == []


def test_versions_that_fell_with_the_first_are_told_with_it() -> None:
    second = (
        json_record(3, {"tenantId": "_", "groupId": "pay", "artifactId": "invoice", "uuid": "u2"}),
        json_record(3, {"action": 2, "globalId": 4, "contentHash": "cd", "artifactType": "AVRO"}),
    )
    other = json_record(2, {"tenantId": "_", "contentHash": "cd", "contentId": 8}), content_value(1, b"two")
    (finding,) = found(ARTIFACT, other, second)
    assert "pay/invoice version 2" in finding.explanation
    assert "offsets 0 and 2" in finding.remedy


@pytest.mark.parametrize("seed", range(4))
def test_generated_losses_break_the_artifacts_they_should(seed: Any) -> None:
    journal = incident(seed, "lost", affected_count=2)
    expected = sorted(offset for update in journal.empty_updates for offset in update.artifact_offsets)
    every = findings(generated(journal))
    assert [finding.first_offset for finding in every if finding.detector == THIS] == expected
    causes = {name for finding in every if finding.detector != THIS for name in finding.entities}
    assert all(finding.entities <= causes for finding in every if finding.detector == THIS)


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_give_what_their_truth_says(case: str) -> None:
    truth = json.loads(corpus("apicurio-real", case, "case.json").read_text())
    expected = [e["first_offset"] for e in truth["expect"] if e["finding"] == THIS]
    seen = [finding.first_offset for finding in findings(real_journal(case)) if finding.detector == THIS]
    assert seen == expected


def test_the_headline_has_the_right_plural() -> None:
    (finding,) = found(ARTIFACT)
    assert (
        plain(detector.headline([finding]))
        == "1 artifact version returns 404, after the next restart at the latest: its content is missing"
    )
    assert (
        plain(detector.headline([finding] * 2))
        == "2 artifact versions return 404, after the next restart at the latest: their content is missing"
    )
