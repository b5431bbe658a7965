"""Saved filters of records: kept beside a report's filter line, opened as an address, renamed, shared, deleted."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from tests.webapp.reports.conftest import get, inspected
from tests.webapp.sharing.conftest import share
from webapp.audit.models import Event
from webapp.journals.models import Journal
from webapp.review import saved
from webapp.review.models import SavedFilter

__all__ = ["get", "inspected", "share"]

LARGE = "value.amount > 400"


@pytest.fixture
def keep(owner: Any, sign_in: Any) -> Any:
    """`keep(inspection, "name", filter, shared="1")`: the form, as a user sends it."""

    def send(inspection: Any, name: str, filter_text: str = LARGE, user: Any = owner, **members: str) -> Any:
        address = reverse("record-filter-save", args=[inspection.pk])
        form = {"name": name, "filter": filter_text, "topic": "kafkasql-journal"} | members
        return sign_in(user).post(address, form)

    return send


def links(text: str) -> dict[str, str]:
    """Name -> address of the saved filters of a page."""
    listed = re.search(r'<ul class="saved-list">(.*?)</ul>', text, re.DOTALL)
    found = re.findall(r'<li><a href="([^"]*)"[^>]*>([^<]*)</a>', listed[1] if listed else "")
    return {name: html.unescape(address) for address, name in found}


@pytest.mark.parametrize("page", ["report-records", "report-keys", "report-timeline"])
def test_a_filter_is_saved_on_a_page_and_opens_there_as_an_address(
    page: str, inspected: Any, get: Any, keep: Any, owner: Any, sign_in: Any
) -> None:
    inspection = inspected()
    before = get(inspection, page, filter="key:b").content.decode()
    assert "Save filter" in before
    here = f"{reverse(page, args=[inspection.pk])}?filter=key%3Ab"
    answer = keep(inspection, "Of b", "key:b", back=here)
    assert (answer.status_code, answer["Location"]) == (302, here)
    kept = SavedFilter.objects.get()
    assert (kept.owner, kept.project, kept.query) == (owner, None, "filter=key%3Ab")
    assert kept.journal_type == "plain"
    text = get(inspection, page).content.decode()
    assert "Saved 1</summary>" in text
    assert "Save filter" not in text  # there is no filter to save
    opened = sign_in(owner).get(links(text)["Of b"]).content.decode()
    assert 'value="key:b"' in opened
    assert 'aria-current="true">Of b' in opened
    assert "Save filter" not in opened  # it is saved already


def test_a_filter_is_offered_to_journals_of_its_type_alone(inspected: Any, get: Any, keep: Any) -> None:
    inspection, other = inspected(), inspected()
    keep(inspection, "Large")
    assert "Large" in links(get(other, "report-records").content.decode())
    SavedFilter.objects.update(journal_type="debezium-history")
    assert not links(get(inspection, "report-records").content.decode())


def test_a_zone_is_kept_where_times_are_compared(inspected: Any, keep: Any) -> None:
    inspection = inspected()
    keep(inspection, "Night", "time:00:00..05:00", zone="Europe/Berlin")
    keep(inspection, "Large", zone="Europe/Berlin")
    kept = dict(SavedFilter.objects.values_list("name", "query"))
    assert kept == {
        "Night": "filter=time%3A00%3A00..05%3A00&zone=Europe%2FBerlin",
        "Large": "filter=value.amount+%3E+400",
    }


def test_one_project_shares_a_filter_with_its_viewers(
    inspected: Any, keep: Any, viewer: Any, stranger: Any, sign_in: Any, other_project: Any
) -> None:
    inspection = inspected()
    keep(inspection, "Team", shared="1")
    kept = SavedFilter.objects.get()
    assert kept.project == inspection.journal.project
    page = sign_in(viewer).get(reverse("report-records", args=[inspection.pk])).content.decode()
    assert "Team" in links(page)
    assert "Delete the filter" not in page
    assert sign_in(viewer).post(f"/review/filters/{kept.pk}/rename/", {"name": "mine"}).status_code == 403
    assert sign_in(stranger).post(f"/review/filters/{kept.pk}/rename/", {"name": "x"}).status_code == 404
    other_project.memberships.create(user=stranger, role="admin")
    assert sign_in(stranger).post(f"/review/filters/{kept.pk}/delete/").status_code == 404


def test_a_viewer_saves_for_oneself_and_does_not_share(
    inspected: Any, keep: Any, viewer: Any, sign_in: Any
) -> None:
    inspection = inspected()
    page = sign_in(viewer).get(reverse("report-records", args=[inspection.pk]), {"filter": LARGE})
    assert "Save filter" in page.content.decode()
    assert "Share with the project" not in page.content.decode()
    assert keep(inspection, "x", user=viewer, shared="1").status_code == 403
    assert keep(inspection, "Own", user=viewer).status_code == 302
    assert SavedFilter.objects.get().project is None


def test_filters_of_records_stay_out_of_the_review_queue_and_the_other_way_round(
    inspected: Any, keep: Any, reviewer: Any, sign_in: Any
) -> None:
    inspection = inspected()
    keep(inspection, "Records", user=reviewer)
    sign_in(reviewer).post("/review/filters/", {"name": "Queue", "query": "severity=high"})
    assert set(links(sign_in(reviewer).get("/review/").content.decode())) == {"Queue"}
    page = sign_in(reviewer).get(reverse("report-records", args=[inspection.pk])).content.decode()
    assert set(links(page)) == {"Records"}


def test_renaming_and_deleting_lead_back_to_the_page_and_stand_in_the_audit_log(
    inspected: Any, keep: Any, owner: Any, sign_in: Any
) -> None:
    inspection = inspected()
    keep(inspection, "Large")
    keep(inspection, "Other", "key:b")
    kept, client = SavedFilter.objects.get(name="Large"), sign_in(owner)
    back = reverse("report-keys", args=[inspection.pk])
    answer = client.post(f"/review/filters/{kept.pk}/rename/", {"name": "Huge", "back": back})
    assert answer["Location"] == back
    kept.refresh_from_db()
    assert (kept.name, kept.query) == ("Huge", "filter=value.amount+%3E+400")
    client.post(f"/review/filters/{kept.pk}/rename/", {"name": "Other"})
    kept.refresh_from_db()
    assert kept.name == "Huge"
    elsewhere = {"back": "//example.org/"}
    assert client.post(f"/review/filters/{kept.pk}/delete/", elsewhere)["Location"] == "/review/"
    assert not SavedFilter.objects.filter(name="Huge").exists()
    events = Event.objects.filter(action__startswith="filter.").exclude(action="filter.completed")
    assert list(events.order_by("pk").values_list("action", flat=True)) == [
        "filter.saved", "filter.saved", "filter.saved", "filter.deleted",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("filter_text", "sentence"),
    [
        ("", "The filter is empty"),
        ("kind:updat", "Character 6 of the filter"),
        ("a" * 2001, "2,000 characters"),
    ],
)
def test_a_filter_that_the_language_refuses_is_not_saved(
    filter_text: str, sentence: str, inspected: Any, keep: Any
) -> None:
    answer = keep(inspected(), "x", filter_text)
    assert sentence in answer.client.get(answer["Location"]).content.decode()
    assert not SavedFilter.objects.exists()


def test_one_filter_too_many_is_refused(inspected: Any, keep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "MAX_OWN", 1)
    inspection = inspected()
    keep(inspection, "first")
    keep(inspection, "second")
    keep(inspection, "first", "key:b")
    assert list(SavedFilter.objects.values_list("name", "query")) == [("first", "filter=key%3Ab")]


def test_a_stranger_saves_nothing(inspected: Any, keep: Any, stranger: Any) -> None:
    assert keep(inspected(), "x", user=stranger).status_code == 404


def test_a_share_has_neither_button(inspected: Any, keep: Any, share: Any, client: Any) -> None:
    inspection = inspected()
    keep(inspection, "Secret name", shared="1")
    _, token = share(inspection)
    client.post(f"/s/{token}/")
    text = client.get(f"/s/{token}/records/", {"filter": "key:b"}, follow=True).content.decode()
    assert 'name="filter"' in text
    assert "Save filter" not in text
    assert "Secret name" not in text


def test_a_filter_of_another_project_of_mine_stays_there(
    inspected: Any, keep: Any, get: Any, owner: User, other_project: Any
) -> None:
    inspection = inspected()
    other_project.memberships.create(user=owner, role="support")
    keep(inspection, "Here", shared="1")
    Journal.objects.update(project=other_project)
    assert not links(get(inspection, "report-records").content.decode())
