"""What a search finds, where its results lead, and that it finds nothing that the user may not see."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.builders import records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.audit.models import Event
from webapp.clusters.models import Cluster
from webapp.journals.models import Blob, Inspection, Journal, Upload
from webapp.review.findings import ingest_findings
from webapp.review.models import Finding
from webapp.search.matching import is_match
from webapp.search.models import IndexedName

HTMX = {"HX-Request": "true"}


def found(client: Any, text: str, **query: Any) -> dict[str, list[str]]:
    """Titles of results by group."""
    page = client.get("/search/", {"q": text, **query})
    assert page.status_code == 200
    return {group.title: [result.title for result in group.results] for group in page.context["groups"]}


def first_url(client: Any, text: str, group: str, **query: Any) -> str:
    groups = client.get("/search/", {"q": text, **query}).context["groups"]
    return str(next(each for each in groups if each.title == group).results[0].url)


@pytest.fixture
def client(reviewer: Any, sign_in: Any) -> Any:
    """The reviewer's browser."""
    return sign_in(reviewer)


@pytest.mark.parametrize(
    ("text", "group", "title"),
    [
        ("content 2", "Entities", "content 2"),
        ("CONTENT 2", "Entities", "content 2"),
        ("pay/money", "Entities", "artifact pay/money"),
        ("money pay", "Entities", "artifact pay/money"),
        ("content-1", "Keys", "Content 1"),
        ("ONTENT-1", "Keys", "Content 1"),
        ("kafkasql", "Journals", "kafkasql-journal"),
        ("ops-48", "Tickets", "OPS-4821"),
        ("ops-4821", "Journals", "kafkasql-journal"),
        ("journal-0", "Journals", "kafkasql-journal"),
        ("7", "Go to offset", "Offset 7 of journal-0"),
        ("@7", "Go to offset", "Offset 7 of journal-0"),
        ("offset 7", "Go to offset", "Offset 7 of journal-0"),
        ("journal-0:12", "Go to offset", "Offset 12 of journal-0"),
        ("Journal-0 12", "Go to offset", "Offset 12 of journal-0"),
        ("kafkasql-journal:12", "Go to offset", "Offset 12 of journal-0"),
        ("will be lost", "Findings", "Content 1 will be lost"),
        ("two-factor", "Pages", "Security"),
        ("toggle theme", "Commands", "Switch between light and dark"),
        ("paste", "Commands", "Paste text"),
        ("sign out", "Commands", "Sign out"),
        ("hanging-transaction", "Catalogue", "A transaction that nobody ends"),
        ("journals in spark", "Documentation", "Journals in Spark"),
        ("spark connect", "Documentation", "Spark Connect"),
    ],
)
def test_it_is_found_by_its_words(client: Any, indexed: Any, text: str, group: str, title: str) -> None:
    ingest_findings(indexed(ticket="OPS-4821"))
    if group == "Catalogue":
        assert found(client, text)[group]
    else:
        assert found(client, text)[group][0] == title


def test_results_lead_to_their_pages(client: Any, indexed: Any) -> None:
    inspection = indexed()
    ingest_findings(inspection)
    report = f"/inspections/{inspection.pk}/report/"
    assert first_url(client, "spark connect", "Documentation") == "/docs/spark.html#spark-connect"
    where = "topic=journal&partition=0"
    assert first_url(client, "7", "Go to offset") == f"{report}records/?{where}&record=7&offset=7"
    assert first_url(client, "content 2", "Entities") == f"{report}state/entity/?{where}&type=content&id=2"
    assert re.fullmatch(
        re.escape(f"{report}keys/") + "[0-9a-f]{32}/" + re.escape(f"?{where}"),
        first_url(client, "content-1", "Keys"),
    )
    finding = Finding.objects.get()
    assert first_url(client, "will be lost", "Findings") == finding.get_absolute_url()
    for text, group in (("content 2", "Entities"), ("content-1", "Keys"), ("7", "Go to offset")):
        assert client.get(first_url(client, text, group)).status_code == 200


