"""A finding's page: what the report says, history, comments with mentions and records; its state on the report."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.audit.models import Event
from webapp.journals import deletion
from webapp.journals.models import Inspection
from webapp.review import decisions
from webapp.review.models import Comment, Finding
from webapp.review.states import FindingState


@pytest.fixture
def inspection(inspect: Any) -> Inspection:
    remedy = "1. Stop the registry.\n2. Look for offset 6 in an older dump."
    led_to = {"identity": "led-to", "consequence_of": "cause", "title": "Artifact error cannot be read"}
    return inspect({"identity": "cause", "evidence": [6, 9, 10], "remedy": remedy}, led_to)


@pytest.fixture
def finding(inspection: Inspection) -> Finding:
    return Finding.objects.get(fingerprint="cause")


def say(client: Any, finding: Finding, text: str, records: str = "") -> Any:
    return client.post(f"/review/{finding.pk}/comment/", {"text": text, "records": records}, follow=True)


@pytest.mark.parametrize("who", ["viewer", "owner", "reviewer", "admin"])
def test_everybody_of_the_project_reads_it(who: str, finding: Finding, request: Any, sign_in: Any) -> None:
    page = sign_in(request.getfixturevalue(who)).get(f"/review/{finding.pk}/").content.decode()
    for words in (
        "Content 2 is lost",
        "It was stored at offset",
        "What to do",
        "kafkasql-journal",
        "Critical",
    ):
        assert words in page
    assert f"/inspections/{finding.last_inspection_id}/report/records/?" in page
    assert "1 consequence" in page
    assert page.count("Found by") == 1
    assert ('name="state"' in page) == (who in {"reviewer", "admin"})
    assert ('name="text"' in page) == (who != "viewer")


def test_decisions_are_in_reach_at_the_foot_of_the_page(
    finding: Finding, reviewer: Any, owner: Any, sign_in: Any
) -> None:
    bar = 'class="review-foot decision-bar"'
    page = sign_in(reviewer).get(f"/review/{finding.pk}/").content.decode()
    _, _, foot = page.partition(bar)
    assert foot.count('form="judge"') >= 3
    assert 'id="judge"' in page
    assert bar not in sign_in(owner).get(f"/review/{finding.pk}/").content.decode()


def test_a_stranger_gets_404(finding: Finding, stranger: Any, sign_in: Any) -> None:
    client = sign_in(stranger)
    assert client.get(f"/review/{finding.pk}/").status_code == 404
    assert client.post(f"/review/{finding.pk}/comment/", {"text": "hello"}).status_code == 404
    assert not Comment.objects.exists()


def test_a_viewer_does_not_comment(finding: Finding, viewer: Any, sign_in: Any) -> None:
    assert say(sign_in(viewer), finding, "hello").status_code == 403


def test_the_history_names_who_what_and_why(
    finding: Finding, inspect: Any, reviewer: Any, sign_in: Any
) -> None:
    decisions.decide([finding.pk], reviewer, FindingState.ACKNOWLEDGED, comment="Dump of Monday asked for.")
    decisions.assign([finding.pk], reviewer, reviewer)
    decisions.decide([finding.pk], reviewer, FindingState.SUPPRESSED)
    inspect()
    inspect({"identity": "cause", "severity": "high"})
    page = sign_in(reviewer).get(f"/review/{finding.pk}/").content.decode()
    for words in (
        "changed the state from new to acknowledged",
        "Dump of Monday asked for.",
        "assigned it to reviewer",
        "changed the state from acknowledged to suppressed until it changes",
        "no longer found it",
        "found it again after it was no longer present",
        "changed the severity from critical to high",
        "changed the state from suppressed to new",
        "Seen by 2 inspections",
        "present again",
    ):
        assert words in page


def test_a_comment_reaches_members_of_the_project_only(
    finding: Finding, owner: Any, reviewer: Any, stranger: Any, sign_in: Any
) -> None:
    page = say(sign_in(owner), finding, "@reviewer, please look; @stranger and @nobody cannot.\n<b>bold</b>")
    shown = page.content.decode()
    assert list(Comment.objects.get().mentions.all()) == [reviewer]
    assert '<strong class="mention">@reviewer</strong>, please' in shown
    assert "@stranger is not a member of this project" in shown
    assert "<b>bold</b>" not in shown
    event = Event.objects.get(action="finding.commented")
    assert (event.actor_name, event.detail["mentions"]) == ("owner", [reviewer.pk])
    assert "please" not in str(event.detail)


@pytest.mark.parametrize("text", ["ask @reviewer.", "(@reviewer)", "@Reviewer: look", "@reviewer"])
def test_a_mention_ends_where_the_name_ends(
    finding: Finding, owner: Any, reviewer: Any, sign_in: Any, text: str
) -> None:
    say(sign_in(owner), finding, text)
    assert list(Comment.objects.get().mentions.all()) == [reviewer]


def test_an_address_of_mail_is_no_mention(finding: Finding, owner: Any, reviewer: Any, sign_in: Any) -> None:
    page = say(sign_in(owner), finding, "Mail to someone@reviewer")
    assert not Comment.objects.get().mentions.exists()
    assert "is not a member of this project" not in page.content.decode()


def test_records_are_attached_by_offset_or_address(
    finding: Finding, inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    address = f"https://journals.example.org/inspections/{inspection.pk}/report/records/?topic=t&partition=3&record=77"
    page = say(sign_in(owner), finding, "Look here.", f"6, 1,204 {address}").content.decode()
    kept = Comment.objects.get().records
    assert [entry["offset"] for entry in kept] == [6, 1204, 77]
    assert [entry["topic"] for entry in kept] == ["journal", "journal", "t"]
    assert "record=77" in page
    assert ">1204</a> of journal-0" in page


@pytest.mark.parametrize(
    "records",
    [
        "not-a-record",
        "/inspections/00000000-0000-0000-0000-000000000000/report/records/5/",
        "9" * 30,
        " ".join("1" * 60),
    ],
    ids=["words", "unseen", "too-large", "too-many"],
)
def test_what_is_no_record_is_said_and_the_text_kept(
    finding: Finding, owner: Any, sign_in: Any, records: str
) -> None:
    page = say(sign_in(owner), finding, "My long text", records)
    assert page.status_code == 422
    assert "My long text" in page.content.decode()
    assert not Comment.objects.exists()


def test_a_record_of_another_project_cannot_be_attached(
    finding: Finding, owner: Any, sign_in: Any, other_project: Any
) -> None:
    theirs = Inspection.objects.create(journal=other_project.journals.get(), state="done")
    page = say(sign_in(owner), finding, "x", f"/inspections/{theirs.pk}/report/records/5/")
    assert page.status_code == 422


@pytest.mark.parametrize("text", ["", "   ", "x" * 10_001], ids=["empty", "blank", "endless"])
def test_a_comment_has_a_length(finding: Finding, owner: Any, sign_in: Any, text: str) -> None:
    assert say(sign_in(owner), finding, text).status_code == 422


def test_a_report_that_is_gone_is_said(finding: Finding, viewer: Any, sign_in: Any, house: Any) -> None:
    deletion.remove_results(finding.last_inspection)
    page = sign_in(viewer).get(f"/review/{finding.pk}/")
    assert page.status_code == 200
    assert "The report is deleted" in page.content.decode()


@pytest.mark.parametrize(("who", "judges"), [("viewer", False), ("owner", False), ("reviewer", True)])
def test_the_card_of_a_cause_shows_its_state(
    finding: Finding,
    inspection: Inspection,
    who: str,
    judges: bool,
    reviewer: Any,
    request: Any,
    sign_in: Any,
) -> None:
    decisions.decide([finding.pk], reviewer, FindingState.CONFIRMED)
    client = sign_in(reviewer if who == "reviewer" else request.getfixturevalue(who))
    page = client.get(f"/inspections/{inspection.pk}/report/").content.decode()
    assert '<span class="review-state is-confirmed">confirmed</span>' in page
    assert f"/review/{finding.pk}/" in page
    assert ("/review/decide/" in page) == judges


def test_a_card_is_judged_with_and_without_scripts(
    finding: Finding, inspection: Inspection, reviewer: Any, sign_in: Any
) -> None:
    client = sign_in(reviewer)
    form = {"finding": finding.pk, "state": "confirmed", "card": str(inspection.pk)}
    answer = client.post("/review/decide/", form)
    assert answer["Location"] == f"/inspections/{inspection.pk}/report/?finding=cause#finding-cause"
    part = client.post("/review/decide/", form | {"state": "resolved"}, headers={"HX-Request": "true"})
    assert 'class="review-on-card"' in part.content.decode()
    assert "is-resolved" in part.content.decode()
    assert "1 finding is now resolved." in part.content.decode()


def test_findings_told_in_one_line_show_their_state_too(
    inspect: Any, viewer: Any, reviewer: Any, sign_in: Any
) -> None:
    inspection = inspect(*({"identity": f"{n}", "title": f"Content {n} is lost"} for n in range(30)))
    decisions.decide(
        Finding.objects.filter(fingerprint__in=["3", "25"]), reviewer, FindingState.FALSE_POSITIVE
    )
    page = sign_in(viewer).get(f"/inspections/{inspection.pk}/report/").content.decode()
    assert (
        page.count('<span class="review-state is-false_positive">false positive</span>') == 3
    )  # on its card, too
    assert page.count('class="review-state is-new"') == 11 + 11 - 1 + 17


def test_the_form_of_a_card_carries_its_token(
    finding: Finding, inspection: Inspection, reviewer: Any
) -> None:
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    page = client.get(f"/inspections/{inspection.pk}/report/").content.decode()
    part = page[page.index('class="review-on-card"') :]
    token = part.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    form = {"finding": finding.pk, "state": "confirmed", "card": str(inspection.pk)}
    assert client.post("/review/decide/", form).status_code == 403
    answer = client.post(
        "/review/decide/", form | {"csrfmiddlewaretoken": token}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 200
    assert 'name="csrfmiddlewaretoken" value="' in answer.content.decode()
