"""Repairing from a report: what is offered, who may start, what the page shows, what may be downloaded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from spark.repair.result import PLANNERS
from tests.builders import records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.accounts.models import Project
from webapp.jobs import progress
from webapp.journals import deletion, repairs
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Repair

pytestmark = pytest.mark.django_db

TITLE = "Apicurio Registry 2.x (KafkaSQL journal)"
LOST = "Content 13 is lost: offset 2 replaced it with nothing"
BUILD = "Build the repair records"


def finding(detector: str, **members: Any) -> dict[str, Any]:
    return {
        "id": detector, "detector": detector, "severity": "critical", "confidence": "proven", "title": LOST,
        "explanation": "", "topic": "journal", "partition": 0, "first_offset": 2, "last_offset": 2, "key": None,
        "evidence": [2], "remedy": "1. Keep a dump.", "references": [], "consequence_of": None, **members,
    }  # fmt: skip


def journal(*findings: dict[str, Any], dialect: str = "apicurio-v2") -> Callable[[Path], Path]:
    """Results of a journal of this language with these findings."""
    told = {"topic": "journal", "partitions": [0], "dialect": dialect, "dialect_title": TITLE, "profile": None,
            "verdict": {"level": "critical", "sentence": LOST}}  # fmt: skip

    def make(folder: Path) -> Path:
        report = report_document() | {"journals": [told], "findings": list(findings)}
        return write_results(folder, report=report, records=records_table(*({"offset": n} for n in range(3))))

    return make


BROKEN = journal(finding("content-null-update"))
OF_THE_SAME = {"summary": {"dialects": [TITLE], "topics": ["journal"]}}


@pytest.fixture
def broken(inspected: Any) -> Inspection:
    return inspected(BROKEN, **OF_THE_SAME)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was put into the queue."""
    messages: list[tuple[Any, ...]] = []
    monkeypatch.setattr("webapp.celery_client.send", lambda *message: messages.append(message))
    return messages


def outcome(release: str, *steps: str, **members: Any) -> dict[str, Any]:
    told = {
        "release": release,
        "steps": list(steps),
        "lacks": [],
        "returns": [],
        "differs": [],
        "why_not": "",
        **members,
    }
    return told | {"holds": not any(told[name] for name in ("lacks", "returns", "differs", "why_not"))}


def way(id: str, name: str, **members: Any) -> dict[str, Any]:
    counts = {"wanted": {"version": 2}, "after_start": {"version": 2}, "after_compaction": {"version": 2}}
    told = {
        "id": id, "holds": True, "records": 2, "lacks": [],
        "files": [
            f"journal-0/{file}"
            for file in (f"journal-0.{id}.zip", f"{name}.topicdump", f"{name}.ndjson", f"{id}-steps.md",
                         "ApplyRepair.java", "repair.json")
        ],
        "added": [
            {"what": "content 13", "source": "offset 1 of the older dump last week"},
            {"what": "version g/a/1", "source": "offset 2 of this journal, as CREATE"},
            {"what": "content 14", "source": "file parcel.proto"},
        ],
        "removed": [{"offset": 2, "why": "an empty UPDATE"}] if id == "copy" else [],
        "state": counts,
        "trial": [
            outcome(release, *steps) for release in ("2.5.9", "2.6.13") for steps in (["start"], ["compaction", "start"])
        ],
        "writes": ["Upgrader BOOTSTRAP", "ContentV2 1"],
        "needs": ["Every registry stopped while 2 records are written."],
        "verdict": {"level": "healthy", "sentence": "Healthy. 5 records, no missing offsets."},
        "findings": [{"detector": "source-too-poor", "severity": "info", "title": "Poor", "first_offset": None}],
        "steps": ["Stop every <registry>.", "Check: `java -cp KAFKA_HOME/libs/* ApplyRepair.java check`"],
    }  # fmt: skip
    return told | members


def failing(id: str, name: str, **members: Any) -> dict[str, Any]:
    """A way that lacks a version after a compaction."""
    bad = outcome(
        "2.6.13", "start", "compaction", "start", lacks=["version g/a/1"], returns=["artifact g/gone"]
    )
    counts = {"wanted": {"version": 2}, "after_start": {"version": 2}, "after_compaction": {"version": 1}}
    told = way(id, name, holds=False, files=[], lacks=["version g/a/1"], state=counts)
    return told | {"trial": [outcome("2.6.13", "start"), bad]} | members


def result_of(broken: Inspection, older: Inspection, **members: Any) -> dict[str, Any]:
    ways = [way("append", "append"), way("copy", "mended")]
    partition = {
        "topic": "journal", "partition": 0, "folder": "journal-0", "mended": ["g/a/1"], "settled": [], "missing": [],
        "recommended": "append", "ways": ways, "sentence": "The repair recovers 1 artifact version.", **members,
    }  # fmt: skip
    inputs: list[dict[str, Any]] = [
        {
            "name": name,
            "inspection": str(one.pk),
            "project": one.journal.project_id,
            "places": [["journal", 0, ""]],
        }
        for name, one in (("this journal", broken), ("the older dump last week", older))
    ]
    return {"sentence": partition["sentence"], "inputs": inputs, "partitions": [partition]}


def done(broken: Inspection, older: Inspection, **members: Any) -> Repair:
    """A finished repair with its files."""
    repair = Repair.objects.create(
        inspection=broken, state="done", result=result_of(broken, older, **members)
    )
    for name in (name for one in repair.result["partitions"][0]["ways"] for name in one["files"]):
        (repair.results / name).parent.mkdir(parents=True, exist_ok=True)
        (repair.results / name).write_text("<script>")
    return repair


def test_the_journal_types_that_can_be_repaired_are_those_whose_dialect_can() -> None:
    assert set(PLANNERS) == repairs.DIALECTS


