"""Sessions: listed, ended one by one, ended by a new password."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from webapp.accounts.sessions import browser_of, remove_expired
from webapp.audit.models import Event

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SIGN_IN = {"login": "owner", "password": "a long pass phrase"}


@pytest.fixture
def two(owner: Any) -> list[Client]:
    """Two browsers of the owner, the second with Firefox from elsewhere."""
    here, there = Client(), Client(headers={"user-agent": FIREFOX}, REMOTE_ADDR="192.0.2.7")
    for client in (here, there):
        client.post("/accounts/login/", SIGN_IN)
        assert client.get("/").status_code == 200
    return [here, there]


def test_the_list_says_browser_address_and_which_is_this(two: list[Client]) -> None:
    page = two[0].get("/accounts/sessions/").content.decode()
    assert "Firefox on Linux" in page
    assert "192.0.2.7" in page
    assert page.count("this one") == 1


def test_one_is_ended_from_the_other(two: list[Client], owner: Any) -> None:
    other = UserSession.objects.get(ip="192.0.2.7")
    two[0].post(f"/accounts/sessions/{other.pk}/end/")
    assert two[1].get("/").status_code == 302
    assert two[0].get("/").status_code == 200
    assert Event.objects.get(action="session.revoked").detail == {"sessions": 1}


def test_all_others_are_ended(two: list[Client]) -> None:
    two[1].post("/accounts/sessions/others/end/")
    assert (two[0].get("/").status_code, two[1].get("/").status_code) == (302, 200)


def test_ending_this_one_signs_out(two: list[Client]) -> None:
    this = UserSession.objects.exclude(ip="192.0.2.7").get()
    assert two[0].post(f"/accounts/sessions/{this.pk}/end/")["Location"] == "/accounts/login/"
    assert two[0].get("/").status_code == 302


@pytest.mark.parametrize("is_by_form", [True, False])
def test_a_change_of_a_session_does_not_put_its_end_off(is_by_form: bool, owner: Any, sign_in: Any) -> None:
    client = Client() if is_by_form else sign_in(owner)
    if is_by_form:
        client.post("/accounts/login/", SIGN_IN)
    session = client.session
    end = session.get_expiry_date()
    assert timedelta(days=13) < end - timezone.now() <= timedelta(days=14)
    Session.objects.update(expire_date=end - timedelta(days=10))
    session["changed"] = True
    session.save()
    assert Session.objects.get().expire_date == end


def test_nobody_ends_somebody_else_s(two: list[Client], reviewer: Any, sign_in: Any) -> None:
    client = sign_in(reviewer)
    client.get("/")
    assert (
        client.post(f"/accounts/sessions/{UserSession.objects.get(ip='192.0.2.7').pk}/end/").status_code
        == 404
    )
    assert two[1].get("/").status_code == 200
    assert "192.0.2.7" not in client.get("/accounts/sessions/").content.decode()


def test_a_new_password_signs_the_others_out(two: list[Client]) -> None:
    new = "another long phrase"
    form = {"oldpassword": SIGN_IN["password"], "password1": new, "password2": new}
    two[0].post("/accounts/password/change/", form)
    assert (two[0].get("/").status_code, two[1].get("/").status_code) == (200, 302)
    assert "192.0.2.7" not in two[0].get("/accounts/sessions/").content.decode()
    assert Event.objects.filter(action="password.changed").exists()


def test_a_page_writes_last_seen_once_in_five_minutes(
    two: list[Client], django_assert_num_queries: Any
) -> None:
    before = UserSession.objects.get(ip="192.0.2.7").last_seen_at
    two[1].get("/")
    assert UserSession.objects.get(ip="192.0.2.7").last_seen_at == before


def test_a_session_that_is_over_is_removed_with_its_line(two: list[Client]) -> None:
    over = two[1].session.session_key
    Session.objects.filter(session_key=over).update(expire_date=timezone.now())
    remove_expired()
    kept = [two[0].session.session_key]
    assert list(UserSession.objects.values_list("session_key", flat=True)) == kept
    assert list(Session.objects.values_list("session_key", flat=True)) == kept


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605 Version/17 Safari/605",
            "Safari on macOS",
        ),
        ("journal-uploader/2", "journal-uploader/2"),
        ("", "unknown"),
    ],
)
def test_a_browser_in_words(agent: str, words: str) -> None:
    assert browser_of(agent) == words
