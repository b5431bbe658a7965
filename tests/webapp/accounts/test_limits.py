"""Limits of signing in: counted in Redis for all processes, and the sentence says when to try again."""

from __future__ import annotations

import re
from typing import Any

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
    assert re.search(r"Too many sign-ins failed. Try again in 5 minutes, at \d\d:\d\d UTC\.", shut)
    assert "not correct" not in shut


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
