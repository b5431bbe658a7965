"""What the pages say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.builders import damage_table, files_table, other_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.queries.keys import key_id

PAGES = ("report-overview", "report-timeline", "report-keys", "report-records", "report-files")


def text_of(response: Any) -> str:
    assert response.status_code == 200
    bare = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(bare.split())


def test_the_overview_says_verdict_cause_proof_remedy_and_consequence(inspected: Any, get: Any) -> None:
    page = text_of(get(inspected(), "report-overview"))
    assert "Content 2 is lost: offset 10 replaces it with nothing" in page
    assert "not in this dump: A later record has the same key." in page
    assert "deletes its key (was offset 7 )" in page
    assert "1 consequence" in page
    assert "1 check did not run on this input." in page
    assert "1 note" in page


def test_offsets_in_texts_are_links_to_their_records(inspected: Any, get: Any) -> None:
    page = get(inspected(), "report-overview").content.decode()
    assert re.search(
        r'The registry restarted at offset <a class="offset" href="[^"]*record=9[^"]*" data-record="9"', page
    )


def test_the_ticket_stands_in_the_page_in_three_markups(inspected: Any, get: Any, settings: Any) -> None:
    settings.PUBLIC_URL = "https://journals.example.org"
    page = get(inspected(), "report-overview").content.decode()
    fields = dict(re.findall(r'<textarea[^>]* id="ticket-(\w+)"[^>]*>(.*?)</textarea>', page, re.DOTALL))
    assert {name: text[:34] for name, text in fields.items()} == {
        "markdown": "**Critical, proven:** Content 2 is",
        "jira": "*Critical, proven:* Content 2 is l",
        "plain": "Critical, proven: Content 2 is los",
    }
    assert all(
        "(sign-in needed): https://journals.example.org/inspections/" in text for text in fields.values()
    )


def test_what_copies_of_a_partition_show_alike_is_one_card(inspected: Any, get: Any) -> None:
    findings = [finding("a", evidence=[0], copies=["", "dump.ndjson"])]
    copies = records_table({}, {"replica": "dump.ndjson"})
    inspection = inspected(
        lambda folder: write_results(folder, report_document(findings=findings), records=copies)
    )
    page = get(inspection, "report-overview").content.decode()
    assert re.findall(r'<article[^>]* id="finding-(\w)"', page) == ["a"]
    assert re.search(r'Show it in the other copy: <a class="mono" href="[^"]*replica=dump', page)
    other = get(inspection, "report-overview", topic="journal", partition=0, replica="dump.ndjson")
    assert re.findall(r'<article[^>]* id="finding-(\w)"', other.content.decode()) == ["a"]
    shown_in = re.search(r'Show it in the other copy: <a class="mono" href="([^"]*)"', other.content.decode())
    assert shown_in
    assert "dump.ndjson" not in shown_in[1]


def test_a_report_of_an_earlier_version_has_a_card_for_each_copy(inspected: Any, get: Any) -> None:
    findings = [finding("a", evidence=[0]), finding("b", evidence=[0], replica="dump.ndjson")]
    copies = records_table({}, {"replica": "dump.ndjson"})
    inspection = inspected(
        lambda folder: write_results(folder, report_document(findings=findings), records=copies)
    )
    page = get(inspection, "report-overview").content.decode()
    assert re.findall(r' id="finding-(\w)"', page) == ["a", "b"]


def restart(*lost: str) -> dict[str, Any]:
    """An incident of findings that one restart made."""
    return {
        "id": "restart",
        "severity": "critical",
        "title": "The restart at offset 9 emptied 3 content items; 2 artifacts are lost",
        "findings": list(lost),
        "victims": [
            {"finding": "a", "kind": "lost", "entity_type": "artifact", "entity_id": "pay/money", "when": "already"},
            {"finding": "a", "kind": "lost", "entity_type": "version", "entity_id": "pay/money/1", "when": "already"},
            {"finding": "b", "kind": "lost", "entity_type": "version", "entity_id": "pay/tax/3", "when": "next_compaction"},
        ],
        "victim_count": 3,
        "plan": [
            {"finding": None, "step": "Take a dump."},
            {"finding": "a", "step": "Append content a."},
            {"finding": "b", "step": "Append content b."},
            {"finding": None, "step": "Start a fixed version."},
        ],
    }  # fmt: skip


@pytest.fixture
def incidents(inspected: Any, get: Any) -> str:
    """The Overview of a restart that emptied three contents, and of a damaged batch."""
    emptied = [finding(name, title=f"Content {name} is lost", evidence=[0, 1]) for name in "abc"]
    other = finding("d", detector="crc-mismatch", severity="high", title="A batch is corrupt", remedy="")
    alone = {
        **restart("d"),
        "id": "damage",
        "severity": "high",
        "title": "A batch is corrupt",
        "victims": [],
        "plan": [],
    }
    report = report_document(findings=[*emptied, other], incidents=[restart("a", "b", "c"), alone])
    folder = inspected(lambda folder: write_results(folder, report, records=records_table({}, {"offset": 1})))
    return str(get(folder, "report-overview").content.decode())


def test_an_incident_is_one_card_with_the_event_as_headline_and_its_findings_below(incidents: str) -> None:
    assert re.findall(
        r'<(\w+) class="card incident incident-(\w+)" id="incident-(\w+)"( open)?', incidents
    ) == [
        ("section", "critical", "restart", ""),
        ("details", "high", "damage", ""),
    ]
    (headline,) = re.findall(r"<h1[^>]*>(.*?)</h1>", incidents)
    assert headline == "The restart at offset 9 emptied 3 content items; 2 artifacts are lost"
    assert re.findall(r'<article[^>]* id="finding-(\w)"', incidents) == ["a", "b", "c", "d"]


def test_an_incident_lists_its_victims_with_their_proof_and_parts_with_what_they_belong_to(
    incidents: str,
) -> None:
    table = re.search(r'<table class="table table-sm victims">.*?</table>', incidents, re.DOTALL)[0]  # type: ignore[index]
    rows = [
        " ".join(re.sub(r"<[^>]+>", " ", row).split())
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
    ]
    assert rows == [
        "Victim What happens Proof",
        "artifact pay/money lost 0 1",
        "pay/tax version 3 lost at the next compaction 0 1",
    ]


def test_an_incident_has_one_plan_with_what_only_one_finding_needs_in_its_place(
    incidents: str,
) -> None:
    plan = re.search(r'<ol class="plan">.*?</ol>', incidents, re.DOTALL)[0]  # type: ignore[index]
    steps = [
        " ".join(re.sub(r"<[^>]+>", " ", step).split())
        for step in re.findall(r"<li>.*?</li>", plan, re.DOTALL)
    ]
    assert steps == [
        "Take a dump.",
        "Append content a.",
        "Append content b.",
        "Start a fixed version.",
    ]


def test_a_report_of_before_incidents_has_one_for_each_finding(inspected: Any, get: Any) -> None:
    report = report_document(
        findings=[finding("a", title="Content a is lost"), finding("b", title="Content b is lost")]
    )
    page = get(
        inspected(lambda folder: write_results(folder, report, records=records_table({}))), "report-overview"
    )
    assert re.findall(r'class="incident-title"[^>]*>(.*?)</h\d>', page.content.decode()) == [
        "Content a is lost",
        "Content b is lost",
    ]


def test_the_chip_and_the_sentence_do_not_both_say_healthy(inspected: Any, get: Any) -> None:
    inspection = inspected(lambda folder: write_results(folder, records=records_table({}, {}, {})))
    for name in ("report-overview", "report-files"):
        page = text_of(get(inspection, name))
        claim = "Healthy: the input" if name == "report-overview" else "Healthy"
        assert f"✓ {claim} 3 records, no missing offsets." in page


def test_the_brokers_own_topics_are_not_what_is_shown_first(inspected: Any, get: Any) -> None:
    rows = [{"offset": n, "topic": "__consumer_offsets"} for n in range(9)] + [{"offset": 0}]
    inspection = inspected(lambda folder: write_results(folder, records=records_table(*rows)))
    assert "Partition journal-0 one of 2 partitions" in text_of(get(inspection, "report-records"))


def test_a_journal_with_holes_of_unknown_cause_is_called_healthy_nowhere(inspected: Any, get: Any) -> None:
    sentence = (
        "No fault found. 2 records, 4 absent offsets. This dump cannot tell whether by compaction or loss."
    )
    verdict = {"level": "healthy", "sentence": sentence}
    inspection = inspected(
        lambda folder: write_results(
            folder, report_document(verdict=verdict), records=records_table({}, {"offset": 5})
        )
    )
    for name in ("report-overview", "report-files"):
        page = text_of(get(inspection, name))
        claim = "No fault found in the input" if name == "report-overview" else "No fault found"
        assert f"○ {claim} 2 records, 4 absent offsets." in page
        assert "Healthy" not in page


def test_a_healthy_journal_says_so(inspected: Any, get: Any) -> None:
    page = text_of(
        get(
            inspected(lambda folder: write_results(folder, records=records_table({}, {}, {}))),
            "report-overview",
        )
    )
    assert "1 check found nothing, on the uploaded files only" in page
    assert "1 check found nothing" in page


@pytest.mark.parametrize("name", PAGES)
def test_pages_without_records_say_what_to_do(name: str, inspected: Any, get: Any) -> None:
    page = text_of(get(inspected(write_results), name))
    assert name == "report-files" or "Files" in page


def test_markup_in_a_report_is_text(inspected: Any, get: Any) -> None:
    evil = "<script>alert(1)</script> offset 1"

    def make(folder: Path) -> Path:
        report = report_document(
            findings=[finding("a", title=evil, explanation=evil, remedy=f"`{evil} and more of it`")]
        )
        return write_results(
            folder,
            report,
            records=records_table({"key": evil.encode(), "value": evil.encode(), "entry_type": evil}, {}),
        )

    inspection = inspected(make)
    for name in PAGES:
        assert "<script>alert" not in get(inspection, name).content.decode()
    assert "<script>alert" not in get(inspection, "report-record", 0).content.decode()


def test_no_page_has_inline_styles_or_scripts(inspected: Any, get: Any) -> None:
    inspection = inspected()
    pages = [get(inspection, name) for name in PAGES] + [get(inspection, "report-record", 8)]
    for page in pages:
        html = page.content.decode()
        assert not re.search(r'\sstyle="|<style|<script>|\son\w+="', html)
        assert "default-src 'self'" in page["Content-Security-Policy"]


def test_several_partitions_can_be_chosen(inspected: Any, get: Any) -> None:
    rows = [{"offset": n, "partition": n % 2} for n in range(10)]
    inspection = inspected(
        lambda folder: write_results(
            folder, report_document(findings=[finding("a", partition=1)]), records=records_table(*rows)
        )
    )
    assert "Partition journal-1 one of 2 partitions" in text_of(get(inspection, "report-records"))
    assert "Partition journal-0 one of 2 partitions" in text_of(
        get(inspection, "report-records", topic="journal", partition=0)
    )
    assert "1 of 2" not in text_of(get(inspected(), "report-records"))


def test_the_figure_of_a_window(inspected: Any, get: Any) -> None:
    answer = json.loads(get(inspected(), "report-timeline-figure", **{"from": "3", "to": "8"}).content)
    assert (answer["drawn"], answer["total"], answer["window"], answer["whole"]) == (5, 5, [3, 8], [0, 12])
    assert answer["sentence"] == "Offsets 3 – 8 of 0 – 12 · all 5 records drawn"
    assert {lane["lane"] for lane in answer["lanes"]} == {"Artifact", "Bootstrap", "Content"}


@pytest.mark.parametrize(
    "window", [{"from": "9", "to": "3"}, {"from": "x"}, {"from": "99"}, {"to": "-5"}, {"from": "9" * 40}]
)
def test_a_window_that_is_none_shows_the_whole(window: dict[str, str], inspected: Any, get: Any) -> None:
    assert json.loads(get(inspected(), "report-timeline-figure", **window).content)["window"] == [0, 12]


def two_partitions(folder: Path) -> Path:
    rows = [{"offset": n, "partition": n % 2, "producer_id": 7} for n in range(10)]
    return write_results(folder, records=records_table(*rows))


def test_lanes_by_partition_open_records_of_their_own_partition(inspected: Any, get: Any) -> None:
    inspection = inspected(two_partitions)
    page = get(inspection, "report-timeline", topic="journal", partition=0)
    for words in ("Key", "Partition", "Producer"):
        assert f">{words}</a>" in page.content.decode()
    answer = json.loads(get(inspection, "report-timeline-figure", lanes="partition").content)
    assert [row["name"] for row in answer["rows"] if row["kind"] == "lane"] == ["journal-0", "journal-1"]
    assert "partition=1" in answer["recordUrls"]["journal-1"]
    assert answer["total"] == 10


def test_links_of_a_timeline_keep_what_was_pinned_and_folded(inspected: Any, get: Any) -> None:
    page = get(inspected(), "report-timeline", pin=["type:Content", "type:Artifact"], fold="group:rest")
    assert page.content.decode().count("pin=type%3AContent&amp;pin=type%3AArtifact&amp;fold=group%3Arest") > 4


def test_an_entity_is_pinned_by_its_name_and_an_unknown_one_is_said(inspected: Any, get: Any) -> None:
    row = {"offset": 0, "entry_type": "Content", "entry_action": "create", "entity_id": "48"}
    entries = other_table("entries", row, topic="journal", partition=0, replica="")
    inspection = inspected(
        lambda folder: write_results(
            folder, records=records_table({"entry_type": "Content"}), entries=entries
        )
    )
    answer = get(inspection, "report-timeline", entity="content 48", x="time")
    assert (answer.status_code, answer.url.partition("?")[2]) == (
        302, "x=time&lanes=entity&pin=entity%3AContent%3A48",
    )  # fmt: skip
    assert "is called “content 49”" in text_of(get(inspection, "report-timeline", entity="content 49"))


def test_the_time_axis_without_times_is_explained(inspected: Any, get: Any) -> None:
    inspection = inspected(lambda folder: write_results(folder, records=records_table({}, timestamp_ms=-1)))
    assert "This dump contains no timestamps" in text_of(get(inspection, "report-timeline", x="time"))
    assert json.loads(get(inspection, "report-timeline-figure", x="time").content)["figure"] is None


def test_a_large_figure_is_compressed(inspected: Any, get: Any) -> None:
    response = get(inspected(), "report-timeline-figure", headers={"Accept-Encoding": "gzip"})
    assert response["Content-Encoding"] == "gzip"


def test_keys_can_be_searched_and_have_a_life(inspected: Any, get: Any) -> None:
    inspection = inspected()
    page = get(inspection, "report-keys", q="contentId")
    assert "1 key matching the filters" in text_of(page)
    life = get(inspection, "report-key", re.search(r"/keys/([0-9a-f]{32})/", page.content.decode())[1])  # type: ignore[index]
    assert "3 versions, oldest first" in text_of(life)
    assert '<span class="line-removed">-  &quot;text&quot;: &quot;one&quot;,' in life.content.decode()


def test_a_whole_key_goes_straight_to_its_life(inspected: Any, get: Any) -> None:
    inspection = inspected()
    response = get(inspection, "report-keys", key='\x01{"contentId":1}')
    assert response.status_code == 302
    assert "/keys/" in response["Location"]


def test_an_unknown_key_is_404(inspected: Any, get: Any) -> None:
    assert get(inspected(), "report-key", key_id(1, 2)).status_code == 404


def test_records_say_how_many_there_are(inspected: Any, get: Any) -> None:
    inspection = inspected()
    assert "11 records" in text_of(get(inspection, "report-records"))
    assert "2 of 11 records match" in text_of(get(inspection, "report-records", kind="tombstone"))
    assert "No records match" in text_of(get(inspection, "report-records", key="nowhere"))


def test_records_name_the_zone_of_their_times_where_a_phone_has_no_heads_of_columns(
    inspected: Any, get: Any
) -> None:
    inspection = inspected()
    assert "11 records Times in UTC" in text_of(get(inspection, "report-records"))
    assert "Times in" not in text_of(get(inspection, "report-records", key="nowhere"))


def test_a_filter_that_cannot_be_read_is_said(inspected: Any, get: Any) -> None:
    page = text_of(get(inspected(), "report-records", first="ten", since="yesterday"))
    assert "“From offset” is not a whole number" in page
    assert "“Since” is not a time" in page


def test_times_may_be_written_as_people_do(inspected: Any, get: Any) -> None:
    inspection = inspected(
        lambda folder: write_results(
            folder,
            records=records_table(*({"timestamp_ms": 1_707_215_400_000 + n * 1000} for n in range(10))),
        )
    )
    page = text_of(
        get(inspection, "report-records", since="2024-02-06 10:30:05", until="2024-02-06T10:30:07Z")
    )
    assert "3 of 10 records match" in page


def test_an_offset_that_is_missing_names_its_gap_and_neighbours(inspected: Any, get: Any) -> None:
    page = text_of(get(inspected(), "report-records", offset="6"))
    assert "Offset 6 is not in this dump: A later record has the same key." in page
    assert "The record before it: 5 . The record after it: 7 ." in page


def test_the_drawer_is_a_fragment_and_without_scripts_a_page(inspected: Any, get: Any) -> None:
    inspection = inspected()
    fragment = get(inspection, "report-record", 10, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert "Content 2 is lost" in fragment
    assert "<html" in get(inspection, "report-record", 10).content.decode()


def test_a_record_that_is_not_there_says_why(inspected: Any, get: Any) -> None:
    page = text_of(get(inspected(), "report-record", 6))
    assert "Offset 6 is missing. A later record has the same key." in page
    assert "It lies in the gap" not in page


def test_raw_bytes_are_downloaded_as_they_are(inspected: Any, get: Any) -> None:
    response = get(inspected(), "report-record-bytes", 8, "value")
    assert response.content == b"\xff\xfe binary \x00 <script>alert(1)</script>"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="offset-8-value.bin"'
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("offset", "part"), [(10, "value"), (6, "value"), (8, "headers")])
def test_bytes_that_are_not_there_are_404(offset: int, part: str, inspected: Any, get: Any) -> None:
    assert get(inspected(), "report-record-bytes", offset, part).status_code == 404


def test_records_that_share_an_offset_can_each_be_read(inspected: Any, get: Any) -> None:
    twice = records_table(
        {"offset": 5, "value": b"first"}, {"offset": 5, "value": b"second", "batch_position": 900}
    )
    inspection = inspected(lambda folder: write_results(folder, records=twice))
    assert "2 records share this offset" in text_of(get(inspection, "report-record", 5))
    assert get(inspection, "report-record-bytes", 5, "value", copy=1).content == b"second"


@pytest.mark.parametrize(
    ("numbers", "title"),
    [(("orders", 0), "orders-0"), (("orders", 0, 1), "orders"), (("?", 0), "Topic unknown")],
)
def test_a_file_without_a_topic_stands_under_that_of_its_records(
    inspected: Any, get: Any, numbers: tuple[Any, ...], title: str
) -> None:
    topic, *partitions = numbers

    def make(folder: Path) -> Path:
        files = files_table({"name": "kcat.ndjson", "kind": "export", "topic": None, "partition": None})
        records = records_table(*({"topic": topic, "partition": number} for number in partitions))
        return write_results(folder, files=files, records=records)

    page = get(inspected(make), "report-files").content.decode()
    assert f'<strong class="mono">{title}</strong>' in page


def test_the_topic_of_records_stands_over_a_file_whose_topic_is_unknown(inspected: Any, get: Any) -> None:
    def make(folder: Path) -> Path:
        files = files_table({"name": "kcat.ndjson", "kind": "export", "topic": "?", "partition": 0})
        return write_results(folder, files=files, records=records_table({"topic": "orders"}))

    page = get(inspected(make), "report-files").content.decode()
    assert '<strong class="mono">orders-0</strong>' in page


def test_a_finding_of_a_segment_is_a_link_in_its_row(inspected: Any, get: Any) -> None:
    found = {"detector": "record-count-mismatch", "first_offset": 88, "last_offset": 96}

    def make(folder: Path) -> Path:
        names = ({"name": "00000000000000000000.log"}, {"file": 1, "name": "00000000000000000100.log"})
        files = files_table(
            *({"topic": "journal", "partition": 0, "kind": "segment"} | name for name in names)
        )
        sums = {"crc_ok": True, "crc_stored": 7, "crc_computed": 7, "topic": "journal", "partition": 0}
        batches = other_table(
            "batches",
            {"file": 0, "base_offset": 88, "last_offset": 96, **sums},
            {"file": 1, "base_offset": 100, "last_offset": 104, **sums},
        )
        report = report_document(findings=[finding("count", **found)])
        return write_results(folder, report, files=files, batches=batches, records=records_table({}))

    response = get(inspected(make), "report-files")
    page = text_of(response)
    assert "Record count mismatch in a batch, offsets 88-96" in page
    assert page.count("checksums match") == 1
    assert "no damage" not in page
    assert "finding=count#finding-count" in response.content.decode()
    assert "1 segment or file without a damaged range or a finding" in page


def test_files_show_their_hash_and_where_they_are_damaged(inspected: Any, get: Any) -> None:
    def make(folder: Path) -> Path:
        files = files_table(
            {"name": "a.log", "cannot_tell": ["record headers"]},
            {"name": "b.txt", "layout": None, "kind": "ignored"},
        )
        damage = damage_table(
            {
                "position": 500,
                "size_bytes": 100,
                "first_offset": 7,
                "last_offset": 9,
                "reason": "zeros_at_end",
            },
            {"position": 700, "size_bytes": 9, "first_offset": 97, "last_offset": 97},
        )
        return write_results(folder, files=files, damage=damage, records=records_table({}))

    response = get(inspected(make), "report-files")
    page = text_of(response)
    assert "record headers" in page
    assert "zeros at the end : The bytes there are no record batch." in page
    assert 'x="500.00" y="0" width="100.00"' in response.content.decode()
    assert "7 – 9" in page
    assert "97" in page
    assert "97 – 97" not in page
    assert not re.search(r">\s*–\s*<", response.content.decode())


def test_a_batch_that_fails_its_checksum_is_damage_on_every_page(inspected: Any, get: Any) -> None:
    batch = {"position": 4096, "size_bytes": 1024, "base_offset": 88, "last_offset": 96, "crc_ok": False}

    def make(folder: Path) -> Path:
        report = report_document(coverage={**report_document()["coverage"], "corrupt_batches": 1})
        batches = other_table("batches", batch, topic="journal", partition=0, replica="", file=0)
        files = files_table({"topic": "journal", "partition": 0, "size_bytes": 8192})
        return write_results(
            folder, report, files=files, batches=batches, records=records_table({"offset": 88})
        )

    inspection = inspected(make)
    overview, files = (text_of(get(inspection, name)) for name in ("report-overview", "report-files"))
    assert "1 batch fails its checksum" in overview
    assert "Read: 3 records from 1 file; 1 batch fails its checksum." in overview
    assert "1 range, 1.0 kB" in files
    assert "corrupt record batch (checksum mismatch)" in files


def test_a_corrupt_batch_says_whether_readable_data_follows_in_its_file(inspected: Any, get: Any) -> None:
    def make(folder: Path) -> Path:
        batches = [
            {"file": 0, "position": 90 * at, "base_offset": at, "crc_ok": at % 2 == 0} for at in range(4)
        ]
        files = files_table({"topic": "journal", "partition": 0, "kind": "segment"})
        table = other_table("batches", *batches, topic="journal", partition=0, replica="", size_bytes=90)
        return write_results(folder, files=files, batches=table, records=records_table({}))

    page = text_of(get(inspected(make), "report-files"))
    after = page[page.index("Readable data after it") :]
    assert re.findall(r"\b(yes|no|unknown)\b", after)[:2] == ["yes", "no"]


def test_files_that_were_not_read_are_said_on_the_first_page(inspected: Any, get: Any) -> None:
    files = [{"name": "notes.txt", "sha256": "", "kind": "ignored", "layout": None, "size_bytes": 1}]
    report = report_document(files=files)
    inspection = inspected(lambda folder: write_results(folder, report, records=records_table({})))
    assert "1 file was not read" in text_of(get(inspection, "report-overview"))


def test_a_window_of_times_is_said_in_times(inspected: Any, get: Any) -> None:
    times = records_table({"timestamp_ms": 1_707_215_400_000}, {"timestamp_ms": 1_707_215_461_000})
    inspection = inspected(lambda folder: write_results(folder, records=times))
    answer = json.loads(get(inspection, "report-timeline-figure", x="time").content)
    assert answer["sentence"].startswith(
        "2024-02-06 10:30:00.000 – 2024-02-06 10:31:01.000 UTC · all 2 records drawn"
    )


def test_companions_show_what_was_read_of_them_and_what_was_not(inspected: Any, get: Any) -> None:
    def make(folder: Path) -> Path:
        companion = {"kind": "companion", "layout": "companion"}
        files = files_table(
            {"file": 0, "name": "journal-0/00000000000000000000.index", **companion},
            {"file": 1, "name": "journal-0/00000000000000000000.txnindex", **companion},
            {"file": 2, "name": "journal-0/leader-epoch-checkpoint", **companion},
        )
        entries = [{"file": 0, "offset": offset, "kind": "offset"} for offset in range(1200)]
        damage = damage_table({"file": 2, "position": 4, "size_bytes": 9, "reason": "bad_companion"})
        return write_results(
            folder,
            files=files,
            damage=damage,
            index_entries=other_table("index_entries", *entries),
            epoch_entries=other_table("epoch_entries", {"file": 2, "epoch": 1, "start_offset": 0}),
        )

    page = text_of(get(inspected(make), "report-files"))
    assert "1,200 entries read" in page
    assert "0 entries read" in page
    assert "1 entry read" in page
    assert "companion file cannot be read: no part of the log itself" in page
    assert "not looked at" not in page


def test_what_a_capture_asked_for_and_got_is_said_on_the_first_page(inspected: Any, get: Any) -> None:
    report = report_document()
    report["coverage"]["capture"] = ["Captured from shop by ada.", "orders-0: got offsets 0 to 9."]
    inspection = inspected(lambda folder: write_results(folder, report, records=records_table({})))
    page = text_of(get(inspection, "report-overview"))
    assert "Captured from shop by ada. orders-0: got offsets 0 to 9." in page


@pytest.mark.parametrize(
    ("has_checksums", "says"),
    [(True, "all checksums match"), (False, "no unreadable lines, no checksums in this format")],
)
def test_a_format_without_checksums_is_not_without_damage(
    inspected: Any, get: Any, has_checksums: bool, says: str
) -> None:
    def make(folder: Path) -> Path:
        coverage = report_document()["coverage"] | {"has_checksums": has_checksums}
        return write_results(folder, report_document(coverage=coverage), records=records_table({}))

    assert says in text_of(get(inspected(make), "report-overview"))
