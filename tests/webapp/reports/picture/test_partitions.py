"""Several partitions below each other: every record of each, with its gaps and findings on its own lane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.charts import timeline
from webapp.reports.charts.points import events_of, points_of
from webapp.reports.picture import TimelineAnswer, TimelineRequest, draw_partitions
from webapp.reports.picture.partitions import bars_of_all, span_of_all
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.by_hand import LanesByHand
from webapp.reports.report import read_report
from webapp.reports.results import open_results


def folder_of(folder: Path) -> Path:
    rows: list[dict[str, Any]] = [{"offset": n, "partition": 0} for n in range(20)]
    rows += [{"offset": n, "partition": 1} for n in (*range(5), *range(30, 40))]
    rows += [{"offset": 0, "topic": "other", "timestamp_ms": -1}]
    gap = {"first_offset": 5, "last_offset": 29, "cause": "unexplained", "proof": ""}
    gaps = other_table("gaps", gap, topic="journal", partition=1, replica="")
    report = report_document(
        findings=[finding("gap", partition=1, evidence=[30], first_offset=5, last_offset=29)]
    )
    return write_results(folder, report, records=records_table(*rows), gaps=gaps)


def drawn(
    folder: Path, axis: Any = "offset", **by_hand: tuple[str, ...]
) -> tuple[TimelineAnswer, dict[str, Any]]:
    with open_results(folder_of(folder)) as results:
        found = survey(results)
        partitions = [PartitionTables(results, replica, found) for replica in sorted(found.facts)]
        span = span_of_all(partitions, axis)
        assert span
        request = TimelineRequest(span, "partition", by_hand=LanesByHand(**by_hand))
        answer = draw_partitions(partitions, 3, read_report(results.document), request)
        return answer, bars_of_all(partitions, span)


def test_each_partition_is_a_lane_with_all_its_records(tmp_path: Path) -> None:
    answer, bars = drawn(tmp_path)
    window = answer.picture.window
    assert window.lanes == ["other-0", "journal-1", "journal-0"]
    assert window.records_by_lane == {"journal-0": 20, "journal-1": 15, "other-0": 1}
    assert (window.span.first, window.span.last) == (0, 39)
    assert sum(bars["records"]) == window.total == 36


def test_gaps_and_findings_stand_on_the_lane_of_their_partition(tmp_path: Path) -> None:
    picture = drawn(tmp_path)[0].picture
    assert [band.lane for band in picture.bands] == ["journal-1"]
    assert picture.missing is not None
    assert picture.missing.total == 25
    assert {picture.window.lanes[int(flag.y)] for flag in picture.flags} == {"journal-1"}
    proof = [point for point in points_of(picture) if point.get("finding")]
    assert [(point["lane"], point["offset"]) for point in proof] == [("journal-1", 30)]
    assert [event["lane"] for event in events_of(picture) if event["what"] == "gap"] == ["journal-1"]


def test_a_partition_without_times_has_no_lane_on_an_axis_of_times(tmp_path: Path) -> None:
    assert drawn(tmp_path, "time")[0].picture.window.lanes == ["journal-1", "journal-0"]


def test_partitions_are_pinned_and_folded_like_other_lanes(tmp_path: Path) -> None:
    window = drawn(tmp_path, pinned=("partition:journal-1",), folded=("group:rest",))[0].picture.window
    assert window.lanes == ["All other lanes", "journal-1"]
    assert window.records_by_lane == {"All other lanes": 21, "journal-1": 15}


def test_partitions_without_a_lane_are_said(tmp_path: Path) -> None:
    assert "3 more partitions have no lane here" in " ".join(drawn(tmp_path)[0].notes)


def test_plotly_draws_them(tmp_path: Path) -> None:
    for axis in ("offset", "time"):
        figure = timeline.figure(drawn(tmp_path / axis, axis)[0].picture, "dark")
        assert figure.to_dict()["data"]


@pytest.mark.parametrize("late", ["broker-1", "broker-2"])
def test_a_divergence_is_flagged_at_the_later_of_its_records(tmp_path: Path, late: str) -> None:
    rows = [
        {"offset": n, "replica": broker, "timestamp_ms": 100 * n + 50 * (n == 2 and broker == late)}
        for broker in ("broker-1", "broker-2")
        for n in range(4)
    ]
    report = report_document(
        findings=[finding("f", first_offset=2, evidence=[2, 3], copies=["broker-1", "broker-2"])]
    )
    with open_results(write_results(tmp_path, report, records=records_table(*rows))) as results:
        found = survey(results)
        partitions = [PartitionTables(results, replica, found) for replica in sorted(found.facts)]
        span = span_of_all(partitions, "time")
        assert span
        picture = draw_partitions(
            partitions, 0, read_report(results.document), TimelineRequest(span, "partition")
        ).picture
    first = picture.flags[0]
    assert (first.offset, first.x) == (2, 250)
    assert late in picture.window.lanes[int(first.y)]


def test_lanes_are_replicas_where_they_differ(inspected: Any, get: Any) -> None:
    def differing(folder: Path) -> Path:
        rows = [{"offset": n, "replica": broker} for broker in ("broker-1", "broker-2") for n in range(4)]
        report = report_document(
            findings=[
                finding("f", detector="replica-divergence", evidence=[2], copies=["broker-1", "broker-2"])
            ]
        )
        return write_results(folder, report, records=records_table(*rows))

    inspection = inspected(differing)
    assert get(inspection, "report-timeline").context["wanted"].by == "partition"
    assert get(inspection, "report-timeline", lanes="type").context["wanted"].by == "type"
    assert get(inspection, "report-timeline", record="2").context["wanted"].by == "type"
    figure = get(inspection, "report-strip-figure").json()["figure"]
    assert [name.rpartition("broker")[2] for name in figure["layout"]["yaxis"]["ticktext"] if name] == [
        "-2)",
        "-1)",
    ]
