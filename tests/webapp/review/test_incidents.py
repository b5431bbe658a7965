"""Findings with one cause are one item of the queue; each can be decided alone."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.utils import timezone

from spark.tables.replica import PartitionReplica
from webapp.audit.models import Event
from webapp.journals.models import Journal
from webapp.review.counts import waiting_for
from webapp.review.decisions import decide
from webapp.review.filters import preset_counts
from webapp.review.incident import IncidentReport, ReviewedIncident
from webapp.review.models import Change, Finding
from webapp.review.states import FindingState

TITLE = "The restart at offset 9 emptied 3 content items"


@pytest.fixture
def client(reviewer: Any, sign_in: Any) -> Any:
    """The reviewer's browser."""
    return sign_in(reviewer)


@pytest.fixture
def emptied(make_findings: Any) -> list[Finding]:
    """Three findings that one restart made."""
    return list(make_findings(3, incident="restart", incident_title=TITLE))


def test_an_incident_is_one_row_with_its_findings_below(
    client: Any, emptied: Any, make_findings: Any
) -> None:
    alone = make_findings(1, title="A batch is corrupt", severity="high")
    page = client.get("/review/").content.decode()
    assert len(re.findall(r'<li id="finding-', page)) == 2
    assert page.count(TITLE) == 2  # the link, and the name of its box
    assert [page.count(finding.get_absolute_url()) > 0 for finding in (*emptied, *alone)] == [True] * 4
    assert "3 findings" in page


def test_it_counts_once_in_the_header_and_in_the_views(
    emptied: Any, make_findings: Any, reviewer: Any
) -> None:
    make_findings(1)
    assert waiting_for(reviewer) == "2"
    assert preset_counts(reviewer)["open"] == 2


def test_the_header_counts_what_the_queue_shows_whoever_has_it(
    make_findings: Any, reviewer: Any, owner: Any
) -> None:
    (finding,) = make_findings(1)
    Finding.objects.filter(pk=finding.pk).update(assignee=owner)
    assert waiting_for(reviewer) == "1" == str(preset_counts(reviewer)["open"])


def test_the_same_incident_of_another_journal_is_another_one(
    make_findings: Any, journal: Any, reviewer: Any
) -> None:
    other = Journal.objects.create(project=journal.project, name="other")
    make_findings(2, incident="restart")
    make_findings(2, of=other, incident="restart")
    assert waiting_for(reviewer) == "2"


def test_a_decision_on_its_row_is_one_about_all_its_findings(client: Any, emptied: Any) -> None:
    page = client.get("/review/").content.decode()
    (box,) = re.findall(r'name="finding" value="([0-9]+,[0-9,]+)"', page)
    client.post("/review/decide/", {"finding": box, "state": "acknowledged"})
    assert {one.state for one in Finding.objects.all()} == {FindingState.ACKNOWLEDGED}


def test_what_was_decided_alone_is_not_among_them(client: Any, emptied: Any) -> None:
    client.post("/review/decide/", {"finding": emptied[0].pk, "state": "false_positive"})
    page = client.get("/review/").content.decode()
    (box,) = re.findall(r'name="finding" value="([0-9]+,[0-9]+)"', page)
    assert box.split(",") == [str(one.pk) for one in emptied[1:]]
    assert "2 findings" in page


def test_the_incident_leaves_a_finding_alone_that_was_decided_alone(
    client: Any, emptied: Any, reviewer: Any
) -> None:
    decide([emptied[0].pk], reviewer, FindingState.CONFIRMED)
    row = client.get("/review/").content.decode()
    (box,) = re.findall(r'name="finding" value="([0-9]+,[0-9,]+)"', row)
    assert "decided alone" in row
    client.post("/review/decide/", {"finding": box, "state": "acknowledged"})
    states = list(Finding.objects.order_by("pk").values_list("state", "decided_alone"))
    assert states == [("confirmed", True), ("acknowledged", False), ("acknowledged", False)]


def test_what_is_new_again_follows_its_incident(emptied: Any, reviewer: Any) -> None:
    decide([emptied[0].pk], reviewer, FindingState.CONFIRMED)
    decide([emptied[0].pk], reviewer, FindingState.NEW)
    decide([finding.pk for finding in emptied], reviewer, FindingState.RESOLVED)
    assert not Finding.objects.filter(decided_alone=True).exists()


def test_the_last_finding_in_a_state_is_the_incident_itself(emptied: Any, reviewer: Any) -> None:
    decide([finding.pk for finding in emptied[1:]], reviewer, FindingState.RESOLVED)
    assert Finding.objects.filter(decided_alone=True).count() == 2
    decide([emptied[0].pk], reviewer, FindingState.RESOLVED)
    assert not Finding.objects.get(pk=emptied[0].pk).decided_alone


