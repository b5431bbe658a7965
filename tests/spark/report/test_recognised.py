"""Journal types that are recognised and not replayed, in report.json and in the text of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.report.report_text import coverage_text
from tests.generator import streams
from tests.generator.segment import Record, segment
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

LOG = "00000000000000000000.log"


@pytest.mark.parametrize(
    ("topic", "record", "dialect", "is_replayed"),
    [
        ("till-app-counts-changelog", Record(b"a", b"1"), "streams-changelog", False),
        ("till-app-counts-changelog", streams.window(), "streams-windows", True),
        ("__strimzi_store_topic", Record(b"a", b"{}"), "strimzi-topic-store", False),
        ("orders", Record(b"a", b"1"), "plain", False),
    ],
    ids=["a changelog by its name", "windows", "Strimzi", "plain"],
)
def test_a_report_names_the_journal_type_and_whether_it_is_replayed(
    tmp_path: Path, topic: str, record: Record, dialect: str, is_replayed: bool
) -> None:
    report = report_of(
        write(tmp_path / "input", {f"{topic}-0/{LOG}": segment([record])}), tmp_path / "results"
    )
    (journal,) = report["journals"]
    assert (journal["dialect"], journal["is_replayed"]) == (dialect, is_replayed)
    is_named = "Recognised, but not replayed" in coverage_text(report)
    assert is_named == (not is_replayed and dialect != "plain")


def test_a_repartition_topic_that_starts_late_is_healthy(tmp_path: Path) -> None:
    log = {"a-b-repartition-0/00000000000000000007.log": segment([Record(b"a", b"1"), Record(None, b"2")], 7)}
    report = report_of(write(tmp_path / "input", log), tmp_path / "results")
    assert report["verdict"]["level"] == "healthy"


def test_a_checkpoint_of_streams_beside_a_changelog_is_read(tmp_path: Path) -> None:
    files = {
        f"a-x-changelog-0/{LOG}": segment([streams.window(), streams.window(b"till-5")]),
        "state/a/0_0/.checkpoint": b"0\n1\na-x-changelog 0 1\n",
    }
    report = report_of(write(tmp_path / "input", files), tmp_path / "results")  # type: ignore[arg-type]
    assert [one["topic"] for one in report["journals"]] == ["a-x-changelog"]
    kinds = {Path(one["name"]).name: one["kind"] for one in report["files"]}
    assert kinds == {LOG: "segment", ".checkpoint": "companion"}
    assert report["verdict"]["level"] == "healthy"