def test_the_cards_of_what_a_repair_takes_away_lead_to_it(inspected: Any, get: Any) -> None:
    other = finding("truncated-tail", title="Cut off")
    page = get(
        inspected(journal(finding("dangling-content-hash"), other)), "report-overview"
    ).content.decode()
    assert page.count(BUILD) == 1


@pytest.mark.parametrize(("dialect", "is_there"), [("apicurio-v2", True), ("plain", False)])
def test_the_tab_is_there_only_for_journals_that_can_be_repaired(
    inspected: Any, get: Any, dialect: str, is_there: bool
) -> None:
    here = inspected(journal(finding("content-null-update"), dialect=dialect))
    page = get(here, "report-overview").content.decode()
    assert (f'href="{reverse("report-repair", args=[here.pk])}"' in page) is is_there
    assert (BUILD in page) is is_there


def test_the_page_names_what_a_repair_takes_away(broken: Inspection, get: Any) -> None:
    page = get(broken, "report-repair").content.decode()
    assert "Content 13 is lost: offset" in page
    assert BUILD in page


def test_what_copies_show_alike_is_named_once(inspected: Any, get: Any) -> None:
    shown = finding("content-null-update", copies=["", "dump"])
    page = get(inspected(journal(shown)), "report-repair").content.decode()
    below_the_headline = page.partition('id="report"')[2]
    assert below_the_headline.count(shown["title"].partition(" offset")[0]) == 1


def test_a_journal_without_such_a_finding_may_be_repaired_with_an_older_dump(
    inspected: Any, get: Any
) -> None:
    older = inspected(BROKEN, **OF_THE_SAME)
    minor = finding("truncated-tail", severity="medium")
    page = get(inspected(journal(minor)), "report-repair").content.decode()
    assert "No finding needs a repair" in page
    assert "Only an older dump of the topic shows that." in page
    assert "nothing to repair" not in page.lower()
    assert f'id="older-{older.pk}"' in page
    assert BUILD in page


def test_grave_findings_that_no_repair_removes_are_named_as_such(inspected: Any, get: Any) -> None:
    page = get(inspected(journal(finding("truncated-tail"))), "report-repair").content.decode()
    assert "No finding needs a repair" not in page
    assert "Journalscope cannot repair these findings" in page
    assert "Follow the steps on the Overview" in words(page)
    assert LOST.partition(":")[0] in page


@pytest.mark.parametrize("is_rolled_back", [False, True])
def test_schemas_that_share_an_id_may_be_separated_if_both_are_registered(
    inspected: Any, get: Any, is_rolled_back: bool
) -> None:
    collision = finding("schema-id-collision", id="c")
    undone = finding("registration-rolled-back", id="r", severity="high", consequence_of="c")
    made = journal(collision, *([undone] if is_rolled_back else []), dialect="schema-registry")
    page = get(inspected(made), "report-repair").content.decode()
    assert ("Journalscope cannot repair these findings" in page) is is_rolled_back
    assert ("A repair may give the later schema" in page) is not is_rolled_back


def test_a_journal_of_another_type_cannot_be_repaired(inspected: Any, get: Any) -> None:
    here = inspected(journal(finding("content-null-update"), dialect="plain"))
    page = get(here, "report-repair").content.decode()
    assert "Repair is not available" in page
    assert BUILD not in page


@pytest.mark.parametrize("detector", ["compaction-loss", "resurrection-after-compaction"])
def test_what_only_a_compaction_would_change_is_named_as_well(
    inspected: Any, get: Any, detector: str
) -> None:
    page = get(
        inspected(journal(finding(detector, title="Artifact g/a reappears"))), "report-repair"
    ).content.decode()
    assert 'id="repair-title">Repair<' in page
    assert "Artifact g/a reappears" in page
    assert "no deleted entity reappears" in page


