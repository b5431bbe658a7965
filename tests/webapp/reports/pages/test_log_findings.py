"""Findings about a log beside its facts: on the Overview, in the summary of the Log, at its segments and gaps."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import batches_table, files_table, other_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.report import ReportFinding, beside_damage

pytestmark = pytest.mark.django_db
Get = Callable[..., Any]
REPLICAS = ("a", "b", "c")


def text_of(html: str) -> str:
    return " ".join(re.sub(r'<span class="term-text".*?</span>|<[^>]+>', " ", html).split())


def replicas(folder: Path) -> Path:
    """`a` has a critical and a high finding about its log, `b` a critical one, `c` none."""

    def of(replica: str) -> dict[str, Any]:
        return {"topic": "journal", "partition": 0, "replica": replica}

    found = [
        finding("bits", detector="epoch-order", title="B loses records", **of("b")),
        finding("count", detector="record-count-mismatch", title="A lies", **of("a")),
        finding("hole", detector="missing-segment", severity="high", title="A lacks a segment", first_offset=11,
                last_offset=19, **of("a")),
        finding("note", detector="format-upgrade", severity="info", title="C is new", **of("c")),
    ]  # fmt: skip
    incidents = [{"id": f"of-{each['id']}", "findings": [each["id"]], "title": ""} for each in found[:3]]
    found = [each | {"incident": f"of-{each['id']}"} for each in found]
    rows = [{"offset": offset, **of(name)} for name in REPLICAS for offset in (10, 20)]
    batches = [
        {"base_offset": offset, "last_offset": offset, "file": REPLICAS.index(name), **of(name)}
        for name in REPLICAS
        for offset in (10, 20)
    ]
    files = [{"name": f"{name}.log", "kind": "segment", **of(name)} for name in REPLICAS]
    gap = {"first_offset": 11, "last_offset": 19, "cause": "unexplained", "proof": "the input shows no cause"}
    return write_results(
        folder,
        report_document(findings=found, incidents=incidents),
        records=records_table(*rows),
        batches=batches_table(*batches),
        files=files_table(*({"file": number} | file for number, file in enumerate(files))),
        gaps=other_table("gaps", *(gap | of(name) for name in ("a", "b"))),
    )


def test_no_damage_is_said_only_of_a_log_without_a_finding(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(replicas)

    def facts(replica: str) -> str:
        page = get(inspection, "report-overview", replica=replica).content.decode()
        return text_of(page.partition('<dl class="facts-inline"')[2].partition("</dl>")[0])

    assert "Record count mismatch" not in facts("a"), "the first incident below says it"
    assert "Missing segment, offsets 11-19" in facts("a")
    assert "all checksums match" not in facts("a") + facts("b")
    assert "all checksums match" in facts("c")


def test_incidents_of_the_chosen_replica_come_first(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(replicas)

    def titles(**query: str) -> list[str]:
        page = text_of(get(inspection, "report-overview", **query).content.decode().partition("<main")[2])
        return sorted(("B loses records", "A lies", "A lacks a segment"), key=page.rindex)

    assert titles() == ["B loses records", "A lies", "A lacks a segment"]
    assert titles(replica="a") == ["A lies", "A lacks a segment", "B loses records"]
    page = text_of(get(inspection, "report-overview", replica="c").content.decode())
    assert re.search("No incident is about journal-0 .*The incidents of the others:", page)


def test_the_log_names_its_findings_in_the_summary_at_the_segment_and_at_the_gap(
    inspected: Callable[..., Any], get: Get
) -> None:
    inspection = inspected(replicas)
    of_a = text_of(get(inspection, "report-log", replica="a").content.decode())
    assert re.search(r"1 segment · ⬢ Record count mismatch in a batch, offset 10 · ▲ Missing segment", of_a)
    assert re.search(r"9 offsets missing", of_a)
    assert re.search(r"11 – 19 9 ▲ Missing segment, offsets 11-19", of_a)
    assert "the input shows no cause" not in of_a
    of_b = text_of(get(inspection, "report-log", replica="b").content.decode())
    assert "the input shows no cause" in of_b
    of_c = text_of(get(inspection, "report-log", replica="c").content.decode())
    assert "no missing offsets between 10 and 20" in of_c
    assert "Faults" not in of_c


def test_the_verdict_line_of_a_tab_is_that_of_the_chosen_replica(
    inspected: Callable[..., Any], get: Get
) -> None:
    inspection = inspected(replicas)

    def line(page: str = "report-log", **query: str) -> str:
        html = get(inspection, page, **query).content.decode()
        return text_of(re.findall(r'<div class="verdict">.*?</div>', html, re.DOTALL)[0])

    assert "B loses records 2 more incidents" in line()
    assert "B loses records 2 more incidents" in line(replica="b")
    assert "A lies 2 more incidents" in line(replica="a")
    assert "A lies" in line("report-records", replica="a")
    assert (
        line(replica="c") == "No incident is about journal-0 (c). 3 incidents of other partitions or replicas"
    )


def test_the_verdict_line_counts_incidents_as_journals_does_low_ones_included(
    inspected: Callable[..., Any], get: Get
) -> None:
    def line(*severities: str) -> str:
        found = [finding(f"f{n}", severity=severity) for n, severity in enumerate(severities)]
        inspection = inspected(lambda folder: write_results(folder, report_document(findings=found)))
        html = get(inspection, "report-log").content.decode()
        return text_of(re.findall(r'<div class="verdict">.*?</div>', html, re.DOTALL)[0])

    assert line("high", "low", "info").endswith("1 more incident")
    assert "more incident" not in line("low", "low")


def test_offsets_missing_after_the_last_record_are_not_called_none(
    inspected: Callable[..., Any], get: Get
) -> None:
    def torn(folder: Path) -> Path:
        found = finding("tail", detector="truncated-tail", first_offset=2, last_offset=5, severity="medium")
        batch = {"base_offset": 0, "last_offset": 1, "file": 0}
        return write_results(
            folder,
            report_document(findings=[found]),
            records=records_table({"offset": 0}, {"offset": 1}),
            batches=batches_table(batch),
            files=files_table({"file": 0, "name": "a.log", "kind": "segment"}),
        )

    page = text_of(get(inspected(torn), "report-log").content.decode())
    assert "offsets 2-5 missing after the last record" in page
    assert (
        "Offsets 2-5 are missing after the last record (offset 1): ◆ Truncated segment, offsets 2-5" in page
    )
    assert "no missing offsets" not in page
    assert "None between" not in page


def test_what_damage_tells_is_not_said_again_but_what_else_is_wrong_there_is() -> None:
    def about(detector: str, first: int | None, last: int | None) -> ReportFinding:
        return ReportFinding(**finding(detector, detector=detector, first_offset=first, last_offset=last))

    tail, count = about("truncated-tail", 289, 295), about("record-count-mismatch", 88, 96)
    damaged = [{"first_offset": 88, "last_offset": 96}, {"first_offset": 289, "last_offset": 295}]
    assert beside_damage([tail, count, count], damaged) == [count]
    assert not tail.lies_in([{"first_offset": None, "last_offset": None}, {}])
    assert not about("crc-mismatch", None, None).lies_in([{"first_offset": 0, "last_offset": 9}])
