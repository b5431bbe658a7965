"""State of a group coordinator's journal shows where its groups stand in the logs of the same input."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.generator.segment import Record, segment, segment_name
from tests.spark.detectors.groups import coordinator_logs
from tests.spark.transaction_logs import abort, data, plain
from tests.spark.transaction_logs import commit as commit_marker
from tests.spark.whole_pipeline import report_of

LOG = b"".join(
    [
        plain(0),
        plain(1),
        data(2, keys=b"ab"),
        abort(4),
        data(5),
        commit_marker(6),
        plain(9),  # two offsets are absent
    ]
)


@pytest.fixture
def state(inspected: Any, get: Any, tmp_path: Path) -> Any:
    """`state(3)`: the text of State after a group committed offset 3 of t-0; `elsewhere`: of a topic that is not there."""

    def text(offset: int, *, topic: str = "t", **query: Any) -> str:
        folder = tmp_path / "input"
        key, value, _ = coordinator_logs.commit(offset)
        journal = segment(
            [Record(key.replace(b"\x00\x06orders", b"\x00" + bytes([len(topic)]) + topic.encode()), value)]
        )
        for name, content in (("t-0", LOG), ("__consumer_offsets-0", journal)):
            (folder / name).mkdir(parents=True)
            (folder / name / segment_name(0)).write_bytes(content)
        inspection = inspected(lambda results: report_of(folder, results))
        page = get(
            inspection, "report-state", topic="__consumer_offsets", partition=0, **query
        ).content.decode()
        return " ".join(re.sub(r"<(?!a )[^>]+>", " ", page).split())

    return text


def test_the_lag_counts_records_markers_aborted_and_absent_offsets_apart(state: Any) -> None:
    page = state(1)
    said = "lag 9 by offsets, 3 records to read (2 markers, 2 aborted records, 2 absent offsets)"
    assert said in page
    link = page[: page.index(said)].rpartition("<a ")[2]
    assert "topic=t&" in link
    assert "record=1&" in link


def test_the_page_of_a_commit_says_the_same(inspected: Any, state: Any, get: Any) -> None:
    state(1)
    from webapp.journals.models import Inspection

    asked = {"topic": "__consumer_offsets", "partition": 0, "type": "offset-commit", "id": "billing/t/0"}
    page = get(Inspection.objects.get(), "report-entity", **asked).content.decode()
    assert "lag 9 by offsets, 3 records to read" in page


def test_a_commit_at_a_marker_leads_to_the_record_after_it(state: Any) -> None:
    page = state(6, **{"as": "list"})
    assert "lag 4 by offsets, 1 record to read (1 marker, 2 absent offsets)" in page
    assert "record=9&" in page


def test_at_the_end_there_is_no_lag_and_beyond_it_the_page_says_so(state: Any) -> None:
    assert "no lag" in state(10)


def test_beyond_the_end_the_page_says_where_the_log_ends(state: Any) -> None:
    assert "beyond the end of the log in the input (offset 10)" in state(25)


def test_of_a_topic_that_is_not_in_the_input_nothing_is_said(state: Any) -> None:
    page = state(3, topic="other")
    assert "other" in page
    assert "lag" not in page