def test_finished_inspections_of_the_same_topic_may_be_chosen(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    fits = inspected(BROKEN, **OF_THE_SAME)
    unnamed = inspected(BROKEN, summary={"dialects": [TITLE], "topics": ["?"]})
    others = [
        inspected(BROKEN, summary={"dialects": [TITLE], "topics": ["another-journal"]}),
        inspected(BROKEN, summary={"dialects": ["Plain"], "topics": ["journal"]}),
        inspected(BROKEN, state="running", **OF_THE_SAME),
    ]
    page = get(broken, "report-repair").content.decode()
    assert [f'value="{one.pk}"' in page for one in (fits, unnamed)] == [True, True]
    assert [one.pk for one in (broken, *others) if f'id="older-{one.pk}"' in page] == []


def test_a_dump_without_a_record_of_this_log_says_so_and_is_not_chosen(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    def of_another_log(folder: Path) -> Path:
        BROKEN(folder)
        rows = ({"offset": n, "key": b"other", "timestamp_ms": 7} for n in range(3))
        return write_results(
            folder, json.loads((folder / "report.json").read_text()), records=records_table(*rows)
        )

    same = inspected(BROKEN, **OF_THE_SAME)
    other = inspected(of_another_log, **OF_THE_SAME)
    page = get(broken, "report-repair").content.decode()
    assert listed_in(page) == [str(same.pk), str(other.pk)]
    assert re.findall(r'id="older-([0-9a-f-]+)" checked', page) == [str(same.pk)]
    assert page.count("no record in common with this log found") == 1


def listed_in(page: str) -> list[str]:
    return re.findall(r'id="older-([0-9a-f-]+)"', page)


def test_dumps_of_another_service_are_not_listed_and_the_journal_itself_never(
    inspected: Any, get: Any
) -> None:
    def of(*services: str) -> Inspection:
        one: Inspection = inspected(BROKEN, summary={**OF_THE_SAME["summary"], "services": list(services)})
        return one

    broken, same, unknown, other = (
        of("Confluent Schema Registry"),
        of("Confluent Schema Registry"),
        of(),
        of("Karapace"),
    )
    Inspection.objects.create(journal=broken.journal, state="done", **OF_THE_SAME)
    renamed = of("Confluent Schema Registry")
    Journal.objects.filter(pk__in=[broken.journal_id, renamed.journal_id]).update(input_digest="d")
    page = get(broken, "report-repair").content.decode()
    assert listed_in(page) == [str(one.pk) for one in (unknown, same)]
    Journal.objects.filter(pk=other.journal_id).update(lineage=broken.journal.lineage)
    assert str(other.pk) in listed_in(get(broken, "report-repair").content.decode())


@pytest.mark.parametrize(
    ("profile", "is_listed"),
    [("Karapace 3.9.0", False), ("Confluent Schema Registry, then Karapace 3.9.0", True), (None, True)],
)
def test_the_report_tells_the_service_where_the_summary_does_not(
    inspected: Any, get: Any, profile: str | None, is_listed: bool
) -> None:
    def make(folder: Path) -> Path:
        made = BROKEN(folder)
        report = json.loads((folder / "report.json").read_text())
        report["journals"][0]["profile"] = profile
        (folder / "report.json").write_text(json.dumps(report))
        return made

    ours = {**OF_THE_SAME["summary"], "services": ["Confluent Schema Registry"]}
    broken, other = inspected(BROKEN, summary=ours), inspected(make, **OF_THE_SAME)
    assert (str(other.pk) in listed_in(get(broken, "report-repair").content.decode())) is is_listed


def test_of_each_journal_the_newest_inspection_is_listed_and_no_later_dump(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    earlier, later, undated = inspected(BROKEN), inspected(BROKEN), inspected(BROKEN)
    for dump, last_ms in ((broken, 2_000), (earlier, 1_000), (later, 3_000), (undated, None)):
        dump.summary = {**OF_THE_SAME["summary"], "last_timestamp_ms": last_ms}
        dump.save()
    again = Inspection.objects.create(journal=earlier.journal, state="done", summary=earlier.summary)
    assert set(listed_in(get(broken, "report-repair").content.decode())) == {str(again.pk), str(undated.pk)}
    assert str(later.pk) in listed_in(get(broken, "report-repair", q="TICKET-1").content.decode())


@pytest.mark.parametrize(("dialect", "own", "other"), [
    ("apicurio-v2", "14=orders.avsc", "14=orders-value=2.avsc"), ("schema-registry", "14=orders-value=2.avsc", "14=orders.avsc"),
])  # fmt: skip
def test_only_what_applies_to_the_service_is_said_of_files(
    inspected: Any, get: Any, dialect: str, own: str, other: str
) -> None:
    page = get(inspected(journal(dialect=dialect)), "report-repair").content.decode()
    assert own in page
    assert other not in page


def test_the_form_is_folded_where_nothing_can_be_repaired(inspected: Any, get: Any) -> None:
    page = get(inspected(journal(finding("truncated-tail"))), "report-repair").content.decode()
    assert '<details class="card mb-3" id="other-dumps"><summary' in page


def test_the_search_narrows_and_keeps_what_was_chosen(broken: Inspection, inspected: Any, get: Any) -> None:
    chosen, other = inspected(BROKEN, **OF_THE_SAME), inspected(BROKEN, **OF_THE_SAME)
    page = get(broken, "report-repair-older", q="nothing like it", older=str(chosen.pk)).content.decode()
    assert f'value="{chosen.pk}" id="older-{chosen.pk}" checked' in page
    assert str(other.pk) not in page
    assert "<html" not in page
    assert str(other.pk) in get(broken, "report-repair-older", q="TICKET-1").content.decode()


def test_the_best_dump_is_ticked_until_somebody_chooses(broken: Inspection, inspected: Any, get: Any) -> None:
    later = inspected(BROKEN, summary={**OF_THE_SAME["summary"], "last_timestamp_ms": 3_000})
    earlier = inspected(BROKEN, summary={**OF_THE_SAME["summary"], "last_timestamp_ms": 1_000})
    broken.summary |= {"first_timestamp_ms": 500, "last_timestamp_ms": 2_000}
    for dump in (later, earlier):
        dump.summary["first_timestamp_ms"] = 500
        dump.save()
    broken.save()
    page = get(broken, "report-repair").content.decode()
    assert re.findall(r'id="older-([0-9a-f-]+)" checked', page) == [str(earlier.pk)]
    page = get(broken, "report-repair", older=str(later.pk)).content.decode()
    assert re.findall(r'id="older-([0-9a-f-]+)" checked', page) == [str(later.pk)]


def test_the_tab_opens_the_newest_repair_that_passed(broken: Inspection, inspected: Any, get: Any) -> None:
    older = inspected(BROKEN, **OF_THE_SAME)
    passed = done(broken, older)
    done(broken, older, recommended=None, ways=[failing("append", "append")])
    page = get(broken, "report-repair").content.decode()
    assert reverse("report-repair-file", args=[broken.pk, passed.pk, "journal-0/append.topicdump"]) in page
    assert '<details class="card mb-3" id="other-dumps"><summary' in page
    assert page.index("What to do") < page.index("Trial of both ways") < page.index('id="other-dumps"')
    assert 'id="other-dumps" open>' in get(broken, "report-repair", q="").content.decode()


def test_starting_stores_files_and_sends_one_task(
    broken: Inspection, inspected: Any, owner: Any, sign_in: Any, sent: list[Any],
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    older = inspected(BROKEN, **OF_THE_SAME)
    file = SimpleUploadedFile("parcel.proto", b'syntax = "proto3";')
    with django_capture_on_commit_callbacks(execute=True):
        answer = sign_in(owner).post(
            reverse("report-repair-start", args=[broken.pk]),
            {"older": [str(older.pk), "no id", str(broken.pk)], "files": [file]},
        )
    repair = Repair.objects.get()
    assert answer.url == reverse("report-repair-result", args=[broken.pk, repair.pk])
    assert sent == [("journalscope.repair", str(repair.pk))]
    assert list(repair.older.all()) == [older]
    assert repair.requested_by == owner
    [kept] = repair.files.all()
    assert kept.name == "parcel.proto"
    assert Path(storage.location(kept.blob_id)).read_bytes() == b'syntax = "proto3";'


def test_a_file_too_large_for_a_schema_is_refused_with_what_to_do(
    broken: Inspection, owner: Any, sign_in: Any, sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repairs, "MAX_FILE_BYTES", 3)
    file = SimpleUploadedFile("dump.json", b"four")
    address = reverse("report-repair-start", args=[broken.pk])
    page = sign_in(owner).post(address, {"files": [file]}, follow=True).content.decode()
    assert "dump.json has 4 bytes" in page
    assert (Repair.objects.count(), Blob.objects.count(), sent) == (0, 0, [])


def test_the_page_polls_until_it_is_done(broken: Inspection, get: Any) -> None:
    repair = done(broken, broken)
    state = reverse("report-repair-state", args=[broken.pk, repair.pk])
    assert state not in get(broken, "report-repair-result", repair.pk).content.decode()
    Repair.objects.update(state="running", result=None)
    progress.connection().set(
        progress.key("progress", repair.pk),
        json.dumps({"stages": [{"name": "append", "state": "running", "seconds": 1.2}]}),
    )
    page = get(broken, "report-repair-state", repair.pk).content.decode()
    assert state in page
    assert "trial: the journal with the repair records appended" in page


def test_the_result_says_first_what_came_of_it_and_links_every_record(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    older = inspected(BROKEN, **OF_THE_SAME)
    repair = done(broken, older)
    page = get(broken, "report-repair-result", repair.pk).content.decode()
    main = page.split("<main")[-1]
    assert main.index("The repair recovers 1 artifact version") < main.index("Append to the topic")
    assert main.index("Append to the topic") < main.index("A repaired copy in a new topic")
    assert main.count('<details class="card mb-3 way" open>') == 1
    records = reverse("report-records", args=[older.pk])
    assert f"{records}?topic=journal&amp;partition=0&amp;offset=1&amp;record=1" in main
    assert 'data-record="2"' in main
    assert "file parcel.proto" in main
    assert "Stop every &lt;registry&gt;." in main
    assert 'data-copy-text="java -cp KAFKA_HOME/libs/* ApplyRepair.java check"' in main
    assert "Poor" not in main
    assert "It has notes only." in main
    assert "Upgrader BOOTSTRAP, ContentV2 1." in main


def test_a_record_of_an_older_dump_that_was_deleted_is_named_without_a_link(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    older = inspected(BROKEN, **OF_THE_SAME)
    repair = done(broken, older)
    deletion.delete_inspection(older)
    main = get(broken, "report-repair-result", repair.pk).content.decode()
    assert "offset 1 of the older dump last week" in main
    assert str(older.pk) not in main


def test_what_is_still_missing_is_said_with_what_to_look_for(broken: Inspection, get: Any) -> None:
    missing = [{"entity": "content 13", "needed_by": ["g/a/1"], "wanted": "its exact bytes, from git"}]
    repair = done(broken, broken, missing=missing, recommended=None)
    Repair.objects.update(result=repair.result)
    main = get(broken, "report-repair-result", repair.pk).content.decode()
    assert "<strong>Content 13</strong>, needed by g/a/1. Look for its exact bytes, from git." in main
    assert main.count('way" open>') == 2


def shown(repair: Repair, get: Any) -> str:
    """The page's own part, without line ends between words."""
    page = get(repair.inspection, "report-repair-result", repair.pk).content.decode()
    return " ".join(page.split("<main")[-1].split())


def words(markup: str) -> str:
    """What a reader reads."""
    return " ".join(re.sub(r"<[^>]+>", " ", markup).split())


def table(markup: str, name: str) -> list[list[str]]:
    """The cells of a table's rows as words."""
    rows = re.search(rf'aria-label="{name}"><table.*?</table>', markup)[0].split("<tr")[1:]  # type: ignore[index]
    return [[words("<" + cell) for cell in re.split(r"<t[hd]\b", row)[1:]] for row in rows]


def test_the_trial_of_both_ways_is_one_table_of_steps_and_releases(broken: Inspection, get: Any) -> None:
    ways = [way("append", "append"), failing("copy", "mended")]
    rows = table(shown(done(broken, broken, ways=ways), get), "Starts and compactions")
    assert [re.sub(r".*> ", "", cell) for cell in rows[1]] == ["After", "2.5.9", "2.6.13", "2.6.13"]
    assert [cell.split("> ")[-1] for cell in rows[2]] == ["start", "✓ Complete", "✓ Complete", "✓ Complete"]
    assert rows[3][-1].endswith("not tried")
    assert [cell.split("> ", 1)[-1] for cell in rows[4]] == [
        "start, compaction, start", "not tried", "not tried", "▲ Missing: version g/a/1 ▲ Reappears: artifact g/gone",
    ]  # fmt: skip
    assert [cell.split("> ", 1)[-1] for cell in rows[5]] == [
        "Inspection after the first start",
        "✓ Passed",
        "✓ Passed",
    ]
    assert "Every registry stopped while 2 records are written." in rows[6][1]


def test_a_way_that_only_its_inspection_rejects_says_so_in_the_trial(broken: Inspection, get: Any) -> None:
    grave = {"detector": "x", "severity": "critical", "title": "Content 1 is lost", "first_offset": 1}
    told = way("append", "append", holds=False, findings=[grave])
    main = shown(done(broken, broken, ways=[told], recommended=None), get)
    rows = table(main, "Starts and compactions")
    assert rows[0][-1].endswith("Do not use this way")
    assert rows[-2][-1].endswith("▲ Failed: Content 1 is lost")


def test_a_finding_of_medium_stands_beside_passed_and_its_title_once_below(
    broken: Inspection, get: Any
) -> None:
    medium = {"detector": "x", "severity": "medium", "title": "Updates again", "first_offset": 1}
    verdict = {"level": "medium", "sentence": "Updates again."}
    told = way("append", "append", findings=[medium], verdict=verdict)
    main = shown(done(broken, broken, ways=[told]), get)
    assert table(main, "Starts and compactions")[-2][-1].endswith("◆ Passed, with 1 finding: Updates again")
    below = main.partition("<h3>Inspection after the first start</h3>")[2]
    assert words(below.partition("<details")[0]) == "◆ Medium Updates again"


def test_the_trial_names_the_releases_that_were_started(broken: Inspection, get: Any) -> None:
    main = words(shown(done(broken, broken), get))
    assert (
        "Journalscope simulated the start of Apicurio Registry 2.5.9 and 2.6.13 on the repaired journal"
        in main
    )


def test_on_a_phone_each_cell_of_the_trial_names_its_way(broken: Inspection, get: Any) -> None:
    main = shown(done(broken, broken), get)
    assert main.count('data-column="Append, 2.5.9"') == main.count('data-column="Copy, 2.6.13"') > 0
    assert 'data-column="Copy, after compaction"' in main


def test_what_the_registry_answers_otherwise_stands_above_the_download(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    older = inspected(BROKEN, **OF_MONDAY)
    repair = done(broken, older, corrected=["global rule VALIDITY from FULL back to NONE"], at_risk=[])
    repair.older.add(older)
    main = words(shown(repair, get))
    correction = "Corrected: these answers change compared with a start on the current topic Global rule VALIDITY from FULL back to NONE"
    assert main.index(correction) < main.index("Download the repair (zip)")
    assert "(dump of 2025-11-25 08:24 UTC)" in main
    assert "Recovered g/a/1" in main
    advice = repair_advice(broken, get)
    assert "Trial passed: 1 of 1 version, 1 correction" in advice
    assert "It also sets global rule VALIDITY from FULL back to NONE." in advice


def test_versions_that_the_journal_itself_keeps_are_counted_as_well(broken: Inspection, get: Any) -> None:
    own = way("append", "append", added=[{"what": "content 1", "source": "offset 1 of this journal"}])
    done(broken, broken, ways=[own], at_risk=["g/a/1"], settled=["artifact g/b stays deleted"])
    assert "Trial passed: 1 of 1 version, 1 change prevented" in repair_advice(broken, get)


def test_entities_after_start_and_after_compaction_are_counted_beside_what_is_expected(
    broken: Inspection, get: Any
) -> None:
    ways = [way("append", "append"), failing("copy", "mended")]
    rows = table(shown(done(broken, broken, ways=ways), get), "Entities after start and after compaction")
    assert [cell.split("> ", 1)[-1] for cell in rows[2]] == ["version", "2", "2", "2", "2", "1 (1 missing)"]


def test_a_way_that_does_not_hold_says_so_and_gives_no_files(broken: Inspection, get: Any) -> None:
    ways = [way("append", "append"), failing("copy", "mended", files=["journal-0/mended.ndjson"])]
    repair = done(broken, broken, ways=ways)
    main = shown(repair, get)
    assert (
        "Do not use this way. Missing: version g/a/1. Reappears: artifact g/gone. Its files are not offered."
        in words(main)
    )
    assert "append.ndjson" in main
    assert "mended.ndjson" not in main
    assert main.count("Download the repair (zip)") == 1
    assert get(broken, "report-repair-file", repair.pk, "journal-0/mended.ndjson").status_code == 404


def test_a_way_after_which_the_registry_does_not_start_says_why(broken: Inspection, get: Any) -> None:
    stopped = outcome("", "start", why_not="2.6.13 stops at the first record.")
    told = failing("append", "append", trial=[stopped], lacks=[], verdict={}, findings=[], writes=[])
    told["state"] = {"wanted": {"version": 2}}
    main = words(shown(done(broken, broken, ways=[told], recommended=None), get))
    assert "Do not use this way. 2.6.13 stops at the first record." in main
    assert "Not inspected: the registry does not start." in main


def test_an_inspection_that_finds_something_grave_is_the_reason(broken: Inspection, get: Any) -> None:
    grave = {
        "detector": "content-null-update",
        "severity": "critical",
        "title": "Content 1 is lost",
        "first_offset": 1,
    }
    told = way("append", "append", holds=False, findings=[grave])
    main = words(shown(done(broken, broken, ways=[told], recommended=None), get))
    assert "Do not use this way. The inspection after the first start found: Content 1 is lost" in main


def test_what_is_kept_as_it_is_is_named(broken: Inspection, get: Any) -> None:
    main = words(shown(done(broken, broken, settled=["artifact g/gone stays deleted"], corrected=[]), get))
    assert "Kept as it is artifact g/gone stays deleted" in main


def test_a_repair_from_before_the_trial_of_starts_is_not_offered(broken: Inspection, get: Any) -> None:
    old = {name: value for name, value in way("append", "append").items() if name != "trial"}
    old["state"] = {"before": {"version": 1}, "after": {"version": 2}}
    repair = done(broken, broken, ways=[old])
    main = shown(repair, get)
    assert "This repair is outdated" in main
    assert "Restart" in main
    assert "append.ndjson" not in main
    assert get(broken, "report-repair-file", repair.pk, "journal-0/append.ndjson").status_code == 404


def unnamed(topic: str) -> Callable[[Path], Path]:
    """Results of a journal whose topic has this name."""

    def make(folder: Path) -> Path:
        made = BROKEN(folder)
        report = json.loads((folder / "report.json").read_text())
        report["journals"][0]["topic"] = topic
        (folder / "report.json").write_text(json.dumps(report))
        return made

    return make


@pytest.mark.parametrize("topic", ["?", "not a topic name"])
def test_the_topic_is_asked_for_where_the_dump_does_not_name_it(
    topic: str, inspected: Any, get: Any, owner: Any, sign_in: Any, sent: list[Any]
) -> None:
    here = inspected(unnamed(topic))
    assert 'name="topic" required' in get(here, "report-repair").content.decode()
    address, client = reverse("report-repair-start", args=[here.pk]), sign_in(owner)
    assert "does not name its topic" in client.post(address, follow=True).content.decode()
    refused = client.post(address, {"topic": "a topic"}, follow=True).content.decode()
    assert "not a topic name that Kafka allows" in refused
    assert not Repair.objects.exists()
    client.post(address, {"topic": " kafkasql-journal "})
    assert Repair.objects.get().topic == "kafkasql-journal"


def test_a_dump_that_names_its_topic_takes_no_other_name(
    broken: Inspection, get: Any, owner: Any, sign_in: Any
) -> None:
    assert 'name="topic" required' not in get(broken, "report-repair").content.decode()
    address = reverse("report-repair-start", args=[broken.pk])
    page = sign_in(owner).post(address, {"topic": "other"}, follow=True).content.decode()
    assert "The dump names its topic: journal." in page
    assert not Repair.objects.exists()


def test_records_of_a_dump_that_does_not_name_its_topic_are_linked(inspected: Any, get: Any) -> None:
    here = inspected(unnamed("?"))
    repair = done(here, here, topic="kafkasql-journal")
    assert 'data-record="2"' in shown(repair, get)


@pytest.mark.parametrize(
    "name",
    [
        "append.topicdump",
        "append-steps.md",
        "mended.ndjson",
        "repair.json",
        "ApplyRepair.java",
        "journal-0.copy.zip",
    ],
)
def test_files_come_as_attachments_that_no_browser_interprets(
    broken: Inspection, get: Any, name: str
) -> None:
    answer = get(broken, "report-repair-file", done(broken, broken).pk, f"journal-0/{name}")
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == (
        "application/octet-stream",
        "nosniff",
    )
    assert b"".join(answer.streaming_content) == b"<script>"


@pytest.mark.parametrize("name", ["journal-0/other.txt", "../report.json", "journal-0/../../secret-key"])
def test_nothing_but_the_files_of_the_repair_is_given_out(broken: Inspection, get: Any, name: str) -> None:
    repair = done(broken, broken)
    assert get(broken, "report-repair-file", repair.pk, name).status_code == 404


def test_files_that_are_gone_are_said_to_be(broken: Inspection, get: Any) -> None:
    import shutil

    repair = done(broken, broken)
    shutil.rmtree(repair.results)
    answer = get(broken, "report-repair-file", repair.pk, "journal-0/append.topicdump")
    assert answer.status_code == 410
    page = get(broken, "report-repair-result", repair.pk).content.decode()
    assert "no longer on this server" in page
    assert "Restart" in page


def test_a_failed_repair_says_why_and_starts_again_with_the_same_help(
    broken: Inspection, inspected: Any, owner: Any, sign_in: Any, sent: list[Any], get: Any,
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    older = inspected(BROKEN, **OF_THE_SAME)
    failed = repairs.request_repair(
        broken, [older], [SimpleUploadedFile("a.proto", b"a")], owner, "the-topic"
    )
    Repair.objects.update(state="failed", error="The results no longer exist.")
    page = get(broken, "report-repair-result", failed.pk).content.decode()
    assert "The results no longer exist." in page
    with django_capture_on_commit_callbacks(execute=True):
        sign_in(owner).post(reverse("report-repair-again", args=[broken.pk, failed.pk]))
    anew = Repair.objects.exclude(pk=failed.pk).get()
    assert (anew.state, list(anew.older.all()), anew.files.get().name) == ("queued", [older], "a.proto")
    assert anew.topic == "the-topic"
    assert sent == [("journalscope.repair", str(anew.pk))]


def test_a_waiting_repair_is_cancelled_at_once_and_a_running_one_is_asked(
    broken: Inspection, owner: Any, sign_in: Any, house: Any
) -> None:
    waiting, running = (Repair.objects.create(inspection=broken, state=s) for s in ("queued", "running"))
    house.set(progress.key("alive", running.pk), 1)
    for repair in (waiting, running):
        sign_in(owner).post(reverse("report-repair-cancel", args=[broken.pk, repair.pk]))
        repair.refresh_from_db()
    assert (waiting.state, running.state) == ("cancelled", "running")
    assert house.exists(progress.key("cancel", running.pk))


def test_a_repair_of_another_inspection_is_404(broken: Inspection, inspected: Any, get: Any) -> None:
    repair = done(inspected(BROKEN), broken)
    assert get(broken, "report-repair-result", repair.pk).status_code == 404


def test_deleting_the_journal_takes_repairs_their_files_and_unused_bytes_along(
    broken: Inspection, owner: Any, sent: list[Any]
) -> None:
    asked = repairs.request_repair(broken, [], [SimpleUploadedFile("a.proto", b"a")], owner)
    blob = asked.files.get().blob_id
    finished = done(broken, broken)
    deletion.delete_journal(broken.journal)
    assert not Repair.objects.exists()
    assert not finished.results.exists()
    assert not storage.exists(blob)


def test_a_viewer_reads_and_does_not_start(
    broken: Inspection, viewer: Any, sign_in: Any, sent: list[Any]
) -> None:
    repair = done(broken, broken)
    client = sign_in(viewer)
    assert "role support" in client.get(reverse("report-repair", args=[broken.pk])).content.decode()
    assert client.get(reverse("report-repair-result", args=[broken.pk, repair.pk])).status_code == 200
    posts = [
        ("report-repair-start", ()),
        ("report-repair-cancel", (repair.pk,)),
        ("report-repair-again", (repair.pk,)),
    ]
    assert [client.post(reverse(n, args=[broken.pk, *a])).status_code for n, a in posts] == [403, 403, 403]
    assert sent == []


@pytest.mark.parametrize("name", ["result", "state", "file", "cancel", "again"])
def test_a_stranger_gets_404_everywhere(name: str, broken: Inspection, stranger: Any, sign_in: Any) -> None:
    repair = done(broken, broken)
    parts = [repair.pk, "journal-0/append.topicdump"] if name == "file" else [repair.pk]
    address = reverse(f"report-repair-{name}", args=[broken.pk, *parts])
    client = sign_in(stranger)
    assert (client.post if name in ("cancel", "again") else client.get)(address).status_code == 404


@pytest.mark.parametrize("name", ["report-repair", "report-repair-older", "report-repair-start"])
def test_a_stranger_learns_nothing_of_what_can_be_repaired(
    name: str, broken: Inspection, stranger: Any, sign_in: Any
) -> None:
    client, address = sign_in(stranger), reverse(name, args=[broken.pk])
    assert (client.post if name.endswith("start") else client.get)(address).status_code == 404


def overview(inspection: Inspection, get: Any) -> str:
    page = get(inspection, "report-overview").content.decode()
    return page[page.index("What to do") : page.index("Where it happened")]


def test_the_overview_calls_steps_untested_and_leads_to_the_trial(broken: Inspection, get: Any) -> None:
    plan = overview(broken, get)
    assert "Untested</span></div>" in plan
    assert "No repair was tested on this journal." in plan
    assert reverse("report-repair", args=[broken.pk]) in plan
    assert "Keep a dump." in plan


OF_MONDAY = {"summary": {"last_timestamp_ms": 1_764_059_045_000}}  # 2025-11-25 08:24:05
OF_NOON = {"summary": {"last_timestamp_ms": 1_764_072_000_000}}


def repair_advice(inspection: Inspection, get: Any) -> str:
    """What the plan says of the repair, as a reader reads it."""
    return " ".join(re.sub(r"<[^>]*>", "", overview(inspection, get)).split())


def test_the_overview_advises_what_the_trial_has_shown_to_work(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    older = inspected(BROKEN, **OF_MONDAY)
    repair = done(broken, older)
    plan = overview(broken, get)
    assert (
        "Trial passed: 1 of 1 version Recoverable: 1 of 1 version, from the dump of 2025-11-25 08:24 (kafkasql-journal). Follow the "
        "2 steps of the repair."
    ) in repair_advice(broken, get)
    assert "“Append to the topic” recovers everything" in get(broken, "report-overview").content.decode()
    assert reverse("report-overview", args=[older.pk]) in plan
    assert reverse("report-repair-result", args=[broken.pk, repair.pk]) in plan
    assert "Keep a dump." in plan[plan.index("<summary>Steps by hand") :]


def test_the_overview_names_a_dump_of_the_same_day_by_its_time_and_files_by_their_names(
    inspected: Any, get: Any
) -> None:
    broken, older = inspected(BROKEN, **OF_NOON), inspected(BROKEN, **OF_MONDAY)
    repair = done(broken, older, mended=["g/a/1", "g/a/2", "g/b/1"])
    repair.files.create(name="parcel.proto", blob=Blob.objects.create(sha256="0" * 64, size_bytes=1))
    assert (
        "Recoverable: 3 of 3 versions, from the dump of 08:24 (kafkasql-journal), the file parcel.proto."
    ) in repair_advice(broken, get)


def test_the_overview_counts_what_stays_missing(broken: Inspection, inspected: Any, get: Any) -> None:
    gone = {"entity": "content 14", "needed_by": ["g/a/2"], "wanted": "its exact bytes"}
    sentence = "The repair recovers 1 artifact version. Content 14 is still missing."
    done(broken, inspected(BROKEN), missing=[gone], recommended=None, sentence=sentence)
    plan = repair_advice(broken, get)
    assert (
        f"Recoverable: 1 of 2 versions, from the dump kafkasql-journal. {sentence} Add an older dump." in plan
    )
    assert "A trial with another dump" not in plan
    Repair.objects.create(inspection=broken, state="running")
    assert f"{sentence} Add an older dump. A trial with another dump is not complete yet." in repair_advice(
        broken, get
    )


def test_the_overview_of_the_next_dump_says_what_the_trial_of_the_one_before_has_shown(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    repair = done(broken, inspected(BROKEN, **OF_MONDAY))
    dumps = [inspected(BROKEN), inspected(journal(finding("content-null-update", id="a-new-one")))]
    Journal.objects.filter(inspections__in=dumps).update(lineage=broken.journal.lineage)
    same, another = (repair_advice(one, get) for one in dumps)
    assert (
        "Untested Recoverable: 1 of 1 version, from the dump of 2025-11-25 08:24 (kafkasql-journal). Tested with another "
        "dump of this journal: “Append to the topic” recovers everything"
    ) in same
    assert BUILD in same
    assert str(repair.pk) not in overview(dumps[0], get)
    assert "Untested No repair was tested on this journal." in another


def test_the_overview_names_no_dump_that_the_reader_may_not_see(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    older = inspected(BROKEN)
    elsewhere = Project.objects.create(name="Elsewhere", slug="elsewhere")
    Journal.objects.filter(pk=older.journal_id).update(project=elsewhere, name="secret-journal")
    done(broken, older)
    plan = overview(broken, get)
    assert "Recoverable: 1 of 1 version, from other dumps." in repair_advice(broken, get)
    assert "secret-journal" not in plan
    assert str(older.pk) not in plan


@pytest.fixture
def secret(inspected: Any) -> Inspection:
    """An older dump in a project that the owner is not in."""
    older: Inspection = inspected(BROKEN, **OF_MONDAY)
    elsewhere = Project.objects.create(name="Elsewhere", slug="elsewhere")
    Journal.objects.filter(pk=older.journal_id).update(project=elsewhere, name="last week")
    older.refresh_from_db()
    return older


@pytest.mark.parametrize("is_deleted", [False, True])
@pytest.mark.parametrize("reader", ["viewer", "owner"])
def test_no_page_answer_or_file_names_a_dump_that_the_reader_may_not_open(
    broken: Inspection, secret: Inspection, reader: str, sign_in: Any, request: Any, is_deleted: bool
) -> None:
    repair = done(broken, secret)
    repair.older.add(secret)
    nothing = {"topic": "journal", "partition": 1, "dialect": "apicurio-v2"}
    Repair.objects.update(
        result=repair.result
        | {"nothing_to_repair": [nothing | {"sentence": "The older dump last week contains nothing."}]}
    )
    if is_deleted:
        deletion.delete_inspection(secret)
    client = sign_in(request.getfixturevalue(reader))
    pages = [
        client.get(reverse(name, args=[broken.pk, *parts])).content.decode()
        for name, parts in (
            ("report-repair", []), ("report-repair-older", []), ("report-overview", []),
            ("report-repair-result", [repair.pk]), ("report-repair-state", [repair.pk]),
        )
    ]  # fmt: skip
    api = client.get(f"/api/v1/inspections/{broken.pk}/repairs/{repair.pk}/")
    assert api.status_code == 200
    for page in (*pages, api.content.decode()):
        assert "last week" not in page
        assert "2025-11-25" not in page
        assert str(secret.pk) not in page
    assert "offset 1 of an older dump that you cannot open" in " ".join(
        re.sub(r"<[^>]*>", "", pages[3]).split()
    )
    assert "An older dump that you cannot open contains nothing." in pages[3]
    assert ("1 older dump that you cannot open." in pages[3]) is not is_deleted


def test_who_may_open_the_dump_reads_its_name(
    broken: Inspection, secret: Inspection, owner: Any, get: Any
) -> None:
    secret.journal.project.memberships.create(user=owner, role="viewer")
    assert "of the older dump last week" in shown(done(broken, secret), get)


@pytest.mark.parametrize("newest_is_complete", [True, False])
def test_the_overview_says_what_the_best_repair_came_to(
    broken: Inspection, inspected: Any, get: Any, newest_is_complete: bool
) -> None:
    older = inspected(BROKEN)
    gone = {"entity": "content 14", "needed_by": ["g/a/2"], "wanted": "its exact bytes"}
    incomplete: dict[str, Any] = {"missing": [gone], "recommended": None}
    done(broken, older, **(incomplete if newest_is_complete else {}))
    done(broken, older, **({} if newest_is_complete else incomplete))
    assert "Trial passed" in repair_advice(broken, get)


def test_the_overview_says_when_no_way_holds_or_the_trial_is_not_over(
    broken: Inspection, inspected: Any, get: Any
) -> None:
    Repair.objects.create(inspection=broken)
    assert "The repair trial is not complete yet" in overview(broken, get)
    done(broken, inspected(BROKEN), recommended=None, sentence="Neither method recovers everything.")
    assert "No repair method passes the trial." in overview(broken, get)


def test_a_finding_that_the_repair_of_others_takes_away_leads_to_it(inspected: Any, get: Any) -> None:
    group = finding(
        "deletion-compacted-away", severity="high", title="Version g/gone/1 reappears", evidence=[1]
    )
    make = journal(finding("content-null-update"), group)
    here, deleted = inspected(make), "artifact g/gone deleted again"
    document = json.loads((here.results / "report.json").read_text())
    victim = {
        "finding": group["id"],
        "kind": "revived",
        "entity_type": "version",
        "entity_id": "g/gone/1",
        "when": "already",
        "whom": "service",
    }
    incident = {
        "id": "i",
        "title": "",
        "severity": "high",
        "findings": [group["id"]],
        "victims": [victim],
        "victim_count": 1,
        "plan": [],
    }
    (here.results / "report.json").write_text(json.dumps(document | {"incidents": [incident]}))
    assert "Untested" in repair_advice(here, get)
    done(here, here, corrected=[deleted], mended=[])
    advice = repair_advice(here, get)
    assert "Trial passed: 1 correction" in advice
    assert "It also deletes artifact g/gone again." in advice
    assert "Recoverable" not in advice


DOUBT = "If the export left out earlier records"


def test_a_doubt_is_left_out_where_another_dump_has_the_text_at_an_offset_of_this_one(
    inspected: Any, get: Any
) -> None:
    explanation = (
        f"Content 13 is lost.\nThe dump starts after offset 0. {DOUBT}, the topic still contains it."
    )
    here, older = (
        inspected(journal(finding("content-null-update", explanation=explanation))),
        inspected(BROKEN),
    )
    assert DOUBT in words(get(here, "report-overview").content.decode())
    done(here, older)
    page = words(get(here, "report-overview").content.decode())
    assert "Content 13 is lost." in page
    assert DOUBT not in page
