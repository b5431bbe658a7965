"""Limits of signing in: counted in Redis for all processes, and the sentence says when to try again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.core.cache import cache, caches
from django.test import Client

WRONG = {"login": "owner", "password": "wrong"}
RIGHT = {"login": "owner", "password": "a long pass phrase"}


def text_of(client: Client, form: dict[str, str], **extra: Any) -> str:
    return str(client.post("/accounts/login/", form, **extra).content.decode())


def test_after_five_failures_the_door_is_shut_and_says_until_when(owner: Any) -> None:
    for _ in range(5):
        assert "not correct" in text_of(Client(), WRONG)
    shut = text_of(Client(), RIGHT)
    assert re.search(r"Try again in 5 minutes, at \d\d:\d\d UTC\.", shut)
    assert "not correct" not in shut


@pytest.mark.parametrize("other", ["owner@example.org", "OWNER@example.org", "Owner", " owner "])
def test_it_is_shut_under_every_name_of_the_account(owner: Any, other: str) -> None:
    for _ in range(5):
        text_of(Client(), WRONG)
    assert "Too many sign-ins failed" in text_of(Client(), RIGHT | {"login": other})


def test_failures_under_several_names_of_an_account_add_up(owner: Any) -> None:
    for login in ("owner", "owner@example.org", "OWNER", "owner", "owner@example.org"):
        assert "not correct" in text_of(Client(), WRONG | {"login": login})
    assert "Too many sign-ins failed" in text_of(Client(), RIGHT)


def test_a_name_that_nobody_has_is_shut_like_one_that_somebody_has(db: None) -> None:
    for _ in range(5):
        assert "not correct" in text_of(Client(), WRONG | {"login": "nobody@example.org"})
    assert "Too many sign-ins failed" in text_of(Client(), WRONG | {"login": "Nobody@example.org"})


def test_a_user_name_that_is_somebody_elses_address_counts_for_both(owner: Any) -> None:
    User.objects.create_user("owner@example.org", "other@example.org", "another long phrase")
    for _ in range(5):
        text_of(Client(), WRONG | {"login": "owner@example.org"})
    assert "Too many sign-ins failed" in text_of(Client(), RIGHT)


class TestEqualWork:
    """A try does as much work for a name that nobody has as for one that somebody has: time tells nothing."""

    @pytest.fixture
    def hashed(self, settings: Any, monkeypatch: Any) -> list[str]:
        done: list[str] = []
        encode = MD5PasswordHasher.encode

        def counted(self: Any, password: str, *more: Any, **named: Any) -> str:
            done.append(password)
            return str(encode(self, password, *more, **named))

        monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
        return done

    @pytest.mark.parametrize(
        "login",
        [
            "owner", "owner@example.org", "nobody", "nobody@example.org", "off", "off@example.org", "provided",
            "provided@example.org", "shared@example.org", "named@example.org",
        ],
    )  # fmt: skip
    def test_two_passwords_are_checked(self, owner: Any, hashed: list[str], login: str) -> None:
        User.objects.create_user("off", "off@example.org", "a long pass phrase", is_active=False)
        User.objects.create_user("provided", "provided@example.org")
        for name in ("first", "second", "third"):
            User.objects.create_user(name, "shared@example.org", "a long pass phrase")
        User.objects.create_user("named@example.org", "of-its-own@example.org", "a long pass phrase")
        hashed.clear()
        assert "not correct" in text_of(Client(), {"login": login, "password": "wrong"})
        assert len(hashed) == 2

    def test_an_account_that_is_switched_off_still_gets_the_page_that_says_so(self, owner: Any) -> None:
        User.objects.update(is_active=False)
        assert Client().post("/accounts/login/", RIGHT)["Location"] == "/accounts/inactive/"


def test_it_is_shut_for_that_account_only(owner: Any, reviewer: Any) -> None:
    for _ in range(6):
        text_of(Client(), WRONG)
    assert Client().post("/accounts/login/", RIGHT | {"login": "reviewer"}).status_code == 302


def test_it_is_shut_from_every_address(owner: Any) -> None:
    for number in range(5):
        text_of(Client(), WRONG, REMOTE_ADDR=f"192.0.2.{number}")
    assert "Too many sign-ins failed" in text_of(Client(), RIGHT, REMOTE_ADDR="192.0.2.99")


def test_an_address_that_tries_many_accounts_is_shut_out(owner: Any) -> None:
    for number in range(20):
        text_of(Client(), {"login": f"user{number}", "password": "wrong"})
    assert "Too many sign-ins failed" in text_of(Client(), RIGHT)
    assert Client().post("/accounts/login/", RIGHT, REMOTE_ADDR="192.0.2.1").status_code == 302


def test_it_opens_again_when_the_failures_are_old(owner: Any) -> None:
    for _ in range(5):
        text_of(Client(), WRONG)
    cache.clear()
    assert Client().post("/accounts/login/", RIGHT).status_code == 302


def test_very_many_attempts_from_one_address_get_a_page_of_ours(owner: Any, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip"}
    answers = [Client().post("/accounts/login/", RIGHT) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert "Wait a minute, then try again" in answers[-1].content.decode()


def test_failures_are_counted_in_redis(owner: Any, house: Any) -> None:
    text_of(Client(), WRONG)
    assert any(b"login_failed" in key for key in house.keys("*"))


def test_without_redis_one_signs_in_and_is_still_limited(owner: Any, settings: Any) -> None:
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "unix:///nowhere/redis.sock"}}
    caches["default"].clear()
    assert Client().post("/accounts/login/", RIGHT).status_code == 302
    for _ in range(5):
        text_of(Client(), WRONG)
    assert "Too many sign-ins failed" in text_of(Client(), RIGHT)