def test_the_page_of_an_incident_decides_about_its_findings(client: Any, emptied: Any, reviewer: Any) -> None:
    decide([emptied[2].pk], reviewer, FindingState.FALSE_POSITIVE)
    address = emptied[0].incident_url
    assert address == f"/review/{emptied[0].pk}/incident/"
    page = client.get(f"{address}?within=&at=0")
    shown = page.content.decode()
    assert TITLE in shown
    assert "2 of 3 findings: the others were decided alone" in shown
    assert page.context["neighbours"].total == 1
    ids = re.findall(r'<input type="hidden" name="finding" value="([0-9]+)">', shown)
    assert ids == [str(finding.pk) for finding in emptied[:2]]
    form = {
        "finding": ids,
        "back": emptied[0].pk,
        "of": "incident",
        "state": "resolved",
        "within": "",
        "at": "0",
    }
    assert client.post("/review/decide/", form)["Location"] == f"{address}?within=&at=0"
    alone = client.get(emptied[1].get_absolute_url()).content.decode()
    assert "A decision here is about this finding alone." in alone
    assert "This finding: " in alone
    Finding.objects.update(title=TITLE)
    alone = client.get(emptied[1].get_absolute_url()).content.decode()
    assert "A decision here is about this finding alone." in alone
    assert "This finding: " not in alone
    assert address.replace(str(emptied[0].pk), str(emptied[1].pk)) in alone


def test_the_preview_says_what_happened_and_what_to_do(client: Any, ingested: Any) -> None:
    finding = Finding.objects.get(fingerprint="a")
    page = client.get(f"/review/{finding.pk}/preview/").content.decode()
    for words in (
        TITLE,
        "Records that prove it",
        "2 findings",
        "found it",
        f"/review/{finding.pk}/incident/",
    ):
        assert words in page
    assert "<html" not in page
    assert Event.objects.filter(action="finding.read", target_id=str(finding.pk)).exists()


def test_the_preview_stays_without_the_report(client: Any, emptied: Any) -> None:
    assert TITLE in client.get(f"/review/{emptied[0].pk}/preview/").content.decode()


def test_samples_are_neither_counted_nor_shown_but_in_their_view(
    client: Any, make_findings: Any, journal: Any, reviewer: Any
) -> None:
    sample = Journal.objects.create(project=journal.project, name="Sample: a loss", is_sample=True)
    make_findings(2, of=sample, title="Of a sample")
    make_findings(1, title="Of a user", severity="high")
    page = client.get("/review/")
    assert [finding.title for finding in page.context["page"]] == ["Of a user"]
    assert "1 sample journal is not counted" in page.content.decode()
    assert waiting_for(reviewer) == "1" == str(preset_counts(reviewer)["open"])
    assert preset_counts(reviewer)["samples"] == 2
    for query, number in (("samples=only", 2), ("samples=shown", 3), (f"journal={sample.pk}", 2)):
        assert len(client.get(f"/review/?{query}").context["page"].object_list) == number


def test_a_view_without_incidents_has_no_number(client: Any, make_findings: Any) -> None:
    make_findings(1)
    page = client.get("/review/").content.decode()
    assert re.findall(r'<span class="badge">([0-9,]+)</span>', page) == ["1"]


def test_the_filter_is_chips_that_can_be_taken_away(client: Any, make_findings: Any) -> None:
    make_findings(1)
    make_findings(1, severity="high")
    make_findings(1, severity="low")
    page = client.get("/review/?severity=high&severity=critical&assignee=nobody")
    assert len(page.context["page"].object_list) == 2
    assert [(chip.text, chip.without) for chip in page.context["chips"]] == [
        ("State: open", "/review/?state=any&severity=critical,high&assignee=nobody"),
        ("Severity: critical, high", "/review/?assignee=nobody"),
        ("Assignee: nobody", "/review/?severity=critical,high"),
        ("Samples: hidden", "/review/?severity=critical,high&assignee=nobody&samples=shown"),
    ]


def test_a_topic_that_is_unknown_is_said_in_words(client: Any, make_findings: Any) -> None:
    (finding,) = make_findings(1, topic="?")
    for address in ("/review/", finding.get_absolute_url()):
        page = client.get(address).content.decode()
        assert "topic and partition unknown" in page
        assert "?-0" not in page


def test_an_inspection_says_which_findings_are_one_incident(ingested: Any) -> None:
    rows = Finding.objects.values_list("fingerprint", "incident", "incident_title")
    assert set(rows) == {("a", "restart", TITLE), ("b", "restart", TITLE), ("c", "c", "")}


