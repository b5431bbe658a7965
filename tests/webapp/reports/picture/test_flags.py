"""Where the flags of findings are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from spark.tables.replica import PartitionReplica
from spark.tables.store import RestrictedTable
from tests.builders import records_table
from tests.webapp.reports.result_folder import finding, incident, report_document, write_results
from webapp.reports.charts.background import Flag
from webapp.reports.charts.rings import LINE_PIXELS, RING_PIXELS
from webapp.reports.charts.timeline import figure
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.report import read_report
from webapp.reports.results import open_results

FLAG_BOX_PIXELS = 21
JOURNAL = PartitionReplica("journal", 0)


def flags_of(folder: Path, axis: Literal["offset", "time"]) -> list[Flag]:
    with open_results(folder) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], axis)
        assert span
        tables = PartitionTables(results, JOURNAL, found)
        return draw(tables, read_report(results.document), TimelineRequest(span)).picture.flags


def test_records_of_a_small_figure_without_victims_have_their_rings_on_its_one_lane(tmp_path: Path) -> None:
    with open_results(incident(tmp_path)) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "offset")
        assert span
        request = TimelineRequest(span, "victims", compact=True)
        drawn = draw(PartitionTables(results, JOURNAL, found), read_report(results.document), request)
    assert drawn.picture.window.lanes == ["all records"]
    lanes = {flag.offset: flag.y for flag in drawn.picture.flags}
    assert {offset: y for offset, y in lanes.items() if offset in (8, 9, 10)} == {8: 0, 9: 0, 10: 0}


def test_a_finding_about_a_range_without_records_stands_at_its_first_offset(tmp_path: Path) -> None:
    records = records_table(*({"offset": offset, "key": b"a"} for offset in (0, 1, 2, 20)))
    hole = finding("hole", first_offset=3, last_offset=19, evidence=[])
    stalled = finding("stalled", first_offset=0, last_offset=19, evidence=[0, 12])
    folder = write_results(tmp_path, report_document(findings=[hole, stalled]), records=records)
    flags = flags_of(folder, "offset")
    assert sorted((flag.finding, flag.x) for flag in flags) == [("hole", 3), ("stalled", 0)]


def test_rows_of_an_incident_have_the_titles_of_their_findings_and_its_flag_that_of_the_incident(
    tmp_path: Path,
) -> None:
    records = records_table(*({"offset": offset, "key": b"a"} for offset in range(3)))
    findings = [finding(name, evidence=[at]) for at, name in enumerate(("lost", "hidden"))]
    for entry in findings:
        entry["title"], entry["incident"] = f"{entry['id']} is its title", "one"
    document = report_document(findings=findings)
    document["incidents"] = [{"id": "one", "title": "Two findings", "findings": ["lost", "hidden"]}]
    flags = flags_of(write_results(tmp_path, document, records=records), "offset")
    assert {flag.text for flag in flags} == {"Two findings"}
    words = {flag.finding: flag.row_words for flag in flags}
    assert {name: row.partition(": ")[2] for name, row in words.items()} == {
        name: f"{name} is its title" for name in ("lost", "hidden")
    }


def test_in_time_a_finding_about_missing_offsets_stands_where_its_gap_is(tmp_path: Path) -> None:
    rows = ({"offset": offset, "key": b"a", "timestamp_ms": 1000 + offset} for offset in (0, 1, 2, 20, 21))
    hole, end = (
        finding(name, first_offset=first, last_offset=last, evidence=[])
        for name, first, last in (("hole", 3, 19), ("end", 22, 30))
    )
    folder = write_results(tmp_path, report_document(findings=[hole, end]), records=records_table(*rows))
    flags = flags_of(folder, "time")
    xs = {flag.finding: flag.x for flag in flags}
    assert xs == {"hole": 1020, "end": 1021}, "at the record after the gap; at the end the last record"


def test_in_time_a_finding_about_records_that_a_reader_does_not_get_stands_at_their_time(
    tmp_path: Path,
) -> None:
    rows = ({"offset": offset, "key": b"a", "timestamp_ms": 1000 + 10 * offset} for offset in range(5))
    stuck = finding("stuck", first_offset=1, last_offset=4, evidence=[3])
    folder = write_results(tmp_path, report_document(findings=[stuck]), records=records_table(*rows))
    before = RestrictedTable('SELECT * FROM whole_lifelines WHERE "offset" < 3', {})
    with open_results(folder) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "time")
        assert span
        tables = PartitionTables(results.restricted({"lifelines": before}), JOURNAL, found)
        drawn = draw(tables, read_report(results.document), TimelineRequest(span, is_partial=True))
    assert [(flag.offset, flag.x) for flag in drawn.picture.flags] == [(3, 1030)]


def test_the_flag_of_an_absent_record_does_not_cover_its_ring(tmp_path: Path) -> None:
    records = records_table(*({"offset": offset, "key": b"a"} for offset in (0, 1, 2, 20)))
    hole = finding("hole", first_offset=3, last_offset=19, evidence=[])
    folder = write_results(tmp_path, report_document(findings=[hole]), records=records)
    with open_results(folder) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "offset")
        assert span
        tables = PartitionTables(results, JOURNAL, found)
        picture = draw(tables, read_report(results.document), TimelineRequest(span)).picture
    (flag,) = [note for note in figure(picture, "light").layout.annotations if note.name == "flag 3"]
    apart = (flag.ay - flag.y) * picture.frame.lane_pixels
    assert apart >= RING_PIXELS / 2 + LINE_PIXELS / 2 + FLAG_BOX_PIXELS / 2
