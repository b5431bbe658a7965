"""Failures of connectors and tasks: at the end, mended, deleted, in several partitions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.connect._keyless import MAX_LINE
from spark.detectors.connect.task_failed import detector
from spark.report.summarise import link
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import files_table, given_tables, records_table
from tests.spark.connect_journals import Pair, findings, record

TRACE = "org.x.ConnectException: no\n\tat org.x.Y"


def status(state: str | None, task: str = "task-a-0", trace: str | None = None) -> Pair:
    if state is None:
        return f"status-{task}", None
    told = TRACE if state == "FAILED" and trace is None else trace
    return f"status-{task}", {"state": state, "trace": told, "worker_id": "w1:8083", "generation": 3}


def found(*pairs: Pair) -> list[Finding]:
    return findings(detector, [record(offset, pair, "connect-status") for offset, pair in enumerate(pairs)])


def test_a_task_that_failed_last_is_found_with_the_first_line_of_its_trace() -> None:
    (finding,) = found(status("RUNNING"), status("FAILED"))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 1, 1)
    assert finding.title == "Task 0 of connector a failed: org.x.ConnectException: no"
    assert "w1:8083" in finding.explanation
    assert "restart?includeTasks=true" in finding.remedy


def test_all_failures_of_its_last_life_are_the_evidence() -> None:
    (finding,) = found(
        status("FAILED"), status(None), status("RUNNING"), status("FAILED"), status("RESTARTING"), status("RUNNING"),
        status("FAILED"),
    )  # fmt: skip
    assert finding.evidence == [3, 6]


def test_a_connector_deleted_without_being_mended_is_told_so() -> None:
    (finding,) = found(status("FAILED"), status(None), status(None))
    assert finding.evidence == [0]
    assert "deleted its status at offset 1" in finding.explanation
    assert finding.remedy.startswith("If the connector was deleted on purpose, no action is needed.")


@pytest.mark.parametrize("state", ["RUNNING", "RESTARTING", "PAUSED", "STOPPED", "UNASSIGNED"])
def test_what_went_on_after_it_failed_is_innocent(state: str) -> None:
    assert found(status("FAILED"), status(state)) == []
    assert found(status("FAILED"), status(None), status(state), status(None)) == []


def test_healthy_tasks_are_left_alone() -> None:
    assert found(status("RUNNING"), status("UNASSIGNED"), status("RUNNING"), status(None)) == []


def test_tasks_of_one_connector_are_one_finding() -> None:
    (finding,) = found(
        *(status("FAILED", f"task-a-b-{n}") for n in range(3)), status("FAILED", "connector-a-b")
    )
    assert finding.title.startswith("Connector a-b and tasks 0, 1 and 2 of connector a-b failed")


def test_different_causes_are_counted() -> None:
    (finding,) = found(status("FAILED"), status("FAILED", "task-a-1", trace="other"))
    assert "2 different first lines" in finding.explanation


def test_a_long_or_missing_line_still_makes_a_title() -> None:
    (finding,) = found(status("FAILED", trace="x" * 5000))
    assert len(finding.title) < MAX_LINE + 50
    (finding,) = found(status("FAILED", trace=""))
    assert "contains no reason" in finding.title


def test_a_connector_in_several_partitions_is_one_alarm() -> None:
    rows: list[dict[str, Any]] = [
        record(4, status("FAILED", f"task-a-{n}"), "connect-status", partition=n) for n in (1, 2, 3)
    ]
    several = findings(detector, rows)
    link(several)
    assert [finding.consequence_of for finding in several] == [None, several[0].id, several[0].id]
    assert plain(detector.headline(several[:1])) == "connector a has failed"


def keyless(*values: bytes | None, layout: str = "akhq-values") -> list[Finding]:
    """Findings in values alone."""
    records = records_table(*({"key": None, "value": value, "offset": n} for n, value in enumerate(values)))
    tables = given_tables({"records": records, "files": files_table({"layout": layout})})
    return [detector.describe(row) for row in detector.find(tables)]


def test_a_failed_state_in_values_alone_is_found_though_nobody_knows_whose_it_is() -> None:
    values = [
        json.dumps({"state": state, "trace": TRACE, "worker_id": "w1:8083", "generation": 1}).encode()
        for state in ("RUNNING", "FAILED", "FAILED")
    ]
    (finding,) = keyless(*values, None, b'{"state":"FAILED"}', b'{"state":"FAILED')
    assert finding.title == "A connector or task failed: org.x.ConnectException: no"
    assert (finding.severity, finding.confidence, finding.evidence) == ("medium", "likely", [1, 2])
    assert "(rows 1 and 2), from worker w1:8083" in finding.explanation
    assert plain(detector.headline([finding])) == "1 connector or task has failed"
    assert keyless(*values, layout="kcat-json") == []