def test_the_queue_lists_what_is_equally_severe_in_the_order_of_the_report(client: Any, inspect: Any) -> None:
    incidents = [
        {"id": name, "severity": "critical", "title": name, "findings": [name]} for name in ("c", "a", "b")
    ]
    named = [{"identity": name, "incident": name, "title": f"Finding {name}"} for name in "abc"]
    inspection = inspect(
        *named, {"identity": "d", "severity": "low", "title": "Finding d"}, incidents=incidents
    )
    in_queue = [finding.title for finding in client.get("/review/").context["page"]]
    assert in_queue == ["Finding c", "Finding a", "Finding b", "Finding d"]
    overview = client.get(f"/inspections/{inspection.pk}/report/").content.decode()
    places = [overview.index(f">{title}<") for title in in_queue]
    assert places == sorted(places)


def test_a_newer_inspection_gives_the_queue_its_order(client: Any, inspect: Any) -> None:
    inspect("a", "b")
    inspect("b", "a")
    assert [finding.fingerprint for finding in Finding.objects.all()] == ["b", "a"]


@pytest.mark.parametrize(
    ("partitions", "words"),
    [
        ([2, 0, 0], "payments-0 and payments-2"),
        ([0, 1, 2, 3, 4], "payments-0, payments-1, payments-2 and 2 more"),
    ],
)
def test_a_row_names_the_partitions_of_all_its_findings(
    client: Any, make_findings: Any, partitions: list[int], words: str
) -> None:
    for partition in partitions:
        make_findings(1, incident="orders", incident_title=TITLE, topic="payments", partition=partition)
    first = Finding.objects.first()
    assert first
    for page in ("/review/", f"/review/{first.pk}/preview/", first.incident_url):
        assert words in client.get(page).content.decode()


def test_its_history_has_what_happened_to_several_findings_once(emptied: Any, reviewer: Any) -> None:
    decide([finding.pk for finding in emptied], reviewer, FindingState.CONFIRMED)
    decide([emptied[0].pk], reviewer, FindingState.NEW)
    Change.objects.filter(after=FindingState.NEW).update(at=timezone.now() + timedelta(minutes=1))
    decide([emptied[0].pk], reviewer, FindingState.CONFIRMED)
    Change.objects.filter(pk=Change.objects.latest("pk").pk).update(at=timezone.now() + timedelta(minutes=2))
    words = [step.words for step in ReviewedIncident(emptied[0], emptied, None).history]
    confirmed = "changed the state from new to confirmed"
    assert words == [confirmed, "changed the state from confirmed to new", confirmed, "found it"]


@pytest.fixture
def ingested(inspect: Any) -> Any:
    """An inspection with an incident of two findings, and one finding alone."""
    incident = {"id": "restart", "severity": "critical", "title": TITLE, "findings": ["a", "b"]}
    named = [{"identity": name, "incident": "restart"} for name in "ab"]
    return inspect(*named, "c", incidents=[incident])


def test_records_that_prove_it_are_in_order_and_tell_replicas_apart() -> None:
    a, b = (PartitionReplica("moves", 0, name) for name in "ab")

    def of(replica: PartitionReplica, *offsets: int) -> Any:
        proofs = [SimpleNamespace(offset=each) for each in offsets]
        return SimpleNamespace(replica=replica, proofs=proofs, sides=None)

    def report(*cards: Any) -> IncidentReport:
        return IncidentReport(cast(Any, None), cast(Any, SimpleNamespace(cards=cards)))

    several = report(of(b, 29, 15), of(a, 15, 3), of(b, 15))
    assert [(proof.offset, replica) for replica, proof in several.records] == [
        (3, a), (15, a), (15, b), (29, b)
    ]  # fmt: skip
    assert several.replica_names == {a: "a", b: "b"}
    assert report(of(a, 1), of(a, 2)).replica_names == {}
    other = PartitionReplica("moves", 1, "a")
    assert report(of(a, 1), of(other, 2)).replica_names == {a: "moves-0 (a)", other: "moves-1 (a)"}


def test_records_of_a_finding_that_is_shown_side_by_side_are_not_listed_once_more() -> None:
    a = PartitionReplica("moves", 0, "a")
    beside = SimpleNamespace(replica=a, proofs=[SimpleNamespace(offset=4)], sides=object())
    alone = SimpleNamespace(replica=a, proofs=[SimpleNamespace(offset=7)], sides=None)
    report = IncidentReport(cast(Any, None), cast(Any, SimpleNamespace(cards=[beside, alone])))
    assert report.with_sides == [beside]
    assert [proof.offset for _, proof in report.records] == [7]
