"""Settings with which Apicurio Registry 3.x does not start."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.apicurio_v3.topic_settings_refused import detector
from spark.terms.findings import Finding
from tests.builders import files_table, other_table
from tests.spark.read_journals import call, findings

JOURNAL = [
    call("Bootstrap", 0),
    call("CreateGlobalRule2Message", 1, ruleType="VALIDITY", config={"configuration": "FULL"}),
]
MARKER = call("CreateSnapshot1Message", 2, snapshotId="s", snapshotLocation="/s.sql")


def of(*records: dict[str, Any], dialect: str = "apicurio-v3", **settings: str) -> list[Finding]:
    """What is found with these settings, whose names have underscores."""
    rows = [{"name": name.replace("_", "."), "value": value} for name, value in settings.items()]
    extra = {
        "properties": other_table("properties", *rows, topic="journal"),
        "files": files_table(
            {"name": "configs.txt", "kind": "companion", "layout": "topic-settings", "topic": "journal"}
        ),
    }
    return findings(detector, dialect, *records, extra=extra)


@pytest.mark.parametrize("policy", ["compact", "compact,delete"])
def test_a_compacted_journal_is_refused(policy: str) -> None:
    (finding,) = of(*JOURNAL, cleanup_policy=policy, retention_ms="-1")
    assert finding.severity == "medium"
    assert "cleanup.policy=delete,retention.ms=-1,retention.bytes=-1" in finding.remedy


def test_a_limit_with_a_snapshot_is_refused() -> None:
    (finding,) = of(*JOURNAL, MARKER, cleanup_policy="delete", retention_ms="604800000")
    assert "retention.ms=604800000" in finding.title
    assert "override-enabled" in finding.remedy


@pytest.mark.parametrize(
    "settings",
    [
        {"cleanup_policy": "delete", "retention_ms": "-1", "retention_bytes": "-1"},
        {"cleanup_policy": "delete", "retention_ms": "604800000"},
        {"retention_ms": "-1"},
    ],
    ids=["as demanded", "retention-policy speaks", "no limit"],
)
def test_innocent(settings: dict[str, str]) -> None:
    assert of(*JOURNAL, **settings) == []
