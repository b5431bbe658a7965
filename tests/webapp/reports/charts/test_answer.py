"""What stands beside the figure says the same as the figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.webapp.reports.result_folder import incident
from webapp.reports.charts.answer import answer_of
from webapp.reports.charts.look import MARKS
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.report import read_report
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def answer(folder: Path, pixels: int = 1000, axis: Any = "offset", **more: Any) -> dict[str, Any]:
    with open_results(incident(folder)) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], axis)
        assert span
        shown = TimelineRequest(span, pixels=pixels, **more)
        drawn = draw(PartitionTables(results, JOURNAL, found), read_report(results.document), shown)
        return answer_of(drawn.picture, drawn.notes, span, whole_bars(results.of(JOURNAL), span))


def test_the_rows_beside_the_figure_are_as_high_as_its_plot(tmp_path: Path) -> None:
    beside = answer(tmp_path)
    lanes = [row["name"] for row in beside["rows"] if row["kind"] == "lane"]
    assert lanes == ["Artifact", "Bootstrap", "Content", "ContentId"]
    assert beside["yOfLane"] == {name: y for y, name in enumerate(reversed(lanes))}
    assert next(row for row in beside["rows"] if row["kind"] == "gaps")["records"] == 2


def test_names_above_their_lanes_have_room_there(tmp_path: Path) -> None:
    beside, above = answer(tmp_path), answer(tmp_path, names_above=True)
    kinds = [row["kind"] for row in above["rows"]]
    assert kinds == [row["kind"] for row in beside["rows"]]
    added = [
        new["heightPixels"] - old["heightPixels"]
        for new, old in zip(above["rows"], beside["rows"], strict=True)
    ]
    assert dict(zip(kinds[:3], added[:3], strict=True)) == {"space": 16, "histogram": -36}
    assert all(row["heightPixels"] >= 40 for row in above["rows"] if row["kind"] == "lane")


def test_every_record_can_be_walked_to_with_what_the_service_does(tmp_path: Path) -> None:
    points = answer(tmp_path)["points"]
    assert [point["offset"] for point in points] == [0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]
    words = next(point for point in points if point["offset"] == 7)
    assert words["words"].startswith("offset 7, update, ")
    assert words["lane"] == "Content"
    assert next(point for point in points if point["offset"] == 10)["finding"] == "critical"


def test_dense_lanes_are_walked_bin_by_bin_and_nothing_is_lost(tmp_path: Path) -> None:
    beside = answer(tmp_path, pixels=20)
    bins = [point for point in beside["points"] if "bin" in point]
    assert bins
    assert sum(int(point["words"].split()[0]) for point in bins) + beside["drawn"] == beside["total"]


@pytest.mark.parametrize("axis", ["offset", "time"])
def test_the_selected_record_of_a_dense_lane_has_its_place_there(
    tmp_path: Path, axis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.reports.queries.marks.PLOT_PIXELS", 20)
    record = answer(tmp_path, pixels=20, axis=axis, record=7)["record"]
    assert (record["offset"], record["lane"]) == (7, "Content")
    assert axis == "time" or record["x"] == 7
    assert answer(tmp_path, record=7)["record"] is None, "a mark is one of the points"
    assert answer(tmp_path, pixels=20, record=6)["record"] is None, "it is not there"


@pytest.mark.parametrize("more", [{}, {"pixels": 20}, {"hidden": frozenset({"create", "restart"})}])
def test_each_ring_has_a_row(tmp_path: Path, more: dict[str, Any]) -> None:
    beside = answer(tmp_path, **more)
    ringed = {10, 9, 8, 0}  # and of the gap, which is a row
    rows = [point["offset"] for point in beside["points"] if "finding" in point]
    rows += [event["offset"] for event in beside["events"] if event["what"] in ("finding", "proof")]
    assert ringed <= set(rows)
    proofs = [event for event in beside["events"] if event["what"] == "proof"]
    assert bool(proofs) == bool(more)
    assert all(proof["words"].startswith(f"offset {proof['offset']}, proof of ") for proof in proofs)


def test_findings_restarts_and_gaps_are_rows_too(tmp_path: Path) -> None:
    events = answer(tmp_path)["events"]
    assert {event["what"] for event in events} == {"finding", "restart", "gap"}
    assert "1 offsets missing: compacted away" not in [event["words"] for event in events]
    assert "1 offset missing: compacted away" in [event["words"] for event in events]


def test_the_legend_counts_every_record_once(tmp_path: Path) -> None:
    beside = answer(tmp_path)
    *kinds, ring = beside["legend"]
    assert sum(chip["records"] for chip in kinds) == 11
    assert {chip["name"] for chip in kinds} <= {look["name"] for look in MARKS.values()}
    assert (ring["name"], ring["records"]) == (
        "in a finding",
        sum("finding" in point for point in beside["points"]),
    )


def test_the_time_axis_says_times(tmp_path: Path) -> None:
    assert "UTC · all 11 records drawn" in answer(tmp_path, axis="time")["sentence"]