def test_a_partition_of_several_is_found_by_its_name(client: Any, indexed: Any) -> None:
    indexed()
    assert "Partitions" not in found(client, "journal-0")  # the journal is this partition
    rows = [{"topic": "orders", "partition": number, "offset": 0, "key": b"k"} for number in range(3)]
    several = indexed("orders", lambda folder: write_results(folder, records=records_table(*rows)))
    assert found(client, "orders-2")["Partitions"] == ["orders-2"]
    address = first_url(client, "orders-2", "Partitions")
    assert address == f"/inspections/{several.pk}/report/?topic=orders&partition=2"
    assert client.get(address).status_code == 200


def test_a_number_is_no_part_of_a_number(client: Any, indexed: Any) -> None:
    indexed()
    assert "Entities" not in found(client, "77")
    assert found(client, "2")["Entities"][0] == "content 2"


def test_an_upload_is_found_by_its_hash(client: Any, indexed: Any) -> None:
    inspection = indexed()
    blob = Blob.objects.create(sha256="ab12cd" * 10 + "ffff", size_bytes=1)
    Upload.objects.create(journal=inspection.journal, name="a", size_bytes=1, blob=blob)
    assert found(client, "AB12CDab12")["Journals"] == ["kafkasql-journal"]


def test_the_report_that_one_reads_comes_first(client: Any, indexed: Any) -> None:
    older = indexed("older")
    indexed("newer")
    groups = client.get("/search/", {"q": "7", "inspection": str(older.pk)}).context["groups"]
    assert str(older.pk) in groups[0].results[0].url
    assert found(client, "timeline", inspection=str(older.pk))["Pages"] == ["Timeline"]
    assert "Share this report" in found(client, "share", inspection=str(older.pk))["Commands"]
    assert "All keys of this report" in client.get(f"/search/?q=x&inspection={older.pk}").content.decode()


def test_samples_come_last(client: Any, indexed: Any) -> None:
    indexed("mine")
    indexed("Sample: a healthy journal", is_sample=True)
    groups = client.get("/search/", {"q": "pay/money"}).context["groups"]
    wheres = [result.context for result in groups[0].results if result.title == "artifact pay/money"]
    assert [where.split(" · ")[1] for where in wheres] == ["mine", "Sample: a healthy journal"]


def test_nothing_of_another_project_is_found(
    client: Any, admin: Any, stranger: Any, viewer: Any, indexed: Any, sign_in: Any
) -> None:
    from webapp.accounts.models import Project

    other = Project.objects.create(slug="other", name="Another project")
    inspection = indexed("their-journal", project=other, ticket="THEIR-1")
    ingest_findings(inspection)
    blob = Blob.objects.create(sha256="ee" * 32, size_bytes=1)
    Upload.objects.create(journal=inspection.journal, name="a", size_bytes=1, blob=blob)
    Cluster.objects.create(project=other, name="their-cluster", bootstrap="broker1.example.org:9092")
    texts = (
        "content 2",
        "content-1",
        "pay/money",
        "7",
        "journal-0:12",
        "their",
        "will be lost",
        "ee" * 10,
        "",
    )
    for browser in (client, sign_in(viewer)):
        for text in texts:
            assert not {
                "Entities",
                "Keys",
                "Go to offset",
                "Journals",
                "Findings",
                "Tickets",
                "Clusters",
            } & set(found(browser, text))
        assert browser.get("/search/", {"q": "7", "inspection": str(inspection.pk)}).status_code == 404
    assert sign_in(stranger).get("/search/?q=7").status_code == 404
    stranger.memberships.create(project=other, role="viewer")
    theirs = sign_in(stranger)
    assert found(theirs, "pay/money")["Entities"]
    assert found(theirs, "their")["Clusters"] == ["their-cluster"]


def test_pages_and_commands_are_those_of_the_role(viewer: Any, admin: Any, sign_in: Any) -> None:
    shown = found(sign_in(viewer), "")
    assert "Upload files" not in shown["Commands"]
    assert not {"Review", "Audit log", "Administration"} & set(shown["Pages"])
    assert {"Review", "Audit log", "Jobs"} <= set(found(sign_in(admin), "")["Pages"])


def test_a_viewer_is_led_to_the_report_of_a_finding(viewer: Any, indexed: Any, sign_in: Any) -> None:
    inspection = indexed()
    ingest_findings(inspection)
    url = first_url(sign_in(viewer), "will be lost", "Findings")
    assert url.startswith(f"/inspections/{inspection.pk}/report/?finding=lost")


