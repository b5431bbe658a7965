"""A Redis that was stopped and not ended: it takes connections and answers nothing. Pages do without it."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from tests.workers.mortal_redis import MortalRedis
from webapp import celery_client, redis_client
from webapp.journals.models import Inspection, Journal

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def of_the_web(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another test of this process may have started a worker's app."""
    monkeypatch.setattr(redis_client, "_is_worker", False)


@pytest.fixture
def frozen(house: Any, settings: Any, of_the_web: None) -> Iterator[MortalRedis]:
    """In place of the one that all tests share; what once counts as away stays away."""
    mortal = MortalRedis(Path(tempfile.mkdtemp(prefix="js-redis-")))
    mortal.start()
    settings.REDIS_URL = mortal.url
    settings.CELERY_BROKER_URL = mortal.url.replace("unix://", "redis+socket://")
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": mortal.url}}
    redis_client.connection.cache_clear()
    celery_client.client.cache_clear()
    assert redis_client.connection().ping()
    assert mortal.process
    os.kill(mortal.process.pid, signal.SIGSTOP)
    yield mortal
    os.kill(mortal.process.pid, signal.SIGCONT)
    mortal.kill()
    redis_client.connection.cache_clear()
    celery_client.client.cache_clear()
    redis_client.short_circuit.close()
    shutil.rmtree(mortal.folder, ignore_errors=True)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One for each time somebody waited in vain; only the first of them has to."""
    monkeypatch.setattr(redis_client, "AWAY_SECONDS", 3600.0)
    waited: list[int] = []
    opened = redis_client.ShortCircuit.open

    def noted(circuit: redis_client.ShortCircuit) -> None:
        waited.append(1)
        opened(circuit)

    monkeypatch.setattr(redis_client.ShortCircuit, "open", noted)
    return waited


def test_the_server_says_within_a_second_what_is_missing(
    client: Client, frozen: Any, waits: list[int]
) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"database": True, "broker": False})
    assert client.get("/readyz").json()["broker"] == "does not answer"
    assert len(waits) == 1
    limits = redis_client.limits()
    assert limits["socket_timeout"] + limits["socket_connect_timeout"] < 1


def test_pages_and_signing_in_wait_once_for_all_of_them(
    client: Client, project: Any, owner: Any, frozen: Any, waits: list[int]
) -> None:
    journal = Journal.objects.create(project=project, name="journal", created_by=owner)
    running = Inspection.objects.create(journal=journal, state="running")
    signed_in = client.post("/accounts/login/", {"login": "owner", "password": "a long pass phrase"})
    assert signed_in.status_code == 302
    for page in (
        "/",
        f"/journals/{journal.pk}/",
        f"/inspections/{running.pk}/",
        "/accounts/security/",
        "/notifications/",
    ):
        answer = client.get(page, follow=True)
        assert answer.status_code == 200, page
    assert len(waits) == 1


def test_what_is_sent_meanwhile_waits_for_housekeeping(frozen: Any, waits: list[int]) -> None:
    assert [celery_client.send("journalscope.housekeeping") for _ in range(3)] == [False, False, False]
    assert len(waits) == 1


def test_it_is_asked_again_after_some_seconds(frozen: MortalRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_client, "AWAY_SECONDS", 0.0)
    cache = caches["default"]
    cache.set("name", 1)
    assert not Client().get("/healthz").json()["broker"]
    assert frozen.process
    os.kill(frozen.process.pid, signal.SIGCONT)
    redis_client.patient().ping()
    assert Client().get("/healthz").json()["broker"]
    assert celery_client.send("journalscope.housekeeping")
    assert cache.get("name") is None, "set in this process's memory only"


def test_a_worker_has_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    assert redis_client.limits()["socket_timeout"] == redis_client.ANSWER_SECONDS
    monkeypatch.setattr(redis_client, "_is_worker", True)
    assert redis_client.limits()["socket_timeout"] == redis_client.PATIENT_SECONDS
