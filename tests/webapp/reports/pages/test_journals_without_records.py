"""Pages of a report whose journals have no record: a partition's folder without its log, and an empty one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of
from tests.webapp.reports.test_content_limits import PAGES

pytestmark = pytest.mark.pipeline
CHECKPOINT = "./replication-offset-checkpoint"


def journals(results: Path) -> Path:
    """Topic `gone` lacks its only segment, topic `empty` never had a record."""
    folder = write(
        results.parent / "input",
        {
            "gone-0/leader-epoch-checkpoint": b"0\n0\n",
            "gone-0/00000000000000000030.snapshot": b"",
            "empty-0/00000000000000000000.log": b"",
            CHECKPOINT: b"0\n2\ngone 0 30\nempty 0 0\n",
            "./.kafka_cleanshutdown": b"",
        },
    )
    report_of(folder, results)
    return results


def test_every_page_answers_and_the_journals_are_named(
    inspected: Callable[..., Any], owner: Any, sign_in: Any
) -> None:
    inspection, client = inspected(journals), sign_in(owner)
    for topic in ("gone", "empty"):
        for path in PAGES:
            answer = client.get(f"/inspections/{inspection.pk}/report/{path}", {"topic": topic})
            assert answer.status_code == 200, path
    overview = client.get(f"/inspections/{inspection.pk}/report/").content.decode()
    assert "has no segment (.log) in the input" in overview
    assert "1 partition is empty: no record was ever written to it." in overview
    files = client.get(f"/inspections/{inspection.pk}/report/files/").content.decode()
    assert "contains no segment (.log)" in files