def test_the_dialog_gets_the_list_and_the_page_works_without_a_script(client: Any, indexed: Any) -> None:
    indexed("<b>bold</b>")
    page = client.get("/search/?q=bold").content.decode()
    assert '<input class="form-control" type="search" name="q" value="bold"' in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    part = client.get("/search/?q=bold", headers=HTMX)
    assert "<html" not in part.content.decode()
    assert part["Server-Timing"].startswith("search;dur=")
    assert "No results for" in client.get("/search/?q=nothing-has-this-name").content.decode()


def test_searching_names_stands_in_the_audit_log_without_the_words(
    client: Any, indexed: Any, project: Any
) -> None:
    indexed()
    for _ in range(2):
        found(client, "pay/money")
    found(client, "nothing-has-this-name")
    event = Event.objects.get(action="search.read")
    assert event.project_id == project.pk
    assert "money" not in str(event.detail)


@pytest.mark.parametrize(
    "text", ['"', "'", "%", "_", "\\", "a OR b", "a* NEAR b", "\0", "x" * 600, "9" * 30, '"" ""']
)
def test_no_text_breaks_it(client: Any, indexed: Any, text: str) -> None:
    indexed()
    assert client.get("/search/", {"q": text}).status_code == 200


def test_a_page_asks_few_questions(client: Any, indexed: Any, django_assert_max_num_queries: Any) -> None:
    for number in range(5):
        indexed(f"journal {number}")
    client.get("/search/?q=content")
    with django_assert_max_num_queries(30):
        client.get("/search/?q=content", headers=HTMX)


def test_a_cut_index_is_said(client: Any, indexed: Any) -> None:
    inspection = indexed()
    Journal.objects.get(pk=inspection.journal_id).indexed_report.__class__.objects.update(names=5000)
    assert "1 report has more than 1,000 entities or keys" in client.get("/search/?q=x").content.decode()


def test_recent_journals_are_those_whose_reports_one_opened_last(
    client: Any, reviewer: Any, indexed: Any
) -> None:
    opened, newest = indexed("opened"), indexed("newest")
    assert found(client, "")["Recent journals"] == ["newest", "opened"]
    for person in (reviewer.pk, reviewer.pk + 1):
        read = opened if person == reviewer.pk else newest
        Event.objects.create(
            actor_id=person, action="report.read", target_kind="inspection", target_id=str(read.pk)
        )
    assert found(client, "")["Recent journals"] == ["opened", "newest"]


def test_a_finding_is_found_by_the_offset_of_a_record_that_proves_it(client: Any, indexed: Any) -> None:
    def make(folder: Path) -> Path:
        proved = finding(
            "proved", title="Schemas are lost", first_offset=10, last_offset=10, evidence=[6, 279]
        )
        return write_results(folder, report_document(findings=[proved]), records=records_table({"offset": 0}))

    ingest_findings(indexed(make_results=make))
    assert found(client, "279")["Findings"] == ["Schemas are lost"]
    assert found(client, "10")["Findings"] == ["Schemas are lost"]
    assert "Findings" not in found(client, "27")
    queue = client.get("/review/?q=279").content.decode()
    assert "Schemas are lost" in queue


def test_the_digits_of_a_uuid_are_no_number() -> None:
    name = "content 6f1f0a3e-48ab-4c1d-9a2b-0123456789ab"
    row = IndexedName(kind="entity", name=name, text=name)
    assert not is_match(row, "content 48")
    assert is_match(row, "48ab")


def test_a_recent_journal_has_the_time_of_its_dump(client: Any, indexed: Any) -> None:
    inspection = indexed()
    Inspection.objects.filter(pk=inspection.pk).update(summary={"last_timestamp_ms": 1_700_000_000_000})
    page = client.get("/search/", headers=HTMX).content.decode()
    assert re.search(r"dump of <time[^>]*>2023-11-14 22:13", page)


def test_a_group_with_what_was_typed_comes_first(client: Any, indexed: Any) -> None:
    indexed("content 12")
    groups = list(found(client, "content 1"))
    assert groups[:2] == ["Entities", "Keys"]
