"""The timeline of a reader who does not get all records, and records of a transaction without COMMIT and ABORT."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import batches_table, other_table, records_table
from tests.webapp.reports.ledger import WHERE, ledger
from tests.webapp.reports.result_folder import write_results
from webapp.reports.charts.answer import lane_rows, legend_of
from webapp.reports.charts.points import points_of
from webapp.reports.charts.timeline import figure
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.report import read_report
from webapp.reports.results import open_results

Get = Callable[..., Any]
LEDGER = PartitionReplica("ledger", 0)


def test_what_a_reader_does_not_get_keeps_its_place_on_the_timeline(
    inspected: Callable[..., Any], get: Get
) -> None:
    inspection = inspected(ledger)
    answer = get(inspection, "report-timeline-figure", isolation="read_committed").json()
    every = get(inspection, "report-timeline-figure").json()
    assert (answer["whole"], answer["wholeRecords"]) == (every["whole"], "3 of 8 records")
    assert every["wholeRecords"] == "8 records"
    for drawn in (answer["figure"], every["figure"]):
        (words,) = [note for note in drawn["layout"]["annotations"] if note.get("name") == "stable"]
        assert (words["text"], words["x"]) == ("read_committed stops here", 5.5)
    record_time = get(inspection, "report-timeline-figure", x="time").json()["points"]
    for isolation in ("read_committed", "read_uncommitted"):
        drawn = get(inspection, "report-timeline-figure", x="time", isolation=isolation).json()["figure"]
        (words,) = [note for note in drawn["layout"]["annotations"] if note.get("name") == "stable"]
        (line,) = [shape for shape in drawn["layout"]["shapes"] if shape.get("name") == "stable"]
        (time,) = [point["x"] for point in record_time if point.get("offset") == 6]
        assert words["text"] == "read_committed stops at offset 6"
        assert words["x"] == line["x0"] == time
    page = get(inspection, "report-timeline", isolation="read_committed").content.decode()
    assert "Whole journal 3 of 8 records" in " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "1 span without records folded"),
        ({"filter": "kind:create"}, "1 span without records in this view folded"),
        ({"isolation": "read_committed"}, "1 span without records in this view folded"),
    ],
    ids=["everything", "filter", "reader"],
)
def test_an_empty_span_is_one_of_the_view_where_the_view_leaves_records_out(
    inspected: Callable[..., Any], get: Get, query: dict[str, str], words: str
) -> None:
    times = [day * 86_400_000 + number * 100 for day in (1, 4) for number in range(20)]
    rows = ({"offset": n, "key": b"%d" % n, "timestamp_ms": time} for n, time in enumerate(times))
    inspection = inspected(lambda folder: write_results(folder, records=records_table(*rows)))
    assert words in get(inspection, "report-timeline-figure", x="time", **query).json()["sentence"]


@pytest.mark.parametrize("pixels", [1000, 20], ids=["marks", "bars"])
def test_records_of_an_open_transaction_are_hollow_as_marks_and_as_bars(tmp_path: Path, pixels: int) -> None:
    with open_results(ledger(tmp_path)) as results:
        found = survey(results)
        span = whole_span(found.facts[LEDGER], "offset")
        assert span
        request = TimelineRequest(span, pixels=pixels)
        drawn = draw(PartitionTables(results, LEDGER, found), read_report(results.document), request)
    window = drawn.picture.window
    assert window.total == 8
    as_drawn = "open-bar" if window.binned else "open"
    assert {chip["kind"]: chip["records"] for chip in legend_of(window, drawn.picture)}[as_drawn] == 1
    traces = [trace for trace in figure(drawn.picture, "light").to_dict()["data"] if "marker" in trace]
    bars = [trace for trace in traces if trace["type"] == "bar" and trace.get("yaxis", "y") == "y"]
    hollow = [text for bar in bars if bar["marker"]["line"]["width"] for text in bar["hovertext"]]
    if window.binned:
        assert hollow == ["1 create, in an open transaction, from offset 4 to 7"]
    else:
        assert "circle-open-dot" in [
            trace["marker"]["symbol"] for trace in traces if trace["type"] == "scatter"
        ]


@pytest.mark.parametrize("pixels", [1000, 20], ids=["marks", "bars"])
def test_records_of_a_corrupt_batch_are_hollow_and_counted(tmp_path: Path, pixels: int) -> None:
    offsets = range(8)
    folder = write_results(
        tmp_path,
        records=records_table(*({"offset": offset} for offset in offsets)),
        batches=batches_table(
            *({"base_offset": offset, "crc_ok": offset not in (1, 2)} for offset in offsets)
        ),
    )
    with open_results(folder) as results:
        found = survey(results)
        (replica,) = found.facts
        span = whole_span(found.facts[replica], "offset")
        assert span
        request = TimelineRequest(span, pixels=pixels)
        drawn = draw(PartitionTables(results, replica, found), read_report(results.document), request)
    chips = {chip["name"]: chip["records"] for chip in legend_of(drawn.picture.window, drawn.picture)}
    assert chips["in a corrupt batch"] == 2
    assert [row["kinds"] for row in lane_rows(drawn.picture.window)] == ["8 create, 2 in a corrupt batch"]
    words = " ".join(point["words"] for point in points_of(drawn.picture))
    assert words.count("in a corrupt batch") == (1 if drawn.picture.window.binned else 2)
    traces = figure(drawn.picture, "light").data
    if drawn.picture.window.binned:
        texts = [text for trace in traces if trace.type == "bar" for text in trace.hovertext or ()]
        assert "2 create, in a corrupt batch, from offset 0 to 3" in texts
    else:
        (hollow,) = [
            trace for trace in traces if trace.type == "scatter" and trace.marker.symbol == "circle-open-dot"
        ]
        assert list(hollow.x) == [1, 2]


def test_aborted_records_without_their_marker_are_told_apart(inspected: Callable[..., Any], get: Get) -> None:
    def lost(folder: Path) -> Path:
        span = {"producer_id": 1, "producer_epoch": 0, "first_offset": 1, "last_offset": 2, "records": 2}
        records = [{"offset": offset, "key": b"a", "value": b"1", "producer_id": 1} for offset in range(4)]
        transactions = other_table(
            "transactions", span | {"outcome": "marker_missing", "ended_as": "aborted"}, **WHERE
        )
        return write_results(folder, records=records_table(*records, **WHERE), transactions=transactions)

    inspection = inspected(lost)
    legend = get(inspection, "report-timeline-figure").json()["legend"]
    assert [(entry["name"], entry["records"]) for entry in legend[-1:]] == [
        ("in an aborted transaction without its marker", 2)
    ]
    page = get(inspection, "report-records").content.decode()
    assert page.count('<span class="outcome-aborted">aborted without marker</span>') == 2
